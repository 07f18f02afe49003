"""One line on a terminal that tells where a training is; it goes away before the script writes anything itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TextIO

SECONDS = 0.5  # from one drawing to the next
_ERASE = "\r\x1b[K"


class Live:
    """The line, and the streams of the script that share its terminal.

    While a script is in the middle of a line of its own, as a progress bar always is, nothing is drawn.
    """

    def __init__(self, stream: TextIO, streams: tuple[TextIO | None, ...], width: int) -> None:
        self._stream, self._width = stream, width
        self._write: Callable[[str], Any] = stream.write
        self._drawn = self._inside = False
        self._due = 0.0
        self._followed = [one for one in dict.fromkeys(streams) if one is not None and _is_terminal(one)]
        for one in self._followed:
            one.write = self._writing(one.write)  # type: ignore[method-assign]

    def step(self, record: Mapping[str, Any]) -> None:
        """A step of an optimizer: draw it, if the last drawing is long enough ago."""
        now = time.monotonic()
        if now < self._due or self._inside:
            return
        self._due, self._drawn = now + SECONDS, True
        self._write(_ERASE + text(record)[: self._width - 1])
        self._stream.flush()

    def erase(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._drawn = False
            self._write(_ERASE)
            self._stream.flush()

    def end(self) -> None:
        """Take the line away, and let the streams be as they were."""
        self.erase()
        for one in self._followed:
            vars(one).pop("write", None)
        self._followed = []

    def _writing(self, write: Callable[[str], int]) -> Callable[[str], int]:
        def erased(written: str) -> int:
            self.erase()
            if written:
                self._inside = not written.endswith("\n")
            return write(written)

        return erased


def _is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal; the script may have put an object of its own in its place."""
    return bool(getattr(stream, "isatty", bool)())


def text(record: Mapping[str, Any]) -> str:
    """Where a training is: step 120 · loss 0.41 · gradient norm 1.2.

    >>> text({"step": 3, "loss": 0.5, "norm": None, "lr": 0.1})
    'step 3 · loss 0.5 · lr 0.1'
    """
    parts = [f"step {record['step']:,}"]
    for key, name in (("loss", "loss"), ("norm", "gradient norm"), ("lr", "lr"), ("scale", "scale")):
        if isinstance(record.get(key), (int, float)):
            parts.append(f"{name} {record[key]:.4g}")
    return " · ".join(parts)
