"""The outputs at many points that differ from the given one in one element each, many at a time where torch can."""

from __future__ import annotations

import torch

from gradcli.engine.checking.subject import Subject, Tensors

AT_ONCE = 8  # points from which it pays to evaluate them together
CHUNK = 1 << 21  # numbers that the outputs of a batch may have


class Probe:
    """Evaluates a subject away from its point. A point where it cannot be evaluated gives NaN."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.base = _flat(subject.outputs(subject.point))
        self._batches = subject.batches

    def __call__(self, name: str, indices: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        """The outputs with element `indices[k]` of an input moved by `steps[k]`: (points, outputs)."""
        found = self.base.new_empty(len(indices), len(self.base))
        size = max(CHUNK // max(len(self.base), self.subject.point[name].numel(), 1), 1)
        for start in range(0, len(indices), size):
            part = slice(start, start + size)
            found[part] = self._part(name, indices[part], steps[part])
        return found

    def _part(self, name: str, indices: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        if self._batches and len(indices) >= AT_ONCE:
            made = self._together(name, indices, steps)
            if made is not None:
                return made
            self._batches = False
        return torch.stack(
            [self._single(name, int(index), float(step)) for index, step in zip(indices, steps, strict=True)]
        )

    def _together(self, name: str, indices: torch.Tensor, steps: torch.Tensor) -> torch.Tensor | None:
        """One batch, with the point itself at its end to see that a batch computes what one evaluation does."""
        point = self.subject.point[name].detach()
        points = point.expand(len(indices) + 1, *point.shape).clone()
        points.view(len(points), -1)[torch.arange(len(indices)), indices] += steps
        try:
            outputs = torch.func.vmap(lambda one: _flat(self.subject.outputs({**self.subject.point, name: one})))(
                points
            )
        except Exception:  # torch cannot batch one of the steps
            return None
        same = torch.allclose(outputs[-1], self.base, rtol=1e-12, atol=0, equal_nan=True)
        return outputs[:-1] if same and outputs.shape[1:] == self.base.shape else None

    def _single(self, name: str, index: int, step: float) -> torch.Tensor:
        moved = self.subject.point[name].detach().clone()
        moved.view(-1)[index] += step
        try:
            found = _flat(self.subject.outputs({**self.subject.point, name: moved}))
        except Exception:  # outside of the domain
            return torch.full_like(self.base, torch.nan)
        return found if found.shape == self.base.shape else torch.full_like(self.base, torch.nan)


def _flat(outputs: Tensors) -> torch.Tensor:
    if not outputs:
        return torch.zeros(0, dtype=torch.float64)
    return torch.cat([one.reshape(-1).double() for one in outputs])
