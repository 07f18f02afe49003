"""Gradients that are zero though the input is connected: steps, saturation, a factor of zero."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradcli.diagnosis.evidence import Evidence, Finding
from gradcli.diagnosis.wording import first, number
from gradcli.engine.proving.flatness import Flat

_SENTENCES = {"steps": ("G401", "steps"), "factor": ("G403", "factor"), "chosen": ("G403", "chosen")}


def flat_operation(evidence: Evidence) -> Iterator[Finding]:
    """G401: an operation that moves in steps has slope 0 everywhere."""
    yield from _of_kind(evidence, "steps")


def multiplied_by_zero(evidence: Evidence) -> Iterator[Finding]:
    """G403: the input is connected, and what it is multiplied by is 0 here."""
    yield from _of_kind(evidence, "factor")
    yield from _of_kind(evidence, "chosen")


def saturated(evidence: Evidence) -> Iterator[Finding]:
    """G402: the whole gradient of an input is (almost) 0 because of where it is."""
    for name in evidence.proofs.signs.zero:
        for flat in evidence.proofs.flat(name):
            if flat.kind == "saturated":
                yield _saturated(evidence, name, flat, "G402")


def partly_saturated(evidence: Evidence) -> Iterator[Finding]:
    """G404: as G402, for nearly all elements of an input."""
    for name, flat in evidence.proofs.partly_flat:
        yield _saturated(evidence, name, flat, "G404")


def _of_kind(evidence: Evidence, kind: str) -> Iterator[Finding]:
    code, sentence = _SENTENCES[kind]
    for name in evidence.proofs.signs.zero:
        for flat in evidence.proofs.flat(name):
            if flat.kind == kind:
                facts = {
                    "source": evidence.source(flat.call.step), "name": name, "operand": evidence.name_of(flat.place[0]),
                }  # fmt: skip
                yield Finding(code, sentence, facts, flat.call.step.span, name)


def _saturated(evidence: Evidence, name: str, flat: Flat, code: str) -> Finding:
    ref, part = flat.place
    value = flat.call.operands[ref] if part is None else flat.call.operands[ref][part]
    at = first(flat.where)
    count, of = int(flat.where.sum()), flat.where.numel()
    facts = {
        "source": evidence.source(flat.call.step), "name": name, "count": f"{count:,}", "of": f"{of:,}",
        "operand": evidence.element(ref, at, value, value.shape), "value": number(_at(value, at)),
        "size": _size(evidence, name),
    }  # fmt: skip
    return Finding(code, "one" if of == 1 else "many", facts, flat.call.step.span, name)


def _at(value: torch.Tensor, at: tuple[int, ...]) -> float:
    return float(value.detach()[at])


def _size(evidence: Evidence, name: str) -> str:
    grad = evidence.proofs.gradients[name]
    most = float(grad.abs().max())
    return "0" if most == 0 else f"at most {number(most)}"
