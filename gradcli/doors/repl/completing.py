"""What Tab offers: commands and their options after a colon, elsewhere inputs and functions; torch is not needed."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from gradcli import commands
from gradcli.doors.options import options_of
from gradcli.doors.repl.orders import ORDERS
from gradcli.doors.repl.words import named

_WORD = re.compile(r"(--[\w-]*|[^\W\d][\w.]*)?$")


def offered(before: str, names: Collection[str]) -> tuple[str, list[str]]:
    """The word that stands before the cursor, and all words that it may become.

    >>> offered(":tr", ())
    ('tr', ['trace'])
    """
    if re.fullmatch(r"\s*:[\w-]*", before):
        written = before.strip()[1:]
        return written, _beginning(written, ORDERS)
    found = _WORD.search(before)
    written = found[0] if found else ""
    name = named(before)[0] if before.lstrip().startswith(":") else "grad"
    if written.startswith("--"):
        return written, _beginning(written, _flags(name))
    if name == "help":
        return written, _beginning(written, ORDERS)
    return written, _beginning(written, {*names, *_functions(), *_methods(written)}) if written else []


def _beginning(written: str, words: Collection[str]) -> list[str]:
    return sorted(word for word in words if word.startswith(written))


def _flags(name: str) -> list[str]:
    if name not in commands.NAMES:
        return []
    return [flag for option in options_of(commands.command(name)) for flag in option.flags if flag.startswith("--")]


@cache
def _functions() -> frozenset[str]:
    """Each function by every name that it has: sin, torch.sin, F.relu."""
    from gradcli.language.vocabulary import NAMESPACES, functions

    paths = {path for row in functions() for path in row.paths}
    short = {
        f"{name}.{path.removeprefix(place)}"
        for name, place in NAMESPACES.items()
        for path in paths
        if path.startswith(place)
    }
    return frozenset({*(row.name for row in functions() if row.name.isidentifier()), *paths, *short})


def _methods(written: str) -> set[str]:
    """The methods of a tensor, after its name and a point."""
    name, point, _ = written.rpartition(".")
    prefix = "torch.Tensor."
    return {f"{name}.{one.removeprefix(prefix)}" for one in _functions() if one.startswith(prefix)} if point else set()
