"""The report of a run to where it was asked for: standard error, and files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from gradcli import render
from gradcli.ran import Run

FORMATS = {".json": "json", ".md": "markdown", ".csv": "csv"}


def deliver(run: Run, settings: Mapping[str, Any]) -> None:
    """Write the report behind everything that the script has said."""
    for place, form in ((settings.get("record"), "json"), (settings.get("report"), None)):
        if place:
            _save(run, Path(place), form or FORMATS[Path(place).suffix.lower()], settings)
    if not settings["quiet"]:
        _flush(sys.stdout)
        _tell(run, settings)


def _save(run: Run, path: Path, form: str, settings: Mapping[str, Any]) -> None:
    """A report appears whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.writelines(render.pieces(form, run, render.Style(settings.get("precision"))))
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        print(f"gradcli: the report could not be written: {error}", file=sys.stderr)


def _tell(run: Run, settings: Mapping[str, Any]) -> None:
    stream = sys.stderr
    if stream is None or getattr(stream, "closed", False):  # the script may have put an object of its own there
        return
    encoding = getattr(stream, "encoding", None) or getattr(sys.__stderr__, "encoding", None) or "ascii"
    style = render.Style(
        settings.get("precision"), settings["width"], settings["color"], settings["verbose"],
        settings["ascii"], encoding=encoding,
    )  # fmt: skip
    _flush(stream)
    try:
        for piece in render.pieces(settings["format"], run, style):
            stream.write(render.fitted(piece, style.encoding))
        _flush(stream)
    except OSError:
        return  # nobody reads it any more


def _flush(stream: TextIO | None) -> None:
    """Write out what the script has printed; where that fails, Python tells it itself when it ends."""
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError, AttributeError):
        return
