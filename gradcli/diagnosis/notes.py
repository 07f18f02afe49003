"""Outcome to notes: gradcli's own remarks, then what each rule proves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeVar

from gradcli.diagnosis import (
    bent,
    convention,
    flat,
    infinite,
    kinks,
    missing,
    nonfinite,
    precision,
    reduction,
    shapes,
    unseen,
)
from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.diagnosis.evidence import Evidence, Finding
from gradcli.diagnosis.glance import plain, settled
from gradcli.diagnosis.remarks import REMARKS
from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import Short
from gradcli.engine.proving.signs import small
from gradcli.engine.recording import quiet, seeded
from gradcli.results import Note

RAISES = False  # whether a proof that fails is an error, as it is in the tests
Rule = Callable[[Evidence], Iterator[Finding]]
Told = TypeVar("Told", Finding, Note)

# Adding a diagnosis is adding its rule here and its entry to the catalogue. These say why a gradient is missing, and
# are asked only where one is, or where nothing was to be recorded:
LOSSES: tuple[Rule, ...] = (
    missing.all_in_mode,
    missing.block_in_mode,
    missing.detached,
    missing.not_differentiable,
    missing.fresh_leaf,
    missing.unused,
)
# And these are asked of every answer:
RULES: tuple[Rule, ...] = (
    missing.non_leaf,
    missing.partly_detached,
    reduction.not_scalar,
    convention.complex_inputs,
)
# Of an answer that a glance settles only these have something to tell: what was asked for, and how much came out.
ASKED: tuple[Rule, ...] = (missing.all_in_mode, reduction.not_scalar)
# This one is asked where the text may write to what autograd does not see written:
HIDDEN: tuple[Rule, ...] = (unseen.unrecorded,)
# These are asked where something is off: numbers that are not finite, gradients of zero, 16-bit dtypes, an operand
# exactly at a kink, a sum that lost digits.
PROVED: tuple[Rule, ...] = (
    nonfinite.born_in_forward,
    infinite.masked_branch,
    infinite.infinite_slope,
    infinite.zero_times_infinity,
    infinite.degenerate,
    bent.bent,
    flat.flat_operation,
    flat.saturated,
    flat.multiplied_by_zero,
    flat.partly_saturated,
    kinks.kink,
    precision.underflow,
    precision.overflow,
    precision.rounding,
    shapes.mutual_broadcast,
    shapes.repeated_index,
)


def diagnose(outcome: Outcome) -> tuple[Note, ...]:
    """The notes on an outcome; where it was asked for facts alone, those that hold whatever its numbers are."""
    if settled(outcome):
        return () if plain(outcome) else tuple(_told(ASKED, Evidence(outcome)))
    return (*remarks(outcome), *dict.fromkeys(proved(Evidence(outcome))))


def proved(evidence: Evidence) -> Iterator[Note]:
    """What the rules tell, each of them asked."""
    outcome = evidence.outcome
    lost = evidence.missing or outcome.request.mode != "grad"
    yield from _told((*LOSSES, *RULES) if lost else RULES, evidence)
    if evidence.facts:
        return
    proofs = evidence.proofs
    rules = (HIDDEN if proofs.hidden else ()) + (PROVED if proofs.worth else ())
    if rules:
        with quiet(), seeded(outcome.request):
            found = [_note(finding) for rule in rules for finding in _tried(rule, evidence)]
            found += _tried(unseen.overlooked, evidence) if proofs.hidden else []
        yield from found
    if proofs.short:
        yield Note(None, "info", REMARKS["short"])
    elif not proofs.worth and outcome.request.verify is None and not small(outcome):
        yield Note(None, "info", REMARKS["unverified"])


def _told(rules: Iterable[Rule], evidence: Evidence) -> Iterator[Note]:
    return (_note(finding) for rule in rules for finding in rule(evidence))


def _tried(rule: Callable[[Evidence], Iterator[Told]], evidence: Evidence) -> list[Told]:
    """What a rule proves. A proof that fails proves nothing, and an answer is not lost for it."""
    try:
        return list(rule(evidence))
    except Short:
        evidence.proofs.short = True
        return []
    except Exception:
        if RAISES:
            raise
        return []


def remarks(outcome: Outcome) -> Iterator[Note]:
    """gradcli's own: a default that was used, lines left out, look-alike names, what torch warned of."""
    for name, view in outcome.inputs.items():
        if view.origin == "default":
            yield Note(None, "info", f"{name} was not given a value, so it is 5.0 (--at).", None, name)
    program = outcome.request.program
    for remark in program.remarks:
        yield Note(None, "info", f"{remark.message}.", remark.span)
    if program.backward:
        ran = outcome.request.backward
        yield Note(None, "info", REMARKS["ran_itself" if ran else "not_run"], program.backward)
    for name in sorted(program.retained):
        yield Note(None, "info", REMARKS["retained"].format(name=name), None, name)
    stayed = outcome.request.backward and outcome.request.mode == "grad" and not outcome.went_back
    if stayed and not any(view.requires_grad for view in outcome.inputs.values()):
        yield Note(None, "info", REMARKS["no_leaf"])
    for warning in outcome.warned:
        yield Note(None, "info", f"torch warned: {warning}")


@lru_cache(maxsize=256)
def _note(finding: Finding) -> Note:
    entry = CATALOGUE[finding.code]
    message = " ".join(entry.says[one].format_map(finding.facts) for one in (finding.sentence, *finding.also))
    return Note(finding.code, entry.level, message, finding.span, finding.subject)
