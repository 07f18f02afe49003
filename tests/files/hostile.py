"""Bytes of files that mean harm, lie about their size, or are broken."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy
import torch


class Runs:
    """Unpickled, it makes a file named RAN: the proof that code was run."""

    def __reduce__(self) -> Any:
        return (open, ("RAN", "w"))


class Calls:
    """Unpickled, it calls a function that torch's own weights_only list allows."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def npy(shape: Any, descr: str = "'<f8'", data: bytes = b"") -> bytes:
    """A file whose header says this, whatever the data are."""
    return npy_header(f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape!r}}}\n", data)


def npy_header(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    return b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header.encode() + data


def saved_npy(values: Any) -> bytes:
    stream = io.BytesIO()
    numpy.save(stream, values)
    return stream.getvalue()


def archive(members: Mapping[str, bytes], compression: int = zipfile.ZIP_STORED, *, twice: str = "") -> bytes:
    """A zip archive; `twice`: a second name for the first member."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as out:
        for name, data in members.items():
            out.writestr(name, data)
        if twice:
            out.writestr(twice, next(iter(members.values())))
    return stream.getvalue()


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        return {name: found.read(name) for name in found.namelist()}


# Where the fields of a directory entry lie.
FLAGS, COMPRESSION, SIZE, PLACE = 8, 10, 24, 42


def claiming(data: bytes, field: int, value: int) -> bytes:
    """An archive whose first directory entry says something else."""
    at = data.index(b"PK\x01\x02") + field
    written = struct.pack("<H" if field in {FLAGS, COMPRESSION} else "<I", value)
    return data[:at] + written + data[at + len(written) :]


def long_directory(data: bytes, size: int) -> bytes:
    """An archive whose directory is that long, and nothing else."""
    return data[:-22] + bytes(size) + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 9, 9, size, len(data) - 22, 0)


def saved_pt(value: Any, old: bool = False) -> bytes:
    """What torch.save writes, or wrote before torch 1.6."""
    stream = io.BytesIO()
    torch.save(value, stream, _use_new_zipfile_serialization=not old)
    return stream.getvalue()


def four() -> dict[str, torch.Tensor]:
    return {"w": torch.arange(4.0)}


Change = Callable[[bytes], bytes]


def pt(change: Change = lambda pickled: pickled, more: Mapping[str, bytes] | None = None) -> bytes:
    """Four numbers under `w`, as torch.save writes them, their pickle changed and further members put in."""
    found = members(saved_pt(four()))
    found["archive/data.pkl"] = change(found["archive/data.pkl"])
    return archive({**found, **(more or {})})


def without(name: str) -> bytes:
    """The same without one of its members."""
    return archive({one: data for one, data in members(saved_pt(four())).items() if one != f"archive/{name}"})


def vast_pt(path: str, nbytes: int) -> None:
    """A file of torch.save with one tensor of that many bytes, all zero, which take no room on the disk."""
    count = swapped((ELEMENTS, b"cpuq\x06" + long(nbytes // 4)), (EXTENT, b"QK\x00" + long(nbytes // 4) + b"\x85"))
    found = members(pt(count))
    with zipfile.ZipFile(path, "w") as out:
        for name, data in found.items():
            if name != "archive/data/0":
                out.writestr(name, data)
        made = zipfile.ZipInfo("archive/data/0")
        made.file_size, made.compress_size, made.CRC = nbytes, nbytes, 0
        assert out.fp is not None
        made.header_offset = out.fp.tell()
        out.fp.write(made.FileHeader(zip64=True))
        out.fp.seek(nbytes, 1)
        out.start_dir = out.fp.tell()
        out.filelist.append(made)


def swapped(*pairs: tuple[bytes, bytes]) -> Change:
    """Replace what stands once in a pickle."""

    def change(pickled: bytes) -> bytes:
        for old, new in pairs:
            assert pickled.count(old) == 1, old
            pickled = pickled.replace(old, new)
        return pickled

    return change


# Parts of that pickle: elements of the storage, offset and size of the tensor, its stride, the key of the storage.
ELEMENTS, EXTENT, STRIDE, KEY = b"cpuq\x06K\x04", b"QK\x00K\x04\x85", b"K\x01\x85", b"X\x01\x00\x00\x000"


def long(number: int) -> bytes:
    """A whole number as pickles write it."""
    data = number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def without_its_keys(old: bytes) -> bytes:
    """A file from before torch 1.6 that lists no storages: torch would show memory that nobody wrote."""
    at = old.rindex(b"]")
    return old[: at + 1] + old[old.index(b".", at + 20) :]


def safetensors(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    """A file with this header, which claims to have `length` bytes."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def part(start: int, end: int, shape: tuple[int, ...] = (2,), dtype: str = "F32") -> dict[str, Any]:
    """A tensor in such a header."""
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}


def holding_itself() -> list[Any]:
    made: list[Any] = [torch.ones(2)]
    made.append(made)
    return made


def doubling() -> list[Any]:
    """Lists that hold one another: few in the file, 10**30 for whoever walks through all."""
    made: list[Any] = [torch.ones(1)]
    for _ in range(30):
        made = [made] * 10
    return made
