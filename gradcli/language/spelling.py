"""A program back to text: PyTorch code, one line a statement, that means exactly the same steps.

Numbers are written so that they read back to the same value; a step is written where its one reader stands.
"""

from __future__ import annotations

import math

from gradcli.language.program import (
    Bind,
    Call,
    Enter,
    Input,
    Items,
    Leave,
    Named,
    Operand,
    Program,
    Ref,
    Seed,
    SliceOf,
    Step,
)  # fmt: skip
from gradcli.language.vocabulary.operators import SYMBOL_OF

# How tightly each kind of text binds, as in Python's grammar.
LOOSE, COMPARED, OR, AND, SUM, PRODUCT, SIGN, POWER, ATOM = range(9)
BINARY = {
    "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT, "@": PRODUCT, "&": AND, "|": OR,
    "<": COMPARED, "<=": COMPARED, ">": COMPARED, ">=": COMPARED, "==": COMPARED, "!=": COMPARED,
}  # fmt: skip

Text = tuple[str, int]


def lines(program: Program) -> list[str]:
    """The statements of a program as PyTorch code; the last line is its answer where no name holds it."""
    return _Speller(program).lines()


class _Speller:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.texts: list[Text] = []
        self.written: list[str] = []
        self.depth = 0

    def lines(self) -> list[str]:
        for index, step in enumerate(self.program.steps):
            self.texts.append(self._step(index, step))
        last = ", ".join(self.text(output.operand)[0] for output in self.program.outputs)
        if len(self.program.outputs) == 1 and isinstance(self.program.outputs[0].operand, Items):
            last = self.text(self.program.outputs[0].operand)[0]
        if not self._answered(last):
            self._write(last + ("," if len(self.program.outputs) == 1 and last.endswith(",") else ""))
        return self.written

    def _answered(self, last: str) -> bool:
        """Whether the last line written is the answer already."""
        if not self.written:
            return False
        line = self.written[-1].strip()
        names = tuple(output.name for output in self.program.outputs)
        return line in {last, f"({last})"} or line.startswith(f"{', '.join(map(str, names))} = ")

    def _write(self, line: str) -> None:
        self.written.append("    " * self.depth + line)

    def _step(self, index: int, step: Step) -> Text:
        if isinstance(step, Input):
            return step.name, ATOM
        if isinstance(step, Call):
            return self._call(step)
        if isinstance(step, Bind):
            return self._bind(index, step)
        if isinstance(step, Enter):
            self._write(f"with torch.{step.manager}({'' if step.flag is None else step.flag}):")
            self.depth += 1
        elif isinstance(step, Leave):
            if isinstance(self.program.steps[index - 1], Enter):
                self._write('"numbers only"')  # a block needs a line, and those that only name numbers leave no step
            self.depth -= 1
        elif isinstance(step, Seed):
            self._write(f"torch.manual_seed({step.number})")
        return "", ATOM

    def _bind(self, index: int, step: Bind) -> Text:
        text, _ = self.text(step.operand)
        made = isinstance(step.operand, Ref) and self.program.steps[step.operand.step]
        augmented = isinstance(made, Call) and made.style == "augment"
        if step.name is None:
            self._write(text)
            return text, self.text(step.operand)[1]
        if step.part is not None:
            if step.part == step.parts - 1:  # type: ignore[operator]
                names = [self.program.steps[i].name for i in range(index - step.part, index + 1)]  # type: ignore[union-attr]
                self._write(f"{', '.join(map(str, names))} = {text}")
        elif augmented:
            self._write(text)
        elif not self._joined(index, index + 1):
            self._assign(index)
        return step.name, ATOM

    def _joined(self, index: int, following: int) -> str:
        """What joins the names that two steps give in one assignment: `a, b = b, a`, `a = b = A*2`; else nothing."""
        pair = self.program.steps[max(index, 0) : following + 1]
        binds = [one for one in pair if isinstance(one, Bind) and one.name and one.part is None]
        if len(pair) < 2 or len(binds) < 2:
            return ""
        if binds[0].span == binds[1].span:
            return ", "
        operand = binds[0].operand
        made = isinstance(operand, Ref) and isinstance(self.program.steps[operand.step], Call)
        return " = " if made and operand == binds[1].operand else ""

    def _assign(self, last: int) -> None:
        """Write the assignment whose last name is given at a step: all values are taken before any name is given."""
        first = last
        while self._joined(first - 1, first):
            first -= 1
        names, values = "", ""
        for index in range(first, last + 1):
            step = self.program.steps[index]
            assert isinstance(step, Bind)
            joined = self._joined(index - 1, index) if index > first else ""
            names += f"{joined}{step.name}"
            if joined != " = ":
                values += f"{joined}{self.text(step.operand)[0]}"
        self._write(f"{names} = {values}")

    def _call(self, step: Call) -> Text:
        if step.style == "operator":
            return self._operator(step)
        args = [self.text(operand) for operand in step.args]
        if step.style == "index":
            return f"{_wrap(args[0], ATOM)}[{self._index(step.args[1])}]", ATOM
        if step.style == "attribute":
            return f"{_wrap(args[0], ATOM)}.{step.path.rpartition('.')[2]}", ATOM
        if step.style == "field":
            return f"{_wrap(args[0], ATOM)}.{step.path}", ATOM
        if step.style == "augment":
            return f"{args[0][0]} {step.function.name} {args[1][0]}", LOOSE
        if step.style == "store":
            value = step.args[2]
            made = self.program.steps[value.step] if isinstance(value, Ref) else None
            augmented = isinstance(made, Call) and made.style == "augment"
            place = f"{_wrap(args[0], ATOM)}[{self._index(step.args[1])}]"
            self._write(args[2][0] if augmented else f"{place} = {args[2][0]}")
            return "", ATOM
        words = [text for text, _ in args] + [f"{name}={self.text(operand)[0]}" for name, operand in step.kwargs]
        if step.style == "method":
            return f"{_wrap(args[0], ATOM)}.{step.path.rpartition('.')[2]}({', '.join(words[1:])})", ATOM
        name = "len" if step.path == "builtins.len" else step.path
        return f"{name}({', '.join(words)})", ATOM

    def _operator(self, step: Call) -> Text:
        name = step.function.name
        operands = [self.text(operand) for operand in step.args]
        if name in SYMBOL_OF:
            return f"{SYMBOL_OF[name]}{_wrap(operands[0], SIGN)}", SIGN
        left, right = operands
        if name == "**":
            return f"{_wrap(left, ATOM)}**{_wrap(right, SIGN)}", POWER
        bound = BINARY[name]
        least = bound + 1 if bound == COMPARED else bound
        return f"{_wrap(left, least)} {name} {_wrap(right, bound + 1)}", bound

    def _index(self, operand: Operand) -> str:
        if isinstance(operand, Items) and operand.kind == "tuple" and operand.elements:
            words = ", ".join(self._index(one) for one in operand.elements)
            return words + ("," if len(operand.elements) == 1 else "")
        if isinstance(operand, SliceOf):
            start, stop, step = (
                "" if one is None else self.text(one)[0] for one in (operand.start, operand.stop, operand.step)
            )
            return f"{start}:{stop}" + (f":{step}" if step else "")
        return self.text(operand)[0]

    def text(self, operand: Operand) -> Text:
        if isinstance(operand, Ref):
            return self.texts[operand.step]
        if isinstance(operand, Items):
            words = ", ".join(self.text(one)[0] for one in operand.elements)
            if operand.kind == "list":
                return f"[{words}]", ATOM
            return f"({words}{',' if len(operand.elements) == 1 else ''})", ATOM
        if isinstance(operand, Named):
            return ("..." if operand.path == "Ellipsis" else operand.path), ATOM
        return literal(operand)


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


def _wrap(text: Text, least: int) -> str:
    return text[0] if text[1] >= least else f"({text[0]})"


def operand_text(program: Program, operand: Operand) -> str:
    """The text of one operand of a program."""
    speller = _Speller(program)
    speller.lines()
    return speller.text(operand)[0]
