"""A file opened for reading, without waiting and within the memory budget; standard input read whole."""

from __future__ import annotations

import importlib
import io
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

from gradcli.engine.memory import Budget, shown
from gradcli.errors import GradcliError

# Bytes of what lists the contents of a file (a zip directory, a pickle, a header): some 50,000 tensors. Reading them
# takes a hundred times the memory, and seconds.
MOST_CONTENTS = 8 << 20
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that can be sought in: what messages call it, where it lies (None: standard input), its first bytes."""

    name: str
    path: str | None
    file: BinaryIO
    size: int
    head: bytes
    budget: Budget

    def refused(self, reason: str, hint: str | None = None) -> GradcliError:
        """An error of kind file that begins with the name."""
        return GradcliError("file", f"{self.name} {reason}", hint=hint)

    def damaged(self, reason: str) -> GradcliError:
        return self.refused(f"is damaged: {reason}")

    @property
    def plain_path(self) -> str | None:
        """The path for libraries that open files themselves; None where there is none that they take."""
        try:
            return self.path if self.path and self.path.encode() else None
        except UnicodeEncodeError:
            return None

    def admit(self, needed: int) -> None:
        """Raise GradcliError where what is to be read does not fit into the budget."""
        left = max(self.budget.left(), 0)
        if needed > left:
            asked = "was given with" if self.budget.asked else "is 80 % of what is free; set it with"
            there = f"the memory budget is {shown(self.budget.limit)}"
            if left < 0.9 * self.budget.limit:
                there = f"{shown(left)} of the budget of {shown(self.budget.limit)} are left"
            raise self.refused(f"needs {shown(needed)}, and {there}", f"the budget {asked} --max-memory")

    def needs(self, module: str) -> Any:
        """A module of the extra `files`. Raises GradcliError with the install command where it is missing."""
        try:
            return importlib.import_module(module)
        except ImportError:
            raise self.refused(
                f"cannot be read without {module}, which is not installed", hint='pip install "gradcli[files]"'
            ) from None


def open_file(path: str, budget: Budget) -> Opened:
    """Open a regular file. Raises GradcliError of kind file for anything else, and where it is empty."""
    place = os.path.expanduser(path)
    try:
        file = open(place, "rb", opener=_at_once)  # noqa: SIM115 (the caller closes it)
    except IsADirectoryError:
        raise GradcliError("file", f"{path} is a directory") from None
    except (OSError, ValueError) as error:
        raise GradcliError("file", f"cannot read {path}: {_reason(error)}") from None
    try:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise GradcliError("file", f"{path} is not a file", hint="pipe it in, and read it with @-")
        return _opened(path, place, file, info.st_size, budget)
    except BaseException:
        file.close()
        raise


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _reason(error: Exception) -> str:
    text = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return text[:1].lower() + text[1:]


def read_standard_input(budget: Budget) -> Opened:
    """Everything that standard input gives, as long as it fits into the budget."""
    name = "standard input"
    if sys.stdin is None:
        raise GradcliError("file", f"{name} is closed")
    stream = getattr(sys.stdin, "buffer", None)
    read: Callable[[int], bytes] = stream.read if stream is not None else lambda n: sys.stdin.read(n).encode()
    held = io.BytesIO()
    try:
        while chunk := read(_CHUNK):
            held.write(chunk)
            if held.tell() > budget.limit or budget.left() <= 0:
                reason = f"gives more than the budget of {shown(budget.limit)}"
                raise GradcliError("file", f"{name} {reason}", hint="set the budget with --max-memory")
    except (OSError, ValueError) as error:
        raise GradcliError("file", f"cannot read {name}: {_reason(error)}") from None
    size = held.tell()
    held.seek(0)
    return _opened(name, None, held, size, budget)


def _opened(name: str, path: str | None, file: BinaryIO, size: int, budget: Budget) -> Opened:
    if size == 0:
        hint = None if path else "one thing is read from it: the expression, or values"
        raise GradcliError("file", f"{name} is empty", hint=hint)
    try:
        head = file.read(64)
        file.seek(0)
    except OSError as error:
        raise GradcliError("file", f"cannot read {name}: {_reason(error)}") from None
    return Opened(name, path, file, size, head, budget)
