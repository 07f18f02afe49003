"""Operands and calls as PyTorch code, given that of the steps that they read, in the brackets that Python needs.

Numbers are written so that they read back to the same value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gradcli.language.program import Call, Items, Named, Operand, Ref, SliceOf
from gradcli.language.vocabulary.operators import SYMBOL_OF

# How tightly each kind of text binds, as in Python's grammar.
LOOSE, COMPARED, OR, AND, SUM, PRODUCT, SIGN, POWER, ATOM = range(9)
BINARY = {
    "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT, "@": PRODUCT, "&": AND, "|": OR,
    "<": COMPARED, "<=": COMPARED, ">": COMPARED, ">=": COMPARED, "==": COMPARED, "!=": COMPARED,
}  # fmt: skip

Text = tuple[str, int]
"""Code, and how tightly it binds."""
Texts = Sequence[Text]
"""The code of each earlier step."""


def operand_text(operand: Operand, texts: Texts) -> Text:
    """The code of an operand."""
    if isinstance(operand, Ref):
        return texts[operand.step]
    if isinstance(operand, Items):
        words = ", ".join(operand_text(one, texts)[0] for one in operand.elements)
        if operand.kind == "list":
            return f"[{words}]", ATOM
        return f"({words}{',' if len(operand.elements) == 1 else ''})", ATOM
    if isinstance(operand, Named):
        return ("..." if operand.path == "Ellipsis" else operand.path), ATOM
    return literal(operand)


def call_text(step: Call, texts: Texts) -> Text:
    """The code of a call that has a value: of any style but a store."""
    return _STYLES[step.style](step, texts)


def place_text(step: Call, texts: Texts) -> Text:
    """The part of a tensor that an index takes, or that a store writes to: `A[0, 1:]`."""
    return f"{_first(step, texts)}[{_index(step.args[1], texts)}]", ATOM


def _operator(step: Call, texts: Texts) -> Text:
    name = step.function.name
    operands = [operand_text(operand, texts) for operand in step.args]
    if name in SYMBOL_OF:
        return f"{SYMBOL_OF[name]}{_wrap(operands[0], SIGN)}", SIGN
    left, right = operands
    if name == "**":
        return f"{_wrap(left, ATOM)}**{_wrap(right, SIGN)}", POWER
    bound = BINARY[name]
    least = bound + 1 if bound == COMPARED else bound
    return f"{_wrap(left, least)} {name} {_wrap(right, bound + 1)}", bound


def _attribute(step: Call, texts: Texts) -> Text:
    return f"{_first(step, texts)}.{step.path.rpartition('.')[2]}", ATOM


def _augmented(step: Call, texts: Texts) -> Text:
    place, value = (operand_text(operand, texts)[0] for operand in step.args)
    return f"{place} {step.function.name} {value}", LOOSE


def _method(step: Call, texts: Texts) -> Text:
    name = step.path.rpartition(".")[2]
    return f"{_first(step, texts)}.{name}({_arguments(step.args[1:], step, texts)})", ATOM


def _function(step: Call, texts: Texts) -> Text:
    name = "len" if step.path == "builtins.len" else step.path
    return f"{name}({_arguments(step.args, step, texts)})", ATOM


_STYLES: dict[str, Callable[[Call, Texts], Text]] = {
    "operator": _operator, "index": place_text, "attribute": _attribute, "field": _attribute, "augment": _augmented,
    "method": _method, "function": _function,
}  # fmt: skip


def _first(step: Call, texts: Texts) -> str:
    """The code of the first operand, as it stands before a dot or a bracket."""
    return _wrap(operand_text(step.args[0], texts), ATOM)


def _arguments(positional: Sequence[Operand], step: Call, texts: Texts) -> str:
    words = [operand_text(operand, texts)[0] for operand in positional]
    return ", ".join([*words, *(f"{name}={operand_text(operand, texts)[0]}" for name, operand in step.kwargs)])


def _index(operand: Operand, texts: Texts) -> str:
    if isinstance(operand, Items) and operand.kind == "tuple" and operand.elements:
        words = ", ".join(_index(one, texts) for one in operand.elements)
        return words + ("," if len(operand.elements) == 1 else "")
    if isinstance(operand, SliceOf):
        parts = (operand.start, operand.stop, operand.step)
        start, stop, step = ("" if one is None else operand_text(one, texts)[0] for one in parts)
        return f"{start}:{stop}" + (f":{step}" if step else "")
    return operand_text(operand, texts)[0]


def _wrap(text: Text, least: int) -> str:
    return text[0] if text[1] >= least else f"({text[0]})"


def literal(value: object) -> Text:
    """A number, string or None as code that reads back to the same value."""
    if isinstance(value, complex):
        real, imaginary = literal(value.real)[0], literal(value.imag)[0]
        return (f"complex({real}, {imaginary})", ATOM) if not math.isfinite(abs(value)) else _complex(value)
    if isinstance(value, float) and not math.isfinite(value):
        return (
            ("torch.nan", ATOM) if math.isnan(value) else (("torch.inf", ATOM) if value > 0 else ("-torch.inf", SIGN))
        )
    negative = isinstance(value, (int, float)) and not isinstance(value, bool) and math.copysign(1, value) < 0
    return repr(value), SIGN if negative else ATOM


def _complex(value: complex) -> Text:
    """The sum that Python reads back to the same two parts, signs of zeros included."""
    text = repr(value)
    if value.real == 0 and math.copysign(1, value.real) > 0:
        return text, SIGN if text.startswith("-") else ATOM
    return text, ATOM
