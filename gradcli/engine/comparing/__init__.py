"""The same thing in several ways: under grad modes, in dtypes, by formulas that should be the same."""
