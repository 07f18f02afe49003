"""A program over a range of values: its numbers at each point, and what is to be found between them."""
