"""One text, evaluated by gradcli and by torch called directly: the same values, the same gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

import gradcli
from tests.operators.entries import tensors
from tests.operators.writing import Written

SEED = 42  # torch's suite seeds its random operators with this number
DIGITS = 1e-12  # relative: torch's threads may add in another order

Outcome = tuple[list[torch.Tensor], list[torch.Tensor | None]]


class Differs(AssertionError):
    """gradcli and torch do not agree."""


def agree(text: str, written: Written, call: Callable[..., Any], sample: Any) -> str:
    """`equal`, `close` or `refused` where gradcli and torch say the same of a sample; Differs where they do not.

    An output that is complex is taken apart, on both sides, as torch goes back from real numbers only.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            structure, wanted = torch_itself(call, sample)
        except Exception as error:
            try:
                gradcli_says(text, written)
            except gradcli.GradcliError:
                return "refused"
            raise Differs(f"{text}\n  torch refuses: {error}") from error
        text = real_text(text, structure)
        try:
            got = gradcli_says(text, written)
        except gradcli.GradcliError as error:
            raise Differs(f"{text}\n  {error.kind}: {error.message}") from error
    return held(text, got, wanted)


def held(text: str, got: Outcome, wanted: Outcome) -> str:
    """`equal` bit by bit, or `close`; Differs otherwise."""
    pairs = list(zip((*got[0], *got[1]), (*wanted[0], *wanted[1]), strict=True)) if _alike(got, wanted) else None
    if pairs is None:
        raise Differs(f"{text}\n  {len(got[0])} outputs, {len(got[1])} inputs; {len(wanted[0])}, {len(wanted[1])}")
    answer = "equal"
    for one, other in pairs:
        if (one is None) != (other is None):
            raise Differs(f"{text}\n  gradient {one}, and torch's {other}")
        if one is None or other is None:
            continue
        if one.dtype != other.dtype or one.shape != other.shape:
            raise Differs(f"{text}\n  {one.dtype} {list(one.shape)}, and torch's {other.dtype} {list(other.shape)}")
        if not torch.equal(one.nan_to_num(nan=0.5), other.nan_to_num(nan=0.5)) or not torch.equal(one != one, other != other):
            answer = "close"
            if not torch.allclose(one, other, rtol=DIGITS, atol=DIGITS, equal_nan=True):
                raise Differs(f"{text}\n  {one}\n  torch: {other}")
    return answer


def _alike(got: Outcome, wanted: Outcome) -> bool:
    return len(got[0]) == len(wanted[0]) and len(got[1]) == len(wanted[1])


def torch_itself(call: Callable[..., Any], sample: Any) -> tuple[Any, Outcome]:
    """What torch returns, and its outputs with the gradient of each tensor of the sample for the sum of all outputs."""
    leaves: dict[int, torch.Tensor] = {}

    def mapped(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if id(value) not in leaves:
                leaves[id(value)] = value.detach().requires_grad_(value.requires_grad)
            return leaves[id(value)]
        if type(value) in (list, tuple):
            return type(value)(map(mapped, value))
        return {key: mapped(one) for key, one in value.items()} if isinstance(value, dict) else value

    torch.manual_seed(SEED)
    result = call(mapped(sample.input), *map(mapped, sample.args), **mapped(sample.kwargs))
    several = not isinstance(result, torch.Tensor)
    outputs = [_real(one, several) for one in tensors(result)]
    roots = [one.sum() for one in outputs if one.requires_grad]
    if roots:
        torch.autograd.backward(roots)
    return result, ([one.detach() for one in outputs], [one.grad for one in leaves.values()])


def _real(tensor: torch.Tensor, several: bool) -> torch.Tensor:
    if not tensor.is_complex():
        return tensor
    return tensor.abs() if several else torch.view_as_real(tensor)


def real_text(text: str, result: Any) -> str:
    """The text with its complex outputs taken apart."""
    if isinstance(result, torch.Tensor):
        return f"torch.view_as_real({text})" if result.is_complex() else text
    if not any(one.is_complex() for one in tensors(result)):
        return text
    names = [f"y{index}" for index in range(len(result))]
    shown = [f"{name}.abs()" if one.is_complex() else name for name, one in zip(names, result, strict=True)]
    return f"{', '.join(names)} = {text}\n{', '.join(shown)}"


def gradcli_says(text: str, written: Written) -> Outcome:
    """The outputs of a text, and the gradient of each of its inputs in the order of the sample."""
    at = {name: one for name, one in written.inputs.items() if one.requires_grad}
    const = {name: one for name, one in written.inputs.items() if not one.requires_grad}
    answer = gradcli.grad(text, at=at or None, const=const or None, seed=SEED, notes=False)
    return [one.value for one in answer.outputs], [answer.inputs[name].grad for name in written.inputs]
