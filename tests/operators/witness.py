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

# Outputs, and the gradient of each input.
Outcome = tuple[list[torch.Tensor], list[torch.Tensor | None]]


class Differs(AssertionError):
    """gradcli and torch do not agree."""


def agree(text: str, written: Written, call: Callable[..., Any], sample: Any) -> str:
    """`equal`, `close` or `refused` where gradcli and torch say the same of a sample; Differs where they do not.

    An output that is complex is taken apart on both sides, as torch goes back from real numbers only.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result, leaves = forward(call, sample)
            text = real_text(text, result)
            wanted = backward(result, leaves)
        except Exception as error:
            return _both_refuse(text, written, error)
        try:
            got = gradcli_says(text, written)
        except gradcli.GradcliError as error:
            raise Differs(f"{text}\n  {error.kind}: {error.message}") from error
    return compared(text, got, wanted)


def _both_refuse(text: str, written: Written, refusal: Exception) -> str:
    try:
        gradcli_says(text, written)
    except gradcli.GradcliError as error:
        if error.kind == "torch" and str(refusal).split("\n")[0][:40] in error.message:
            return "refused"
        raise Differs(f"{text}\n  {error.kind}: {error.message}\n  torch: {refusal}") from error
    raise Differs(f"{text}\n  torch refuses: {refusal}") from refusal


def compared(text: str, got: Outcome, wanted: Outcome) -> str:
    """`equal` bit by bit, or `close`; Differs otherwise."""
    if [len(part) for part in got] != [len(part) for part in wanted]:
        raise Differs(f"{text}\n  {len(got[0])} outputs, and torch's {len(wanted[0])}")
    answers = {"equal"}
    for one, other in zip((*got[0], *got[1]), (*wanted[0], *wanted[1]), strict=True):
        if one is None or other is None:
            if one is not other:
                raise Differs(f"{text}\n  gradient {one}, and torch's {other}")
        elif one.dtype != other.dtype or one.shape != other.shape:
            raise Differs(f"{text}\n  {one.dtype} {list(one.shape)}, and torch's {other.dtype} {list(other.shape)}")
        elif not torch.allclose(one, other, rtol=0, atol=0, equal_nan=True):
            answers.add("close")
            if not torch.allclose(one, other, rtol=DIGITS, atol=DIGITS, equal_nan=True):
                raise Differs(f"{text}\n  {one}\n  torch: {other}")
    return min(answers)


def forward(call: Callable[..., Any], sample: Any) -> tuple[Any, list[torch.Tensor]]:
    """What torch itself returns, and a leaf for each tensor of the sample."""
    leaves: dict[int, torch.Tensor] = {}

    def mapped(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if id(value) not in leaves:
                leaves[id(value)] = value.detach().requires_grad_(value.requires_grad)
            return leaves[id(value)]
        if type(value) in (list, tuple):
            return type(value)(map(mapped, value))
        return {key: mapped(one) for key, one in value.items()} if isinstance(value, dict) else value

    torch.default_generator.manual_seed(SEED)  # torch.manual_seed also walks the stack, for devices not yet awake
    result = call(mapped(sample.input), *map(mapped, sample.args), **mapped(sample.kwargs))
    return result, list(leaves.values())


def backward(result: Any, leaves: list[torch.Tensor]) -> Outcome:
    """The outputs, and the gradient of each leaf for the sum of them all."""
    outputs = [part for one in tensors(result) for part in _real(one, isinstance(result, torch.Tensor))]
    roots = [one.sum() for one in outputs if one.requires_grad]
    if roots:
        torch.autograd.backward(roots)
    return [one.detach() for one in outputs], [one.grad for one in leaves]


def _real(tensor: torch.Tensor, alone: bool) -> tuple[torch.Tensor, ...]:
    """The parts of a complex output; the length of one among several, as an eigenvector's phase is arbitrary."""
    if not tensor.is_complex():
        return (tensor,)
    return (tensor.real, tensor.imag) if alone else (tensor.abs(),)


def real_text(text: str, result: Any) -> str:
    """The text with its complex outputs taken apart in the same way."""
    if isinstance(result, torch.Tensor):
        return f"y = {text}\ny.real, y.imag" if result.is_complex() else text
    if not any(one.is_complex() for one in tensors(result)):
        return text
    names = [f"y{index}" for index in range(len(result))]
    shown = [f"{name}.abs()" if one.is_complex() else name for name, one in zip(names, result, strict=True)]
    return f"{', '.join(names)}, = {text}\n{', '.join(shown)}"


def values(written: Written) -> dict[str, dict[str, torch.Tensor] | None]:
    """The tensors of a sample as the options of a command: those that require grad, and the others."""
    at = {name: one for name, one in written.inputs.items() if one.requires_grad}
    const = {name: one for name, one in written.inputs.items() if not one.requires_grad}
    return {"at": at or None, "const": const or None}


def gradcli_says(text: str, written: Written) -> Outcome:
    """The outputs of a text, and the gradient of each of its inputs; the tensors given stay as they were."""
    versions = [one._version for one in written.inputs.values()]
    answer = gradcli.grad(text, **values(written), seed=SEED, notes=False)
    if versions != [one._version for one in written.inputs.values()]:
        raise Differs(f"{text}\n  a tensor that was given was written to")
    return [one.value for one in answer.outputs], [answer.inputs[name].grad for name in written.inputs]
