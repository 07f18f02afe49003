"""Which dtypes become tensors to compute with, and why the others do not: numpy's, torch's."""

from __future__ import annotations

from typing import Any

import torch

# What torch computes in, or converts to what it computes in (float8).
ACCEPTED = frozenset(
    [
        "float16", "float32", "float64", "bfloat16", "complex32", "complex64", "complex128", "bool", "uint8", "int8",
        "int16", "int32", "int64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
        "float8_e8m0fnu",
    ]
)  # fmt: skip

Refusal = tuple[str, str | None]
"""Why, as a clause that follows a name, and a hint."""

_OBJECTS: Refusal = (
    "holds Python objects, which can be code: none was run",
    "save numbers: numpy.asarray(values, dtype=float)",
)
_UNSIGNED = "and torch computes in no unsigned whole numbers but uint8"


def of_numpy(dtype: Any) -> Refusal | None:
    """Why arrays of a numpy dtype become no tensors; None where they do."""
    if dtype.hasobject:
        return _OBJECTS
    if dtype.names:
        return "holds records with named fields, not numbers", "save one field: values['name']"
    if dtype.kind not in "buifc":
        return f"holds {_KINDS.get(dtype.kind, 'no numbers')} ({dtype!s:.40})", _HINTS.get(dtype.kind)
    name = dtype.newbyteorder("=").name
    if name in ACCEPTED:
        return None
    if dtype.kind == "u":
        return f"holds {name}, {_UNSIGNED}", "convert it: .astype('int64')"
    narrower = "complex128" if dtype.kind == "c" else "float64"
    return f"holds {name}, which torch does not have", f"convert it: .astype('{narrower}')"


_KINDS = {"U": "text", "S": "text", "T": "text", "M": "dates", "m": "durations", "V": "raw bytes"}
_HINTS = {
    "V": "numpy has no bfloat16 and no float8: save those as .pt or .safetensors",
    "m": "convert it: values / numpy.timedelta64(1, 's')",
}


def of_torch(tensor: torch.Tensor) -> Refusal | None:
    """Why a stored tensor is nothing to compute with; None where it is."""
    name = str(tensor.dtype).removeprefix("torch.")
    if tensor.layout != torch.strided or tensor.is_nested:
        return "holds a sparse or nested tensor there", "save it dense: .to_dense()"
    if tensor.device.type == "meta":
        return "holds a tensor without numbers there: it was saved from the meta device", None
    return None if name in ACCEPTED else of_name(name)


def of_name(name: str) -> Refusal:
    """Why a torch dtype that is not accepted is not."""
    if name.startswith("uint"):
        return f"holds {name}, {_UNSIGNED}", "convert it: .to(torch.int64)"
    return f"holds {name}, which torch does not compute in", None


def to_tensor(array: Any) -> torch.Tensor:
    """The tensor of an accepted numpy array: native byte order and positive strides, and no copy where it has both."""
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    if not native.flags.writeable or any(stride < 0 for stride in native.strides):
        native = native.copy()
    return torch.from_numpy(native)
