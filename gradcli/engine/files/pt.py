"""`.pt`, `.pth`: what torch.save wrote. Looked through, then read by torch with weights_only=True, never otherwise.

Before torch sees the file, its pickle is scanned (pickles.py): it may name nothing but tensors, and its storages have
to be as large as it claims. Of a zip archive, which torch.save has written since 1.6, only the chosen tensor is read.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any

import torch

from gradcli.engine.files import dtypes, zips
from gradcli.engine.files.choosing import choose, without_key
from gradcli.engine.files.opening import MOST_CONTENTS, Opened
from gradcli.engine.files.pickles import Scan, scan
from gradcli.engine.files.read import Read
from gradcli.engine.files.tree import Leaf, leaves
from gradcli.engine.memory import shown

MAGIC = bytes.fromhex("80028a0a6cfc9c46f9206aa850192e")  # the first pickle of files from before torch 1.6
_ALONE = 'save tensors alone: torch.save(model.state_dict(), "w.pt")'
_GROWTH = 100  # bytes of memory for one of a pickle


def read(opened: Opened, key: str | None) -> Read:
    """The tensor under a key. Raises GradcliError of kind file."""
    lazy = False
    if opened.head.startswith(zips.MAGIC):
        lazy = _look_through(opened) and opened.plain_path is not None
    elif opened.head.startswith(MAGIC):
        _look_through_old(opened)
    elif opened.head.startswith(b"\x80"):
        raise opened.refused("is a pickle that torch.save did not write, which can hold code: none was run", _ALONE)
    else:
        raise opened.refused("does not begin as a file of torch.save does")
    if not lazy:
        opened.admit(opened.size)
    leaf = _chosen(opened, key, _load(opened, lazy))
    tensor = leaf.tensor
    if refusal := dtypes.of_torch(tensor):
        raise opened.refused(*refusal)
    opened.admit(tensor.numel() * tensor.element_size())
    grad = ".detach()" if tensor.requires_grad else ""
    code = f"torch.load({opened.path!r}, map_location='cpu', weights_only=True){leaf.code}{grad}"
    with torch.no_grad():  # a copy: without the file behind it, in one piece, and without a pending conjugation
        return Read(torch.empty(tensor.shape, dtype=tensor.dtype).copy_(tensor), code)


def _load(opened: Opened, lazy: bool) -> Any:
    """What torch reads; `lazy` maps the file into memory and reads nothing of a tensor until it is used."""
    opened.file.seek(0)
    try:
        if lazy:
            return torch.load(str(opened.path), map_location="cpu", weights_only=True, mmap=True)
        return torch.load(opened.file, map_location="cpu", weights_only=True, mmap=False)
    except Exception as error:
        reason = str(error).split("WeightsUnpickler error: ")[-1].strip().split("\n")[0]
        if "resize storage" in reason or "wrong byte size" in reason:
            raise opened.damaged("a tensor in it reaches beyond its storage") from None
        if "mmap" in reason:
            opened.admit(opened.size)  # the system maps no file that is larger than its memory
        raise opened.refused(f"cannot be read by torch: {reason:.200}") from None


def _chosen(opened: Opened, key: str | None, tree: Any) -> Leaf:
    found = leaves(tree)
    if list(found) == [""]:
        without_key(opened, key)
        return found[""]
    return found[choose(opened, key, list(found), lambda name: str(found[name]))]


def _look_through(opened: Opened) -> bool:
    """Refuse an archive that is not what it claims; whether all of its storages lie in it as they are."""
    with zips.directory(opened) as archive:
        members = {one.filename.lower(): one for one in archive.infolist()}
        if len(members) != len(archive.infolist()):
            raise opened.damaged("its directory names a member twice")
        folder = archive.infolist()[0].filename.lower().partition("/")[0] if members else ""
        if f"{folder}/constants.pkl" in members:
            raise opened.refused("is a TorchScript archive, which holds code: none was run", _ALONE)
        pickled = members.get(f"{folder}/data.pkl")
        if pickled is None:
            raise opened.refused("is a zip archive, and none that torch.save wrote")
        _admit_pickle(opened, pickled.file_size)
        found = _scanned(opened, io.BytesIO(_data(opened, archive, pickled)))
        claimed = [members.get(f"{folder}/data/{key}".lower()) for key in found.storages]
        for member, nbytes in zip(claimed, found.storages.values(), strict=True):
            there = member.file_size if member else 0
            if there != nbytes:
                raise opened.damaged(f"it claims a storage of {shown(nbytes)}, and holds {shown(there)}")
        return all(
            one is not None and one.compress_type == zipfile.ZIP_STORED and one.compress_size == one.file_size
            for one in claimed
        )


def _data(opened: Opened, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    try:
        return archive.read(member)
    except Exception as error:
        raise opened.damaged(f"{error or 'it ends too early'}") from None


def _look_through_old(opened: Opened) -> None:
    """Refuse a file from before torch 1.6 that is not what it claims: five pickles, then storages one by one."""
    opened.file.seek(0)
    stream = io.BytesIO(opened.file.read(MOST_CONTENTS))
    *_, data, keys = [_scanned(opened, stream) for _ in range(5)]
    _admit_pickle(opened, stream.tell())
    if missing := data.storages.keys() - keys.texts:
        raise opened.damaged(f"it claims {len(missing)} storages that it does not hold")
    needed = sum(data.storages.values()) + 8 * len(data.storages)
    if needed > opened.size - stream.tell():
        raise opened.damaged(f"it claims {shown(needed)} of storages, and holds {shown(opened.size - stream.tell())}")


def _admit_pickle(opened: Opened, size: int) -> None:
    if size > MOST_CONTENTS:
        raise opened.refused(f"lists its tensors in {shown(size)}, and at most {shown(MOST_CONTENTS)} are read")
    opened.admit(_GROWTH * size)


def _scanned(opened: Opened, stream: io.BytesIO) -> Scan:
    try:
        found = scan(stream)
    except ValueError as error:
        raise opened.damaged(str(error)) from None
    if found.foreign:
        listed = ", ".join(sorted(found.foreign)[:3])
        raise opened.refused(f"holds more than tensors ({listed:.120}): nothing of it was run", _ALONE)
    return found
