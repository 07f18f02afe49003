"""A value as it is written: numbers and nested lists to plain data, a call to a program, `@path` to a file."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

from gradcli.errors import GradcliError, Span
from gradcli.language import numbers
from gradcli.language.files import Loading, is_file, looks_like_file, read_file_value
from gradcli.language.parser import NothingToCompute, parse
from gradcli.language.program import Items, Operand
from gradcli.language.ranges import is_range, read_range

MAX_CHARACTERS = 2_000_000
MAX_DIMENSIONS = 64  # that a tensor can have
_PLAIN = frozenset({int, float, complex, bool})
_NAMED = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)(.*)", re.DOTALL)


class Given(NamedTuple):
    """A value for an input: plain data (numbers, nested lists), a program without inputs, a file, or a tensor.

    `loading` says how a script gets the tensor that was read from a file.
    """

    name: str
    data: Any
    constant: bool = False
    text: str | None = None
    loading: Loading | None = None


def split_name(text: str) -> tuple[str | None, str]:
    """`A=[1, 2]` to its name and value; a value alone has no name."""
    match = _NAMED.fullmatch(text)
    if match is None:
        return None, text
    return unicodedata.normalize("NFKC", match[1]), match[2]


def read_value(text: str, name: str | None = None) -> Any:
    """Numbers, nested lists of numbers, a Program that makes a tensor, a FileValue, or a Range.

    >>> read_value("[[1, 2], [3, inf]]")
    [[1, 2], [3, inf]]

    Raises GradcliError of kind value or bounds, with its span in `text`.
    """
    what = f"the value of {name}" if name else "the value"
    if len(text) > MAX_CHARACTERS:
        message = f"{what} has {len(text):,} characters, and at most {MAX_CHARACTERS:,} are read"
        raise GradcliError("bounds", message, hint="give them as a file: @w.npy")
    if is_file(text):
        return read_file_value(text)
    if is_range(text) and not looks_like_file(text.strip()):
        return read_range(text, what)
    if text.lstrip().startswith("["):
        data = _read_json(text)
        if data is not None:
            check_shape(data, what)
            return data
    return _read_program(text, what)


def _read_json(text: str) -> Any:
    """Lists of plain numbers, read fast; None where they hold anything else."""
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(text)
    return number


def _refuse_constant(text: str) -> float:
    raise ValueError(text)


def _read_program(text: str, what: str) -> Any:
    try:
        program = parse(text)
    except GradcliError as error:
        error.what = what
        if error.message.startswith("the expression"):
            error.message = error.message.replace("the expression", what, 1)
        if isinstance(error, NothingToCompute):
            error.message = f"{what} is text, not numbers"
        error.hint = _meant(text) or (error.hint and error.hint.replace('an expression, such as "A*5"', _SUCH))
        error.hint = error.hint and error.hint.replace('"A*5"', '5.0 or "[1, 2]"')
        raise
    if program.inputs:
        raise _refused(f"{what} cannot use the name '{program.inputs[0]}'", text, what)
    name = program.outputs[0].name
    constant = name in numbers.CONSTANTS and "=" not in text  # a bare inf or nan
    before = text[: program.outputs[0].span.start].strip(" \t\r\n(+-~")  # another line, as in 1; 2
    if len(program.outputs) != 1 or (name and not constant) or program.backward or before:
        raise _refused(f"{what} is one number, list or call; a decimal point is written as a point", text, what)
    operand = program.outputs[0].operand
    if program.steps and not isinstance(operand, Items):
        return program
    data = _plain(operand, text, what)
    check_shape(data, what)
    return data


def _plain(operand: Operand, text: str, what: str) -> Any:
    if isinstance(operand, Items):
        return [_plain(one, text, what) for one in operand.elements]
    if numbers.is_number(operand):
        return operand
    raise _refused(f"{what} is made of numbers", text, what)


def _refused(message: str, text: str, what: str) -> GradcliError:
    hint = _meant(text) or f"write {_SUCH}"
    return GradcliError("value", message, source=text, span=Span(0, len(text)), hint=hint, what=what)


_SUCH = "numbers, [lists], or a call such as randn(3, 4)"

# What a text that is no value looks like: a pattern of the whole text, and how that is written.
_MEANINGS = (
    (re.compile(r"[+-]?\d+,\d+"), "a decimal point is a point, as in 5.0; two numbers are a list, [5, 0]"),
    (re.compile(r"[-+\d.e]+([\s,;]+[-+\d.e]+)+"), "several numbers are a list, [1, 2]"),
    (re.compile(r"\(.*\)", re.DOTALL), "lists are written with brackets, [1, 2]"),
)


def _meant(text: str) -> str | None:
    """What to write instead, where a text looks like something else than a value."""
    written = text.strip().strip("'\"")
    if looks_like_file(written):
        return f"a file is written @{written}"
    return next((hint for pattern, hint in _MEANINGS if pattern.fullmatch(written[:200])), None)


def check_shape(data: Any, what: str, depth: int = 0) -> tuple[int, ...]:
    """The shape of nested lists; GradcliError of kind value where they are ragged or hold something else."""
    if depth > MAX_DIMENSIONS:
        raise GradcliError("bounds", f"{what} is a list nested more than {MAX_DIMENSIONS} deep", hint="use fewer [")
    if isinstance(data, (int, float, complex)):
        return ()
    if not isinstance(data, (list, tuple)) and (not isinstance(data, Sequence) or isinstance(data, (str, bytes))):
        raise GradcliError("value", f"{what} is made of numbers and lists of them, not of {type(data).__name__}")
    if _PLAIN.issuperset(map(type, data)):
        return (len(data),)
    shapes = {check_shape(one, what, depth + 1) for one in data}
    if len(shapes) > 1:
        raise GradcliError(
            "value",
            f"{what} is ragged: its rows have different lengths",
            hint="every row needs the same number of numbers",
        )
    return (len(data), *(shapes.pop() if shapes else ()))


def kinds(data: Any) -> set[type]:
    """The Python types of the numbers in nested lists."""
    if not isinstance(data, (list, tuple)):
        return {type(data)}
    types = set(map(type, data))
    return types if _PLAIN.issuperset(types) else {kind for one in data for kind in kinds(one)}
