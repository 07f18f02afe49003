"""Forward mode: tangents carried along the evaluation, one vector or all unit vectors of an input at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping

import torch
from torch.autograd import forward_ad

from gradcli.engine.confirming import agrees, mixed
from gradcli.engine.gradient import Outcome
from gradcli.engine.products import Widest, units
from gradcli.engine.recording import draws, make_leaves, record, seeded
from gradcli.errors import GradcliError
from gradcli.language.program import Enter

Tensors = list[torch.Tensor]

_NO_FORMULA = re.compile(r"forward AD with (\S+) that does not support it|implement the (jvp) function")


def obstacle(outcome: Outcome) -> str | None:
    """Why forward mode would not answer what reverse mode does, as a clause; None where it does."""
    if any(isinstance(step, Enter) for step in outcome.request.program.steps):
        return "it does not heed blocks of a grad mode"
    if inside := [name for name, leaf in outcome.made.items() if leaf.requires_grad]:
        return f"it starts from given inputs, and {inside[0]} is made in the text"
    return None


def missing_formula(error: BaseException) -> str | None:
    """The operation that torch has no forward formula for, where that is what an error says."""
    match = _NO_FORMULA.search(str(error))
    return (match[1] or match[2]) if match else None


def push(outcome: Outcome, tangents: Mapping[str, torch.Tensor]) -> Tensors:
    """The tangent of each output, for a tangent of some inputs: J · t, the others held fixed."""
    with seeded(outcome.request), forward_ad.dual_level():
        leaves = fresh_leaves(outcome)
        duals = {name: _dual(leaf, tangents[name]) if name in tangents else leaf for name, leaf in leaves.items()}
        found = record(outcome.request, duals, None).results
        return [_tangent(one) for one in found]


def _dual(leaf: torch.Tensor, tangent: torch.Tensor) -> torch.Tensor:
    return forward_ad.make_dual(leaf, tangent)  # type: ignore[no-any-return, no-untyped-call]  # torch has no types here


def _tangent(result: torch.Tensor) -> torch.Tensor:
    """What a result carries, out of reach of the text's memory; zeros where nothing reaches it."""
    tangent = forward_ad.unpack_dual(result).tangent if _carries(result) else None  # type: ignore[no-untyped-call]
    return _zeros(result) if tangent is None else tangent.clone()


def columns(outcome: Outcome, name: str, widest: Widest) -> Tensors:
    """For each output its derivative by every element of one input: (elements of the input, *output).

    Batches are checked: torch's own rules for some steps are wrong. Raises what torch raises where it has no formula.
    """
    leaf = outcome.leaves[name].detach()
    count = leaf.numel()
    if count == 1:
        return [one.unsqueeze(0) for one in push(outcome, {name: torch.ones_like(leaf)})]
    try:
        found = _batches(outcome, name, leaf, widest.batch(count))
        weights = mixed(count)
        direct = push(outcome, {name: weights.to(leaf.dtype).reshape(leaf.shape)})
        if all(agrees(rows, one, weights) for rows, one in zip(found, direct, strict=True)):
            return found
    except Exception as error:
        if missing_formula(error):
            raise
    each = [push(outcome, {name: units(leaf, index, index + 1)[0]}) for index in range(count)]
    return list(map(torch.stack, zip(*each, strict=True)))


def _batches(outcome: Outcome, name: str, leaf: torch.Tensor, size: int) -> Tensors:
    """The tangents for all unit tangents of one input, `size` of them at a time."""
    count = leaf.numel()
    if size == count:
        return _at_once(outcome, name, units(leaf, 0, count))
    found = [one.new_empty((count, *one.shape)) for one in map(_zeros, outcome.results)]
    for start in range(0, count, size):
        stop = min(start + size, count)
        for whole, part in zip(found, _at_once(outcome, name, units(leaf, start, stop)), strict=True):
            whole[start:stop] = part
    return found


def _at_once(outcome: Outcome, name: str, vectors: torch.Tensor) -> Tensors:
    request = outcome.request
    with seeded(request):
        leaves = fresh_leaves(outcome)
        carrying = [index for index, one in enumerate(outcome.results) if _carries(one)]

        def evaluated(leaf: torch.Tensor) -> tuple[torch.Tensor, ...]:
            results = record(request, {**leaves, name: leaf}, None).results
            return tuple(results[index] for index in carrying)

        def tangent(vector: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return torch.func.jvp(evaluated, (leaves[name],), (vector,))[1]  # type: ignore[no-any-return]

        found = dict(zip(carrying, torch.func.vmap(tangent, randomness="same")(vectors), strict=True))
    zeros = [one.new_zeros((len(vectors), *one.shape)) for one in map(_zeros, outcome.results)]
    return [found.get(index, zero) for index, zero in enumerate(zeros)]


def fresh_leaves(outcome: Outcome) -> dict[str, torch.Tensor]:
    """The inputs for another evaluation, which records nothing: made anew only where they are drawn or written to."""
    request = outcome.request
    again = draws(request) or request.program.writes
    leaves = make_leaves(request) if again else outcome.leaves
    return {name: leaf.detach() for name, leaf in leaves.items()}


def _carries(result: torch.Tensor) -> bool:
    return result.is_floating_point() or result.is_complex()


def _zeros(result: torch.Tensor) -> torch.Tensor:
    """A tangent of nothing; whole numbers and booleans have none, and theirs is written in the default dtype."""
    dtype = result.dtype if _carries(result) else torch.get_default_dtype()
    return torch.zeros(result.shape, dtype=dtype, device=result.device)


def refused(reason: str) -> GradcliError:
    """The refusal of --forward."""
    hint = "leave --forward out: reverse mode answers"
    return GradcliError("usage", f"forward mode cannot answer: {reason}", hint=hint)
