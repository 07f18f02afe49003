"""Gradients that are zero though the input is connected: steps, saturation, a factor of zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradcli.diagnosis.evidence import Evidence, Finding, listed
from gradcli.diagnosis.wording import first, number, place
from gradcli.engine.proving.stillness import Flat

_ZEROS = {"factor": "factor", "constant": "constant", "left out": "left_out", "chosen": "chosen"}


def flat_operation(evidence: Evidence) -> Iterator[Finding]:
    """G401: an operation that moves in steps has slope 0 everywhere."""
    for names, flat in _by_call(evidence):
        if flat.kind == "steps":
            yield _finding(evidence, "G401", "steps", names, flat)


def multiplied_by_zero(evidence: Evidence) -> Iterator[Finding]:
    """G403: the input is connected, and what it is multiplied by is 0 here."""
    for names, flat in _by_call(evidence):
        if flat.kind in _ZEROS:
            yield _finding(evidence, "G403", _ZEROS[flat.kind], names, flat)
    for one in evidence.proofs.astray:
        found = _finding(evidence, "G403", "factor", [one.name], one.flat)
        element = place(one.name, one.index, evidence.outcome.inputs[one.name].value.shape)
        facts = {**found.facts, "element": element, "slope": number(round(one.slope, 4))}
        yield replace(found, facts=facts, also=("astray",))


def saturated(evidence: Evidence) -> Iterator[Finding]:
    """G402: the whole gradient of an input is (almost) 0 because of where it is."""
    for names, flat in _by_call(evidence):
        if flat.kind == "saturated":
            yield _finding(evidence, "G402", "one" if flat.where.numel() == 1 else "many", names, flat)


def partly_saturated(evidence: Evidence) -> Iterator[Finding]:
    """G404: as G402, for nearly all elements of an input."""
    for name, flat in evidence.proofs.partly_flat:
        yield _finding(evidence, "G404", "many", [name], flat)


def _by_call(evidence: Evidence) -> Iterator[tuple[list[str], Flat]]:
    """Each call that keeps gradients at zero, and the inputs whose gradients those are."""
    found: dict[tuple[object, ...], tuple[list[str], Flat]] = {}
    for name in evidence.proofs.signs.zero:
        if name in evidence.missing:
            continue
        for flat in evidence.proofs.flat(name):
            names, _ = found.setdefault((flat.index, flat.place, flat.kind), ([], flat))
            names.append(name)
    yield from found.values()


def _finding(evidence: Evidence, code: str, sentence: str, names: list[str], flat: Flat) -> Finding:
    ref, at = flat.place[0], first(flat.where)
    said = {
        **listed(names), "source": evidence.source(flat.step), "name": evidence.name_of(ref),
        "count": f"{int(flat.where.sum()):,}", "of": f"{flat.where.numel():,}",
        "operand": evidence.element(ref, at, flat.where, flat.where.shape), "value": number(flat.at),
        "size": _size(evidence, names),
    }  # fmt: skip
    return Finding(code, sentence, said, flat.step.span, names[0] if len(names) == 1 else None)


def _size(evidence: Evidence, names: list[str]) -> str:
    most = max(float(evidence.proofs.gradients[name].abs().max()) for name in names)
    return "0" if most == 0 else f"at most {number(most)}"
