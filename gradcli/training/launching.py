"""How a script is started: by the interpreter itself, with one folder more on PYTHONPATH, which the child takes off."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parents[2]  # what holds the package gradcli
START = ROOT / "gradcli" / "doors" / "start"
_HIDING = "EIS"  # flags under which Python would not look at PYTHONPATH, or at sitecustomize
_VALUED = "XW"  # flags that take a value


def words(script: str, arguments: Sequence[str], module: bool) -> list[str]:
    """The command line of a script as its user would have typed it, with the flags that this interpreter was given."""
    return [sys.executable, *_flags(sys.orig_argv[1:]), *(["-m"] if module else []), script, *arguments]


def _flags(typed: Sequence[str]) -> list[str]:
    """The interpreter's flags at the beginning of a command line.

    >>> _flags(["-X", "dev", "-Em", "gradcli", "-q"])
    ['-X', 'dev']
    """
    found: list[str] = []
    rest = list(typed)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word[1] in _VALUED:
            found += [word] if len(word) > 2 else [word, *rest[:1]]
            rest = rest if len(word) > 2 else rest[1:]
            continue
        letters = word[1:].partition("m")[0].partition("c")[0]
        found += [f"-{letter}" for letter in letters if letter not in _HIDING]
        if letters != word[1:]:
            break
    return found


def environment(settings: Mapping[str, Any], variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of the child: those of this process, and the two that it takes away again."""
    variables = os.environ if variables is None else variables
    before = variables.get("PYTHONPATH")
    path = os.pathsep.join(filter(None, (str(START), before)))
    settings = {**settings, "root": str(ROOT), "pythonpath": before}
    return {**variables, "PYTHONPATH": path, "GRADCLI_RUN": json.dumps(settings)}


def replace(line: Sequence[str], variables: Mapping[str, str]) -> NoReturn:
    """Become the script: the same process, streams, terminal and place in its job."""
    _flush()
    os.execve(line[0], list(line), dict(variables))


def supervise(line: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run a script as a child on the same streams; its exit code, negative where a signal ended it.

    Ctrl-C reaches the child from the terminal; what is sent to this process alone is handed on.
    """
    child = subprocess.Popen(list(line), env=dict(variables))
    with _handing_on(child):
        while True:
            with contextlib.suppress(KeyboardInterrupt):
                return child.wait()


@contextlib.contextmanager
def _handing_on(child: subprocess.Popen[bytes]) -> Any:
    before = {}
    for one in _ENDING:
        with contextlib.suppress(ValueError):  # not the main thread
            before[one] = signal.signal(one, lambda number, _: child.send_signal(number))
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def end_as(code: int) -> int:
    """The exit code of this process after a child's; where a signal ended the child, this process ends by it, too."""
    if code < 0 and os.name != "nt":
        _flush()
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed by the caller
            stream.flush()
