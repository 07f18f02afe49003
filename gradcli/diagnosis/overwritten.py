"""G202 and G203: the step that wrote in place, and how to write it instead, tried before it is offered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradcli.diagnosis.columns import column_of
from gradcli.diagnosis.remarks import REMARKS
from gradcli.engine.gradient import differentiate
from gradcli.engine.overwriting import Overwritten, overwritten
from gradcli.engine.recording import Request
from gradcli.errors import GradcliError, Span
from gradcli.language.parser import parse
from gradcli.language.program import Bind, Call

_AUGMENTED = re.compile(r"(\w+)\s*(\*\*|//|[-+*/%@&|])=\s*(.+)", re.DOTALL)
_OPERATION = re.compile(r"[-+*/%@ ](?![^(\[]*[)\]])")  # outside of brackets
_NAME = re.compile(r"[^\W\d]\w*")
_PLAIN = re.compile(r"[\w.]+")

DEEP = 2  # further writes over what was saved that are mended with the first


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
    return _hinted(error, _rewritten(request, request, DEEP))


def copied(error: GradcliError, request: Request) -> GradcliError:
    """The refusal to write to a leaf, with what to write instead; the value is what it is where gradients are off."""
    steps = request.program.steps
    writer = next((one for one in steps if isinstance(one, Call) and one.span == error.span and one.args), None)
    if writer is None:
        return error
    off = request._replace(mode="no_grad")
    repairs = _told(request, _copies(request, writer))
    return _hinted(error, next(([one] for text, one in repairs if _holds(request, text, off)), None))


def _hinted(error: GradcliError, said: list[str] | None) -> GradcliError:
    if said:
        error.hint = f"write {', and '.join(said)}"
    return error


def _rewritten(request: Request, refused: Request, deep: int) -> list[str] | None:
    """What to write instead of what; of several writes over what was saved each in its turn."""
    found = overwritten(request)
    if found is None:
        return None
    repairs = list(_told(request, _repairs(request, found)))
    for text, said in repairs:
        if _holds(request, text, refused):
            return [said]
    for text, said in repairs if deep else ():
        try:
            program = parse(text, frozenset(request.program.inputs))
        except GradcliError:
            continue
        further = _rewritten(request._replace(program=program), refused, deep - 1)
        if further is not None:
            return [said, *further]
    return None


def _told(request: Request, repairs: Iterator[tuple[Span, str]]) -> Iterator[tuple[str, str]]:
    """The whole text with each repair, and what a hint says of it."""
    text = request.program.source
    for span, instead in repairs:
        said = f"{' '.join(instead.split())} instead of {' '.join(text[slice(*span)].split())}"
        yield text[: span.start] + instead + text[span.end :], said


def _text(source: str, step: Call) -> str:
    return " ".join(source[slice(*step.span)].split())


def _repairs(request: Request, found: Overwritten) -> Iterator[tuple[Span, str]]:
    """Columns, and what to write there: the step out of place, or a copy to write to, or one to keep."""
    source = request.program.source
    yield from _out_of_place(request, found.writer)
    if found.result:
        whole = source[slice(*found.owner.span)]
        yield found.owner.span, f"({whole}).clone()" if found.owner.style == "operator" else f"{whole}.clone()"
        return
    for operand in dict.fromkeys(found.owner.args):
        place = column_of(request.program, operand, found.owner)
        if place is not None:
            text = source[slice(*place)]
            yield place, f"({text}).clone()" if _OPERATION.search(text) else f"{text}.clone()"
    whole = source[slice(*found.writer.span)]
    name = _NAME.match(whole)
    if name is not None:
        yield found.writer.span, f"{name[0]} = {name[0]}.clone(); {whole}"


def _copies(request: Request, writer: Call) -> Iterator[tuple[Span, str]]:
    """Columns, and what to write there: the step out of place, or after a copy of the leaf, or that copy at first."""
    yield from _out_of_place(request, writer)
    source, span = request.program.source, writer.span
    for name in request.program.inputs:
        yield span, f"{name} = {name}.clone(); {source[slice(*span)]}"
    first = source.partition("\n")[0]
    for name in request.program.inputs:
        yield Span(0, len(first)), f"{name} = {name}.clone(); {first}"


def _out_of_place(request: Request, writer: Call) -> Iterator[tuple[Span, str]]:
    """Columns, and the step there out of place."""
    span = writer.span
    text = request.program.source[slice(*span)]
    augmented = _AUGMENTED.fullmatch(text)
    if augmented is not None:
        name, sign, operand = augmented.groups()
        yield span, f"{name} = {name} {sign} {operand if _PLAIN.fullmatch(operand) else f'({operand})'}"
    twin = writer.function.name
    for match in re.finditer(rf"\b{re.escape(twin)}\(", text) if twin.endswith("_") else ():
        instead = f"{text[: match.start()]}{twin[:-1]}{text[match.end() - 1 :]}"
        receiver = text[: match.start()].removesuffix(".")
        if receiver.isidentifier() and _stands_alone(request, writer):
            yield span, f"{receiver} = {instead}"
        else:
            yield span, instead
    if "inplace=True" in text:
        yield span, re.sub(r",?\s*inplace=True", "", text)


def _stands_alone(request: Request, step: Call) -> bool:
    """Whether nothing reads the value of a step but the end of its statement."""
    steps = request.program.steps
    after = steps[1 + next(at for at, one in enumerate(steps) if one is step) :]
    return bool(after) and isinstance(after[0], Bind) and after[0].name is None


def _holds(request: Request, text: str, refused: Request) -> bool:
    """Whether another text has an answer, and its value is the one that was refused a gradient."""
    try:
        program = parse(text, frozenset(request.program.inputs))
        if set(program.inputs) != set(request.program.inputs):
            return False
        found = differentiate(request._replace(program=program, notes=False))
        was = differentiate(refused._replace(backward=False, notes=False))
    except GradcliError:
        return False
    pairs = zip(found.results, was.results, strict=True)
    return all(one.shape == other.shape and bool((one == other).all()) for one, other in pairs)
