"""What watching adds to a training, from its first line to its last, and the memory that it takes.

The loops are run in turn: watched, bare, bare again, round after round. Of each step the least time over the rounds
counts, and a training is the sum of its steps: what else the machine does is not in it. The last pair tells how much
of a ratio is chance. What others do for the same job stands below, where it is installed.
"""

from __future__ import annotations

import gc
import resource
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from itertools import pairwise
from time import perf_counter
from typing import Any

import gradcli
from benchmarks.race import Row

ROUNDS = 9
NARROW, WIDE = 1.1, 1.05  # below and from width 256
MEGABYTES = 15
PLAIN_STEPS, HEAVY_STEPS = 150, 60


def rows(rounds: int | None) -> Iterator[Row]:
    import torch

    torch.set_num_threads(1)
    count = rounds or ROUNDS
    yield _memory()
    for what, (made, steps, bound) in LOOPS.items():
        run = _run(made, steps)
        run(nullcontext)
        run(gradcli.watch)
        trios = [(run(gradcli.watch), run(nullcontext), run(nullcontext)) for _ in range(count)]
        ours, alone, again = (_least(one) for one in zip(*trios, strict=True))
        yield Row(f"{what}, watched", "the same alone", ((ours, alone),), bound)
        yield Row(f"{what}, alone", "the same alone", ((again, alone),))
    for name, other in OTHERS.items():
        if find_spec(name) is not None or name == "hooks":
            run = _run(LOOPS["mlp of 20 × 128, AdamW"][0], 20)
            pairs = [(run(other), run(nullcontext)) for _ in range(3)]
            theirs, alone = (_least(one) for one in zip(*pairs, strict=True))
            yield Row(f"{name}: mlp of 20 × 128", "the same alone", ((theirs, alone),))


def _least(runs: Iterable[list[float]]) -> float:
    """The sum over the steps of the least time that each took in any of the runs."""
    return sum(map(min, zip(*runs, strict=True)))


Way = Callable[[], AbstractContextManager[Any]]


def _run(made: Callable[[], tuple[Any, Any, Callable[[], Any]]], steps: int) -> Callable[[Way], list[float]]:
    """Seconds of each step of a training, its beginning and its end, in one way of watching."""
    import torch

    def run(way: Way) -> list[float]:
        torch.manual_seed(0)
        gc.collect()
        marks = [perf_counter()]
        with way() as watching:
            model, optimizer, loss = made()
            if hasattr(watching, "attach"):
                watching.attach(model)
            for _ in range(steps):
                optimizer.zero_grad()
                loss().backward()
                optimizer.step()
                marks.append(perf_counter())
        marks.append(perf_counter())
        return [after - before for before, after in pairwise(marks)]

    return run


def _mlp(width: int, adam: bool) -> Callable[[], tuple[Any, Any, Callable[[], Any]]]:
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
    model = nn.Sequential(nn.Embedding(100, 64), nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
                          nn.Linear(64, 100))  # fmt: skip
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


LOOPS: dict[str, tuple[Callable[[], tuple[Any, Any, Callable[[], Any]]], int, float]] = {
    "mlp of 20 × 64, SGD": (_mlp(64, False), PLAIN_STEPS, NARROW),
    "mlp of 20 × 128, AdamW": (_mlp(128, True), PLAIN_STEPS, NARROW),
    "mlp of 20 × 512, AdamW": (_mlp(512, True), 20, WIDE),
    "transformer of width 64": (_transformer, HEAVY_STEPS, NARROW),
    "convolutions": (_cnn, HEAVY_STEPS, NARROW),
}


class _Hooks:
    """A recorder of the usual kind: a full backward hook on every module, a norm of every gradient."""

    def __enter__(self) -> _Hooks:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def attach(self, model: Any) -> None:
        seen: list[float] = []
        for module in model.modules():
            module.register_full_backward_hook(lambda _, __, out: seen.append(float(out[0].norm())))


class _Wandb(_Hooks):
    """wandb.watch, offline, at every step."""

    def attach(self, model: Any) -> None:
        import wandb  # type: ignore[import-not-found,unused-ignore]

        run = wandb.init(mode="offline", settings=wandb.Settings(silent=True))
        wandb.watch(model, log="gradients", log_freq=1)
        del run


OTHERS: dict[str, Way] = {"hooks": _Hooks, "wandb": _Wandb}


def _memory() -> Row:
    """The growth of the largest memory of this process over a watched loop, beside that of the bare loop before it."""
    run = _run(*LOOPS["mlp of 20 × 128, AdamW"][:2])
    run(nullcontext)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    run(gradcli.watch)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Row("memory that watching adds", "15 MB", ((float(after - before), MEGABYTES * 1e6),), 1.0, "B")
