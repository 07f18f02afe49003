"""`gradcli compare`: grad modes, dtypes, and formulas."""
