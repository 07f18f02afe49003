"""A line of JSON as the object that it holds, and as the numbers and lists that a value is made of."""

from __future__ import annotations

import json
import math
from typing import Any

from gradcli.errors import GradcliError

EXAMPLE = '{"command": "grad", "expression": "A*5", "at": {"A": 5.0}}'
SUCH = f"such as {EXAMPLE}"
DEEPEST = 64  # dimensions of a tensor; what is nested further is refused where values are read
_PLAIN = frozenset({int, float, bool})
_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}  # as gradcli's own answers write them


def loaded(text: str) -> dict[str, Any]:
    """The object of a line. Raises GradcliError of kind syntax where there is none, or a key stands twice."""
    try:
        found = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        said = f"{error.msg[:1].lower()}{error.msg[1:]}".removesuffix(" at")
        raise GradcliError("syntax", f"not JSON: {said} at column {error.colno}", hint=SUCH) from None
    except RecursionError:
        raise GradcliError("bounds", "the JSON is nested too deeply to be read", hint="use fewer [ and {") from None
    except ValueError as error:  # a whole number of more digits than Python reads
        raise GradcliError("bounds", f"not readable: {str(error).partition(';')[0].lower()}", hint=SUCH) from None
    if not isinstance(found, dict):
        raise GradcliError("syntax", f"a line holds one object, not {kind_of(found)}", hint=SUCH)
    return found


def _unlike(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise GradcliError("syntax", f"the key {said(twice)} stands twice")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise GradcliError("bounds", f"the number {text[:40]} does not fit a float64", hint='write "Infinity"')
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unlike, parse_float=_finite)


def tensors(value: Any, by_name: bool) -> Any:
    """A value, or one for each name; a list of texts is as an option that is given several times: ["A=1", "B=2"]."""
    if by_name and isinstance(value, dict):
        return {name: _numbers(one) for name, one in value.items()}
    value = _numbers(value)
    texts = by_name and isinstance(value, list) and value and all(isinstance(one, str) for one in value)
    return tuple(value) if texts else value


def _numbers(value: Any, depth: int = 0) -> Any:
    """Numbers and nested lists, with those read that JSON has no words for: "NaN", {"real": 1, "imag": 2}."""
    if isinstance(value, str):
        return _NUMBERS.get(value, value)
    if isinstance(value, list):
        if depth > DEEPEST or _PLAIN.issuperset(map(type, value)):
            return value
        return [_numbers(one, depth + 1) for one in value]
    if isinstance(value, dict):
        if value.keys() == {"real", "imag"}:
            parts = [_numbers(value[part]) for part in ("real", "imag")]
            if _PLAIN.issuperset(map(type, parts)):
                return _complex(*parts)
        raise GradcliError("value", "a value is a number, a list or text", hint='complex ones: {"real": 1, "imag": 2}')
    if value is None:
        raise GradcliError("value", "a value is a number, a list or text, not null", hint='not a number is "NaN"')
    return value


def _complex(real: float, imag: float) -> complex:
    try:
        return complex(real, imag)
    except OverflowError:
        raise GradcliError("bounds", "a whole number of this size does not fit a float64") from None


def said(value: Any) -> str:
    """A value as a line has it, where it is short."""
    return json.dumps(value)[:60] if isinstance(value, (str, int, float)) else kind_of(value)


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    names: dict[type, str] = {list: "a list", dict: "an object", str: "text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")
