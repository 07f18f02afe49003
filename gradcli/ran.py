"""What a watched script left behind, frozen: the verdict, its tensors, notes, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gradcli.errors import Span
from gradcli.report import Column, Fields, Notes, Report, Section, Table
from gradcli.results import SCHEMA, Note, notebook, shown, written
from gradcli.seen import SeenTensor

_ORDER = ("error", "warning", "info")
_TENSORS = (
    Column("tensor"), Column("value", True), Column(".grad", True), Column("requires_grad"), Column("grad_fn"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """The answer of `run`: what was seen of a script. `exit_code` is the script's own, None while it is not known."""

    script: str
    arguments: tuple[str, ...]
    verdict: str
    tensors: tuple[SeenTensor, ...]
    notes: tuple[Note, ...]
    exit_code: int | None = None

    def document(self) -> dict[str, Any]:
        """The JSON object."""
        return {
            "schema": SCHEMA, "command": "run", "status": "ok", "script": self.script,
            "arguments": list(self.arguments), "verdict": self.verdict, "parameters": [],
            "tensors": [one.facts() for one in self.tensors], "notes": [one.to_dict() for one in self.notes],
        }  # fmt: skip

    @classmethod
    def of(cls, document: Mapping[str, Any], exit_code: int | None = None) -> Run:
        """The answer of a JSON object."""
        notes = tuple(Note(**{**one, "span": Span(*one["span"]) if one["span"] else None}) for one in document["notes"])
        tensors = tuple(map(SeenTensor.of, document["tensors"]))
        return cls(document["script"], tuple(document["arguments"]), document["verdict"], tensors, notes, exit_code)

    def report(self) -> Report:
        """The verdict, the notes by severity, the tensors."""
        notes = tuple(sorted(self.notes, key=lambda one: _ORDER.index(one.level)))
        sections: list[Section] = [Fields(lambda: [("verdict", self.verdict)]), Notes(notes, "")]
        if self.tensors:
            sections.append(Table(_TENSORS, self._rows))
        return Report("", tuple(sections))

    def _rows(self) -> Iterable[tuple[Any, ...]]:
        for one in self.tensors:
            grad = None if one.grad is None else one.grad.shown()
            yield one.name, one.value.shown(), grad, one.requires_grad, one.origin

    to_dict = written
    __str__ = shown
    _repr_html_ = notebook
