"""Hostile and broken files: each refused in one sentence that names it, with nothing run, written or filled."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import torch

from tests.files.asking import refusal, value
from tests.files.hostile import (
    Runs,
    archive,
    four,
    holding_itself,
    members,
    npy,
    part,
    pt,
    safetensors,
    saved_npy,
    saved_pt,
)  # fmt: skip
from tests.files.hostile_cases import BY_SUFFIX, Made

CASES = [
    pytest.param(suffix, make, message, id=f"{suffix}: {name}")
    for suffix, table in BY_SUFFIX.items()
    for name, make, message in table
]


@pytest.mark.parametrize(("suffix", "make", "message"), CASES)
def test_a_hostile_file_is_refused_with_nothing_run(suffix: str, make: Made, message: str) -> None:
    Path(f"f{suffix}").write_bytes(make())
    assert refusal(f"f{suffix}").message == f"f{suffix} {message}"


def test_the_code_of_these_files_would_have_run() -> None:
    """What the tests above rest on: whoever unpickles runs it."""
    pickle.loads(pickle.dumps(Runs())).close()
    assert Path("RAN").exists()
    os.remove("RAN")
    torch.load(io.BytesIO(saved_pt(Runs())), weights_only=False).close()
    assert Path("RAN").exists()


def test_the_same_files_are_read_where_they_do_not_lie() -> None:
    """So that none of them is refused for what its maker did wrong."""
    honest = {
        "a.npy": npy((2,), data=bytes(16)),
        "a.npz": archive({"w.npy": saved_npy(numpy.ones(2))}),
        "a.pt": pt(),
        "packed.pt": archive(members(pt()), 8),
        "loop.pt": saved_pt(holding_itself()),
        "a.pth": saved_pt(four(), old=True),
        "a.safetensors": safetensors({"w": part(0, 8)}, bytes(8)),
        "a.csv": b"1,2\n",
    }
    for name, data in honest.items():
        Path(name).write_bytes(data)
        assert value(name).dim() == 1


# Every file of the tables in one process that has read one tensor: how much memory the refusals take, at their most.
_PEAK = """
import gradcli, resource, sys
from pathlib import Path
gradcli.evaluate("w", const={"w": "@honest.pt"})
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
before = peak()
for path in sorted(Path(".").glob("f*")):
    try:
        gradcli.evaluate("w", const={"w": f"@{path}"})
    except gradcli.GradcliError:
        continue
    sys.exit(f"{path} was read")
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes there")
def test_refusals_take_little_memory() -> None:
    Path("honest.pt").write_bytes(pt())
    for index, case in enumerate(CASES):
        suffix, make, _ = case.values
        Path(f"f{index}{suffix}").write_bytes(make())  # type: ignore[operator]
    done = subprocess.run([sys.executable, "-c", _PEAK], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 150
    assert not Path("RAN").exists()
