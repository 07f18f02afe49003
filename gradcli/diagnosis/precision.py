"""What the dtype loses: numbers that are 0 or infinite in it and not in float64, and digits."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradcli.diagnosis.evidence import Evidence, Finding
from gradcli.diagnosis.wording import elements, first, number, place
from gradcli.engine.proving.losing import Lost, matters, scale_for, vanished


def underflow(evidence: Evidence) -> Iterator[Finding]:
    """G601: a value or a gradient is 0 in this dtype and not in float64."""
    proofs = evidence.proofs
    if not _asked(evidence):
        return
    if _chain(evidence) == "under":
        yield from (_step("G601", "step", one, evidence) for one in _first(evidence))
        return
    found = [one for name, grad in proofs.gradients.items() for one in _vanished(evidence, name, grad)]
    yield from found
    guilty = [one for one in proofs.lost if one.kind == "under"]
    pairs = zip(evidence.outcome.results, proofs.wide.results if proofs.wide else (), strict=False)
    size = proofs.sizes.get(None, 0.0)
    gone = any(
        one.itemsize == 2 and bool(vanished(one.detach(), true.detach(), size=size).any()) for one, true in pairs
    )
    if gone and guilty and not found:
        yield _step("G601", "step", guilty[0], evidence)


def _vanished(evidence: Evidence, name: str, grad: torch.Tensor) -> Iterator[Finding]:
    """What became 0 of the gradient of an input."""
    true = evidence.proofs.true_gradients.get(name)
    if true is not None and grad.is_floating_point() and grad.dtype != torch.float64:
        where = vanished(grad, true, size=evidence.proofs.sizes.get(name, 0.0))
        if bool(where.any()):
            yield from _gradient(evidence, name, grad, true, where)


def overflow(evidence: Evidence) -> Iterator[Finding]:
    """G602: something became infinite in this dtype and is finite in float64."""
    if not _asked(evidence):
        return
    if _chain(evidence) == "over":
        for one in _first(evidence):
            sentence = "step" if abs(one.true) > torch.finfo(one.dtype).max else "inside"
            yield _step("G602", sentence, one, evidence)
    for cause in evidence.proofs.causes:
        if cause.kind == "narrow" and cause.lost is None:
            name, mask = next(iter(cause.origin.spoils.items()))
            true = float(evidence.proofs.true_gradients[name][first(mask)])
            facts = {
                "source": evidence.source(cause.origin.call.step), "elements": elements(f"{name}.grad", mask),
                "true": number(true), "dtype": _dtype(evidence, name),
            }  # fmt: skip
            yield Finding("G602", "gradient", facts, cause.origin.call.step.span, name)


def rounding(evidence: Evidence) -> Iterator[Finding]:
    """G603: digits are lost that rounding the inputs does not explain."""
    proofs = evidence.proofs
    if not _asked(evidence):
        return
    if (chain := _chain(evidence)) is not None:
        yield from (_step("G603", "step", one, evidence) for one in _first(evidence) if chain == "round")
        return
    for one in proofs.rounded:
        view = evidence.outcome.inputs[one.name] if one.name is not None else evidence.outcome.outputs[0]
        shown = place(f"{one.name}.grad" if one.name else view.label, one.index, view.value.shape)
        facts = {"what": shown, "got": number(one.got), "true": number(one.true), "dtype": view.dtype}
        yield Finding("G603", "digits", facts, evidence.program.outputs[0].span, one.name)
    if not proofs.rounded:
        for name, step in proofs.absorbed:
            facts = {"name": name, "source": evidence.source(step), "dtype": _dtype(evidence, name)}
            yield Finding("G603", "absorbed", facts, step.span, name)


def _asked(evidence: Evidence) -> bool:
    """Whether float64 is worth comparing with: something points to it, or everything is proved."""
    return evidence.proofs.narrow


def _chain(evidence: Evidence) -> str | None:
    """What numbers that are not finite, or gradients of zero, come of: a number lost before them, or none."""
    proofs = evidence.proofs
    if not (proofs.finite_in_float64 or any(one.kind == "narrow" and one.lost for one in proofs.causes)
            or (proofs.signs.zero and _zero_alone(evidence))):  # fmt: skip
        return None
    found = _first(evidence)
    return found[0].kind if found else None


def _zero_alone(evidence: Evidence) -> bool:
    """Whether a gradient is 0 here and of ordinary size in float64."""
    proofs = evidence.proofs
    return any(
        bool(one.isfinite().all()) and float(one.abs().max()) > 1e-6
        for name in proofs.signs.zero
        if (one := proofs.true_gradients.get(name)) is not None
    )


def _first(evidence: Evidence) -> list[Lost]:
    """The numbers that were lost, of those that matter to outputs that are not finite."""
    proofs = evidence.proofs
    causes = [one.lost for one in proofs.causes if one.kind == "narrow" and one.lost is not None]
    found = [one for one in proofs.lost if matters(evidence.outcome, one)] if proofs.finite_in_float64 else []
    return (causes or found or (proofs.lost if proofs.signs.zero else []))[:1]


def _step(code: str, sentence: str, one: Lost, evidence: Evidence) -> Finding:
    facts = {
        "source": evidence.source(one.step),
        "elements": f" at {elements('', one.where)}" if one.where.dim() else "",
        "value": number(one.got), "true": number(one.true),
        "dtype": str(one.dtype).removeprefix("torch."),
    }  # fmt: skip
    return Finding(code, sentence, facts, one.step.span)


def _gradient(
    evidence: Evidence, name: str, grad: torch.Tensor, true: torch.Tensor, where: torch.Tensor
) -> Iterator[Finding]:
    scale = scale_for(true, where, grad.dtype)
    if scale is None and any(one.kind == "saturated" for one in evidence.proofs.flat(name)):
        return  # it is so small because of where the input is, and that is told
    facts = {
        "elements": elements(f"{name}.grad", where), "is": "is" if int(where.sum()) == 1 else "are",
        "true": number(float(true[first(where)])), "dtype": _dtype(evidence, name),
        "scale": f"2^{int(scale or 1).bit_length() - 1}",
    }  # fmt: skip
    also = ("scale",) if scale else ()
    yield Finding("G601", "gradient", facts, evidence.program.outputs[0].span, name, also)


def _dtype(evidence: Evidence, name: str) -> str:
    return evidence.outcome.inputs[name].dtype
