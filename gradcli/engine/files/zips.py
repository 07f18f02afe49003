"""The directory of a zip archive, which `.npz` and `.pt` files are, read within bounds."""

from __future__ import annotations

import zipfile
from typing import BinaryIO

from gradcli.engine.files.opening import MOST_CONTENTS, Opened

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")  # a first member, or none
_MOST_DEFLATED = 1_040  # deflate makes nothing smaller than 1/1032


def directory(opened: Opened) -> zipfile.ZipFile:
    """The archive, its directory read. Raises GradcliError where that is damaged or very long."""
    try:
        archive = zipfile.ZipFile(_InParts(opened))
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError):
        raise opened.damaged("the directory at its end is missing, or not whole") from None
    for one in archive.infolist():
        if one.flag_bits & 1:
            raise opened.refused("is encrypted")
        if one.file_size > max(one.compress_size, 1) * _MOST_DEFLATED:
            raise opened.damaged(f"'{one.filename:.80}' cannot be as large as its directory claims")
    return archive


class _InParts:
    """A file that is never read far in one go: zipfile would read the whole directory, whatever its size."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._file: BinaryIO = opened.file
        self.seek, self.tell, self.seekable = self._file.seek, self._file.tell, self._file.seekable

    def read(self, count: int = -1) -> bytes:
        data = self._file.read(count if 0 <= count <= MOST_CONTENTS else MOST_CONTENTS + 1)
        if len(data) > MOST_CONTENTS:
            raise self._opened.refused("has a directory that is longer than any that would be read")
        return data
