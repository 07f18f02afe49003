"""Programs and values to frozen results, with torch. Importing this room imports torch, carefully.

Collecting garbage while torch's many modules load costs a fifth of the start-up and finds nothing.
"""

from __future__ import annotations

import gc
import warnings

_collecting = gc.isenabled()
gc.disable()
try:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
        import torch

        torch.zeros(1).sum()  # torch says once, at its first tensor, that numpy is absent; nothing here needs it
finally:
    if _collecting:
        gc.enable()
