"""Torch's generators seeded, at little cost."""

from __future__ import annotations

import torch


def seed(number: int) -> None:
    """Seed what torch draws from, on every device.

    Without an accelerator torch.manual_seed would note for each kind how to seed it later, with the stack it was called
    from: that takes longer than a small evaluation.
    """
    if torch.accelerator.is_available():
        torch.manual_seed(number)
    else:
        torch.default_generator.manual_seed(number)
