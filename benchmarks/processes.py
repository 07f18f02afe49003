"""Whole processes: how long one takes, and the most memory that it held."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

PYTHON = sys.executable
GRADCLI = str(Path(PYTHON).parent / "gradcli")  # the installed entry point
# Compiled files are kept and used, as after any installation.
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes of one unit of ru_maxrss


@dataclass(frozen=True, slots=True)
class Run:
    """One process, ended: its seconds, its peak of resident memory in bytes, its exit code."""

    seconds: float
    peak: float
    code: int


def run(words: Sequence[str], expected: int = 0) -> Run:
    """Run a command with its output thrown away. Raises RuntimeError where it ends with another exit code.

    The peak is that of `getrusage`. Linux counts in what the parent held when it started the child, so measures of
    memory are made from a process without torch.
    """
    begin = perf_counter()
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=nothing, env=_ENVIRONMENT)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != expected:
        raise RuntimeError(f"{' '.join(words)} ended with {process.returncode}, not {expected}")
    return Run(seconds, usage.ru_maxrss * _PEAK_UNIT, process.returncode)


def side_by_side(ours: Callable[[], Run], baseline: Callable[[], Run], rounds: int) -> list[tuple[Run, Run]]:
    """Runs of both in turn, each going first every second time; the very first pair warms the disk and is dropped."""
    pairs = []
    for index in range(rounds + 1):
        if index % 2:
            other = baseline()
            pairs.append((ours(), other))
        else:
            pairs.append((ours(), baseline()))
    return pairs[1:]


def seconds(pairs: Sequence[tuple[Run, Run]]) -> tuple[tuple[float, float], ...]:
    """The times of pairs of runs."""
    return tuple((one.seconds, other.seconds) for one, other in pairs)


def peaks(pairs: Sequence[tuple[Run, Run]]) -> tuple[tuple[float, float], ...]:
    """The peaks of memory of pairs of runs."""
    return tuple((one.peak, other.peak) for one, other in pairs)


@contextmanager
def script(text: str) -> Iterator[str]:
    """The path of a Python script with this text, as a user would keep one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.py"
        path.write_text(text)
        yield str(path)
