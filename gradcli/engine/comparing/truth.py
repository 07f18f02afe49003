"""What a formula should give at a point: many-digit arithmetic where it can be followed, and float64."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from gradcli.engine.checking.exact.through import exact
from gradcli.engine.checking.observed import observe
from gradcli.engine.checking.opened import opened
from gradcli.engine.checking.trial import cuts_path
from gradcli.engine.comparing.attempt import Attempt, attempt
from gradcli.engine.comparing.misses import Grads, Miss, Numbers, Tolerance, filled, miss_of, numbers_of
from gradcli.engine.comparing.point import Point, in_float64
from gradcli.engine.recording import quiet, recordable
from gradcli.errors import GradcliError

MOST = 256  # elements of inputs that are followed with many digits


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Outputs and gradients in float64; `by` says who computed them.

    NaN where many digits know nothing of an element, and no gradient by an input where they know none of it.
    """

    by: str
    numbers: Numbers

    def knows(self, miss: Miss) -> bool:
        """Whether anything is known of an element."""
        if miss.name is not None and miss.name not in self.numbers.grads:
            return False
        found = self.numbers.outputs[miss.output] if miss.name is None else self.numbers.grads[miss.name]
        return found is None or not bool(found.reshape(-1)[miss.index].isnan())


def wide_truth(attempted: Attempt, point: Point) -> Truth | None:
    """What torch gives in float64; None where it refuses."""
    outcome = attempt(in_float64(attempted.request, point)).outcome
    if outcome is None:
        return None
    return Truth("float64", numbers_of(outcome))


def exact_truth(attempted: Attempt, point: Point) -> Truth | None:
    """What many digits give; None where a step cannot be followed, or there are too many elements."""
    outcome = attempted.outcome
    if outcome is None or any(one.is_complex() for one in outcome.results):
        return None
    request = opened(in_float64(attempted.request, point), outcome.made)
    leaves = {
        name: (point[name] if name in point else leaf.detach().double())
        .detach()
        .clone()
        .requires_grad_(leaf.requires_grad)
        for name, leaf in {**outcome.made, **outcome.leaves}.items()
    }
    by = tuple(name for name, leaf in leaves.items() if leaf.requires_grad)
    if sum(leaves[name].numel() for name in by) > MOST or any(one.is_complex() for one in leaves.values()):
        return None
    try:
        with recordable(), quiet():
            observed = observe(request, leaves)
    except (GradcliError, RuntimeError):
        return None
    held = {name: leaf.detach() for name, leaf in leaves.items()}
    known = exact(request.program, held, by, observed.values, observed.weights)
    if known is None or len(known.outputs) != len(outcome.outputs):
        return None
    outputs = tuple(_tensor(one, view.shape) for one, view in zip(known.outputs, outcome.outputs, strict=True))
    if any(map(cuts_path, observed.calls)):  # detached on purpose: what the numbers depend on says nothing of .grad
        return Truth("exact", Numbers(outputs, {}))
    grads: Grads = {name: _tensor(known.slopes[name], tuple(leaves[name].shape)) for name in by}
    return Truth("exact", Numbers(outputs, grads))


def _tensor(numbers: list[object], shape: tuple[int, ...]) -> torch.Tensor:
    """Many-digit numbers in float64; NaN for those that are not known, as slopes at a kink."""
    made = [math.nan if one is None else float(one) for one in numbers]  # type: ignore[arg-type]
    return torch.tensor(made, dtype=torch.float64).reshape(shape)


def consensus(known: Sequence[Truth], within: Tolerance) -> tuple[Truth | None, Miss | None]:
    """What several truths say alike; None where they differ, and where they do.

    Of an element where one formula has a kink, and many digits know no slope, nothing is known.
    """
    first, *others = known
    if first.by == "exact":
        first = Truth("exact", _hidden([one.numbers for one in known]))
    for one in others:
        have, want = one.numbers, first.numbers
        exactly = first.by == "exact"
        miss = miss_of(filled(have, want), filled(want, have), within) if exactly else miss_of(have, want, within)
        if miss is not None:
            return None, miss
    return first, None


def _hidden(known: Sequence[Numbers]) -> Numbers:
    """The first of several formulas, NaN where any of them is."""

    def hide(tensors: Sequence[torch.Tensor | None]) -> torch.Tensor | None:
        there = [one for one in tensors if one is not None]
        if not there:
            return None
        return torch.where(torch.stack(there).isnan().any(0), torch.nan, there[0])

    outputs = [hide([one.outputs[place] for one in known]) for place in range(len(known[0].outputs))]
    names = dict.fromkeys(name for one in known for name in one.grads)
    grads = {name: hide([one.grads.get(name) for one in known]) for name in names}
    return Numbers(tuple(one for one in outputs if one is not None), grads)
