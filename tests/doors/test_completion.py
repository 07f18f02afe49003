"""Completion in shells: what Typer gives, functions and diagnoses of ours; in a real bash, and without torch."""

from __future__ import annotations

import json
import os
import re
import shutil
import string
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from gradcli import commands
from gradcli.commands.command import SHOWING
from gradcli.doors import completion
from tests.command_line import Said, ask, python
from tests.test_imports import BLOCKER

# How each shell asks: its instruction, and the variables with the words so far. The last word is completed.


def bash(*words: str) -> list[str]:
    said = asked("complete_bash", COMP_WORDS="\n".join(("gradcli", *words)), COMP_CWORD=str(len(words)))
    assert (said.code, said.err) == (0, "")
    return [line for line in said.out.splitlines() if line]


def asked(instruction: str, **variables: str) -> Said:
    return ask(variables={"_GRADCLI_COMPLETE": instruction, **variables})


# Words, and completions that are among those offered; None: that one is not.
OFFERED: list[tuple[tuple[str, ...], list[str]]] = [
    (("",), [*commands.NAMES, "batch"]),
    (("gr",), ["grad", "graph"]),
    (("grad", "--mo"), ["--mode"]),
    (("grad", "--"), ["--at", "--no-grad", "--json"]),
    (("grad", "A*5", "--no"), ["--no-grad", "--no-notes"]),
    (("grad", "--mode", ""), ["grad", "no_grad", "inference"]),
    (("grad", "--mode", "no"), ["no_grad"]),
    (("grad", "A*5", "--mode", "in"), ["inference"]),
    (("grad", "--mode", "=", "no"), ["no_grad"]),
    (("grad", "A*5", "--mode", "=", "no"), ["no_grad"]),
    (("graph", "A*5", "--format", "m"), ["markdown", "mermaid"]),
    (("grad", "si"), ["sin(", "sigmoid("]),
    (("grad", '"sin(A)*softm'), ["sin(A)*softmax(", "sin(A)*softmin("]),
    (("grad", "'A/F.rel"), ["A/F.relu(", "A/F.relu6("]),
    (("grad", '"torch.lin'), ["torch.linalg.", "torch.linspace("]),
    (("grad", '"torch.nn.functional.sel'), ["torch.nn.functional.selu("]),
    (("grad", '"linalg.de'), ["linalg.det("]),
    (("grad", '"A.soft'), ["A.softmax("]),
    (("grad", '"A.rea'), ["A.real"]),
    (("grad", '"A*softpl'), ["A*softplus(", "A*softplus(input, beta=1.0, threshold=20.0)"]),
    (("grad", '"2*p'), ["2*pi", "2*pow("]),
    (("grad", "-A*ta"), ["-A*tan(", "-A*tau"]),
    (("compare", "A", '"si'), ["sin("]),
    (("grad", "A*5", "--at", "randn"), ["randn("]),
    (("grad", "A*5", "--at", '"A=randn'), ["A=randn("]),
    (("grad", "A*5", "--at", "A", "=", "randn"), ["randn("]),
    (("grad", "--at", "A", "=", "randn"), ["randn("]),
    (("jvp", "A*5", "--tangent", "one"), ["ones("]),
    (("functions", "softm"), ["softmax", "softmin"]),
    (("explain", "G3"), ["G301", "G302", "G303"]),
    (("explain", "masked"), ["masked-branch"]),
    (("explain", "PowB"), ["PowBackward0"]),
    (("grad", "--order", ""), []),
]


@pytest.mark.parametrize(("words", "offered"), OFFERED, ids=[" ".join(words) for words, _ in OFFERED])
def test_what_is_offered(words: tuple[str, ...], offered: list[str]) -> None:
    found = bash(*words)
    assert set(offered) <= set(found)
    assert bool(offered) == bool(found)
    start = words[-1].lstrip("'\"")
    assert all(one.startswith(start) for one in found)


@pytest.mark.parametrize("name", commands.NAMES)
def test_every_option_and_every_choice_is_offered(name: str) -> None:
    options = (*commands.command(name).options, *SHOWING)
    assert {flag for one in options for flag in one.flags if flag.startswith("--")} <= set(bash(name, "--"))
    for option in options:
        if option.choices and option.keyword != "format":
            assert set(bash(name, option.flags[0], "")) == set(option.choices)


def test_files_are_offered_behind_an_at_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "snippet.py").touch()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "w.npy").touch()
    (tmp_path / ".hidden").touch()
    assert bash("grad", '"@') == ["@data/", "@snippet.py"]
    assert bash("grad", '"@sn') == ["@snippet.py"]
    assert bash("grad", "A", "--at", '"A=@data/') == ["A=@data/w.npy"]
    assert bash("explain", '"@d') == ["@data/"]
    assert bash("grad", '"@nosuch/') == []
    # Without quotes bash parts a word behind the @, and replaces what begins there.
    assert bash("grad", "@", "sn") == ["@snippet.py"]
    assert bash("grad", "@") == ["@data/", "@snippet.py"]
    assert bash("grad", "A", "--at", "A", "=@", "da") == ["@data/"]
    assert bash("grad", "A", "--at", "A", "=@") == ["@data/", "@snippet.py"]
    assert bash("grad", "A", "--at", "@", "sn") == ["@snippet.py"]


