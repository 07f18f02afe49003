"""`.npy`: one numpy array. The header is read first, without pickle; what it claims is compared with what is there."""

from __future__ import annotations

import math
import zipfile
from dataclasses import dataclass
from typing import IO, Any

from gradcli.engine.files import dtypes
from gradcli.engine.files.choosing import described, without_key
from gradcli.engine.files.opening import Opened
from gradcli.engine.files.read import Read
from gradcli.engine.memory import shown
from gradcli.errors import GradcliError

MAGIC = b"\x93NUMPY"
NUMPY = "import numpy"
_MOST_DIMENSIONS = 64  # numpy's limit, and that of most functions of torch


@dataclass(frozen=True, slots=True)
class Header:
    """Shape and dtype of an array, and where its numbers begin."""

    shape: tuple[int, ...]
    dtype: Any
    start: int

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * int(self.dtype.itemsize)

    def __str__(self) -> str:
        return described(str(self.dtype), self.shape)


def read(opened: Opened, key: str | None) -> Read:
    """The array of a file. Raises GradcliError of kind file."""
    numpy = opened.needs("numpy")
    without_key(opened, key)
    if not opened.head.startswith(MAGIC):
        raise opened.refused("does not begin as an .npy file does")
    header = check(opened, read_header(numpy, opened.file, opened), opened.size)
    opened.file.seek(0)
    array = numpy.lib.format.read_array(opened.file, allow_pickle=False)
    return Read(dtypes.to_tensor(array), code_of(f"numpy.load({opened.path!r})", header), (NUMPY,))


def read_header(numpy: Any, stream: IO[bytes], opened: Opened) -> Header:
    """The header at the beginning of a stream; numpy refuses one that is long, or more than a literal."""
    layout = numpy.lib.format
    readers = {(1, 0): layout.read_array_header_1_0, (2, 0): layout.read_array_header_2_0}
    try:
        version = layout.read_magic(stream)
        if version not in readers:
            raise opened.damaged(f"version {version[0]}.{version[1]} of .npy is not one that arrays of numbers have")
        shape, _, dtype = readers[version](stream)
    except (GradcliError, zipfile.BadZipFile):
        raise
    except Exception as error:  # whatever a literal that is none makes Python's own parser raise
        early = str(error).startswith("EOF: ")
        raise opened.damaged("it ends within its header" if early else "it has no header that can be read") from error
    return Header(tuple(map(int, shape)), dtype, stream.tell())


def check(opened: Opened, header: Header, size: int) -> Header:
    """The header, where its dtype is one of numbers, its numbers are there (in `size` bytes), and they fit."""
    if refusal := dtypes.of_numpy(header.dtype):
        raise opened.refused(*refusal)
    if len(header.shape) > _MOST_DIMENSIONS:
        raise opened.refused(f"has {len(header.shape)} dimensions, and at most {_MOST_DIMENSIONS} are read")
    if min(header.shape, default=0) < 0 or math.prod(max(one, 1) for one in header.shape) >= 1 << 60:
        raise opened.damaged(f"its header claims the shape {list(header.shape)!s:.60}")
    if header.start + header.nbytes > size:
        there = max(size - header.start, 0)
        raise opened.damaged(f"its header claims {shown(header.nbytes)} of numbers, and {shown(there)} are there")
    opened.admit(header.nbytes * (1 if header.dtype.isnative else 2))
    return header


def code_of(loaded: str, header: Header) -> str:
    """The expression of a script: torch takes arrays in the machine's byte order only."""
    native = loaded if header.dtype.isnative else f"{loaded}.astype(numpy.{header.dtype.newbyteorder('=').name})"
    return f"torch.from_numpy({native})"
