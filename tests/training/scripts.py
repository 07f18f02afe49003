"""A script watched in the process of the tests: what a run of it tells, without a process of its own."""

from __future__ import annotations

import contextlib
import io
import linecache
import warnings
from pathlib import Path
from typing import Any

import torch

from gradcli.health import Health
from gradcli.training.looking import look
from gradcli.training.own import still
from gradcli.training.script.passes import Passes
from gradcli.training.watching.session import Session
from gradcli.training.watching.variables import stack


def watched(text: str, folder: Path, notes: bool = True) -> tuple[Health, str]:
    """The health of a script, and what it printed."""
    file = folder / "script.py"
    file.write_text(text, encoding="utf-8")
    linecache.checkcache(str(file))
    __variables: dict[str, Any] = {"__name__": "__main__", "__file__": str(file)}
    passes, printed, error = Passes(), io.StringIO(), None
    session = Session(on_backward=passes.saw)
    mode, rng = torch.is_grad_enabled(), torch.get_rng_state()
    session.begin(lambda: {**stack(), **still(__variables)})
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True):
            warnings.simplefilter("default")
            exec(compile(text, str(file), "exec"), __variables)
    except BaseException as caught:
        error = caught
    finally:
        health = look(session, passes, still(__variables), str(file), error, notes)
        torch.set_grad_enabled(mode)
        torch.set_rng_state(rng)
    return health, printed.getvalue()
