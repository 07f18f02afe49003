"""Files that mean harm or are broken, made in a folder: each name to what is to be asked for, in that folder."""

from __future__ import annotations

import io
import json
import os
import socket
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import torch

Maker = Callable[[Path], None]


class Touch:
    """Unpickled, it makes a file named RAN: the proof that code was run."""

    def __reduce__(self) -> Any:
        return (open, ("RAN", "w"))


class Calls:
    """Unpickled, it calls a function of torch's own weights_only list."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


# .npy


def npy(header: str | bytes, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """A file with this header, whatever it says."""
    text = header.encode() if isinstance(header, str) else header
    size = struct.pack("<H" if version == b"\x01\x00" else "<I", len(text))
    return b"\x93NUMPY" + version + size + text + data


def described(shape: Any, descr: str = "'<f8'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape!r}}}\n"


def saved_npy(values: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    numpy.save(stream, values, **options)
    return stream.getvalue()


# zip archives: .npz and .pt


def archive(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return stream.getvalue()


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        return {name: found.read(name) for name in found.namelist()}


def in_directory(data: bytes, offset: int, value: bytes) -> bytes:
    """An archive with bytes of its first directory entry replaced: 8 flags, 20 compressed size, 24 size, 42 where."""
    at = data.index(b"PK\x01\x02") + offset
    return data[:at] + value + data[at + len(value) :]


def saved_pt(value: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    torch.save(value, stream, **options)
    return stream.getvalue()


def pt(pickled: Callable[[bytes], bytes], value: Any = None) -> bytes:
    """What torch.save writes of four numbers under `w`, its pickle changed."""
    found = members(saved_pt({"w": torch.arange(4.0)} if value is None else value))
    name = next(one for one in found if one.endswith("data.pkl"))
    found[name] = pickled(found[name])
    return archive(found)


def replaced(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        assert data.count(old) == 1, (old, data)
        return data.replace(old, new)

    return change


def old_pt(change: Callable[[bytes], bytes] = lambda data: data, value: Any = None) -> bytes:
    """The same as torch wrote it before 1.6."""
    value = {"w": torch.arange(4.0)} if value is None else value
    return change(saved_pt(value, _use_new_zipfile_serialization=False))


def without_its_keys(data: bytes) -> bytes:
    """An old file whose list of storages is empty: torch would show memory that nobody wrote."""
    at = data.rindex(b"]")
    stop = data.index(b".", at + 20)
    return data[:at] + b"]" + data[stop:]


# .safetensors


def safetensors(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def part(start: int, end: int, shape: tuple[int, ...] = (2,), dtype: str = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}


def _bytes(data: Callable[[], bytes]) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(data()) and None  # type: ignore[return-value]


def _sparse(data: Callable[[], bytes], size: int) -> Callable[[Path], None]:
    """A file that claims its size and takes no room."""

    def make(path: Path) -> None:
        path.write_bytes(data())
        os.truncate(path, size)

    return make


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _loop() -> Any:
    made: list[Any] = [torch.ones(2)]
    made.append(made)
    return made


def _laughs() -> Any:
    made: list[Any] = [torch.ones(1)]
    for _ in range(30):
        made = [made] * 10
    return made


_TERA = 10**12
_W = b"X\x01\x00\x00\x00w"
