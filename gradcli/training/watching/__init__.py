"""What is seen of a training loop while it runs: one file a place where torch lets one look."""
