"""G202: the step that wrote over what another had saved, and how to write it instead, tried before it is offered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradcli.diagnosis.remarks import REMARKS
from gradcli.engine.gradient import differentiate
from gradcli.engine.overwriting import Overwritten, overwritten
from gradcli.engine.recording import Request
from gradcli.errors import GradcliError, Span
from gradcli.language.parser import parse
from gradcli.language.program import Bind, Call

_AUGMENTED = re.compile(r"(\w+)\s*(\*\*|//|[-+*/%@&|])=\s*(.+)", re.DOTALL)
_PLAIN = re.compile(r"[\w.]+")


def explained(error: GradcliError, request: Request) -> GradcliError:
    """The same refusal, under the step that wrote; as it is where that step cannot be found."""
    found = overwritten(request)
    if found is None:
        return error
    text = request.program.source
    words = {"writer": _text(text, found.writer), "owner": _text(text, found.owner)}
    error.message = REMARKS["result_overwritten" if found.result else "operand_overwritten"].format(**words)
    error.args = (error.message,)
    error.span = found.writer.span
    for span, instead in _repairs(request, found):
        if _holds(request, text[: span.start] + instead + text[span.end :]):
            error.hint = f"write {' '.join(instead.split())} instead of {' '.join(text[slice(*span)].split())}"
            break
    return error


def _text(source: str, step: Call) -> str:
    return " ".join(source[slice(*step.span)].split())


def _repairs(request: Request, found: Overwritten) -> Iterator[tuple[Span, str]]:
    """Columns, and what to write there: the step out of place, or a copy to write to."""
    source, span = request.program.source, found.writer.span
    text = source[slice(*span)]
    augmented = _AUGMENTED.fullmatch(text)
    if augmented is not None:
        name, sign, operand = augmented.groups()
        yield span, f"{name} = {name} {sign} {operand if _PLAIN.fullmatch(operand) else f'({operand})'}"
    twin = found.writer.function.name
    for match in re.finditer(rf"\b{re.escape(twin)}\(", text) if twin.endswith("_") else ():
        instead = f"{text[: match.start()]}{twin[:-1]}{text[match.end() - 1 :]}"
        receiver = text[: match.start()].removesuffix(".")
        if receiver.isidentifier() and _stands_alone(request, found.writer):
            yield span, f"{receiver} = {instead}"
        else:
            yield span, instead
    if "inplace=True" in text:
        yield span, re.sub(r",?\s*inplace=True", "", text)
    if found.result:
        whole = source[slice(*found.owner.span)]
        yield found.owner.span, f"({whole}).clone()" if found.owner.style == "operator" else f"{whole}.clone()"


def _stands_alone(request: Request, step: Call) -> bool:
    """Whether nothing reads the value of a step but the end of its statement."""
    steps = request.program.steps
    after = steps[1 + next(at for at, one in enumerate(steps) if one is step) :]
    return bool(after) and isinstance(after[0], Bind) and after[0].name is None


def _holds(request: Request, text: str) -> bool:
    """Whether another text has an answer, and its value is the one that was refused a gradient."""
    try:
        program = parse(text, frozenset(request.program.inputs))
        if set(program.inputs) != set(request.program.inputs):
            return False
        found = differentiate(request._replace(program=program, notes=False))
        was = differentiate(request._replace(backward=False, notes=False))
    except GradcliError:
        return False
    pairs = zip(found.results, was.results, strict=True)
    return all(one.shape == other.shape and bool((one == other).all()) for one, other in pairs)
