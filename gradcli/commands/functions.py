"""The functions that an expression may call, read from the vocabulary: no torch is needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from gradcli.commands.command import Command
from gradcli.language.signature import Parameters, alternatives
from gradcli.language.vocabulary import NAMESPACES, Function
from gradcli.language.vocabulary import functions as vocabulary
from gradcli.report import Column, Fields, Listing, Notes, Report, Section, Table
from gradcli.results import SCHEMA, Note, Result

MORE = "gradcli functions NAME tells one in full: signature, where it is smooth, what torch does at its kinks"
MOST = 12  # names of others that are shown with one that is told in full
METHODS = NAMESPACES["Tensor"]
COLUMNS = tuple(map(Column, ("function", "signature", "family", "differentiable", "description")))


@dataclass(frozen=True, repr=False, slots=True)
class Functions(Result):
    """The rows of the vocabulary that match a pattern: `exact` have it as a name, `found` are these and all others."""

    pattern: str | None
    found: tuple[Function, ...]
    exact: tuple[Function, ...] = ()

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

    def report(self) -> Report:
        """A function of that name, or found alone, is told in full; others in a line each."""
        told = self.exact or (self.found if len(self.found) == 1 else ())
        if told:
            wanted = (self.pattern or "").casefold()
            near = [one.name for one in self.found if one not in told and wanted in one.name]
            return Report(self.pattern or "", tuple(_told(one, near if one is told[-1] else []) for one in told))
        if not self.found:
            return Report("", (Notes(self.notes, ""),))
        listing = Listing(Table(COLUMNS, self._rows), None if self.pattern else COLUMNS.index(Column("family")))
        title = f"{len(self.found)} functions"
        return Report(title, (listing, Notes((Note(None, "info", f"{title}; {MORE}"),), "")))

    def _rows(self) -> Iterable[tuple[Any, ...]]:
        for one in self.found:
            yield one.name, one.signature, one.family, _differentiable(one), one.summary


def functions(pattern: str | None = None) -> Functions:
    """List the vocabulary: every function, or those whose name, place or description holds `pattern`.

    In a pattern with `*` or `?` these stand for any letters and for one, and it is the whole of a name: `soft*`.

    >>> [one.name for one in gradcli.functions("softplus").found]
    ['softplus', 'mish']

    Returns a Functions, whose `found` are rows with names, signature, family, where they are smooth, one line each;
    those whose name is `pattern` come first, then those that have it in their name, then the others.
    """
    if not pattern:
        return Functions(None, vocabulary())
    wanted = pattern.casefold()
    named = {one: _names(one) for one in vocabulary()}
    if set("*?") & set(wanted):
        return Functions(pattern, tuple(one for one, names in named.items() if _matches(names, wanted)))
    exact = tuple(one for one, names in named.items() if pattern in names)
    exact = exact or tuple(one for one, names in named.items() if wanted in {name.casefold() for name in names})
    holding = (one for one in vocabulary() if one not in exact and _holds(one, wanted))
    near = tuple(sorted(holding, key=_nearness(wanted)))
    told = tuple(one for one in vocabulary() if one not in exact + near and wanted in one.summary.casefold())
    return Functions(pattern, exact + near + told, exact)


def _names(one: Function) -> set[str]:
    """Everything that a function is called by: torch.nn.functional.relu, F.relu, relu; but linalg.lu is not lu."""
    short = {path.removeprefix("torch.") for path in one.paths}
    last = {path.rpartition(".")[2] for path in one.paths} if "." not in one.name else set()
    return {one.name, *one.paths, *short, *map(_written, one.paths), *last}


def _matches(names: set[str], wanted: str) -> bool:
    return any(fnmatchcase(name.casefold(), wanted) for name in names)


def _holds(one: Function, wanted: str) -> bool:
    """Whether a name or the family has the text in it; `torch.` begins every name and counts only where asked for."""
    names = one.paths if wanted.startswith("torch.") else [path.removeprefix("torch.") for path in one.paths]
    return wanted in f"{' '.join(names)} {one.family}".casefold()


def _nearness(wanted: str) -> Callable[[Function], int]:
    """How near a name is: it begins so, a word in it does, it has the text in it, or another of its names has."""

    def rank(one: Function) -> int:
        words = (one.name, *re.split(r"[._]", one.name)[1:])
        beginnings = [index > 0 for index, word in enumerate(words) if word.startswith(wanted)]
        return min(beginnings) if beginnings else 2 if wanted in one.name else 3

    return rank


def _differentiable(one: Function) -> str:
    return "no" if not one.differentiable else "yes" if one.smooth == "everywhere" else f"where {one.smooth}"


def _facts(one: Function) -> dict[str, Any]:
    return {
        "name": one.name, "names": list(one.paths), "signature": one.signature, "family": one.family,
        "differentiable": one.differentiable, "smooth": one.smooth, "kinks": one.at_kinks or None,
        "pointwise": one.pointwise, "writes": one.writes, "random": one.random, "summary": one.summary,
    }  # fmt: skip


def _told(one: Function, near: list[str]) -> Section:
    """Everything that is known of a function, and the names of others that are like its name."""
    facts = (
        *zip(("signature", *["or"] * 9), _signatures(one), strict=False),
        ("description", one.summary),
        ("written as", ", ".join(map(_written, one.paths))),
        ("family", one.family + (", element by element" if one.pointwise else "")),
        ("differentiable", "yes" if one.differentiable else "no"),
        ("smooth", one.smooth if one.differentiable else ""),
        ("at its kinks", one.at_kinks),
        *((f"{name}=", _choices(words)) for name, words in (*one.strings.items(), *one.named.items())),
        *((f"{name}=", f"at most {most:,}") for name, most in one.limits.items()),
        ("random", "draws from --seed" if one.random else ""),
        ("see also", ", ".join(near[:MOST]) + (f" and {len(near) - MOST} more" if len(near) > MOST else "")),
    )
    return Fields(lambda: [fact for fact in facts if fact[1]])


def _signatures(one: Function) -> list[str]:
    """Each parameter list as a call; one that holds for a namespace under its name, that of a method after a tensor."""
    if one.attribute:
        return [f"A.{one.name}"]
    return [_call(one, each) for each in alternatives(one.signature)]


def _call(one: Function, each: Parameters) -> str:
    place = each.place or ("" if "." in one.name or not one.paths[0].startswith(METHODS) else METHODS)
    path = next((path for path in one.paths if place and path.startswith(place)), one.name)
    if place != METHODS:
        return f"{_written(path)}{each.text}"
    _, comma, rest = each.text.partition(", ")
    return f"{_written(path)}{f'({rest}' if comma else '()'}"


def _choices(words: str) -> str:
    return "any text" if words == "*" else ", ".join(words.split())


def _written(path: str) -> str:
    """A dotted name as users write it: A.sin() for a method."""
    name = path.rpartition(".")[2]
    if path.startswith("torch.Tensor."):
        return f"A.{name}"
    return path.replace("torch.nn.functional.", "F.")


COMMAND = Command(
    "functions", functions, "The functions that an expression may call.", "pattern",
    "Part of a name, a family or a description, or a whole name with * and ?; all functions without it.", (),
    ("gradcli functions softmax", 'gradcli functions "F.*norm"', "gradcli functions --json"), subject_required=False,
    formats=("table", "json", "csv", "markdown"),
)  # fmt: skip
