"""The formats of files: which reader a suffix or the first bytes mean, and how a reader is called."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from gradcli.engine.files import csv, npy, npz, pt, safetensors, zips
from gradcli.engine.files.opening import Opened
from gradcli.engine.files.read import Read
from gradcli.errors import GradcliError
from gradcli.language.files import SUFFIXES, FileValue

Reader = Callable[[Opened, str | None], Read]

READERS: dict[str, Reader] = {
    ".npy": npy.read,
    ".npz": npz.read,
    ".pt": pt.read,
    ".pth": pt.read,
    ".safetensors": safetensors.read,
    ".csv": csv.read,
}
LISTED = f"one of {', '.join(SUFFIXES)}"


def by_suffix(opened: Opened, file: FileValue) -> Reader:
    """The reader that a path names. Raises GradcliError of kind file where it names none, or lies."""
    reader = READERS.get(file.suffix)
    ends = f"ends in {file.suffix}" if file.suffix else "has no suffix"
    if reader is None:
        raise opened.refused(f"{ends}, and the suffix says the format", LISTED)
    begins = by_beginning(opened)
    if begins not in (None, reader):
        suffix = next(suffix for suffix, one in READERS.items() if one is begins)
        raise opened.refused(f"{ends}, and begins as {suffix} files do", "give it the suffix of its format")
    return reader


def by_beginning(opened: Opened) -> Reader | None:
    """The reader of what begins so; None where it begins as text does."""
    if opened.head.startswith(npy.MAGIC):
        return npy.read
    if opened.head.startswith(pt.MAGIC):
        return pt.read
    if opened.head.startswith(zips.MAGIC):
        with zips.directory(opened) as archive:
            return pt.read if any(name.endswith("/data.pkl") for name in archive.namelist()) else npz.read
    return safetensors.read if opened.head[8:9] == b"{" and opened.head[5:8] == b"\0\0\0" else None


def read(opened: Opened, file: FileValue, reader: Reader | None = None) -> Read:
    """What a reader gives; the one of the suffix, unless another is named.

    Whatever else a library raises over a hostile file, the file is damaged.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            return (reader or by_suffix(opened, file))(opened, file.key)
    except GradcliError:
        raise
    except Exception as error:
        reason = str(error).split("\n")[0] or type(error).__name__
        raise opened.damaged(f"{reason:.200}") from error
