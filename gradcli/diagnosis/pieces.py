"""A log as a reader sees it: without colours, carriage returns and control characters, a piece at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# Colours and other orders to a terminal: CSI ... letter, OSC ... BEL, two characters; the last may be cut off.
_ORDERS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\^_]|[()][0-9A-B])")
_RETURNS = re.compile(r"\r+\n")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LONGEST_ORDER = 256


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
    """Text without what only steers a terminal; a carriage return, by which progress bars write anew, ends a line."""
    if "\x1b" in text:
        text = _ORDERS.sub("", text)
    if "\r" in text:
        text = _RETURNS.sub("\n", text).replace("\r", "\n")
    return _CONTROLS.sub("", text)
