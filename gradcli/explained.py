"""What `explain` found, frozen: codes, messages of torch and nodes of its graph, each told in the same three steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gradcli.report import Column, Fields, Listing, Notes, Report, Section, Table
from gradcli.results import SCHEMA, Note, Result

MANY = 12  # so many functions that record a node on their way are told

Rows = Iterator[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class CodeMatch:
    """A diagnosis of gradcli."""

    code: str
    name: str
    level: str
    family: str
    what: str
    why: str
    next: str
    example: str
    repair: str | None
    term: str
    files: Mapping[str, str] = field(default_factory=dict, hash=False)

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "kind": "code", "name": self.name, "code": self.code, "level": self.level, "what": self.what,
            "why": self.why, "next": self.next, "example": self.example, "repair": self.repair, "term": self.term,
            "files": dict(self.files),
        }  # fmt: skip

    def rows(self) -> Rows:
        """What a table tells."""
        yield "code", f"{self.code} {self.name}"
        yield "level", self.level
        yield "what", self.what
        yield "why", self.why
        yield "example", self.example
        yield "next", self.next
        if self.repair:
            yield "repair", self.repair
        for name, text in self.files.items():
            yield name, text.rstrip()
        yield "in torch", self.term


@dataclass(frozen=True, slots=True)
class UserLine:
    """The user's own line: the last one of a traceback that is not inside torch."""

    file: str
    number: int
    function: str | None
    source: str | None

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {"file": self.file, "number": self.number, "function": self.function, "source": self.source}

    def __str__(self) -> str:
        within = f" in {self.function}" if self.function else ""
        return f"{self.file}:{self.number}{within}{f': {self.source}' if self.source else ''}"


@dataclass(frozen=True, slots=True)
class MessageMatch:
    """A message of torch, and what it means. `text` are its words in the log; none where a part of one was typed."""

    name: str
    level: str
    text: str | None
    what: str
    why: str
    next: str
    code: str | None = None
    see: tuple[str, ...] = ()
    line: UserLine | None = None
    count: int = 1
    says: str = ""

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "kind": "message", "name": self.name, "code": self.code, "level": self.level, "what": self.what,
            "why": self.why, "next": self.next, "message": self.text, "says": self.says,
            "line": self.line.facts() if self.line else None, "count": self.count, "see": list(self.see),
        }  # fmt: skip

    def rows(self) -> Rows:
        """What a table tells."""
        yield self.level, self.text or self.says
        if self.line:
            yield "your line", str(self.line)
        if self.count > 1:
            yield "how often", f"{self.count:,} times"
        yield "what", self.what
        yield "why", self.why
        yield "next", self.next
        codes = [one for one in (self.code, *self.see) if one]
        if codes:
            yield "more", ", ".join(f"gradcli explain {one}" for one in codes)


@dataclass(frozen=True, slots=True)
class Saved:
    """What a node keeps for the way back: the name of it, and whether it is a tensor, a number or another thing."""

    name: str
    kinds: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} ({' or '.join(self.kinds)})"


@dataclass(frozen=True, slots=True)
class NodeMatch:
    """A node of autograd's graph: functions whose result it is, those that record it on their way, what it saves."""

    name: str
    what: str
    why: str
    functions: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    saves: tuple[Saved, ...] = ()
    measured: str | None = None

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "kind": "node", "name": self.name, "what": self.what, "why": self.why, "functions": list(self.functions),
            "within": list(self.within), "torch": self.measured,
            "saves": [{"name": one.name, "kinds": list(one.kinds)} for one in self.saves],
        }  # fmt: skip

    def rows(self) -> Rows:
        """What a table tells."""
        yield "node", self.name
        yield "what", self.what
        yield "why", self.why
        if self.functions:
            yield "recorded by", ", ".join(self.functions)
        if self.within:
            more = f" and {len(self.within) - MANY} more" if len(self.within) > MANY else ""
            yield "on their way", ", ".join(self.within[:MANY]) + more
        if self.measured:
            yield "saves", ", ".join(map(str, self.saves)) or "nothing"
            yield "measured", f"with torch {self.measured}"


Match = CodeMatch | MessageMatch | NodeMatch
COLUMNS = tuple(map(Column, ("code", "name", "level", "family", "what")))


@dataclass(frozen=True, repr=False, slots=True)
class Explanation(Result):
    """The answer of `explain`: what was asked, the matches, the most telling first, and remarks."""

    expression: str | None
    matches: tuple[Match, ...]
    notes: tuple[Note, ...] = ()
    command: str = "explain"

    @property
    def exit_no(self) -> bool:
        """Whether nothing was found, for which the exit code is 1."""
        return not self.matches

    def document(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "schema": SCHEMA, "command": "explain", "status": "ok", "expression": self.expression,
            "matches": [one.facts() for one in self.matches], "notes": [note.to_dict() for note in self.notes],
        }  # fmt: skip

    def report(self) -> Report:
        """Each match in full; without a question a line for each code."""
        sections: tuple[Section, ...] = tuple(Fields(lambda one=one: one.rows()) for one in self.matches)  # type: ignore[misc]
        if self.expression is None:
            sections = (Listing(Table(COLUMNS, self._listed), COLUMNS.index(Column("family"))),)
        return Report("", (*sections, *([Notes(self.notes, "")] if self.notes else [])))

    def _listed(self) -> Iterable[tuple[Any, ...]]:
        for one in self.matches:
            if isinstance(one, CodeMatch):
                yield one.code, one.name, one.level, one.family, one.what
