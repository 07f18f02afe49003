"""How much memory an evaluation may take: what the machine or its container has free, or what was asked for."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.confinement import confine
from gradcli.errors import GradcliError
from gradcli.numerals import bytes_text

SHARE = 0.8  # of what is free
shown = bytes_text
_UNKNOWN = 4 << 30  # where the system does not tell
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Budget:
    """Bytes that an evaluation may take, beside what the process held when it began."""

    limit: int
    held: int
    asked: bool

    def left(self) -> int:
        """Bytes that are not taken yet."""
        return self.limit - max(resident() - self.held, 0)


def budget(asked: int | None) -> Budget:
    """The budget of an evaluation that begins now; `asked` in bytes, or None for a share of what is free."""
    return Budget(int(free() * SHARE) if asked is None else asked, resident(), asked is not None)


class Room:
    """What one evaluation may still take: memory, looked up when a step first needs it, and work."""

    def __init__(self, asked: int | None) -> None:
        self._asked = asked
        self._budget: Budget | None = None
        self.work = 0.0  # multiplications that its steps took so far

    @property
    def budget(self) -> Budget:
        if self._budget is None:
            self._budget = budget(self._asked)
            if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call]  # its driver reserves memory that it does not take
                confine(int(self._budget.limit / SHARE))
        return self._budget


def read_size(value: Any) -> int | None:
    """Bytes of `--max-memory`: a whole number, or text such as 500MB or 2GB (powers of 1024)."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    match = _SIZE.fullmatch(str(value).strip())
    if match is None or float(match[1]) == 0:
        raise GradcliError("usage", f"'{value}' is not an amount of memory", hint="write bytes, or 500MB, 2GB")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def counted(number: int) -> str:
    """Elements as people read them: 1,000,000, or a power of ten."""
    return f"{number:,}" if number < 10**15 else f"10^{round((number.bit_length() - 1) * 0.30103)}"


def free() -> int:
    """Bytes that can be taken without swapping, the container's limit counted."""
    machine = _meminfo()
    container = _container()
    return min(one for one in (machine, container, 1 << 62) if one is not None) if machine or container else _UNKNOWN


def resident() -> int:
    """Bytes of physical memory that this process holds; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _meminfo() -> int | None:
    text = _text("/proc/meminfo")
    match = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    if match:
        return int(match[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (OSError, ValueError, AttributeError):
        return None


def _container() -> int | None:
    """What a control group leaves: its limit less what it holds and cannot drop."""
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        most, held = _text(limit).strip(), _text(used).strip()
        if most.isdigit() and held.isdigit() and int(most) < 1 << 60:
            return max(int(most) - int(held) + _droppable(), 0)
    return None


def _droppable() -> int:
    """Bytes of file cache that count as held and can be dropped."""
    match = re.search(r"^(?:total_)?inactive_file (\d+)", _text("/sys/fs/cgroup/memory.stat"), re.MULTILINE)
    return int(match[1]) if match else 0


def _text(path: str) -> str:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read().decode("ascii", "replace")
    except OSError:
        return ""
