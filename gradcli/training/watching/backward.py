"""Before and after each run of autograd's engine, with no frame of gradcli around it.

torch asks the logger of `torch.autograd.graph` whether to watch a run, calls one function before it and what that
returned after it. Both are replaced while gradcli watches, so the engine itself is called from torch's own frames.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

LOG, REGISTER = "log", "_register_logging_hooks_on_whole_graph"

Exit = Callable[[], None]
Entry = Callable[[Any, bool], Exit | None]


class _Log:
    """The logger as it was, which says that it is listening."""

    def __init__(self, log: Any) -> None:
        self._log = log

    def getEffectiveLevel(self) -> int:
        return logging.DEBUG

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)


def install(entry: Entry) -> Callable[[], None] | None:
    """Call `entry(outputs, accumulates)` before each run, what it returns after; None where torch has no place for it.

    `accumulates` is whether the run adds to `.grad`, as backward() does and grad() does not. Returns what takes all
    of it away.
    """
    import torch.autograd.graph

    graph = vars(torch.autograd.graph)
    log, register = graph.get(LOG), graph.get(REGISTER)
    if not isinstance(log, (logging.Logger, logging.LoggerAdapter)) or register is None:
        return None

    def registered(outputs: Any) -> Exit:
        caller = sys._getframe(1).f_back
        listening = log.getEffectiveLevel() <= logging.DEBUG
        theirs = register(outputs) if listening else None
        ours = entry(outputs, caller is not None and caller.f_code.co_name != "grad")
        if theirs is None:
            return ours or _nothing

        def both() -> None:
            theirs()
            (ours or _nothing)()

        return both

    mine = _Log(log)
    graph[LOG], graph[REGISTER] = mine, registered

    def remove() -> None:
        for name, old, new in ((LOG, log, mine), (REGISTER, register, registered)):
            if graph[name] is new:
                graph[name] = old

    return remove


def _nothing() -> None:
    """After a run that nothing was to be seen of."""
