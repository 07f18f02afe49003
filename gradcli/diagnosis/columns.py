"""Where an operand stands in the text of a call, and texts put in the place of others."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gradcli.errors import Span
from gradcli.language.program import Call, Operand, Program, Ref, operands, references


def column_of(program: Program, operand: Operand, within: Call) -> Span | None:
    """The columns of an operand in the text of a call; None where they cannot be told."""
    if not isinstance(operand, Ref):
        return None
    steps, source = program.steps, program.source
    step = steps[operand.step]
    if isinstance(step, Call):
        return step.span
    name = getattr(step, "name", None) or ""
    inner = [steps[ref].span for one in operands(within) for ref in references(one) if isinstance(steps[ref], Call)]
    found = [
        Span(*match.span())
        for match in re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w(])").finditer(source, *within.span)
        if name and not any(span.start <= match.start() < span.end for span in inner)
    ]
    return found[0] if len(found) == 1 else None


def put(source: str, edits: Iterable[tuple[Span, str]]) -> str:
    """A text with others in the place of some of its columns, which do not overlap."""
    for span, text in sorted(edits, reverse=True):
        source = source[: span.start] + text + source[span.end :]
    return source
