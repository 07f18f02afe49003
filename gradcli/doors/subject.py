"""The subject of a command as the command line has it: the text itself, `@file`, or `-` for standard input."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from gradcli.errors import GradcliError

LIMIT = 1_000_000  # bytes; the language reads far less


def read_subject(text: str, standard_input: TextIO) -> str:
    """The text of a subject. Raises GradcliError of kind file where it cannot be read."""
    if text == "-":
        return _decoded(standard_input.buffer.read(), "standard input")
    if text.startswith("@"):
        return _decoded(_bytes_of(text[1:]), text[1:])
    return text


def _bytes_of(path: str) -> bytes:
    try:
        if Path(path).is_dir():
            raise GradcliError("file", f"{path} is a directory")
        with open(path, "rb") as file:
            return file.read(LIMIT)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise GradcliError("file", f"cannot read {path}: {reason[0].lower()}{reason[1:]}") from None


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").rstrip()
    except UnicodeDecodeError as error:
        raise GradcliError("file", f"{what} is not UTF-8 text: byte {error.start}") from None
