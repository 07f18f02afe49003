"""What watching adds to a training: time, its start and first steps counted, and memory.

In this process each training is run watched, alone, and alone again, round after round: the last pair is the control,
and tells how much of a ratio is chance. Times are those of the processor, on one core, so that what else the machine
does is in none of them. Whole processes, `gradcli run script.py` beside `python script.py`, add what starting and
reporting cost. What others do for the same job stands below, where it is installed: `wandb` offline, `torchlens` (one
forward pass looked at), and a recorder by full backward hooks; what they do in other processes is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from benchmarks import others
from benchmarks.others import OTHERS, STEPS, TRAINED
from benchmarks.processes import GRADCLI, PYTHON, peaks, run, script, seconds, side_by_side
from benchmarks.race import Row
from benchmarks.trainings import NARROW, TRAININGS, Training, timed

ROUNDS = 3
MEGABYTES = 15e6

SCRIPT = """\
import torch
from torch import nn

torch.set_num_threads(1)
model = nn.Sequential(*[part for _ in range(20) for part in (nn.Linear(64, 64), nn.ReLU())])
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x = torch.randn(64, 64)
for _ in range(1400):
    optimizer.zero_grad()
    model(x).pow(2).mean().backward()
    optimizer.step()
"""


def rows(rounds: int | None) -> Iterator[Row]:
    count = rounds or ROUNDS
    yield from _processes(max(count // 2, 2))  # first: a process counts the memory of the one that started it

    import torch

    torch.set_num_threads(1)
    for name, one in TRAININGS.items():
        trios = _trios(one, count)
        yield Row(f"{name}, {one.steps} steps", "the same alone", tuple((a, b) for a, b, _ in trios), one.bound)
        yield Row("  control: alone", "the same alone", tuple((c, b) for _, b, c in trios))
    for name, package in OTHERS.items():
        if package is None or find_spec(package) is not None:
            yield Row(f"{name}: {TRAINED}, {STEPS} steps", "the same alone", others.beside(name))
        else:
            print(f"no row of {name}: it is not installed")


def _processes(count: int) -> Iterator[Row]:
    """A script of about two seconds beside what Python needs for it, and the most memory of both."""
    with script(SCRIPT) as path:
        pairs = side_by_side(lambda: run([GRADCLI, "run", path]), lambda: run([PYTHON, path]), count)
    yield Row("gradcli run: 20 × 64, SGD, 1400 steps", "python", seconds(pairs), NARROW)
    grown = tuple((max(ours - alone, 0.0), MEGABYTES) for ours, alone in peaks(pairs))
    yield Row("  its growth of the peak of memory", "15 MB", grown, 1.0, "B")


def _trios(one: Training, count: int) -> list[tuple[float, float, float]]:
    """Seconds of a training watched, alone, and alone again; a first round of each warms up."""
    import gradcli

    def watched() -> None:
        with gradcli.watch():
            one.run()

    return [(timed(watched), timed(one.run), timed(one.run)) for _ in range(count + 1)][1:]
