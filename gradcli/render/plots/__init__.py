"""Pictures of sweeps in files: what can be drawn is checked before anything is computed, and written all at once."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import tempfile
from pathlib import Path
from typing import Any

from gradcli.errors import GradcliError
from gradcli.swept import Sweep

ENDINGS = ("svg", "png", "pdf")


def needs(package: str, what: str) -> None:
    """Raise GradcliError of kind usage where a package of the extra `plot` is not installed."""
    if importlib.util.find_spec(package) is None:
        raise GradcliError(
            "usage", f"{what} needs {package}, which is not installed", hint="pip install 'gradcli[plot]'"
        )


def checked(file: Any) -> Path:
    """The place of a picture. Raises GradcliError where its name, its folder or matplotlib is not as it must be."""
    try:
        path = Path(os.fspath(file))
    except TypeError:
        raise GradcliError("usage", f"--save is the name of a file, not {type(file).__name__}") from None
    if path.suffix.removeprefix(".").lower() not in ENDINGS:
        kinds = ", ".join(f".{kind}" for kind in ENDINGS)
        raise GradcliError("usage", f"--save draws {kinds}, not '{file}'", hint="such as --save curve.svg")
    try:
        there, folder = path.parent.is_dir(), path.is_dir()
    except (OSError, ValueError):  # a null character
        there, folder = False, False
    if not there or folder:
        wrong = f"{path} is a folder" if folder else f"there is no folder {path.parent}"
        raise GradcliError("usage", f"--save cannot write '{file}': {wrong}")
    needs("matplotlib", "--save")
    return path


def save(result: Sweep, path: Path) -> None:
    """Draw a sweep in a file; what was there is replaced at once. Raises GradcliError of kind output otherwise."""
    from gradcli.render.plots import figure

    drawn = figure.drawn(result, path.suffix.removeprefix(".").lower())
    try:
        _replace(path, drawn)
    except OSError as error:
        raise GradcliError("output", f"{path} could not be written: {error.strerror or error}") from error


def _replace(path: Path, data: bytes) -> None:
    if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
        path.write_bytes(data)
        return
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_mask())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
