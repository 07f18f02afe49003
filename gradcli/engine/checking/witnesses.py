"""What each witness says of one input, element by element, and the names of elements."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from gradcli.engine.checking import differences, modes
from gradcli.engine.checking.differences import Slope
from gradcli.engine.checking.probe import Probe
from gradcli.engine.checking.subject import Subject, Tensors, numbers


@dataclass(frozen=True, slots=True)
class Witnesses:
    """One input's derivative in row-major order, as each witness has it: None where a witness has nothing to say."""

    name: str
    shape: tuple[int, ...]
    reverse: list[float] | None
    forward: list[float] | None
    numeric: list[Slope]
    exact: list[float | None] | None = None
    formula: str | None = None

    @property
    def taken(self) -> list[float]:
        """What torch answers: nothing is a derivative of 0."""
        return self.reverse if self.reverse is not None else [0.0] * len(self.numeric)

    def element(self, index: int) -> str:
        """A[0, 2], or A for a number."""
        if not self.shape:
            return self.name
        place = torch.unravel_index(torch.tensor(index), self.shape)
        return f"{self.name}[{', '.join(str(int(one)) for one in place)}]"


def hear(
    subject: Subject, probe: Probe, reverse: list[dict[str, torch.Tensor | None]], weights: list[Tensors],
    forwards: bool = True,
) -> list[tuple[Witnesses, ...]]:  # fmt: skip
    """For each weighting of the outputs the witnesses of every input; forward mode for the first only."""
    rows = torch.stack([_row(one) for one in weights])
    numeric = {name: differences.slopes(probe, name, rows) for name in subject.by}
    pushed = modes.forward(subject, weights[0]) if forwards else None
    return [
        tuple(
            Witnesses(
                name,
                tuple(subject.point[name].shape),
                _listed(back[name]),
                pushed[name] if pushed and not k else None,
                numeric[name][k],
            )
            for name in subject.by
        )
        for k, back in enumerate(reverse)
    ]


def _row(weights: Tensors) -> torch.Tensor:
    return torch.cat([torch.zeros(0, dtype=torch.float64), *(one.reshape(-1).double() for one in weights)])


def _listed(grad: torch.Tensor | None) -> list[float] | None:
    return None if grad is None else numbers(grad)
