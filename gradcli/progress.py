"""How far a long computation is, told to whoever listens: a terminal does, the Python API does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, int], None]
"""Called with how many pieces are done, and of how many."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    """A while in which a listener hears how far computations are."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(done: int, of: int) -> None:
    """Tell how far this is."""
    listener = _listener.get()
    if listener is not None:
        listener(done, of)
