"""Which entries of torch's operator suite are held, and the reason each other one is left out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

READ = 64  # samples of an entry that are looked at
SAMPLES = {torch.float64: 16, torch.complex128: 3}  # samples that are written, evenly spread over those
LARGEST = 200_000  # elements of a sample

# Reason -> what it says of a name; the first that holds is the reason an entry is left out.
REASONS = {
    "not differentiable": lambda entry: not entry.supports_autograd,
    "not in float64 on the cpu": lambda entry: torch.float64 not in entry.supported_dtypes("cpu"),
    "torch.ops is not public": lambda entry: entry.name.startswith("torch.ops."),
    "its name begins with an underscore": lambda entry: any(part.startswith("_") for part in entry.name.split(".")),
    "sparse": lambda entry: "sparse" in entry.name,
    "nested": lambda entry: "nested" in entry.name or "jagged" in entry.name,
    "quantized": lambda entry: "quantize" in entry.name,
    "a helper of backward": lambda entry: "backward" in entry.name,
    "shows raw memory": lambda entry: entry.name.startswith("as_strided"),
}


def shown(entry: Any) -> str:
    """The name of an entry and of its variant."""
    return " ".join(filter(None, (entry.name, entry.variant_test_name)))


def reason(entry: Any) -> str | None:
    """Why an entry is left out, or None where it is held."""
    return next((words for words, holds in REASONS.items() if holds(entry)), None)


ENTRIES = tuple(entry for entry in op_db if reason(entry) is None)
LEFT_OUT = {shown(entry): why for entry in op_db if (why := reason(entry)) is not None}

# The same operators on complex numbers, and those that take nothing else.
COMPLEX = tuple(
    entry
    for entry in op_db
    if reason(entry) in (None, "not in float64 on the cpu")
    and not entry.name.startswith("torch.ops.")
    and torch.complex128 in entry.supported_backward_dtypes("cpu")
)

NAMED = {shown(entry): entry for entry in (*ENTRIES, *COMPLEX)}


def samples(entry: Any, dtype: torch.dtype = torch.float64) -> Iterator[Any]:
    """Some of torch's own samples of an entry, evenly spread, none of them large."""
    small = list(islice(_small(entry, dtype), READ))
    step = max(len(small) / SAMPLES[dtype], 1)
    return (small[int(index * step)] for index in range(min(len(small), SAMPLES[dtype])))


def first_sample(entry: Any) -> Any:
    """One of torch's own samples of an entry."""
    return next(_small(entry, torch.float64))


def _small(entry: Any, dtype: torch.dtype) -> Iterator[Any]:
    """torch's samples, less those that are large. (`entry.sample_inputs` also walks the stack, in search of a test.)"""
    torch.manual_seed(0)
    made = entry.sample_inputs_func(entry, "cpu", dtype, True)
    return (one for one in made if sum(tensor.numel() for tensor in tensors(one)) <= LARGEST)


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Every tensor of a sample, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        yield from tensors(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors(one)
    elif hasattr(value, "kwargs"):
        yield from tensors([value.input, value.args, value.kwargs])
