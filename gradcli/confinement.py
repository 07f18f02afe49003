"""A process of gradcli's own is refused memory by the system before the machine has none left.

This is the net below the rules of engine/bounds: what none of them foresees fails where it allocates, and only that.
A process that only imports gradcli belongs to somebody else, and is left as it is.
"""

from __future__ import annotations

import os
import sys

_own = False


def claim() -> None:
    """Say that this process is gradcli's own."""
    global _own
    _own = True


def claimed() -> bool:
    """Whether this process is gradcli's own."""
    return _own


def confine(more: int) -> None:
    """Let this process take `more` bytes beyond what it holds now, if it is gradcli's own and the system can tell."""
    if not _own or sys.platform != "linux":
        return
    try:
        import resource

        with open("/proc/self/statm", "rb") as file:
            held = int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        limit = held + more
        if most != resource.RLIM_INFINITY:
            limit = min(limit, most)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
    except (ImportError, OSError, ValueError, IndexError):
        return
