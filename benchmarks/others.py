"""What others do to look at gradients while a network trains, at every step: each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks.trainings import TRAININGS, timed

TRAINED = "mlp of 20 × 128, AdamW"
STEPS = 30
ROUNDS = 3

# name -> the package that it needs
OTHERS = {"full backward hooks": None, "wandb.watch, offline": "wandb", "torchlens, one forward": "torchlens"}


def beside(name: str) -> tuple[tuple[float, float], ...]:
    """Seconds of the processor of a training looked at, and alone."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "benchmarks.others", name, folder]
        said = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    return tuple((ours, alone) for ours, alone in json.loads(said.splitlines()[-1]))


def _hooks(model: Any, folder: str) -> None:
    """The usual recorder: a full backward hook on every module, and the norm of the gradient that it gets."""
    del folder
    norms: list[float] = []
    for module in model.modules():
        module.register_full_backward_hook(lambda _, __, out: norms.append(float(out[0].norm())))


def _wandb(model: Any, folder: str) -> None:
    import wandb  # type: ignore[import-not-found,unused-ignore]

    wandb.init(mode="offline", dir=folder, settings=wandb.Settings(silent=True))
    wandb.watch(model, log="gradients", log_freq=1)


def _torchlens(model: Any, folder: str) -> None:
    import torch
    import torchlens  # type: ignore[import-not-found,unused-ignore]

    del folder
    torchlens.trace(model, torch.randn(64, 128))


def _main(name: str, folder: str) -> None:
    import torch

    torch.set_num_threads(1)
    attach: Callable[[Any, str], None] = dict(zip(OTHERS, (_hooks, _wandb, _torchlens), strict=True))[name]
    one = TRAININGS[TRAINED]
    pairs = [
        (timed(lambda: one.run(lambda model: attach(model, folder), STEPS)), timed(lambda: one.run(steps=STEPS)))
        for _ in range(ROUNDS + 1)
    ]
    print(json.dumps(pairs[1:]))


if __name__ == "__main__":
    _main(*sys.argv[1:])
