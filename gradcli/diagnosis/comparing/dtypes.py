"""The verdict on dtypes: how far each is off, and where numbers became zero or infinite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.compared_dtypes import Error
from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.diagnosis.comparing.refused import refusal_of
from gradcli.diagnosis.remarks import REMARKS
from gradcli.engine.comparing.departure import Departure
from gradcli.engine.comparing.dtypes import InDtype
from gradcli.engine.inputs import dtype_name
from gradcli.results import Note


def verdict_on(found: Sequence[InDtype], untold: str | None) -> str:
    """What each dtype but float64 did to the numbers."""
    if untold is not None:
        return REMARKS[f"dtype_{untold}"]
    told = [one for one in found if one.attempt.outcome is not None]
    others = [one for one in told if dtype_name(one.dtype) != "float64"] or told
    return "; ".join(_on(one) for one in others)


def _on(found: InDtype) -> str:
    name = dtype_name(found.dtype)
    if found.lost:
        return _where(name, found)
    relative = max((one.relative for one in found.errors.values() if one is not None), default=0.0)
    return REMARKS["dtype_off" if relative else "dtype_exact"].format(dtype=name, relative=f"{relative:.2g}")


def _where(name: str, found: InDtype) -> str:
    if found.departure is not None:
        kind, source, got = found.departure
        return REMARKS[kind].format(name=name, source=source, got=got)
    if found.arriving is not None:
        return REMARKS["arriving"].format(name=name, source=found.arriving[0], got=found.arriving[1])
    return REMARKS["lost"].format(name=name)


def notes_on(found: Sequence[InDtype]) -> Iterator[Note]:
    """What under- and overflowed of each value and gradient, and what torch refused."""
    for one in found:
        dtype = dtype_name(one.dtype)
        if one.attempt.refusal is not None:
            yield refusal_of(dtype, one.attempt)
        for name, error in one.errors.items():
            yield from _lost(name, dtype, one.departure, error)


def _lost(name: str, dtype: str, departure: Departure | None, error: Error | None) -> Iterator[Note]:
    for code, count in (("G601", error.under), ("G602", error.over)) if error is not None else ():
        if count:
            assert error is not None
            entry = CATALOGUE[code]
            told = departure is not None and (departure.kind == "underflow") == (code == "G601")
            where = f", first at {departure.source}" if told and departure is not None else ""
            facts = {"count": f"{count:,}", "of": f"{error.of:,}", "are": "is" if count == 1 else "are"}
            message = entry.says["dtype"].format(**facts, name=name, dtype=dtype, where=where)
            yield Note(code, entry.level, message, None, name.removesuffix(".grad") if ".grad" in name else None)
