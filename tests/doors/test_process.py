"""The process itself: streams that close or fill up, Ctrl-C, locales, a real terminal; each in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pytest

from tests.command_line import gradcli, process

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals, /dev and pseudo-terminals of POSIX")
PROGRAM = f"{sys.executable} -m gradcli"


def shell(line: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return process("bash", "-c", line, variables=variables)


def test_an_answer() -> None:
    done = gradcli("grad", "A*5", "--at", "5.0")
    assert (done.returncode, done.stderr) == (0, "")
    assert "│ A*5    │  25.0 │  None │ True          │ MulBackward0 │" in done.stdout


def test_a_refusal(tmp_path: Path) -> None:
    done = gradcli("grad", "A^2", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: '^' is exclusive or in Python")


@POSIX
@pytest.mark.parametrize("words", ["functions", "functions --json", "eval 'arange(200000)' --json"])
def test_a_closed_pipe_is_silent(words: str) -> None:
    done = shell(f"{PROGRAM} {words} | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}")
    assert done.stderr == ""
    assert done.stdout == "0\n"


@POSIX
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("words", ["--version", "--help", "functions", "functions relu --json", "grad 'A^2' --json"])
def test_a_full_device_is_74(words: str) -> None:
    done = shell(f"{PROGRAM} {words} > /dev/full")
    assert done.returncode == 74
    assert done.stderr == "error: the output could not be written: No space left on device\n"


@POSIX
def test_a_closed_standard_output_is_no_bug() -> None:
    done = shell(f"{PROGRAM} functions relu >&-")
    assert done.returncode in {0, 74}
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr


# Says so on standard error when the import of torch begins, and then lets it go on.
MARKER = """
import sys

class Marker:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            print("importing", file=sys.stderr, flush=True)

sys.meta_path.insert(0, Marker())
"""


@POSIX
@pytest.mark.parametrize("after", [0.0, 0.2])
def test_control_c_while_torch_is_imported_is_130(after: float, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(MARKER)
    running = subprocess.Popen(
        [sys.executable, "-m", "gradcli", "grad", "A*5"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert running.stderr is not None
    assert running.stderr.readline() == "importing\n"
    time.sleep(after)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, "", "")


LOCALES = [
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    {"LC_ALL": "POSIX", "LANG": ""},
    {"TERM": "dumb"},
    {"NO_COLOR": "1"},
    {"COLUMNS": "0"},
    {"COLUMNS": "x"},
    {"TERM": ""},
]


@POSIX
@pytest.mark.parametrize("variables", LOCALES, ids=str)
def test_odd_surroundings(variables: dict[str, str]) -> None:
    table = process(sys.executable, "-m", "gradcli", "functions", "hypot", variables=variables)
    assert (table.returncode, table.stderr) == (0, "")
    assert "signature" in table.stdout
    assert "\x1b" not in table.stdout
    refusal = process(sys.executable, "-m", "gradcli", "grad", "А*sine(5)", variables=variables, encoding="latin-1")
    assert refusal.returncode == 2
    assert "Traceback" not in refusal.stderr
    assert refusal.stderr.startswith("error: ")
    assert "^" in refusal.stderr


def in_a_terminal(line: str, **variables: str) -> tuple[str, int]:
    """What a real pseudo-terminal of 60 columns shows."""
    environment = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS", "LINES"}}
    session = pexpect.spawn(
        "bash", ["-c", line], dimensions=(24, 60), encoding="utf-8", timeout=60,
        env={**environment, "TERM": "xterm-256color", **variables},
    )  # fmt: skip
    shown = session.read()
    session.close()
    return shown.replace("\r\n", "\n"), session.exitstatus


@POSIX
def test_a_real_terminal_gets_colour_and_its_own_width() -> None:
    shown, code = in_a_terminal(f"{PROGRAM} functions softm")
    assert code == 0
    assert "\x1b[1m" in shown
    assert max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines())) <= 60


@POSIX
@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_real_terminal_that_wants_no_colour_gets_none(variables: dict[str, str]) -> None:
    shown, code = in_a_terminal(f"{PROGRAM} grad 'sine(A)'; {PROGRAM} functions softm", **variables)
    assert code == 0
    assert "\x1b" not in shown
    assert "did you mean 'sin'?" in shown
