"""Exit codes: argv to a number, each code with its neighbours; what goes to which stream."""

from __future__ import annotations

from unittest import mock

import pytest

from gradcli.doors import calls
from gradcli.errors import EXIT_MEANINGS, ExitCode
from tests.command_line import Said, ask

TABLE = [
    (["grad", "A*5", "--at", "5.0"], 0),
    (["grad", "log(A)", "--at", "-1"], 0),
    (["grad", "A.detach()*5"], 0),
    (["grad", "A.detach()*5", "--strict"], 1),
    (["grad", "A.detach()*5", "--strict", "-q"], 1),
    (["grad", "A.detach()*5", "--strict", "--json"], 1),
    (["grad", "A.detach()*5", "--strict", "--no-notes"], 0),
    (["grad", "A.detach()*A", "--strict"], 0),
    (["grad", "A*5", "--strict"], 0),
    (["grad", "A*5", "--strict", "--at", "[1, 2]"], 0),
    (["grad", "A*5", "--const", "B=5", "--at", "2"], 0),
    (["grad", "A*5", "--at", "A=5", "--at", "B=2"], 0),
    (["grad", "A*5", "--at", "A=5", "--at", "B=2", "--strict"], 1),
    (["eval", "A*5", "--no-grad", "--strict"], 0),
    (["functions", "nothing_of_the_kind"], 0),
    (["functions", "nothing_of_the_kind", "--strict"], 1),
    (["grad", "A^2"], 2),
    (["grad"], 2),
    (["grad", "A", "B"], 2),
    (["grad", "A*5", "--at", "x"], 2),
    (["grad", "A*5", "--at"], 2),
    (["grad", "A*5", "--at", "--no-grad"], 2),
    (["grad", "A*5", "--dtype", "int64"], 2),
    (["grad", "A*5", "--dtype", "nothing"], 2),
    (["grad", "A*5", "--device", "nothing"], 2),
    (["grad", "A.item()"], 2),
    (["grad", "@missing"], 2),
    (["nothing"], 2),
    (["grad", "A @ B", "--at", "A=[1,2]", "--at", "B=[1,2,3]"], 3),
    (["grad", "A*5", "--at", "[1, 2]", "--reduce", "none"], 3),
    (["grad", "A // 2"], 3),
    (["eval", "A // 2"], 0),
    (["--help"], 0),
    (["--version"], 0),
    ([], 0),
]


@pytest.mark.parametrize(("words", "code"), TABLE, ids=[" ".join(words) for words, _ in TABLE])
def test_argv_to_exit_code(words: list[str], code: int) -> None:
    said = ask(*words)
    assert said.code == code, said
    assert bool(said.out) == (code in {0, 1})
    assert bool(said.err) == (code not in {0, 1})
    if said.err:
        assert said.err.startswith("error")
        assert "Traceback" not in said.err


REFUSED = [words for words, code in TABLE if code in {2, 3} and words[0] == "grad"]


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_a_refusal_in_json_goes_to_standard_output(words: list[str]) -> None:
    said = ask("grad", "--json", *words[1:])
    assert said.code in {2, 3}
    assert said.err == ""
    assert said.out.startswith('{"schema": "gradcli/1", "command": "grad", "status": "error", "error": {"kind": ')


def test_debug_shows_where_a_refusal_came_from() -> None:
    said = ask("grad", "A^2", "--debug")
    assert said.code == 2
    assert said.err.startswith("Traceback")
    assert said.err.endswith(ask("grad", "A^2").err)


def broken(*_: object, **__: object) -> None:
    raise RuntimeError("something\nthat nobody expected")


def interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_a_bug_is_one_line_and_70() -> None:
    with mock.patch.object(calls, "perform", broken):
        said = ask("grad", "A*5")
    assert (said.code, said.out) == (70, "")
    assert said.err == "error: a bug in gradcli: RuntimeError: something that nobody expected (--debug shows more)\n"


def test_a_bug_shows_its_traceback_with_debug() -> None:
    with mock.patch.object(calls, "perform", broken), pytest.raises(RuntimeError, match="nobody expected"):
        ask("grad", "A*5", "--debug")


def test_an_interrupt_is_130_and_silent() -> None:
    with mock.patch.object(calls, "perform", interrupted):
        assert ask("grad", "A*5") == Said(130, "", "")


def test_every_code_has_its_meaning() -> None:
    assert set(EXIT_MEANINGS) == set(ExitCode)
    assert {code.value for code in ExitCode} == {0, 1, 2, 3, 70, 74, 130}
