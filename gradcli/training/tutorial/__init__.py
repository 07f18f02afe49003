"""A script that trains no model, as tutorials are: why a gradient of its tensors is None, and what a grad mode did."""
