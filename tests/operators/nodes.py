"""Which node each function records, and what the node saves: measured on torch's own samples.

`python -m tests.operators.nodes` writes gradcli/diagnosis/nodes.txt anew.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import torch

import gradcli
from gradcli.language.vocabulary import by_path
from tests.operators.entries import COMPLEX, ENTRIES, samples, tensors
from tests.operators.forms import forms

FILE = Path(gradcli.__file__).parent / "diagnosis" / "nodes.txt"

# A type of a saved value -> what it is called.
KINDS = {
    "Tensor": "tensor", "Parameter": "tensor", "int": "number", "float": "number", "complex": "number", "bool": "flag",
    "str": "word", "dtype": "dtype", "layout": "layout", "device": "device", "NoneType": "nothing",
    "memory_format": "layout",
}  # fmt: skip
# What the samples do not call: indexing, writing to a part, joining a detached copy.
FURTHER: dict[str, Callable[[torch.Tensor], Any]] = {
    "A[0]": lambda x: x[0],
    "A[0:1]": lambda x: x[0:1],
    "A[[0]]": lambda x: x[[0]],
    "A[mask]": lambda x: x[x > 0],
    "A[None]": lambda x: x[None],
    "A[0] = B": lambda x: _written(x.clone()),
}


def _written(x: torch.Tensor) -> torch.Tensor:
    x[0] = 1.0
    return x


@dataclass
class Measured:
    """A node: functions whose result it is, those that record it on the way, and what it saves."""

    direct: set[str] = field(default_factory=set)
    within: set[str] = field(default_factory=set)
    saves: dict[str, set[str]] = field(default_factory=dict)


def measured_of(entries: Iterable[Any]) -> dict[str, Measured]:
    """Every node that a sample of some entries left in a graph."""
    return measured((called(entry), one) for entry in entries for one in recorded(entry))


def nodes() -> dict[str, Measured]:
    """Every node of every entry, and of what the samples do not call."""
    entries = {id(one): one for one in (*ENTRIES, *COMPLEX)}.values()
    results = ((called(entry), one) for entry in entries for one in recorded(entry))
    further = ((name, call(torch.ones(2, requires_grad=True))) for name, call in FURTHER.items())
    return measured(chain(results, further))


def measured(results: Iterable[tuple[str, Any]]) -> dict[str, Measured]:
    """The nodes behind results, each with the name of the function that was called."""
    found: dict[str, Measured] = {}
    for name, result in results:
        tops = {tensor.grad_fn for tensor in tensors(result)}
        for node in graph(result):
            one = found.setdefault(type(node).__name__, Measured())
            (one.direct if node in tops else one.within).add(name)
            for attribute in dir(node):
                if attribute.startswith("_saved_") and "_sym_" not in attribute:
                    one.saves.setdefault(attribute.removeprefix("_saved_"), set()).add(kind(node, attribute))
    return found


def called(entry: Any) -> str:
    """What the vocabulary calls an entry."""
    known = by_path()
    row = known.get(f"torch.{entry.name}") or known.get(f"torch.Tensor.{entry.name}")
    return row.name if row else str(entry.name).removeprefix("nn.functional.")


def recorded(entry: Any) -> Iterator[Any]:
    """The results of an entry on its samples, and with a number in the place of an operand."""
    for dtype in (torch.float64, torch.complex128):
        if dtype not in entry.supported_backward_dtypes("cpu"):
            continue
        call = next(iter(forms(entry)))[2]
        for sample in samples(entry, dtype):
            operands = [(sample.input, *sample.args)]
            if sample.args and isinstance(sample.args[0], torch.Tensor):
                operands += [(sample.input, 2.5, *sample.args[1:]), (2.5, *sample.args)]
            for given in operands:
                with warnings.catch_warnings(), contextlib.suppress(Exception):
                    warnings.simplefilter("ignore")
                    torch.manual_seed(0)
                    yield call(*given, **sample.kwargs)


def graph(result: Any) -> Iterator[Any]:
    """Every node from a result back to the leaves."""
    waiting = [one.grad_fn for one in tensors(result) if one.grad_fn is not None]
    seen = set()
    while waiting:
        node = waiting.pop()
        if node in seen or type(node).__name__ == "AccumulateGrad":
            continue
        seen.add(node)
        yield node
        waiting += [further for further, _ in node.next_functions if further is not None]


def kind(node: Any, attribute: str) -> str:
    try:
        value = getattr(node, attribute)
    except Exception:
        return "tensor"  # one that was changed since, and tells so
    if isinstance(value, (list, tuple)):
        return "list"
    return KINDS.get(type(value).__name__, type(value).__name__)


def lines() -> Iterator[str]:
    """The table: a node, functions whose result it is, functions that record it on the way, what it saves."""
    yield f"torch {torch.__version__.partition('+')[0]}"
    for name, one in sorted(nodes().items()):
        kept = [f"{saved}:{'|'.join(sorted(kinds))}" for saved, kinds in sorted(one.saves.items())]
        yield "\t".join([name, *map(";".join, (sorted(one.direct), sorted(one.within - one.direct), kept))])


if __name__ == "__main__":
    torch.set_num_threads(1)
    FILE.write_text("".join(f"{line}\n" for line in lines()), encoding="utf-8")
