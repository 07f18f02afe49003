"""Scripts that gradcli runs, and what it tells of them."""
