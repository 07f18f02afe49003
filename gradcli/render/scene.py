"""What the last part of a generated script builds on: the names that hold inputs and results, and the text's lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradcli import numerals
from gradcli.language import notation
from gradcli.language.program import Bind
from gradcli.results import Answer


@dataclass(frozen=True, slots=True)
class Scene:
    """Variables of a script: for each input the one that still holds it in the end, for each output its own."""

    answer: Answer
    inputs: dict[str, str]
    results: list[str]
    body: list[str]

    def fresh(self, name: str) -> str:
        """A name that nothing else in the script has."""
        return fresh(name, self.answer)

    def going(self) -> list[str]:
        """The results that require grad."""
        pairs = zip(self.results, self.answer.outputs, strict=True)
        return [name for name, view in pairs if view.requires_grad]


def fresh(name: str, answer: Answer) -> str:
    """A name that neither the text nor an input has."""
    taken = {step.name for step in answer.program.steps if isinstance(step, Bind)} | set(answer.inputs)
    while name in taken:
        name += "_"
    return name


def written(tensor: Any) -> str:
    """A tensor as code that makes the same one."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    return f"torch.tensor({literal(numerals.nested(tensor, _same))}, dtype=torch.{dtype})"


def literal(nested: Any) -> str:
    """Numbers, or nested lists of them, as code that reads back to the same values."""
    return f"[{', '.join(map(literal, nested))}]" if isinstance(nested, (list, tuple)) else notation.literal(nested)[0]


def listed(names: list[str]) -> str:
    """Names as a list."""
    return f"[{', '.join(names)}]"


def plain(data: Any) -> Any:
    """Numbers or nested lists, whether they were given as such or as a tensor or array."""
    if hasattr(data, "detach"):
        return numerals.nested(data, _same)
    return data.tolist() if hasattr(data, "tolist") else data


def _same(number: Any) -> Any:
    return number
