"""A log as pieces of plain text: bytes to characters, without colours, carriage returns and control characters."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

SIZE = 1 << 20  # bytes that are read at once

_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be", codecs.BOM_UTF8: "utf-8"}
# Colours and other orders to a terminal: CSI ... letter, OSC ... BEL, two characters; the last may be cut off.
_ORDERS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\^_]|[()][0-9A-B])")
_BREAKS = re.compile(r"\r+\n|[\r\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_LONGEST_ORDER = 256


def decoded(stream: BinaryIO) -> Iterator[str]:
    """The text of a stream, a piece at a time; bytes that are no text become the sign for that, and nothing fails.

    Windows writes logs in UTF-16: a mark at the beginning tells.
    """
    data = stream.read(SIZE)
    mark = next((one for one in _MARKS if data.startswith(one)), b"")
    decoder = codecs.getincrementaldecoder(_MARKS.get(mark, "utf-8"))(errors="replace")
    data = data[len(mark) :]
    while data:
        yield decoder.decode(data)
        data = stream.read(SIZE)
    yield decoder.decode(b"", final=True)


def cleaned(pieces: Iterable[str]) -> Iterator[str]:
    """Pieces of text as a reader sees them: no colours, one kind of line break, no other control characters."""
    kept = ""
    for piece in pieces:
        text = kept + piece
        begun = max(text.rfind("\x1b", -_LONGEST_ORDER), len(text) - 1 if text.endswith("\r") else -1)
        kept = text[begun:] if begun >= 0 and not _ORDERS.match(text, begun) else ""
        yield plain(text[: len(text) - len(kept)])
    yield plain(kept)


def plain(text: str) -> str:
    """Text without what only steers a terminal."""
    if text.isprintable():
        return text
    return _CONTROLS.sub("", _BREAKS.sub("\n", _ORDERS.sub("", text)))
