"""Why a gradient is None: nothing was recorded, the path is cut, or there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from gradcli.diagnosis.attached import repair
from gradcli.diagnosis.evidence import Evidence, Finding, listed, statement
from gradcli.engine.cuts import Cut
from gradcli.errors import Span
from gradcli.language.program import Bind, Call, Ref

# What a result is made of that has no derivative, in words.
_KINDS = {"bool": "booleans", "int64": "whole numbers"}


def all_in_mode(evidence: Evidence) -> Iterator[Finding]:
    """G101: the whole evaluation ran under no_grad or inference mode."""
    request = evidence.outcome.request
    if request.mode != "grad":
        labels = tuple([one.label for one in evidence.outcome.outputs])
        names = tuple([name for name, view in evidence.outcome.inputs.items() if view.requires_grad])
        yield _outside(request.mode, names, labels, evidence.program.outputs[0].span)


def block_in_mode(evidence: Evidence) -> Iterator[Finding]:
    """G101: a block of it did."""
    request = evidence.outcome.request
    for cut in evidence.cuts:
        if cut.kind == "mode":
            recorded = request.backward or request.asks != "grad"
            state = "has no grad_fn" if cut.flagged else "does not require grad"
            found = _finding("G101", "block" if recorded else "block_forward", cut, evidence)
            yield replace(found, facts={**found.facts, "source": statement(evidence, cut.step), "state": state})


@lru_cache(maxsize=256)
def _outside(mode: str, names: tuple[str, ...], labels: tuple[str, ...], span: Span) -> Finding:
    """That nothing was recorded, which is found of every answer under such a mode."""
    outputs = listed(labels)
    said = {"inference": "inference mode"}.get(mode, mode)
    facts = {**listed(names), "outputs": outputs["inputs"], "has": outputs["has"], "it": outputs["it"], "mode": said}
    return Finding("G101", mode if names else "no_input", facts, span)


def detached(evidence: Evidence) -> Iterator[Finding]:
    """G102: a step hands on the numbers without the graph."""
    for cut in evidence.cuts:
        if cut.kind == "copy" and evidence.outcome.request.mode == "grad":
            found = _finding("G102", "shared", cut, evidence)
            repaired = repair(evidence, cut)
            yield replace(found, facts={**found.facts, **repaired}, also=("repair",)) if repaired else found


def not_differentiable(evidence: Evidence) -> Iterator[Finding]:
    """G103: a step whose result has no derivative."""
    for cut in evidence.cuts:
        if cut.kind in {"flat", "number", "silent"} and evidence.outcome.request.mode == "grad":
            whole = cut.result.startswith(("int", "uint", "bool"))
            form = "silent" if cut.kind == "silent" else "whole" if whole else "flat"
            yield _finding("G103", form, cut, evidence)


def fresh_leaf(evidence: Evidence) -> Iterator[Finding]:
    """G107: a step makes a new leaf out of computed numbers."""
    for cut in evidence.cuts:
        if cut.kind == "fresh":
            yield _finding("G107", "fresh", cut, evidence)


def partly_detached(evidence: Evidence) -> Iterator[Finding]:
    """G109: a path is cut, while another one carries a gradient."""
    if evidence.outcome.request.mode == "grad":
        for cut in evidence.side_cuts:
            yield _finding("G109", "partly", cut, evidence)


def unused(evidence: Evidence) -> Iterator[Finding]:
    """G104: the result does not depend on an input."""
    zero = "" if evidence.outcome.request.asks == "grad" else "_zero"
    for name in evidence.outcome.inputs:
        given = evidence.outcome.inputs[name].origin != "inside"
        if given and name in evidence.wanting and name not in evidence.program.inputs:
            yield Finding("G104", f"unused{zero}", listed([name]), None, name)
    if evidence.outcome.request.mode == "grad":
        for name in sorted(evidence.unconnected):
            yield Finding("G104", f"no_path{zero}", listed([name]), None, name)


def non_leaf(evidence: Evidence) -> Iterator[Finding]:
    """G105: the .grad of a computed tensor was asked for."""
    inputs = evidence.outcome.inputs
    for name, span in dict(evidence.outcome.request.asked_grads).items():
        if (name in inputs and inputs[name].is_leaf) or name in evidence.program.retained:
            continue
        steps = [step for step in evidence.program.steps if isinstance(step, Bind) and step.name == name]
        operand = steps[-1].operand if steps else None
        made = evidence.program.steps[operand.step] if isinstance(operand, Ref) else None
        if isinstance(made, Call):
            yield Finding("G105", "computed", {"name": name, "source": evidence.source(made)}, span, name)


def _finding(code: str, sentence: str, cut: Cut, evidence: Evidence) -> Finding:
    facts = {
        **evidence.words(cut.inputs),
        "source": evidence.source(cut.step),
        "result": _KINDS.get(cut.result, f"{cut.result} numbers"),
    }
    return Finding(code, sentence, facts, cut.step.span, cut.inputs[0] if len(cut.inputs) == 1 else None)