@pytest.mark.parametrize("typed", ["", "A*", "(", "A[0]", "5", "A*nosuchname", "nosuch.namespace.x", "1e", "¤", "A.."])
def test_nothing_is_offered_where_nothing_fits(typed: str) -> None:
    assert [word for word, _ in completion.expression(typed) if not word.startswith(f"{typed}")] == []


def test_every_function_that_is_offered_is_known() -> None:
    from gradcli.language.vocabulary import find_bare

    words = {word for start in string.ascii_lowercase for word, _ in completion.expression(start)}
    assert len(words) > 500
    assert [word for word in words if word.endswith("(") and not find_bare(word.removesuffix("("))] == []


def test_zsh_gets_words_with_what_is_said_of_them() -> None:
    said = asked("complete_zsh", _TYPER_COMPLETE_ARGS='gradcli grad "A*softpl')
    assert said.out.startswith('_arguments \'*: :(("A*softplus(":')
    codes = asked("complete_zsh", _TYPER_COMPLETE_ARGS="gradcli explain G30")
    assert '"G302":"masked-branch"' in codes.out
    assert asked("complete_zsh", _TYPER_COMPLETE_ARGS="gradcli batch que").out == "_files\n"


def test_fish_is_told_where_it_is_to_offer_files() -> None:
    def fish(action: str, line: str) -> Said:
        return asked("complete_fish", _TYPER_COMPLETE_FISH_ACTION=action, _TYPER_COMPLETE_ARGS=line)

    assert "G302\tmasked-branch" in fish("get-args", "gradcli explain G30").out
    assert fish("is-args", "gradcli explain G30").code == 0
    assert fish("is-args", "gradcli batch que").code == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_printed(shell: str) -> None:
    said = asked(f"source_{shell}")
    assert said.code == 0
    assert "_GRADCLI_COMPLETE=complete_" in said.out


def test_completion_needs_no_torch() -> None:
    code = """
import json, os
from gradcli.__main__ import answer
os.environ["_GRADCLI_COMPLETE"] = "complete_bash"
for words in json.loads(sys.argv[2]):
    os.environ["COMP_WORDS"] = "\\n".join(["gradcli", *words])
    os.environ["COMP_CWORD"] = str(len(words))
    assert answer([]) == 0, words
assert not {"torch", "numpy"} & set(sys.modules)
"""
    done = python(BLOCKER + code, "torch numpy sympy", json.dumps([words for words, _ in OFFERED]))
    assert (done.returncode, done.stderr) == (0, "")


# Real shells.


class Shell:
    """A shell in a pseudo-terminal, with gradcli on its path and its completion loaded."""

    def __init__(self, folder: Path, program: str, *words: str, setup: str) -> None:
        command = folder / "gradcli"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m gradcli "$@"\n')
        command.chmod(0o755)
        script = folder / "completion"
        script.write_text(asked(f"source_{program}").out.replace("%(prog_name)s", "gradcli"))
        (folder / "snippet.py").touch()
        env: Any = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PS1": "ready> ", "TERM": "dumb"}
        self.child = pexpect.spawn(
            program, list(words), env=env, cwd=str(folder), encoding="utf-8", timeout=30, dimensions=(50, 200)
        )
        self.child.sendline(f"PS1='ready> '; {setup} {script}; echo loaded")
        self.child.expect("loaded\r\n")
        self.child.expect("ready> ")

    def types(self, text: str, expected: str) -> None:
        """Type a text, and wait for what it becomes; then clear the line."""
        self.child.send(text)
        self.child.expect("\x07*".join(map(re.escape, expected)))  # a shell may ring where it waits for more
        self.child.send("\x03")
        self.child.expect("ready> ")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_completion_in_a_real_bash(tmp_path: Path) -> None:
    shell = Shell(
        tmp_path, "bash", "--norc", "--noprofile", "-i", setup="bind 'set enable-bracketed-paste off'; source"
    )
    shell.types("gradcli comp\t", "gradcli compare ")
    shell.types("gradcli grad --infe\t", "--inference ")
    shell.types("gradcli grad --mode inf\t", "--mode inference ")
    shell.types("gradcli grad --mode=inf\t", "--mode=inference ")
    shell.types('gradcli grad "sin(A)*softpl\t', '"sin(A)*softplus(')
    shell.types("gradcli grad 'A/F.hardsw\t", "'A/F.hardswish(")
    shell.types("gradcli grad A --at A=randn_\t", "A=randn_like(")
    shell.types("gradcli explain masked-\t", "masked-branch ")
    shell.types("gradcli explain G30\t\t", "G302")
    shell.types('gradcli grad "@snip\t', '"@snippet.py')
    shell.types("gradcli grad A --at A=@snip\t", "A=@snippet.py ")
    shell.types("gradcli batch snip\t", "snippet.py ")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_completion_in_a_real_zsh(tmp_path: Path) -> None:
    setup = "autoload -Uz compinit; compinit -u -D; unsetopt zle_bracketed_paste; source"
    shell = Shell(tmp_path, "zsh", "-f", "-i", setup=setup)
    shell.types("gradcli comp\t", "gradcli compare")
    shell.types("gradcli grad --infe\t", "--inference")
    shell.types('gradcli grad "sin(A)*softpl\t', "softplus(")
    shell.types("gradcli explain masked-\t", "masked-branch")
