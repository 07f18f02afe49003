"""`.safetensors`: tensors by name behind a JSON header, which the library holds against the size of the file."""

from __future__ import annotations

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
        if opened.plain_path is None:
            return _of_bytes(opened, key)
        with library.safe_open(opened.plain_path, framework="pt", device="cpu") as file:
            return _of_file(opened, key, file)
    except library.SafetensorError as error:
        reason = str(error).removeprefix("Error while deserializing header: ").split(", expected")[0]
        raise opened.damaged(reason) from None


def _of_file(opened: Opened, key: str | None, file: Any) -> Read:
    parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)

    def describe(name: str) -> str:
        kind = parts[name].get_dtype()
        return described(_NAMES.get(kind, kind), parts[name].get_shape())

    name = choose(opened, key, list(parts), describe)
    kind = _NAMES.get(parts[name].get_dtype(), parts[name].get_dtype())
    if kind not in dtypes.ACCEPTED:
        raise opened.refused(*dtypes.of_name(kind))
    opened.admit(math.prod(parts[name].get_shape()) * getattr(torch, kind).itemsize)
    return _read(opened, name, file.get_tensor(name).clone())  # a copy: without the file behind it


def _of_bytes(opened: Opened, key: str | None) -> Read:
    opened.admit(opened.size)
    found = dict(sorted(opened.needs("safetensors.torch").load(opened.file.read()).items()))
    name = choose(opened, key, list(found), lambda one: described(str(found[one].dtype)[6:], found[one].shape))
    if refusal := dtypes.of_torch(found[name]):
        raise opened.refused(*refusal)
    return _read(opened, name, found[name])


def _read(opened: Opened, name: str, tensor: torch.Tensor) -> Read:
    return Read(tensor, f"safetensors.torch.load_file({opened.path!r})[{name!r}]", (IMPORT,))
