"""A bar on standard error, of a terminal alone, for computations that take longer than a moment."""

from __future__ import annotations

from time import monotonic

from gradcli.doors.environment import Environment, write
from gradcli.progress import Listener

MOMENT = 1.0  # seconds before a bar is shown
OFTEN = 0.1  # seconds from one drawing to the next
WIDTH = 30


def bar(environment: Environment) -> Listener | None:
    """A listener that draws how far a computation is, and wipes it away at the end; None off a terminal."""
    stream = environment.stderr
    if not environment.terminal(stream):
        return None
    begun, drawn = monotonic(), 0.0

    def listener(done: int, of: int) -> None:
        nonlocal drawn
        now = monotonic()
        if done >= of:
            if drawn:
                write(stream, "\r" + " " * (environment.width(stream) or 1) + "\r")
        elif now - begun > MOMENT and now - drawn > OFTEN:
            drawn = now
            filled = WIDTH * done // of
            write(stream, f"\r[{'#' * filled}{' ' * (WIDTH - filled)}] {done:,} of {of:,}")
            stream.flush()

    return listener
