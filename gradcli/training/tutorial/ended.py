"""What the rules read of a script at its end: its text, its passes, its variables, and the tensors among them."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import torch

from gradcli.training.script.flow import Flow
from gradcli.training.script.passes import Passes
from gradcli.training.script.source import Source
from gradcli.training.tensors import named_tensors


@dataclass(frozen=True)
class Ended:
    """A script that has ended."""

    source: Source
    file: str
    passes: Passes
    variables: Mapping[str, object]

    @cached_property
    def flow(self) -> Flow:
        """The paths of its text."""
        return Flow(self.source, self.variables)

    @cached_property
    def tensors(self) -> dict[str, torch.Tensor]:
        """The tensors among its variables."""
        return dict(named_tensors(self.variables))

    @cached_property
    def reads_of_grad(self) -> list[ast.Attribute]:
        """Every .grad in its text, by line."""
        found = [one for one in ast.walk(self.source.tree) if isinstance(one, ast.Attribute) and one.attr == "grad"]
        return sorted(found, key=lambda one: one.lineno)

    def at(self, line: int) -> str:
        """A line as a sentence has it: script.py:12."""
        return f"{os.path.basename(self.file)}:{line}"
