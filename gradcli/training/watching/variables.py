"""The variables of a program while it runs: those of the frames at hand, and what containers among them hold."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from gradcli.training.own import still

OURS = str(Path(__file__).parents[2])
TORCH = str(Path(torch.__file__).parent)
DEPTH = 3  # containers within containers that modules are looked for in

Variables = Callable[[], Mapping[str, object]]


def within(name: str, value: object, depth: int) -> Iterator[tuple[str, object]]:
    """A variable, and what lists, tuples and dictionaries hold of modules and tensors."""
    if isinstance(value, (torch.nn.Module, torch.Tensor)):
        yield name, value
    elif depth and isinstance(value, (list, tuple)) and len(value) <= 1000:
        for index, one in enumerate(value):
            yield from within(f"{name}[{index}]", one, depth - 1)
    elif depth and type(value) is dict and len(value) <= 1000:
        for key, one in list(value.items()):
            yield from within(f"{name}[{key!r}]" if isinstance(key, (str, int)) else name, one, depth - 1)


def stack() -> Mapping[str, object]:
    """The variables of the frames at hand that are neither torch's nor gradcli's, the innermost first."""
    found: dict[str, object] = {}
    frame: Any = sys._getframe(1)
    seen: set[int] = set()
    while frame is not None:
        if not frame.f_code.co_filename.startswith((TORCH, OURS)):
            for name, value in variables_of(frame):
                found.setdefault(name, value)
            if id(frame.f_globals) not in seen and frame.f_globals.get("__name__") == "__main__":
                seen.add(id(frame.f_globals))
                for name, value in list(frame.f_globals.items()):
                    found.setdefault(name, value)
        frame = frame.f_back
    return still({name: value for name, value in found.items() if not name.startswith("__")})


def variables_of(frame: Any) -> list[tuple[str, object]]:
    """The variables of a frame. Those of a function are copied, and the copy that Python keeps of them is emptied.

    Before Python 3.13 it would hold the function's tensors until the function returns.
    """
    held = frame.f_locals
    found = list(held.items())
    if type(held) is dict and held is not frame.f_globals and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        held.clear()
    return found
