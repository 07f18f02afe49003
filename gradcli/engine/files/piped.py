"""`@-`: what standard input gives, which no suffix names: a file's bytes, a table, or a value as it is written."""

from __future__ import annotations

from typing import Any

from gradcli.engine.files import csv, formats
from gradcli.engine.files.opening import Opened
from gradcli.engine.files.read import Read
from gradcli.language.files import FileValue, is_file
from gradcli.language.values import read_value

_LOOKED_AT = 1 << 16  # bytes that tell a table from a value


def read(opened: Opened, name: str, file: FileValue) -> Read | tuple[Any, str]:
    """A tensor that was read, or a value as in `--at` and its text. Raises GradcliError of kind file or value."""
    opened.file.seek(0)
    if reader := formats.by_beginning(opened):
        return formats.read(opened, file, reader)
    beginning = opened.file.read(_LOOKED_AT)
    if _is_table(beginning.decode("utf-8-sig", "ignore").strip()):
        return formats.read(opened, file, csv.read)
    text = _text(opened, beginning)
    if is_file(text):
        raise opened.refused("names a file: it has to hold the value itself")
    if file.key is not None:
        raise opened.refused(f"holds a value that is written, and '{file.key:.80}' was asked for", "leave the key out")
    return read_value(text, name), text


def _text(opened: Opened, beginning: bytes) -> str:
    try:
        text = (beginning + opened.file.read()).decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise opened.refused("is neither text nor in a format that is known", f"{formats.LISTED}, or a value")
    return text


def _is_table(text: str) -> bool:
    """Whether text is rows and columns rather than a number, a list or a call: something is parted outside of both."""
    if text.startswith("[") or "\0" in text:
        return False
    depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if depth == 0 and character in ",;\t\n":
            return True
    return False
