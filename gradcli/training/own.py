"""Which frames are the user's own: neither Python's library nor an installed package."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache
from types import FrameType, TracebackType
from typing import NamedTuple

_INSTALLED = tuple(
    {path for name in ("stdlib", "platstdlib", "purelib", "platlib") if (path := sysconfig.get_path(name))}
)
_GRADCLI = __file__.rpartition("training")[0]


class Line(NamedTuple):
    """A line of a program: its file and number, and the function it stands in."""

    file: str
    number: int
    function: str


@cache
def is_own(file: str) -> bool:
    """Whether a file is a program's own."""
    outside = file.startswith((*_INSTALLED, _GRADCLI)) or "site-packages" in file or "dist-packages" in file
    return not outside and not file.startswith("<frozen ")


def own_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the user's own, from a frame outwards."""
    while frame is not None and not is_own(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def own_line(depth: int = 1) -> Line | None:
    """The user's own line that led here."""
    frame = own_frame(sys._getframe(depth + 1))
    return None if frame is None else Line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def frames_of(traceback: TracebackType | None) -> list[tuple[FrameType, int]]:
    """The frames of a traceback with the line that each was at, the outermost first."""
    found = []
    while traceback is not None:
        found.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found
