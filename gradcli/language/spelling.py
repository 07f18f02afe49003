"""A program back to text: PyTorch code, one line a statement, that means exactly the same steps.

A step is written where its one reader stands.
"""

from __future__ import annotations

from gradcli.language.notation import ATOM, Text, call_text, place_text
from gradcli.language.notation import operand_text as text_of
from gradcli.language.program import Bind, Call, Enter, Input, Leave, Operand, Program, Ref, Seed, Step


def lines(program: Program) -> list[str]:
    """The statements of a program as PyTorch code; the last line is its answer where no name holds it."""
    return _Speller(program).lines()


def operand_text(program: Program, operand: Operand) -> str:
    """The text of one operand of a program."""
    speller = _Speller(program)
    speller.lines()
    return speller.text(operand)


class _Speller:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.texts: list[Text] = []
        self.written: list[str] = []
        self.depth = 0

    def lines(self) -> list[str]:
        for index, step in enumerate(self.program.steps):
            self.texts.append(self._step(index, step))
        last = ", ".join(self.text(output.operand) for output in self.program.outputs)
        if not self._answered(last):
            self._write(last + ("," if len(self.program.outputs) == 1 and last.endswith(",") else ""))
        return self.written

    def text(self, operand: Operand) -> str:
        return text_of(operand, self.texts)[0]

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
            return self._store(step) if step.style == "store" else call_text(step, self.texts)
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

    def _store(self, step: Call) -> Text:
        value = self.text(step.args[2])
        place, _ = place_text(step, self.texts)
        self._write(value if self._augmented(step.args[2]) else f"{place} = {value}")
        return "", ATOM

    def _augmented(self, operand: Operand) -> bool:
        """Whether a value was made by `+=` or its kin, whose text names where it goes."""
        made = self.program.steps[operand.step] if isinstance(operand, Ref) else None
        return isinstance(made, Call) and made.style == "augment"

    def _bind(self, index: int, step: Bind) -> Text:
        text, bound = text_of(step.operand, self.texts)
        if step.name is None:
            self._write(text)
            return text, bound
        if step.part is not None:
            if step.part == step.parts - 1:  # type: ignore[operator]
                names = [self.program.steps[i].name for i in range(index - step.part, index + 1)]  # type: ignore[union-attr]
                self._write(f"{', '.join(map(str, names))} = {text}")
        elif self._augmented(step.operand):
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
                values += f"{joined}{self.text(step.operand)}"
        self._write(f"{names} = {values}")
