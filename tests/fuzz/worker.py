"""A process that answers requests one after another, under limits, and sends each answer back."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from random import Random

from tests.fuzz import promises
from tests.fuzz.lines import Lines, lines
from tests.fuzz.requests import Request, request

SECONDS = 20  # that one request may take
MEMORY = 8 << 30  # bytes of a process
GROWN = 1 << 30  # bytes by which its peak may grow in one request


def ask(answers: Connection, seed: int, end: int, show: bool, doors: bool) -> None:
    """Answer requests one after another, each answer sent back; a process that has grown ends."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, _late)
    promises.torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as room, promises.silence() as heard:
        os.chdir(room)
        for one in range(seed, end):
            asked = (lines if doors else request)(Random(one))
            if show:
                print(one, asked, file=sys.__stderr__, flush=True)
            before = _peak()
            answer, broken = _held(heard, asked)
            grown = _peak() - before
            if not broken and grown > GROWN:
                broken = f"the process grew by {grown >> 20} MB"
            if not broken and os.listdir(room):
                broken = f"files were made: {os.listdir(room)}"
            answers.send((one, answer, broken))
            if _peak() > MEMORY // 2:
                break
        os.chdir("/")
    answers.close()


def _held(heard: Callable[[], None], asked: Request | Lines) -> tuple[str, str | None]:
    signal.alarm(SECONDS)
    try:
        answer = promises.keeps(asked)
        heard()
        return answer, None
    except promises.Broken as error:
        return "broken", str(error)
    except BaseException as error:
        return "broken", _told(error)
    finally:
        signal.alarm(0)


def _told(error: BaseException) -> str:
    """An error, and where gradcli was when it happened."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if "gradcli/" in one.filename][-6:]
    places = [f"{one.filename.rpartition('gradcli/')[2]}:{one.lineno} {one.name}" for one in frames]
    return "\n    ".join([*places, f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"])


def _late(*_: object) -> None:
    raise TimeoutError(f"no answer after {SECONDS} s")


def _peak() -> int:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
