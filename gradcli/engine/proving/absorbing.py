"""Sums in which an operand is lost: it is so small beside the other that the answer does not change."""

from __future__ import annotations

import torch

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import again
from gradcli.engine.proving.passing import Passed
from gradcli.engine.proving.replay import Replay
from gradcli.language import families
from gradcli.language.program import Call


def absorbing(replay: Replay) -> list[Call]:
    """The sums that are equal to one operand, though no element of the other, which requires grad, is 0."""
    found = []

    def look(call: Passed) -> None:
        pairs = list(call.operands.items())
        for (_, one), (ref, other) in (pairs, pairs[::-1]):
            tensors = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
            if tensors and (ref, None) in call.edges and bool(other.all()) and bool((call.value == one).all()):
                found.append(call.step)
                break

    sums = {
        index
        for index, one in replay.calls.items()
        if families.family_of(one.step) & families.ADDS and len(one.reads) == 2 and one.shape is not None
    }
    if sums:
        replay.scan(look, sums)
    return found


def absorbed(outcome: Outcome, wide: Replay, adding: list[Call]) -> list[tuple[str, Call]]:
    """The inputs that carry a gradient, and without which the answer is the same to the last bit, but not in float64.

    `adding`: the sums that may have absorbed them.
    """
    found = []
    for name, leaf in outcome.leaves.items():
        if not leaf.requires_grad or not leaf.is_floating_point() or not bool(leaf.detach().any()):
            continue

        def without(one: str, value: torch.Tensor, name: str = name) -> torch.Tensor:
            return torch.zeros_like(value) if one == name else value

        here, there = again(outcome, move=without), again(outcome, wide=True, move=without)
        if here is None or there is None:
            continue
        same = all(torch.equal(one, was) for one, was in zip(here.results, outcome.results, strict=True))
        differs = any(not torch.equal(one, was) for one, was in zip(there.results, wide.results, strict=True))
        if same and differs:
            found.append((name, adding[0]))
    return found
