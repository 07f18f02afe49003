"""What is left where a script died: the error, the frames and their variables, the graph that failed."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import FrameType
from typing import Any

import torch

from gradcli.diagnosis.recognising import Recognised, recognised
from gradcli.training.own import Line, frames_of, is_own
from gradcli.training.script.flow import Flow
from gradcli.training.script.passes import Passes
from gradcli.training.script.source import Source, read
from gradcli.training.watching.lines import noted
from gradcli.training.watching.session import Session

NODES = 20_000  # of a graph that are looked at
CHAIN = 8  # errors behind an error


@dataclass(frozen=True)
class Scene:
    """An error, and everything that tells of its cause."""

    error: BaseException
    said: Recognised
    frames: list[tuple[FrameType, int]]
    globals: Mapping[str, object]
    session: Session
    passes: Passes
    recording: bool  # whether gradients were on when it died

    @property
    def code(self) -> str | None:
        """The code that torch's message stands for."""
        return self.said.message.code

    @cached_property
    def line(self) -> Line | None:
        """The innermost line of the user's own."""
        own = [(frame, number) for frame, number in self.frames if is_own(frame.f_code.co_filename)]
        if not own:
            return None
        frame, number = own[-1]
        return Line(frame.f_code.co_filename, number, frame.f_code.co_name)

    @cached_property
    def variables(self) -> dict[str, object]:
        """The variables of the user's own frames, those of the innermost first, then those of the script."""
        found: dict[str, object] = {}
        for frame, _ in reversed(self.frames):
            if is_own(frame.f_code.co_filename):
                for name, value in list(frame.f_locals.items()):
                    found.setdefault(name, value)
        for name, value in list(self.globals.items()):
            found.setdefault(name, value)
        return {name: value for name, value in found.items() if not name.startswith("__")}

    @cached_property
    def source(self) -> Source | None:
        """The text of the file where it died."""
        return read(self.line.file) if self.line else None

    @cached_property
    def flow(self) -> Flow | None:
        """The paths of that text."""
        return Flow(self.source, self.variables) if self.source else None

    def local(self, function: str, name: str) -> Any:
        """A variable of the innermost frame of a function of torch's; None where it is not there."""
        for frame, _ in reversed(self.frames):
            if frame.f_code.co_name == function and name in frame.f_locals:
                return frame.f_locals[name]
        return None

    @cached_property
    def roots(self) -> list[torch.Tensor]:
        """The tensors that the failing pass began at."""
        outputs = self.local("_engine_run_backward", "t_outputs")
        return [one for one in outputs or () if isinstance(one, torch.Tensor)]

    @cached_property
    def nodes(self) -> list[Any]:
        """The graph that failed, the last recorded first."""
        return sorted(graph([one.grad_fn for one in self.roots]), key=lambda node: -node._sequence_nr())

    def name(self, tensor: torch.Tensor) -> str | None:
        """What the script calls a tensor."""
        for name, value in self.variables.items():
            if value is tensor:
                return name
        for name, value in self.variables.items():
            for attribute, held in list(getattr(value, "__dict__", {}).items()):
                if held is tensor and not attribute.startswith("_"):
                    return f"{name}.{attribute}"
        return self.session.name(tensor)

    def names(self, tensor: torch.Tensor) -> list[str]:
        """Every name that the script has for a tensor."""
        return [name for name, value in self.variables.items() if value is tensor]

    def tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        """The tensors among the variables."""
        for name, value in self.variables.items():
            if isinstance(value, torch.Tensor):
                yield name, value

    def at(self, line: Line | None) -> str:
        """A line as a sentence has it: train.py:12."""
        return "a line that is not known" if line is None else f"{os.path.basename(line.file)}:{line.number}"

    def quoted(self, line: Line | None) -> str:
        """A line and what stands in it."""
        text = self.source.line(line.number) if line and self.source and line == self.line else None
        if line is not None and text is None:
            source = self.source if self.line and self.line.file == line.file else read(line.file)
            text = source.line(line.number) if source else ""
        return f"{self.at(line)} ({text})" if text else self.at(line)


def graph(starts: list[Any]) -> set[Any]:
    """The nodes behind some, themselves included; leaves are left out."""
    found: set[Any] = set()
    waiting = [one for one in starts if one is not None]
    while waiting and len(found) < NODES:
        node = waiting.pop()
        if node in found or hasattr(node, "variable"):
            continue
        found.add(node)
        waiting.extend(following for following, _ in node.next_functions if following is not None)
    return found


def line_of(node: Any) -> Line | None:
    """The line that recorded a node, where it was noted."""
    file, _, number = (noted(node) or "").rpartition(":")
    return Line(file, int(number), "") if number.isdigit() else None


def scene_of(
    error: BaseException | None, globals: Mapping[str, object], session: Session, passes: Passes,
    recording: bool,
) -> Scene | None:  # fmt: skip
    """The scene of an error, of the first in its chain that is torch's; None where torch has nothing to do with it."""
    for one in _chain(error):
        found, _ = recognised(["".join(traceback.format_exception_only(one))])
        if found:
            return Scene(one, found[0], frames_of(one.__traceback__), globals, session, passes, recording)
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(CHAIN):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
