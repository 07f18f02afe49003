"""`.csv`: numbers in text, read by numpy.loadtxt; the first row may name the columns.

One row or one column gives a vector, one number a tensor without dimensions.
"""

from __future__ import annotations

import codecs
import io
import re
from dataclasses import dataclass
from typing import Any

from gradcli.engine.files import dtypes
from gradcli.engine.files.choosing import without_key
from gradcli.engine.files.npy import NUMPY
from gradcli.engine.files.opening import Opened
from gradcli.engine.files.read import Read
from gradcli.errors import GradcliError

_GROWTH = 5  # "1," is two bytes, and eight as a float64, and more while the array grows
_LONGEST = 1 << 20  # bytes of a line that is looked at
_KINDS = ("int64", "float64", "complex128")
_FIELD = re.compile(r"could not convert string '(.*)' to \w+ at row (\d+), column (\d+)", re.DOTALL)
_RAGGED = re.compile(r"number of columns changed from (\d+) to (\d+) at row (\d+)")


@dataclass(frozen=True, slots=True)
class Layout:
    """Lines before the numbers, and what stands between them."""

    skipped: int
    delimiter: str
    quote: str | None

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of loadtxt."""
        some = {"skiprows": self.skipped, "quotechar": self.quote}
        return {"delimiter": self.delimiter, **{name: value for name, value in some.items() if value}}


def read(opened: Opened, key: str | None) -> Read:
    """The numbers of a file: whole ones as int64, else float64, else complex128. Raises GradcliError of kind file."""
    numpy = opened.needs("numpy")
    without_key(opened, key)
    if b"\0" in opened.head:
        raise opened.refused("is not text")
    opened.admit(_GROWTH * opened.size)
    layout = _layout(opened)
    for kind in _KINDS:
        array, failure = _parsed(numpy, opened, layout, kind)
        if failure is None:
            break
    if failure is not None:
        raise failure
    if array.size == 0:
        raise opened.refused("holds no numbers below its first row")
    if numpy.isinf(array).any() and _infinities(opened, layout) < int(numpy.isinf(array).sum()):
        raise opened.refused("holds a number too large for a float64", "numbers end near 1.8e308; infinity is inf")
    return Read(dtypes.to_tensor(array), _code(opened, layout, kind), (NUMPY,), written=True)


def _layout(opened: Opened) -> Layout:
    """Where the numbers begin: after empty lines and comments, and a row without any number in it."""
    opened.file.seek(0)
    skipped = 0
    while line := opened.file.readline(_LONGEST):
        text = _text(opened, line.removeprefix(codecs.BOM_UTF8) if skipped == 0 else line).strip()
        if text and not text.startswith("#"):
            delimiter = next((one for one in ",;\t" if one in text), ",")
            header = not any(map(_is_number, text.split(delimiter)))
            return Layout(skipped + 1 if header else 0, delimiter, '"' if '"' in text else None)
        skipped += 1
    raise opened.refused("holds no numbers")


def _text(opened: Opened, line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise opened.refused("is not UTF-8 text") from None


def _is_number(field: str) -> bool:
    try:
        complex(field.strip().strip('"'))
    except ValueError:
        return False
    return True


def _parsed(numpy: Any, opened: Opened, layout: Layout, kind: str) -> tuple[Any, GradcliError | None]:
    """The array, or the error that says why it cannot be of this kind."""
    opened.file.seek(0)
    text = io.TextIOWrapper(opened.file, encoding="utf-8-sig")
    try:
        return numpy.loadtxt(text, dtype=kind, **layout.options), None
    except UnicodeDecodeError:
        raise opened.refused("is not UTF-8 text") from None
    except ValueError as error:
        return None, _failure(opened, str(error))
    finally:
        text.detach()


def _failure(opened: Opened, message: str) -> GradcliError:
    """What numpy says, its rows counted from one; those before the numbers do not count."""
    if match := _RAGGED.search(message):
        raise opened.refused(f"is ragged: row {match[3]} has {match[2]} numbers, and those before it {match[1]}")
    match = _FIELD.search(message)
    if match is None:
        raise opened.refused(f"cannot be read: {message:.200}")
    field, place = match[1], f"row {int(match[2]) + 1}, column {match[3]}"
    if re.fullmatch(r"\s*[+-]?\d+\s*", field):
        raise opened.refused(f"has '{field.strip():.40}' in {place}, which does not fit int64", "write it with a point")
    what = f"'{field:.40}'" if field.strip() else "an empty field"
    return opened.refused(f"has {what} in {place}, which is not a number", "an absent number is written nan")


def _infinities(opened: Opened, layout: Layout) -> int:
    """How often the text says inf."""
    opened.file.seek(0)
    return sum(line.lower().count(b"inf") for index, line in enumerate(opened.file) if index >= layout.skipped)


def _code(opened: Opened, layout: Layout, kind: str) -> str:
    options = "".join(f", {name}={value!r}" for name, value in layout.options.items())
    options += ", encoding='utf-8-sig'" if opened.head.startswith(codecs.BOM_UTF8) else ""
    options += f", dtype=numpy.{kind}" if kind != "float64" else ""
    return f"torch.from_numpy(numpy.asarray(numpy.loadtxt({opened.path!r}{options})))"
