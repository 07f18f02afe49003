"""Values that are not finite: the first operation that made them of finite numbers."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradcli.diagnosis.evidence import Evidence, Finding
from gradcli.diagnosis.wording import elements, first, number
from gradcli.engine.defaults import tensors
from gradcli.engine.proving.alone import spreads
from gradcli.engine.proving.passing import Passed

_SENTENCES = {"finite": "born", "infinite": "of_infinite", "written": "written"}


def born_in_forward(evidence: Evidence) -> Iterator[Finding]:
    """G301: an operation gave NaN or Inf for finite operands."""
    proofs = evidence.proofs
    if not proofs.signs.value or proofs.finite_in_float64:
        return
    for birth in proofs.births:
        call = proofs.replay.call(birth.index) if proofs.replay is not None else None
        if call is None:
            continue
        source = evidence.source(call.step)
        at = first(birth.where)
        value = call.value if birth.part is None else call.value[birth.part]
        facts: dict[str, object] = {
            "source": source,
            "value": number(float(value[at].abs() if value.is_complex() else value[at])),
            "elements": f" at {elements('', birth.where)}" if birth.where.dim() else "",
            "operands": _operands(evidence, call, at),
        }
        yield Finding("G301", _SENTENCES[birth.out_of], facts, call.step.span)


def _operands(evidence: Evidence, call: Passed, at: tuple[int, ...]) -> str:
    """What the operation worked on: the numbers of the first element, or how many it had."""
    told = []
    for ref, value in call.operands.items():
        for one in tensors(value):
            if one.dtype == torch.bool:
                continue
            name = evidence.name_of(ref)
            if one.numel() == 1 or spreads(call):
                picked = one.expand(call.value.shape)[at] if spreads(call) else one.reshape(-1)[0]
                shown = evidence.element(ref, at, one, call.value.shape) if spreads(call) else name
                told.append(f"{shown} = {_shown(picked)}")
            else:
                told.append(f"{name} has {one.numel():,} elements from {_extremes(one)}")
    return " and ".join(told) or "no operands"


def _shown(value: torch.Tensor) -> str:
    return str(complex(value.item())) if value.is_complex() else number(float(value))


def _extremes(value: torch.Tensor) -> str:
    real = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
    return f"{number(float(real.min()))} to {number(float(real.max()))}" if real.numel() else "nothing"
