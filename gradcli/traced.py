"""What a trace found, frozen: every step in the order of evaluation, and the chain rule of each input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError, Span
from gradcli.language.naming import named
from gradcli.language.program import Bind, Program, Ref
from gradcli.report import Column, Fields, Notes, Report, Table, title_of
from gradcli.results import SCHEMA, Answer, Note, Result, TensorView

if TYPE_CHECKING:
    import torch

DIGITS = 4  # in a table; json and csv have all


@dataclass(frozen=True, slots=True)
class LocalDerivative:
    """∂(step)/∂(operand) of a step of one element, and the text of the operand."""

    operand: str
    step: int
    value: float

    @property
    def written(self) -> str:
        """The operand after a d: in brackets where it is more than a name or a call."""
        plain = self.operand.isidentifier() or (
            self.operand.endswith(")") and self.operand.partition("(")[0].isidentifier()
        )
        return self.operand if plain else f"({self.operand})"


@dataclass(frozen=True, eq=False, slots=True)
class TracedStep:
    """One sub-expression: its text, value, flags, the gradient that arrived there, its local derivatives."""

    index: int
    part: int | None  # of a step that gives several tensors
    label: str
    bound: str
    source: str
    span: Span
    op: str
    value: torch.Tensor
    requires_grad: bool
    grad_fn: str | None
    grad: torch.Tensor | None
    local: tuple[LocalDerivative, ...]

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        local = [{"operand": one.operand, "value": one.value} for one in self.local] or None
        return {
            "source": self.source, "span": list(self.span), "op": self.op, "value": self.value,
            "shape": list(self.value.shape), "requires_grad": self.requires_grad, "grad_fn": self.grad_fn,
            "grad": self.grad, "local": local,
        }  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Trace(Result):
    """The answer of `trace`. `chain` holds one line of arithmetic for each input of one element."""

    whole: Answer
    steps: tuple[TracedStep, ...]
    chain: tuple[tuple[str, str], ...]
    notes: tuple[Note, ...]

    @property
    def program(self) -> Program:
        return self.whole.program

    @property
    def expression(self) -> str:
        return self.program.source

    @property
    def mode(self) -> str:
        return self.whole.mode

    @property
    def inputs(self) -> Mapping[str, TensorView]:
        return self.whole.inputs

    @property
    def outputs(self) -> tuple[TensorView, ...]:
        return self.whole.outputs

    @property
    def names(self) -> dict[int, str]:
        """For each call that is traced the name that a script gives its value: its own where it has one for good."""
        bound = Counter(step.name for step in self.program.steps if isinstance(step, Bind))
        taken = {*bound, *self.inputs}
        found: dict[int, str] = {}
        for one in self.steps:
            own = one.bound.removesuffix(" = ")
            if one.op != "input" and not (own and bound[own] == 1 and own not in self.inputs):
                name = f"step_{one.label}"
                while name in taken:
                    name += "_"
                found.setdefault(one.index, name)
            elif one.op != "input":
                found[one.index] = own
        return found

    @property
    def answer(self) -> Answer:
        """The same answer, with a name for every step: what a script is made of."""
        if self.program.writes:
            message = "a script of the steps needs a text that writes into no tensor: a step would show what came later"
            raise GradcliError("usage", message, hint="--format json has every step as it was")
        own = {step.operand.step for step in self.program.steps
               if isinstance(step, Bind) and isinstance(step.operand, Ref) and step.part is None
               and step.name == self.names.get(step.operand.step)}  # fmt: skip
        fresh = {index: name for index, name in self.names.items() if index not in own}
        return replace(self.whole, program=named(self.program, fresh))

    def document(self) -> dict[str, Any]:
        """The JSON object, with tensors where their numbers will stand."""
        outputs = [one.facts() for one in self.outputs]
        return {
            "schema": SCHEMA, "command": "trace", "status": "ok", "expression": self.expression, "mode": self.mode,
            "inputs": [one.facts() for one in self.inputs.values()],
            **({"output": outputs[0]} if len(outputs) == 1 else {"outputs": outputs}),
            "steps": [step.facts() for step in self.steps],
            "notes": [note.to_dict() for note in self.notes],
        }  # fmt: skip

    def report(self) -> Report:
        """A row a step, then the chain rule."""
        columns = (
            Column("step"), Column("expression"), Column("value", True, DIGITS), Column("gradient", True, DIGITS),
            Column("local derivative"), Column("grad_fn"),
        )  # fmt: skip

        def rows() -> Iterable[tuple[Any, ...]]:
            for one in self.steps:
                local = " · ".join(f"d/d{part.written} = {part.value:.{DIGITS}g}" for part in one.local)
                node = one.grad_fn or ("leaf" if one.requires_grad else "none")
                yield one.label, f"{one.bound}{one.source}", one.value, one.grad, local, node

        chain = (Fields(lambda: self.chain),) if self.chain else ()
        mode = "" if self.mode == "grad" else f" · {self.mode}"
        title = f"{title_of(self)}{mode}".strip(" ·")  # type: ignore[arg-type]
        return Report(title, (Table(columns, rows, elements=True), *chain, Notes(self.notes, self.expression)))
