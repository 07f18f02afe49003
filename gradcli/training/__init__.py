"""A training script run as Python runs it, and what was seen of its tensors, its gradients and its end."""
