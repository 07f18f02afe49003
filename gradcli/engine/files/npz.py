"""`.npz`: several numpy arrays by name in a zip archive. One is read, after its own header."""

from __future__ import annotations

import zipfile
from typing import Any

from gradcli.engine.files import dtypes, npy, zips
from gradcli.engine.files.choosing import choose
from gradcli.engine.files.opening import Opened
from gradcli.engine.files.read import Read

_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


def read(opened: Opened, key: str | None) -> Read:
    """The array under a key. Raises GradcliError of kind file."""
    numpy = opened.needs("numpy")
    if not opened.head.startswith(zips.MAGIC):
        raise opened.refused("does not begin as an .npz file does")
    with zips.directory(opened) as archive:
        members = {
            one.filename.removesuffix(".npy"): one for one in archive.infolist() if one.filename.endswith(".npy")
        }

        def describe(name: str) -> str:
            return str(_header(numpy, archive, members[name], opened))

        name = choose(opened, key, list(members), describe)
        member = members[name]
        header = npy.check(opened, _header(numpy, archive, member, opened), member.file_size)
        with archive.open(member) as stream:
            array = numpy.lib.format.read_array(stream, allow_pickle=False)
    code = npy.code_of(f"numpy.load({opened.path!r})[{name!r}]", header)
    return Read(dtypes.to_tensor(array), code, (npy.NUMPY,))


def _header(numpy: Any, archive: zipfile.ZipFile, member: zipfile.ZipInfo, opened: Opened) -> npy.Header:
    if member.compress_type not in _COMPRESSIONS:
        raise opened.refused(f"holds '{member.filename:.80}' in a compression that numpy does not write")
    with archive.open(member) as stream:
        return npy.read_header(numpy, stream, opened)
