"""`.safetensors`: tensors by name behind a JSON header, which the library holds against the size of the file.

The numbers are read here: the library would map all of a file into memory that can be written, which fails where the
file is larger than memory.
"""

from __future__ import annotations

import importlib
import json
import math
from typing import Any

import torch

from gradcli.engine.files import dtypes
from gradcli.engine.files.choosing import choose, described
from gradcli.engine.files.opening import MOST_CONTENTS, Opened
from gradcli.engine.files.read import Read
from gradcli.engine.memory import shown

IMPORT = "import safetensors.torch"
_NAMES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "C64": "complex64", "BOOL": "bool",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu",
    "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz",
    "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64",
    "U8": "uint8", "U16": "uint16", "U32": "uint32", "U64": "uint64",
}  # fmt: skip


def read(opened: Opened, key: str | None) -> Read:
    """The tensor under a key. Raises GradcliError of kind file."""
    library = opened.needs("safetensors")
    length = int.from_bytes(opened.head[:8], "little")
    if len(opened.head) < 8 or length > opened.size - 8:
        raise opened.damaged(f"its header claims {shown(length)}, and {shown(max(opened.size - 8, 0))} are there")
    if length > MOST_CONTENTS:
        raise opened.refused(f"lists its tensors in {shown(length)}, and at most {shown(MOST_CONTENTS)} are read")
    try:
        _check(opened, library)
    except library.SafetensorError as error:
        reason = str(error).removeprefix("Error while deserializing header: ").split(", expected")[0]
        raise opened.damaged(reason) from None
    opened.file.seek(8)
    parts = json.loads(opened.file.read(length))
    parts.pop("__metadata__", None)
    name = choose(opened, key, sorted(parts), lambda one: described(_dtype(parts[one]), parts[one]["shape"]))
    tensor = _tensor(opened, parts[name], 8 + length)
    return Read(tensor, f"safetensors.torch.load_file({opened.path!r})[{name!r}]", (IMPORT,))


def _check(opened: Opened, library: Any) -> None:
    """Let the library read the header: sizes, offsets without holes, dtypes."""
    if opened.plain_path is not None:
        with library.safe_open(opened.plain_path, framework=_framework()):
            return
    opened.admit(2 * opened.size)
    opened.file.seek(0)
    library.deserialize(opened.file.read())


def _framework() -> str:
    """For numpy it maps a file to be read; for torch, where numpy is absent, to be written, which takes memory."""
    try:
        importlib.import_module("numpy")
    except ImportError:
        return "pt"
    return "numpy"


def _dtype(part: dict[str, Any]) -> str:
    kind: str = part["dtype"]
    return _NAMES.get(kind, kind)


def _tensor(opened: Opened, part: dict[str, Any], begin: int) -> torch.Tensor:
    name, shape, (start, end) = _dtype(part), part["shape"], part["data_offsets"]
    if name not in dtypes.ACCEPTED:
        raise opened.refused(*dtypes.of_name(name))
    dtype = getattr(torch, name)
    if math.prod(shape) * dtype.itemsize != end - start:
        raise opened.damaged(f"it claims {shown(math.prod(shape) * dtype.itemsize)}, and holds {shown(end - start)}")
    opened.admit(end - start)
    data = bytearray(end - start)
    opened.file.seek(begin + start)
    if opened.file.readinto(data) != len(data):  # type: ignore[attr-defined]
        raise opened.damaged("it ends early")
    return torch.frombuffer(data, dtype=dtype).reshape(shape) if data else torch.empty(shape, dtype=dtype)
