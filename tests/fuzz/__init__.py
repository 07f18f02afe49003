"""Random and mutated requests, and what must hold for every one of them."""
