"""What an evaluation found, frozen: tensors with the facts that torch recorded, notes, and where it came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.errors import Span

if TYPE_CHECKING:
    import torch

    from gradcli.extras import Extra
    from gradcli.language.program import Program
    from gradcli.language.values import Given
    from gradcli.report import Report

SCHEMA = "gradcli/1"
LEVELS = ("error", "warning", "info")  # of notes, the most serious first


@dataclass(frozen=True, slots=True)
class Note:
    """One remark on an answer: a diagnosis code (None for gradcli's own), level, message, columns, subject.

    `span` counts code points of the expression from 0, its end not included; `subject` is the input or parameter that
    the note is about.
    """

    code: str | None
    level: str
    message: str
    span: Span | None = None
    subject: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The object of the JSON format."""
        span = list(self.span) if self.span else None
        return {"code": self.code, "level": self.level, "message": self.message, "span": span, "subject": self.subject}


@cache
def _name_of(dtype_or_device: object) -> str:
    """float32, cpu: there are few of them, and torch takes long to say each."""
    return str(dtype_or_device).removeprefix("torch.")


class TensorView(NamedTuple):
    """A tensor of an answer: its detached value and gradient, and the flags that torch recorded on it.

    A named tuple, because a frozen dataclass of so many fields takes as long to make as its tensor.

    `name` is None for an output that the text does not name; `label` is what a table calls it. `origin` is
    `given`, `default`, `constant` or `inside` for inputs, None for outputs. `grad` has the shape of `value`, and is
    None where backward left none.
    """

    name: str | None
    label: str
    value: torch.Tensor
    requires_grad: bool
    is_leaf: bool
    grad_fn: str | None
    grad: torch.Tensor | None
    origin: str | None = None
    span: Span | None = None

    def __eq__(self, other: object) -> bool:
        return self is other  # tensors do not say yes or no

    def __hash__(self) -> int:
        return id(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its dimensions, () for one number."""
        return tuple(self.value.shape)

    @property
    def dtype(self) -> str:
        """Its dtype without torch in front: float32."""
        return _name_of(self.value.dtype)

    @property
    def device(self) -> str:
        """Its device: cpu, cuda:0."""
        return _name_of(self.value.device)

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format, its tensors not yet written out."""
        value = self.value
        return {
            "name": self.name, **({} if self.origin is None else {"origin": self.origin}),
            "value": value, "shape": [*value.shape], "dtype": _name_of(value.dtype), "device": _name_of(value.device),
            "requires_grad": self.requires_grad, "is_leaf": self.is_leaf, "grad_fn": self.grad_fn, "grad": self.grad,
        }  # fmt: skip


class Asked(NamedTuple):
    """The options of an answer that generated code needs to repeat it."""

    dtype: str | None = None
    device: str | None = None
    seed: int = 0
    reduce: str = "sum"
    upstream: Given | None = None
    wrt: frozenset[str] | None = None


class Result:
    """What every command returns: a JSON object, and a report that shows it wherever it is looked at."""

    __slots__ = ()

    def document(self) -> dict[str, Any]:
        """The JSON object, with tensors where their numbers will stand."""
        raise NotImplementedError

    def report(self) -> Report:
        """What a table, csv or markdown shows of it."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as plain data: non-finite numbers are strings, complex ones objects."""
        return dict(plain(self.document()))

    def __str__(self) -> str:
        """The table."""
        from gradcli.render import table

        return table.text(self.report())

    def __repr__(self) -> str:
        """The same, for Python's own prompt, which ends the line."""
        return str(self).rstrip("\n")

    def _repr_html_(self) -> str:
        """The table of a notebook."""
        from gradcli.render import table

        return table.html(self.report())


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Answer(Result):
    """The answer of `grad` and `eval`: inputs by name, outputs in order, notes; `extra`: what an option added."""

    command: str
    program: Program
    mode: str
    inputs: Mapping[str, TensorView]
    outputs: tuple[TensorView, ...]
    notes: tuple[Note, ...]
    asked: Asked
    given: tuple[Given, ...]
    extra: Extra | None = None

    @property
    def expression(self) -> str:
        """The text that was evaluated."""
        return self.program.source

    @property
    def output(self) -> TensorView:
        """The output, the first where there are several."""
        return self.outputs[0]

    def document(self) -> dict[str, Any]:
        """The JSON object, with tensors where their numbers will stand."""
        outputs = [one.facts() for one in self.outputs]
        return {
            "schema": SCHEMA,
            "command": self.command,
            "status": "ok",
            "expression": self.expression,
            "mode": self.mode,
            "inputs": [self._input(name, one) for name, one in self.inputs.items()],
            **({"output": outputs[0]} if len(outputs) == 1 else {"outputs": outputs}),
            **(self.extra.members() if self.extra else {}),
            "notes": [note.to_dict() for note in self.notes],
        }

    def _input(self, name: str, view: TensorView) -> dict[str, Any]:
        facts = view.facts()
        return {**facts, **self.extra.input_members(name)} if self.extra else facts

    def report(self) -> Report:
        """What a table, csv or markdown shows of it."""
        from gradcli.report import of_answer

        return of_answer(self)


def with_members(document: dict[str, Any], members: dict[str, Any]) -> dict[str, Any]:
    """The JSON object of an evaluation with further members, before its notes."""
    notes = document.pop("notes")
    return {**document, **members, "notes": notes}


def plain(value: Any) -> Any:
    """A document with every tensor written out as numbers."""
    from gradcli.numerals import nested

    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return nested(value) if hasattr(value, "detach") else value


def worst_level(notes: Iterable[Note]) -> str:
    """The most serious level among notes: error, warning or info; info where there are none."""
    return min((note.level for note in notes), key=LEVELS.index, default="info")
