"""The pages of the documentation, what their commands print, and the tool that writes them."""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))  # the tool is a script, not an installed package

from refresh import fresh  # noqa: E402
from writing import pages, session  # noqa: E402
from writing.blocks import blocks, prose  # noqa: E402
from writing.tables import MADE  # noqa: E402

__all__ = [
    "MADE",
    "REFERENCE",
    "ROOT",
    "answers",
    "blocks",
    "fresh",
    "pages",
    "print_of",
    "prose",
    "text_of",
]

REFERENCE = ROOT / "docs" / "reference"


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def answers(path: Path) -> dict[int, pages.Answered]:
    """What the commands of a page print, by line."""
    with tempfile.TemporaryDirectory() as folder:
        return {one.line: one for one in pages.run(text_of(path), Path(folder))}


def print_of(text: str) -> str:
    """What one command line prints, in a folder of no interest."""
    command = session.Command(tuple(f"$ {text}".split("\n")), ())
    return "\n".join(session.answered(command, ROOT))
