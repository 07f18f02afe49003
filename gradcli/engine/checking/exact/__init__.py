"""A second computation of everything, with many digits and formulas of its own: what float64 is held against."""
