"""What is the user's own: frames outside of Python's library and installed packages, and variables that can be read."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections import deque
from collections.abc import Mapping
from functools import cache
from types import FrameType, TracebackType
from typing import NamedTuple

_INSTALLED = tuple(
    {path for name in ("stdlib", "platstdlib", "purelib", "platlib") if (path := sysconfig.get_path(name))}
)
_GRADCLI = __file__.rpartition("training")[0]

_ASKED = frozenset({"__class__", "__getattribute__"})  # what runs when it is asked whether a value is a tensor
_ITERATED = frozenset({"__iter__", "__len__", "items", "values"})


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


def died(error: BaseException | None) -> str | None:
    """The beginning of a sentence about the exception that ended a script; None where it ended otherwise.

    >>> died(SyntaxError("'(' was never closed", ("deep/train.py", 2, 5, "x = (")))
    'the script died of SyntaxError in train.py:2'
    """
    if error is None or isinstance(error, KeyboardInterrupt):
        return None
    frames = [(frame.f_code.co_filename, number) for frame, number in frames_of(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    place = next((f" in {os.path.basename(file)}:{number}" for file, number in reversed(frames) if is_own(file)), "")
    return f"the script died of {type(error).__name__}{place}"


def still(variables: Mapping[str, object]) -> dict[str, object]:
    """The variables that can be looked at without running code of theirs: no proxy, which would be evaluated.

    >>> sorted(still({"a": [1], "b": type("Proxy", (), {"__class__": property(lambda self: 1 / 0)})()}))
    ['a']
    """
    return {name: value for name, value in list(variables.items()) if _is_still(type(value))}


def _is_still(kind: type) -> bool:
    own = [one for one in type.mro(kind) if vars(one).get("__module__", "builtins") not in {"builtins", "collections"}]
    asked = _ASKED | _ITERATED if issubclass(kind, (list, tuple, dict, deque)) else _ASKED
    return all(asked.isdisjoint(vars(one)) for one in own)
