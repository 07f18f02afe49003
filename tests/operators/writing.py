"""A sample of torch's suite as the text of an expression over named inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from itertools import product
from typing import Any

import torch

# A, B, ... Z, A1, B1, ...
_NAMES = [f"{letter}{number}" for number, letter in product(["", *range(1, 40)], map(chr, range(65, 91)))]


@dataclass
class Written:
    """The operands of a call in text, and the tensors behind the names in it."""

    words: list[str]
    keywords: dict[str, str]
    inputs: dict[str, torch.Tensor] = field(default_factory=dict)

    @property
    def operands(self) -> str:
        return self.but_first(0)

    def but_first(self, count: int = 1) -> str:
        """The operands after the first ones, as they stand between brackets."""
        return ", ".join([*self.words[count:], *(f"{name}={text}" for name, text in self.keywords.items())])


def write(sample: Any) -> Written:
    """All operands of a sample; a tensor that occurs twice has one name."""
    written = Written([], {})
    names: dict[int, str] = {}
    written.words = [_text(one, written, names) for one in (sample.input, *sample.args)]
    written.keywords = {name: _text(one, written, names) for name, one in sample.kwargs.items()}
    return written


def _text(value: Any, written: Written, names: dict[int, str]) -> str:
    if isinstance(value, torch.Tensor):
        if id(value) not in names:
            names[id(value)] = _NAMES[len(names)]
            written.inputs[names[id(value)]] = value
        return names[id(value)]
    if isinstance(value, torch.Size):
        return f"torch.Size([{', '.join(map(str, value))}])"
    if isinstance(value, list):
        return f"[{', '.join(_text(one, written, names) for one in value)}]"
    if isinstance(value, tuple):
        return f"({''.join(_text(one, written, names) + ', ' for one in value).removesuffix(' ')})"
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, torch.nn.LinearCrossEntropyOptions):
        words = [f"{one.name}={_text(getattr(value, one.name), written, names)}" for one in fields(value)]
        return f"torch.nn.LinearCrossEntropyOptions({', '.join(words)})"
    if isinstance(value, torch.nn.PairwiseDistance):
        return "F.pairwise_distance"
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return repr(value)
    assert isinstance(value, (torch.dtype, torch.layout, torch.memory_format)), value
    return str(value)
