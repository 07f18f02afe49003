"""Parameters that forward() makes anew in every call, by the line that makes them."""

from __future__ import annotations

from collections import Counter
from types import FrameType

from gradcli.training.watching.variables import OURS, TORCH, variables_of

DEEP = 16  # frames between the making of a parameter and the forward() around it


class Remade:
    """How often a forward() has made a parameter, by file, line, and the identity of its module."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, int, int]] = Counter()

    def saw(self, frame: FrameType | None) -> None:
        """A parameter is registered in this frame: count it where that is inside a forward() of the user's."""
        line: tuple[str, int] | None = None
        for _ in range(DEEP):
            if frame is None:
                return
            code = frame.f_code
            if not code.co_filename.startswith((TORCH, OURS)):
                line = line or (code.co_filename, frame.f_lineno)
                if code.co_name == "forward":
                    self.counts[(*line, id(dict(variables_of(frame)).get("self")))] += 1
                    return
            frame = frame.f_back
