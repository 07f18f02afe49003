"""The subject of a command as the command line has it: the text itself, `@file`, or `-` for standard input."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, TextIO

from gradcli.errors import GradcliError

LIMIT = 1_000_000  # bytes; the language reads far less
PIECE = 1 << 20  # bytes of a log that are read at once
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be", codecs.BOM_UTF8: "utf-8"}


def read_subject(text: str, standard_input: TextIO | None) -> str:
    """The text of a subject. Raises GradcliError of kind file where it cannot be read."""
    if text == "-":
        return _decoded(buffer_of(standard_input).read(LIMIT), "standard input")
    if text.startswith("@"):
        return _decoded(_bytes_of(text[1:]), text[1:])
    return text


def read_log(text: str, standard_input: TextIO | None) -> str | Iterable[str]:
    """A subject that may be of any length and hold any bytes: a file comes in pieces, and is never whole in memory.

    Raises GradcliError of kind file where it cannot be opened.
    """
    if text == "-":
        return _pieces(buffer_of(standard_input))
    if text.startswith("@"):
        return _pieces(opened(text[1:]))
    return text


READERS: Mapping[str, Callable[[str, TextIO | None], str | Iterable[str]]] = {"text": read_subject, "log": read_log}


def _pieces(stream: BinaryIO) -> Iterator[str]:
    """Text of a stream; bytes that are no text become the sign for that. Windows writes logs in UTF-16 with a mark."""
    data = stream.read(PIECE)
    mark = next((one for one in _MARKS if data.startswith(one)), b"")
    decoder = codecs.getincrementaldecoder(_MARKS.get(mark, "utf-8"))(errors="replace")
    data = data[len(mark) :]
    while data:
        yield decoder.decode(data)
        data = stream.read(PIECE)
    yield decoder.decode(b"", final=True)


def buffer_of(standard_input: TextIO | None) -> BinaryIO:
    """The bytes of standard input, which the caller may have closed (`<&-`)."""
    if standard_input is None:
        raise GradcliError("file", "cannot read standard input: it is closed")
    return standard_input.buffer


def _bytes_of(path: str) -> bytes:
    with opened(path) as file:
        return file.read(LIMIT)


def opened(path: str) -> BinaryIO:
    """A file to read. Raises GradcliError of kind file where there is none."""
    if not path:
        raise GradcliError("file", "the name of the file is missing")
    try:
        if Path(path).is_dir():
            raise GradcliError("file", f"{path} is a directory")
        return open(path, "rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise GradcliError("file", f"cannot read {path}: {reason[0].lower()}{reason[1:]}") from None


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").rstrip()
    except UnicodeDecodeError as error:
        raise GradcliError("file", f"{what} is not UTF-8 text: byte {error.start}") from None
