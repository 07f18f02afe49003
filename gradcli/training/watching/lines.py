"""Which line of the script recorded each operation: noted during the first forward pass.

torch's anomaly mode lets a function of its own write down where a node was made. gradcli lends it a light one, without
anomaly mode's checks, until the first backward pass begins; nothing of it is on while backward runs.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import torch
import torch.fx.traceback as traces

from gradcli.training.watching.graph import Walk, kind
from gradcli.training.watching.variables import OURS, TORCH

MOST = 20_000  # operations whose line is noted
KEY = "traceback_"  # where torch keeps it in a node's metadata
_ENTRY = re.compile(r'File "(.+?)", line (\d+)')  # of the traceback that the script's own anomaly mode keeps
_OTHERS = (TORCH, OURS, "<frozen")


def noted(node: Any) -> str | None:
    """The line outside torch that recorded a node, as file:number, where that was noted by gradcli or the script."""
    for one in reversed(node.metadata.get(KEY) or ()):
        found = _ENTRY.search(one)
        if found is None:
            return str(one)
        if not found[1].startswith(_OTHERS):
            return f"{found[1]}:{found[2]}"
    return None


class Lines:
    """The lines of operations, by the order in which they were recorded."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._lines: list[str | None] = []
        self.on = False
        self._left = MOST
        self._format: Any = None

    def start(self) -> None:
        """Note lines from now on, where nobody else has switched anomaly mode on."""
        if self.on or self._left <= 0 or torch.is_anomaly_enabled() or not hasattr(traces, "format_stack"):
            return
        self._format = traces.format_stack
        traces.format_stack = self._line
        torch.set_anomaly_enabled(True, False)
        self.on = True

    def stop(self) -> None:
        """Note none any more.

        Where the script has switched anomaly mode on meanwhile, it stays on, and this is to be called again: a block
        of the script's puts back at its end what it found, which is gradcli's own.
        """
        if not self.on or (torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled()):
            return
        self.end()
        torch.set_anomaly_enabled(False)

    def end(self) -> None:
        """Take back what was lent to torch; an anomaly mode of the script's goes on without it."""
        self.on = False
        if getattr(traces, "format_stack", None) == self._line:
            traces.format_stack = self._format

    def _line(self) -> list[str]:
        """The line outside torch that is being run, in place of a whole traceback."""
        if torch.is_anomaly_check_nan_enabled():
            return self._format()  # type: ignore[no-any-return]
        self._left -= 1
        if self._left <= 0:
            self.stop()
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(_OTHERS):
            frame = frame.f_back
        return [] if frame is None else [f"{frame.f_code.co_filename}:{frame.f_lineno}"]

    def learn(self, walk: Walk) -> None:
        """Take the lines of a graph that was recorded while they were noted."""
        if any(KEY in node.metadata for node in walk.nodes):
            self._names = walk.names()
            self._lines = [noted(node) for node in reversed(walk.nodes)]

    def line(self, node: Any, walk: Walk) -> str | None:
        """The line of a node of a graph: its own, or that of the operation in its place in the graph that was noted."""
        own = noted(node)
        if own is not None or not self._names:
            return own
        names, wanted = walk.names(), kind(node)
        place = len(walk.nodes) - 1 - walk.nodes.index(node)
        return self.of(wanted, names[:place].count(wanted), names.count(wanted))

    def of(self, operation: str, place: int, count: int) -> str | None:
        """The line of the operation that is the `place`-th of `count` of its kind, in the order of recording."""
        same = [line for name, line in zip(self._names, self._lines, strict=True) if name == operation]
        if len(same) == count:
            return same[place]
        return same[0] if len(set(same)) == 1 else None
