"""The functions that an expression may call, read from the vocabulary: no torch is needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gradcli.commands.command import Command
from gradcli.language.signature import alternatives
from gradcli.language.vocabulary import Function
from gradcli.language.vocabulary import functions as vocabulary
from gradcli.report import Column, Fields, Notes, Report, Table
from gradcli.results import SCHEMA, Note


@dataclass(frozen=True, slots=True)
class Functions:
    """The rows of the vocabulary that match a pattern."""

    pattern: str | None
    found: tuple[Function, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        """A note where nothing was found."""
        message = f"no function has '{self.pattern}' in its name or description"
        return () if self.found else (Note(None, "warning", message),)

    def document(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "schema": SCHEMA, "command": "functions", "status": "ok", "pattern": self.pattern,
            "functions": [_facts(one) for one in self.found], "notes": [note.to_dict() for note in self.notes],
        }  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        return self.document()

    def report(self) -> Report:
        """A table; a function alone is told in full."""
        exact = [one for one in self.found if self.pattern in _names(one)]
        if len(exact) == 1 or len(self.found) == 1:
            return Report(self.pattern or "", (Fields(lambda: _told((exact or self.found)[0])),))
        columns = (
            Column("function"),
            Column("signature"),
            Column("family"),
            Column("differentiable"),
            Column("description"),
        )

        def rows() -> Iterable[tuple[Any, ...]]:
            for one in self.found:
                yield one.name, one.signature, one.family, _differentiable(one), one.summary

        if not self.found:
            return Report("", (Notes(self.notes, ""),))
        return Report(f"{len(self.found)} functions", (Table(columns, rows),))

    def __str__(self) -> str:
        from gradcli.render import table

        return table.text(self.report())


def functions(pattern: str | None = None) -> Functions:
    """List the vocabulary: every function, or those whose name, place or description holds `pattern`.

    >>> [one.name for one in gradcli.functions("softplus").found]
    ['softplus', 'mish']

    Returns a Functions, whose `found` are rows with names, signature, family, where they are smooth, one line each.
    """
    if not pattern:
        return Functions(None, vocabulary())
    wanted = pattern.casefold()
    exact = tuple(one for one in vocabulary() if wanted in {name.casefold() for name in _names(one)})
    near = tuple(
        one for one in vocabulary() if one not in exact and wanted in f"{' '.join(one.paths)} {one.family}".casefold()
    )
    told = tuple(one for one in vocabulary() if one not in exact + near and wanted in one.summary.casefold())
    return Functions(pattern, exact + near + told)


def _names(one: Function) -> set[str]:
    return {one.name, *one.paths, *(path.rpartition(".")[2] for path in one.paths)}


def _differentiable(one: Function) -> str:
    return "no" if not one.differentiable else "yes" if one.smooth == "everywhere" else f"where {one.smooth}"


def _facts(one: Function) -> dict[str, Any]:
    return {
        "name": one.name, "names": list(one.paths), "signature": one.signature, "family": one.family,
        "differentiable": one.differentiable, "smooth": one.smooth, "kinks": one.at_kinks or None,
        "pointwise": one.pointwise, "writes": one.writes, "random": one.random, "summary": one.summary,
    }  # fmt: skip


def _told(one: Function) -> Iterable[tuple[str, str]]:
    yield (
        "signature",
        "  or  ".join(f"{_written(part.place + one.name)}{part.text}" for part in alternatives(one.signature))
        if not one.attribute
        else f".{one.name}",
    )
    yield "description", one.summary
    yield "written as", ", ".join(_written(path) for path in one.paths)
    yield "family", one.family + (", element by element" if one.pointwise else "")
    yield "differentiable", "yes" if one.differentiable else "no"
    if one.differentiable:
        yield "smooth", one.smooth
    if one.at_kinks:
        yield "at its kinks", one.at_kinks
    if one.random:
        yield "random", "draws from --seed"


def _written(path: str) -> str:
    """A dotted name as users write it: A.sin() for a method."""
    name = path.rpartition(".")[2]
    if path.startswith("torch.Tensor."):
        return f"A.{name}"
    return path.replace("torch.nn.functional.", "F.")


COMMAND = Command(
    "functions", functions, "The functions that an expression may call.", "pattern",
    "Part of a name, a family or a description; all functions without it.", (),
    ("gradcli functions softmax", "gradcli functions --json"), subject_required=False,
    formats=("table", "json", "csv", "markdown"),
)  # fmt: skip
