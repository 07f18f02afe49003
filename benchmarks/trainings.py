"""Trainings on one core that last about a second each: as long as a first epoch of a small data set.

What is there once, at the start and at the first steps, is in it; a longer training feels it less.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

NARROW, WIDE = 1.1, 1.05  # bounds below and from layer width 256

Made = Callable[[], tuple[Any, Any, Callable[[], Any]]]


@dataclass(frozen=True, slots=True)
class Training:
    """What makes a model, its optimizer and its loss; how many steps are taken; what watching it may cost."""

    made: Made
    steps: int
    bound: float

    def run(self, attach: Callable[[Any], object] | None = None, steps: int | None = None) -> None:
        """Train from the beginning; `attach` is called with the model."""
        import torch

        torch.manual_seed(0)
        model, optimizer, loss = self.made()
        if attach is not None:
            attach(model)
        for _ in range(steps or self.steps):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()


def _mlp(width: int, adam: bool) -> Made:
    def made() -> tuple[Any, Any, Callable[[], Any]]:
        import torch
        from torch import nn

        layers = [part for _ in range(20) for part in (nn.Linear(width, width), nn.ReLU())]
        model = nn.Sequential(*layers)
        optimizer: Any = (torch.optim.AdamW if adam else torch.optim.SGD)(model.parameters(), lr=1e-3)
        x = torch.randn(64, width)
        return model, optimizer, lambda: model(x).pow(2).mean()

    return made


def _transformer() -> tuple[Any, Any, Callable[[], Any]]:
    import torch
    from torch import nn

    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    model = nn.Sequential(
        nn.Embedding(100, 64), nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(64, 100)
    )
    words = torch.randint(0, 100, (8, 32))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return model, optimizer, lambda: nn.functional.cross_entropy(model(words).flatten(0, 1), words.flatten())


def _cnn() -> tuple[Any, Any, Callable[[], Any]]:
    import torch
    from torch import nn

    model = nn.Sequential(
        nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2), nn.BatchNorm2d(32),
        nn.ReLU(), nn.Flatten(), nn.Linear(32 * 36, 10),
    )  # fmt: skip
    x, y = torch.randn(16, 3, 16, 16), torch.randint(0, 10, (16,))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    return model, optimizer, lambda: nn.functional.cross_entropy(model(x), y)


TRAININGS = {
    "mlp of 20 × 64, SGD": Training(_mlp(64, False), 500, NARROW),
    "mlp of 20 × 128, AdamW": Training(_mlp(128, True), 200, NARROW),
    "mlp of 20 × 512, AdamW": Training(_mlp(512, True), 20, WIDE),
    "transformer of width 64": Training(_transformer, 150, NARROW),
    "convolutions": Training(_cnn, 500, NARROW),
}


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor that a call takes."""
    gc.collect()
    begin = process_time()
    work()
    return process_time() - begin
