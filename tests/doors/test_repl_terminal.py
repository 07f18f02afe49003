"""A conversation in a real pseudo-terminal: one process with prompt-toolkit, one without it, many exchanges each."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

pytest.importorskip("prompt_toolkit")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals of POSIX")

CONTROL_C, CONTROL_D, TAB, UP = "\x03", "\x04", "\t", "\x1b[A"
_STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Terminal:
    """A terminal of 80 columns that a person types into."""

    def __init__(self, *words: str, **variables: str) -> None:
        around = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS", "LINES"}}
        self.session = pexpect.spawn(
            sys.executable, [*words, "repl"], dimensions=(40, 80), encoding="utf-8", timeout=90,
            env={**around, "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1", "NO_COLOR": "1", **variables},
        )  # fmt: skip
        self.session.expect(">>>")
        self.started = _STEERING.sub("", self.session.before or "")

    def type(self, keys: str, answer: str) -> str:
        """Type keys, wait for an answer; what was shown until then."""
        self.session.send(keys)
        self.session.expect(answer)
        return _STEERING.sub("", f"{self.session.before}{self.session.after}")

    def line(self, text: str, answer: str) -> str:
        """Type a line; what was shown until the next prompt."""
        shown = self.type(f"{text}\r", answer)
        return shown + self.type("", ">>>")

    def left(self, keys: str) -> int:
        """The exit code after the last keys."""
        time.sleep(0.3)  # the terminal's own Ctrl-D would otherwise reach it before the prompt does
        self.session.send(keys)
        self.session.expect(pexpect.EOF)
        self.session.close()
        return int(self.session.exitstatus)


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def terminal(state: Path) -> Iterator[Terminal]:
    terminal = Terminal("-m", "gradcli", XDG_STATE_HOME=str(state))
    yield terminal
    terminal.session.close(force=True)


def test_the_first_answer_waits_for_torch_and_shows_a_table(terminal: Terminal) -> None:
    terminal.line("A = 5.0", "A = 5.0")
    assert "│ A*5    │  25.0 │  None │ True          │ MulBackward0 │" in terminal.line("A*5", "└─.*┘")


def test_a_block_is_typed_in_several_lines(terminal: Terminal) -> None:
    terminal.type("with torch.no_grad():\r", r"\.\.\.")
    terminal.type("B = A**2\r", r"\.\.\.")
    terminal.type("\r", ">>>")
    assert "│ B      │  25.0 │  None │ False         │ none    │" in terminal.line("B", "└─.*┘")


def test_carets_stand_under_what_was_typed(terminal: Terminal) -> None:
    assert "  A + sine(B)\n      ^^^^\n" in terminal.line("A + sine(B)", "did you mean 'sin'")


def test_tab_completes_commands_options_functions_and_names(terminal: Terminal) -> None:
    terminal.line("weights = [1.0, 2.0]", "weights")
    terminal.type(f"2*F.softpl{TAB}", "us")
    terminal.type(f"(wei{TAB}", "ghts")
    assert "MulBackward0" in terminal.line(")", "MulBackward0")
    terminal.type(f":tra{TAB}", "ce")
    terminal.type(f" A**3 --verif{TAB}", "y")
    terminal.line("", "d/dA = 75")


def test_control_c_clears_the_line(terminal: Terminal) -> None:
    terminal.type(f"this is not finished (({CONTROL_C}", ">>>")
    assert "20.0" in terminal.line("A*4", "20.0")


def test_control_c_ends_an_evaluation(terminal: Terminal) -> None:
    terminal.session.send("M = randn(1500, 1500)\r" + "(" + "M @ " * 80 + "M).sum()\r")
    time.sleep(2)
    terminal.session.sendintr()
    terminal.session.expect("interrupted")
    terminal.session.expect(">>>")
    assert "35.0" in terminal.line("A*7", "35.0")


def test_what_was_typed_comes_back(terminal: Terminal) -> None:
    assert "35.0" in terminal.line(UP, "35.0")


def test_control_d_leaves_with_0_and_the_history_is_kept(terminal: Terminal, state: Path) -> None:
    assert terminal.left(CONTROL_D) == 0
    kept = (state / "gradcli" / "history").read_text()
    assert "+A*7\n" in kept
    assert "+with torch.no_grad():\n+    B = A**2\n" in kept


WITHOUT = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "prompt_toolkit":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
from importlib import util
found = util.find_spec
util.find_spec = lambda name, package=None: None if name == "prompt_toolkit" else found(name, package)
from gradcli.__main__ import main
main()
"""


def test_without_the_extra(tmp_path: Path) -> None:
    """It says once what is missing, and works: history of an earlier session apart."""
    terminal = Terminal("-c", WITHOUT, XDG_STATE_HOME=str(tmp_path))
    assert terminal.started.count("pip install 'gradcli[repl]'") == 1
    terminal.line("A = 5.0", "A = 5.0")
    assert "25.0" in terminal.line("A*5", "└─.*┘")
    assert "  A + sine(B)\n      ^^^^\n" in terminal.line("A + sine(B)", "did you mean 'sin'")
    terminal.type("(A +\r", r"\.\.\. ")
    assert "12.0" in terminal.line("7.0)", "12.0")
    terminal.type(f"not this{CONTROL_C}", ">>>")
    assert terminal.left(CONTROL_D) == 0
    assert list(tmp_path.iterdir()) == []
