"""Any file, changed anywhere, is read or refused: no other exception, and nothing run."""

from __future__ import annotations

import os
from pathlib import Path

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradcli
from gradcli.errors import GradcliError
from tests.files.hostile import archive, four, part, pt, safetensors, saved_npy, saved_pt

FILES = {
    ".npy": saved_npy(numpy.arange(6.0).reshape(2, 3)),
    ".npz": archive({"w.npy": saved_npy(numpy.arange(4.0))}),
    ".pt": pt(),
    ".pth": saved_pt(four(), old=True),
    ".safetensors": safetensors({"w": part(0, 8)}, bytes(8)),
    ".csv": b"a,b\n1,2.5\n3,4\n",
}


@st.composite
def changed(draw: st.DrawFn, data: bytes) -> bytes:
    """Some bytes replaced, a piece taken out or doubled, the end cut off."""
    places = st.integers(0, len(data) - 1)
    mutated = bytearray(data)
    for place, byte in draw(st.lists(st.tuples(places, st.integers(0, 255)), max_size=4)):
        mutated[place] = byte
    start, end = sorted((draw(places), draw(places)))
    how = draw(st.sampled_from(["", "", "cut", "without", "twice"]))
    if how == "cut":
        del mutated[end:]
    elif how == "without":
        del mutated[start:end]
    elif how == "twice":
        mutated[start:start] = mutated[start:end]
    return bytes(mutated)


@pytest.mark.parametrize("suffix", FILES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(chosen=st.data())
def test_a_changed_file_is_read_or_refused(suffix: str, chosen: st.DataObject) -> None:
    Path(f"w{suffix}").write_bytes(chosen.draw(changed(FILES[suffix])))
    said = outcome(f"w{suffix}")
    assert said == "read" or said.startswith((f"file w{suffix} ", f"file cannot read w{suffix}"))
    assert "\n" not in said
    assert os.listdir() == [f"w{suffix}"]


def outcome(name: str) -> str:
    """What became of it; any other exception goes on."""
    try:
        gradcli.evaluate("w", const={"w": f"@{name}"}, max_memory="64MB")
    except GradcliError as error:
        return f"{error.kind} {error.message}"
    return "read"
