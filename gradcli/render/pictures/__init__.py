"""Pictures of graphs in files: who draws which kind, and how a file is written."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from gradcli.errors import GradcliError
from gradcli.graphed import Graph

Drawer = Callable[[Graph, str], bytes | None]
"""The bytes of a picture of a kind; None where this drawer cannot make it."""


def _graphviz(graph: Graph, kind: str) -> bytes | None:
    from gradcli.render.pictures import graphviz

    return graphviz.drawn(graph, kind)


def _own(graph: Graph, kind: str) -> bytes | None:
    del kind
    from gradcli.render.pictures import svg

    return svg.text(graph).encode("utf-8")


def _matplotlib(graph: Graph, kind: str) -> bytes | None:
    if importlib.util.find_spec("matplotlib") is None:
        return None
    from gradcli.render.pictures import plotted

    return plotted.drawn(graph, kind)


# Ending of a file's name -> who draws it, the first that can.
DRAWERS: dict[str, tuple[Drawer, ...]] = {
    "svg": (_graphviz, _own),
    "png": (_graphviz, _matplotlib),
    "pdf": (_graphviz, _matplotlib),
}


def ending_of(file: Any) -> str:
    """The kind of picture that a file's name asks for. Raises GradcliError where nobody draws it."""
    try:
        ending = PurePath(os.fspath(file)).suffix.removeprefix(".").lower()
    except TypeError:
        raise GradcliError("usage", f"--save is the name of a file, not {type(file).__name__}") from None
    if ending not in DRAWERS:
        kinds = ", ".join(f".{kind}" for kind in DRAWERS)
        raise GradcliError("usage", f"--save draws {kinds}, not '{file}'", hint="such as --save graph.svg")
    if _own not in DRAWERS[ending] and not (shutil.which("dot") or importlib.util.find_spec("matplotlib")):
        raise _lacking(ending)
    return ending


def save(graph: Graph, file: Any, ending: str) -> None:
    """Draw a graph in a file. Raises GradcliError of kind output where it cannot be written, usage if not drawn."""
    drawn = next((made for drawer in DRAWERS[ending] if (made := drawer(graph, ending)) is not None), None)
    if drawn is None:
        raise _lacking(ending)
    try:
        with open(file, "wb") as opened:
            opened.write(drawn)
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        raise GradcliError("output", f"{file} could not be written: {reason}") from error


def _lacking(ending: str) -> GradcliError:
    hint = "pip install 'gradcli[plot]', or save as .svg, which needs neither"
    return GradcliError("usage", f"a .{ending} needs matplotlib or Graphviz's dot, and neither is here", hint=hint)
