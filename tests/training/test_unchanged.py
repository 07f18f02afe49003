"""Watching changes nothing: every script of the cases prints the same and leaves the same tensors, bit for bit.

Both runs are made in this process with the same seed; a script that dies has to die of the same words.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from gradcli.training.script.passes import Passes
from gradcli.training.watching.session import Session

FOLDER = Path(__file__).parents[1] / "cases"
CASES, TRAININGS = (
    [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]
    for name in ("scripts.jsonl", "trainings.jsonl")
)
ROWS = [*((case, False) for case in CASES), *((case, True) for case in (*CASES, *TRAININGS))]

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("one_thread")]


@pytest.mark.parametrize(("case", "thorough"), ROWS, ids=[f"{case['id']}-{thorough}" for case, thorough in ROWS])
def test_a_script_leaves_the_same_bits(
    case: dict[str, Any], thorough: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["script.py"])
    alone = _left(case["script"], tmp_path)
    session = Session(on_backward=Passes().saw, thorough=thorough)
    session.begin()
    try:
        watched = _left(case["script"], tmp_path)
    finally:
        session.end()
    assert session.failure is None
    assert watched == alone


def test_the_sum_sees_one_bit() -> None:
    text = "import torch\nw = torch.ones(3)\n"
    some, other = (_bits({"w": one}) for one in (torch.ones(3), torch.tensor([1, 1, 1 + 2**-23])))
    assert some != other
    assert _left(text, Path("nowhere")) == _left(text, Path("nowhere"))
    assert _left(text, Path("nowhere")) != _left(text.replace("ones", "rand"), Path("nowhere"))


def _left(text: str, folder: Path) -> tuple[str, str, str]:
    """What a script printed, the words it died of, and a sum over all tensors and parameters that it left."""
    variables: dict[str, Any] = {"__name__": "__main__", "__file__": str(folder / "script.py")}
    printed, died = io.StringIO(), ""
    mode, rng = torch.is_grad_enabled(), torch.get_rng_state()
    torch.manual_seed(0)
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, str(folder / "script.py"), "exec"), variables)
    except (Exception, SystemExit) as error:
        died = f"{type(error).__name__}: {error}"
    finally:
        torch.set_grad_enabled(mode)
        drawn = torch.get_rng_state()
        torch.set_rng_state(rng)
    return printed.getvalue(), died, _bits({**variables, "the generator": drawn})


def _bits(variables: Mapping[str, object]) -> str:
    """A sum over the bits of tensors, their gradients and versions, and over those of models, by name."""
    taken = hashlib.sha256()
    for name, value in sorted(variables.items()):
        state = value.state_dict() if isinstance(value, nn.Module) else {"": value}
        for inner, one in state.items():
            if isinstance(one, torch.Tensor):
                gradient = one.grad if one.is_leaf else None
                for part in (one, *([] if gradient is None else [gradient])):
                    taken.update(f"{name}.{inner} {part.dtype} {tuple(part.shape)}".encode())
                    taken.update(part.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return taken.hexdigest()
