"""`@-`: what standard input gives, which no suffix names: a file's bytes, a table, or a value as it is written."""

from __future__ import annotations

from typing import Any

from gradcli.engine.files import csv, formats
from gradcli.engine.files.opening import Opened
from gradcli.engine.files.read import Read
from gradcli.language.files import FileValue, is_file
from gradcli.language.values import read_value


def read(opened: Opened, name: str, file: FileValue) -> Read | tuple[Any, str]:
    """A tensor that was read, or a value as in `--at` and its text. Raises GradcliError of kind file or value."""
    opened.file.seek(0)
    if reader := formats.by_beginning(opened):
        return formats.read(opened, file, reader)
    try:
        text = opened.file.read().decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise opened.refused("is neither text nor in a format that is known", f"{formats.LISTED}, or a value")
    if _is_table(text):
        return formats.read(opened, file, csv.read)
    if is_file(text):
        raise opened.refused("names a file: it has to hold the value itself")
    if file.key is not None:
        raise opened.refused(f"holds a value that is written, and '{file.key:.80}' was asked for", "leave the key out")
    return read_value(text, name), text


def _is_table(text: str) -> bool:
    """Whether text is rows and columns rather than a number, a list or a call: something is parted outside of both."""
    if text.startswith("["):
        return False
    depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if depth == 0 and character in ",;\t\n":
            return True
    return False
