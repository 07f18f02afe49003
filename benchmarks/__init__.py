"""Every promise of speed as a ratio: gradcli and its baseline, measured side by side in one run."""

from __future__ import annotations

# In the order of the table; each is a file here with a `rows(rounds)`.
MEASURES = (
    "cold", "without_torch", "small", "batch", "repl", "large", "diagnosis", "length", "inputs", "streaming",
    "derivatives", "sweep", "watching",
)  # fmt: skip
