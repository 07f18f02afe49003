"""Verdicts on comparisons, in words: one file a kind."""
