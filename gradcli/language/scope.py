"""The names of a text while it is read: what is bound, what is given, which namespaces are known."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradcli.errors import GradcliError, Span
from gradcli.language import numbers, slips
from gradcli.language.program import Bind, Call, Input, Named, Operand, Ref, Remark, Step
from gradcli.language.signature import writes
from gradcli.language.source import Source
from gradcli.language.vocabulary import NAMESPACES, find_bare

# A name before a dot -> the dotted name that it stands for.
ROOTS: dict[str, str] = {short: place.rstrip(".") for short, place in NAMESPACES.items() if short != "Tensor"} | {
    "math": "math",
    "nn": "torch.nn",
    "functional": "torch.nn.functional",
}

DTYPES = frozenset(
    (
        "float16 float32 float64 bfloat16 half float double complex32 complex64 complex128 chalf cfloat "
        "cdouble uint8 int8 int16 int32 int64 short int long bool float8_e4m3fn float8_e5m2"
    ).split()
)
FORMATS = frozenset({"preserve_format", "contiguous_format", "channels_last", "channels_last_3d", "strided"})
PYTHON_TYPES = frozenset({"float", "int", "bool", "complex"})


# Rows whose results can outgrow their operands many times over; those of the family `joining` can too.
GROWING = frozenset({"kron", "outer", "ger", "repeat", "tile"})


LONGEST = 60  # characters of the text that a message repeats


class Scope:
    """Collects the steps of one text."""

    def __init__(self, source: Source, given: frozenset[str]) -> None:
        self.source = source
        self.given = given
        self.steps: list[Step] = []
        self.names: dict[str, Operand] = {}
        self.inputs: dict[str, Ref] = {}
        self.roots = dict(ROOTS)
        self.remarks: list[Remark] = []
        self.writes = False
        self.random = False
        self.grows = False

    def add(self, step: Step) -> Ref:
        """Append a step and refer to it."""
        if isinstance(step, Call):
            self.writes |= writes(step.function, step.args, step.kwargs)
            self.random |= step.function.random
            self.grows |= step.function.family == "joining" or step.function.name in GROWING
        self.steps.append(step)
        return Ref(len(self.steps) - 1)

    def bind(
        self, name: str, operand: Operand, span: Span, part: int | None = None, parts: int | None = None
    ) -> Operand:
        """Give a name to a value; numbers are known while reading and need no step."""
        if name == "torch":
            raise self.source.error(
                "name", "'torch' is the module and cannot be given a value", span, "use another name"
            )
        folded = part is None and not isinstance(operand, (Ref,)) and numbers.is_number(operand)
        self.names[name] = operand if folded else self.add(Bind(name, operand, part, parts, span))
        return self.names[name]

    def read(self, node: ast.Name) -> Operand:
        """What a name that is not called means here."""
        name, span = node.id, self.source.span(node)
        if name in self.names:
            return self.names[name]
        if name not in self.given:
            if name in numbers.CONSTANTS:
                return numbers.CONSTANTS[name]
            if name in DTYPES and name not in PYTHON_TYPES:
                return Named(f"torch.{name}")
            self._refuse_callable(name, span)
        self._refuse_slips(name, span)
        if name not in self.inputs:
            self.inputs[name] = self.add(Input(name, span))
        return self.inputs[name]

    def dotted(self, node: ast.expr) -> str | None:
        """The dotted name that a chain such as `F.relu` spells, or None where it begins at a value."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or not parts or node.id not in self.roots:
            return None
        if node.id in self.names or node.id in self.given:
            return None
        return ".".join([self.roots[node.id], *reversed(parts)])

    def text(self, node: ast.expr) -> str:
        """The text of a node on one line, cut where it is long."""
        span = self.source.span(node)
        text = " ".join(self.source.text[span.start : span.end].split())
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

    def located(self, node: ast.expr, compute: Callable[..., Any], *args: Any) -> Any:
        """`compute(*args)`, its error placed under `node`."""
        try:
            return compute(*args)
        except GradcliError as error:
            raise self.source.error(error.kind, error.message, node, error.hint, error.code) from None

    def _refuse_callable(self, name: str, span: Span) -> None:
        if name == "torch":
            raise self.source.error(
                "name", "'torch' is a module, not a value", span, "write torch.sin(A), or another name"
            )
        known = find_bare(name)
        if (known and not known[1].attribute) or name in numbers.WORDS or name in {"print", "sum", "len"}:
            hint = f"call it: {name}(...); or give it a value with --at {name}=..."
            raise self.source.error("name", f"'{name}' is a function", span, hint)

    def _refuse_slips(self, name: str, span: Span) -> None:
        for index, letter in enumerate(name):
            if letter in "·᛫‧" or (not letter.isascii() and letter.isdecimal()):
                hint = slips.CHARACTERS.get(letter, "write plain digits, 0 to 9")
                if letter == "·":
                    hint = f"multiply with *: {name[:index]}*{name[index + 1 :]}"
                here = Span(span.start + index, span.start + index + 1) if span.end - span.start == len(name) else span
                raise self.source.error("syntax", f"the character {letter} cannot stand in a name", here, hint)
        if name.startswith("__"):
            raise self.source.error("name", f"'{name}' is Python's own", span, "use another name")
