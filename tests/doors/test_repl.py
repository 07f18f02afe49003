"""A conversation over a pipe: what each line says, and that no line, however wrong, ends it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradcli
from gradcli.doors.repl import completing, lines, loop, words
from gradcli.doors.repl.orders import ORDERS
from gradcli.errors import GradcliError
from tests.command_line import Said, ask


def said(*typed: str, options: tuple[str, ...] = ()) -> Said:
    return ask("repl", *options, stdin="\n".join(typed) + "\n")


def answers(*typed: str, options: tuple[str, ...] = ()) -> list[dict[str, object]]:
    """The JSON objects that lines are answered with."""
    told = said(*typed, options=("--json", *options))
    assert (told.code, told.err) == (0, ""), told
    return [json.loads(line) for line in told.out.splitlines()]


def grads(answer: dict[str, object]) -> dict[str, object]:
    return {one["name"]: one["grad"] for one in answer["inputs"]}  # type: ignore[attr-defined]


def test_a_definition_has_its_graph_back_to_the_input() -> None:
    (answer,) = answers("A = 5.0", "B = A**2", "3*B")
    assert grads(answer) == {"A": 30.0}
    assert answer["output"]["value"] == 75.0  # type: ignore[index]


def test_a_definition_takes_the_new_value_of_its_input() -> None:
    first, second = answers("A = 5.0", "B = A**2", "B", "A = 1.0", "B")
    assert (grads(first), grads(second)) == ({"A": 10.0}, {"A": 2.0})


def test_random_inputs_stay_what_they_are_whatever_is_asked() -> None:
    both, first, second, again = answers("W = randn(2)", "V = randn(2)", "W + V", "W*1", "V*1", "W + V")
    values = {one["name"]: one["value"] for one in both["inputs"]}  # type: ignore[attr-defined]
    assert values["W"] != values["V"]
    assert both == again
    assert [one["inputs"][0]["value"] for one in (first, second)] == [values["W"], values["V"]]  # type: ignore[index]
    assert values["W"] == gradcli.evaluate("W", at="randn(2)").to_dict()["output"]["value"]


def test_random_inputs_have_the_dtype_that_is_set() -> None:
    (answer,) = answers("W = randn(2)", ":dtype float64", "W @ ones(2)")
    assert answer["output"]["dtype"] == "float64"  # type: ignore[index]


def test_constants_get_no_gradient_and_keep_their_dtype() -> None:
    (answer,) = answers("A = [1, 2]", ":const i = [0, 0, 1]", "A[i].sum()")
    assert grads(answer) == {"A": [2.0, 1.0], "i": None}


def test_an_option_of_a_line_beats_what_was_set() -> None:
    first, second, third = answers("A = 2.0", ":mode no_grad", "A*2", ":grad A*2 --mode grad", ":grad A*2 --at 3")
    assert [one["mode"] for one in (first, second, third)] == ["no_grad", "grad", "no_grad"]
    assert third["inputs"][0]["value"] == 3.0  # type: ignore[index]


def test_a_command_without_an_expression_is_about_the_last_one() -> None:
    _, trace, graph = answers("A = 2.0", "sin(A)*A", ":trace", ":graph")
    assert (trace["command"], graph["command"]) == ("trace", "graph")
    assert trace["expression"] == graph["expression"] == "sin(A)*A"


@pytest.mark.parametrize("name", ["eval", "trace", "graph", "check", "jacobian", "hessian", "compare"])
def test_every_command_sees_values_and_definitions(name: str) -> None:
    (answer,) = answers("A = 2.0", "B = A**2", f":{name} B*3")
    assert answer["command"] == name
    assert answer["expression"] == "B = A**2\nB*3"


def test_the_command_line_gives_values_and_settings() -> None:
    (answer,) = answers("A*2", options=("--at", "A=3", "--dtype", "float64"))
    assert answer["output"]["value"] == 6.0  # type: ignore[index]
    assert answer["output"]["dtype"] == "float64"  # type: ignore[index]
    assert ask("repl", "--at", "3").code == 2


def test_what_is_in_order_is_0() -> None:
    assert said("# nothing", "", "import torch", "A = 5.0", ":inputs", ":quit", "this is not read").code == 0
    assert said().code == 0


def test_inputs_are_told_in_lines_that_give_them_again() -> None:
    typed = ["A = 5.0", "W = randn(2, 2)", ":const y = [0, 1]", "B = A**2", "with no_grad():\n    C = B*2\n"]
    told = said(*typed, ":inputs").out
    assert told == said(*told.splitlines(), ":inputs").out
    assert told.splitlines()[0] == "A = 5.0"


def test_a_pasted_snippet_line_by_line() -> None:
    snippet = """import torch
A = torch.tensor([5.0], requires_grad=True)
loss = A*5
loss.backward()"""
    (answer,) = answers(*snippet.splitlines())
    assert grads(answer) == {"A": [5.0]}


def test_a_gradient_that_is_looked_at_is_that_of_the_last_answer() -> None:
    typed = ("A = torch.tensor([5.0], requires_grad=True)", "(A*5).backward()", "print(A.grad)", "A.grad", ":trace")
    *told, trace = answers(*typed)
    assert [grads(one) for one in told] == [{"A": [5.0]}] * 3
    assert trace["expression"] == "(A*5).backward()"


def test_a_session_of_python_is_read_without_its_prompts() -> None:
    typed = (">>> import torch", ">>> A = 5.0", ">>> with torch.no_grad():", "...     B = A*2", "...", "In [3]: A*B")
    (answer,) = answers(*typed)
    assert grads(answer) == {"A": 10.0}
    pasted = ">>> with no_grad():\n...     B = A*2\n...\n>>> B\ntensor(10.)"
    assert lines.unprompted(pasted) == "with no_grad():\n    B = A*2\n\nB"
    assert not lines.unfinished(lines.unprompted(pasted))


@pytest.mark.parametrize(
    ("typed", "line"),
    [("help", ":help"), ("help()", ":help"), ("?", ":help"), (":?", ":help"), (":h", ":help"), ("inputs", ":inputs"),
     ("gradcli", ":help"), ("gradcli --help", ":help"), (":eval --help", ":help eval"), ("mode", ":mode"),
     ('gradcli grad "A*5" --at 4', ":grad A*5 --at 4"), ("$ gradcli eval A*5 --no-grad", ":eval A*5 --no-grad")],
)  # fmt: skip
def test_an_order_may_be_written_as_elsewhere(typed: str, line: str) -> None:
    told, expected = said("A = 2.0", typed), said("A = 2.0", line)
    assert (told.out, told.err) == (expected.out, expected.err)
    assert told.out


@pytest.mark.parametrize("way_out", ["exit", "quit()", ":q", ":exit"])
def test_ways_out(way_out: str) -> None:
    assert said(way_out, ":inputs") == Said(0, "", "")


def test_a_name_of_the_conversation_is_no_order() -> None:
    (answer,) = answers("mode = 5.0", "mode")
    assert grads(answer) == {"mode": 1.0}


def test_modules_keep_the_names_that_imports_give_them() -> None:
    typed = ("import torch.nn.functional as Fun, torch as t", "A = -2.0", "B = Fun.relu(A)", "B + t.sin(A)")
    (answer,) = answers(*typed)
    assert grads(answer) == {"A": -0.41614684}
    assert said(*typed[:1], ":inputs").out == f"{typed[0]}\n"


@pytest.mark.parametrize(
    ("line", "command"),
    [("A*", "grad"), (":eval A*", "eval"), (":grad A --foo", "grad"), (":nothing", None), (":csv A*", "grad")],
)
def test_errors_in_json_say_which_command_they_are_of(line: str, command: str | None) -> None:
    assert json.loads(said(":format json", line).out)["command"] == command
    assert not line.startswith(":") or json.loads(said(f"{line} --json").out)["command"] == command


def test_settings_are_told_and_refused() -> None:
    assert said(":dtype", ":mode", ":dtype float64", ":dtype").out == "None\ngrad\nfloat64\n"
    told = said(":mode x", ":dtype nothing", ":precision 0", ":quiet maybe", ":seed x", ":mode")
    assert told.out == "grad\n"
    assert told.err.count("error: ") == 5
    assert "error: :mode is one of grad, no_grad, inference, not 'x'" in told.err


def test_help_names_everything() -> None:
    told = said(":help").out
    assert all(f":{name}" in told for name in ORDERS)
    about = said(":help grad").out
    assert "--order N\n  Derivatives up to this order, at most 10.\n" in about


def test_help_fits_a_terminal() -> None:
    from gradcli.doors.repl.helping import about, in_columns, overview

    for said in (overview(ORDERS), about("grad", ORDERS)):
        lines = list(said)
        fitted = list(in_columns(lines, 80))
        assert max(map(len, fitted)) <= 80
        assert " ".join(fitted).split() == " ".join(lines).split()
        assert list(in_columns(lines, None)) == lines


# Wrong lines: what is typed, and all that is said.
WRONG = [
    ("2*sine(B)", "error: unknown function 'sine'\n  2*sine(B)\n    ^^^^\nhint: did you mean 'sin'?\n"),
    ("B @ ones(3)", "error: torch: size mismatch, got input (2), mat (2x2), vec (3)\n  B @ ones(3)\n  ^^^^^^^^^^^\n"
     "hint: its operands: (2×2), (3)\n"),
    ("C = B @ ones(3)", "error: torch: size mismatch, got input (2), mat (2x2), vec (3)\n  C = B @ ones(3)\n"
     "      ^^^^^^^^^^^\nhint: its operands: (2×2), (3)\n"),
    ("A = 1e999", "error: this number is too large for a float64\n  A = 1e999\n      ^^^^^\n"
     "hint: numbers end near 1.8e308; infinity is inf\n"),
    ("A*zz + yy", "error: no value for zz, yy\n  A*zz + yy\n    ^^\nhint: add zz = ... yy = ...\n"),
    (":grad B^2", "error: '^' is exclusive or in Python, not a power\n  B^2\n  ^^^\nhint: write B**2\n"),
    (":grap B", "error: unknown command :grap\n  :grap B\n  ^^^^^\nhint: did you mean :graph?\n"),
    (":", "error: a command is a name after the colon\n  :\n  ^\nhint: :help lists the commands\n"),
    (":grad B --odrer 2", "error: unknown option --odrer\nhint: did you mean --order?\n"),
    (":grad B --order", "error: --order needs a value\nhint: write --order VALUE, or --order=VALUE\n"),
    (':grad "B" "A"', "error: :grad takes one expression\nhint: leave the quotes out\n"),
    (":trace", "error: :trace needs an expression\nhint: write :trace A*5\n"),
    (":grad -", "error: standard input is where you type\nhint: give a text, or a file: @FILE\n"),
    (":jvp B --tangent @-", "error: standard input is where you type\nhint: give a text, or a file: @FILE\n"),
    ("A = @-", "error: standard input is where you type\nhint: give a text, or a file: @FILE\n"),
    (":grad A*x*y --at 3", "error: the value does not say which input it is for\nhint: the inputs: A, x, y\n"),
    ("A.grad", 'error: there is nothing to compute\n  A.grad\n  ^^^^^^\n'
     "hint: each answer shows .grad of the inputs: write what to go back from, such as loss\n"),
    ("torch.manual_seed(3)", 'error: there is nothing to compute\n  torch.manual_seed(3)\n  ^^^^^^^^^^^^^^^^^^^^\n'
     "hint: write :seed N for the numbers that follow\n"),
    ("del A", "error: 'del' is not part of the language\n  del A\n  ^^^^^\nhint: :forget A\n"),
    ("A.grad = None", "error: a .grad cannot be set here\n  A.grad = None\n  ^^^^^^^^^^^^^\n"
     "hint: leave it out: every answer begins with a .grad of None\n"),
    ("grad A*5", "error: two names stand side by side\n  grad A*5\n  ^^^^^^\n"
     "hint: a command begins with a colon: :grad A*5\n"),
    ("B*2 --order 2", "error: two names stand side by side\n  B*2 --order 2\n        ^^^^^^^\n"
     "hint: options stand behind a command: :grad B*2 --order 2\n"),
    ("    C = A*2", "error: this line is indented, and no block is open\n  C = A*2\n  ^^^^^^^\n"
     "hint: begin it in the first column; an empty line ends a block\n"),
    (":grad A*c --at c=True", "error G106: c is made of booleans, which cannot require grad\n"
     "hint: give it with :const c = ...\n"),
    (":dtype int32", "error G106: int32 cannot carry gradients: only floating and complex numbers can require grad\n"
     "hint: give whole numbers with :const\n"),
    (":precision 99", "error: :precision is a number from 1 to 17, not 99\n"),
    (":order 2", "error: :order is an option of a command\nhint: :grad A*5 --order N\n"),
    ("gradcli run train.py", "error: run is asked in a shell\nhint: gradcli run, on a command line of its own\n"),
    ("torch.optim.SGD([A])", "error: unknown function 'torch.optim.SGD'\n  torch.optim.SGD([A])\n  ^^^^^^^^^^^^^^^\n"
     "hint: :functions lists what can be called\n"),
    ("import os as o", "error: 'os' cannot be imported here\n  import os as o\n  ^^^^^^^^^^^^^^\n"
     "hint: leave this line out\n"),
    (":forget Q", "error: nothing is called 'Q'\nhint: named so far: A, B\n"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), WRONG, ids=[line for line, _ in WRONG])
def test_a_wrong_line_is_refused_in_these_words_and_the_next_is_answered(line: str, expected: str) -> None:
    told = said("A = [[1, 2], [3, 4]]", "B = A*2", line, ":eval B.sum() -q --json")
    assert (told.code, told.err) == (1, expected)
    assert json.loads(told.out)["output"]["value"] == 20.0


def test_a_definition_that_no_longer_fits_is_told_where_it_stands() -> None:
    told = said("A = [[1, 2], [3, 4]]", "B = A @ ones(2)", "A = [1, 2, 3]", "B*2")
    assert "  B = A @ ones(2)\n      ^^^^^^^^^^^\n" in told.err


def test_a_refused_definition_names_nothing() -> None:
    told = said("A = [1, 2]", "C = A @ ones(3)", ":inputs")
    assert told.out == "A = [1, 2]\n"


def test_a_bug_is_told_and_the_conversation_goes_on() -> None:
    with mock.patch.object(loop, "obey", side_effect=RuntimeError("something")):
        told = said(":inputs")
    assert told.code == 1
    assert told.err == "error: a bug in gradcli: RuntimeError: something\nhint: :debug on shows more\n"


def test_torch_that_cannot_be_loaded_is_told_kindly() -> None:
    from gradcli.doors.repl.loading import Loading

    loading = Loading()
    with mock.patch("gradcli.doors.repl.loading._first_answer", side_effect=ImportError("libgomp.so.1: no such file")):
        with pytest.raises(GradcliError, match=r"torch could not be loaded: libgomp\.so") as caught:
            loading.wait()
        with pytest.raises(GradcliError, match="torch could not be loaded"):
            loading.wait()
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("data", [b"\xff\xfe\n", b"\xef\xbb\xbfA = 5.0\r\nA*5\r\n", b"A*5", b"\x00\n", b"\n\n\n", b"("])
def test_odd_bytes(data: bytes) -> None:
    told = ask("repl", stdin=data)
    assert told.code in {0, 1}
    assert "Traceback" not in told.err
    assert "bug" not in told.err


TYPED = st.one_of(
    st.text(max_size=30),
    st.sampled_from([line for line, _ in WRONG]),
    st.builds("{} = {}".format, st.sampled_from("ABC"), st.sampled_from(["5.0", "A*2", "B + C", "randn(2)", "A @ B"])),
    st.builds(":{} {}".format, st.sampled_from(sorted({*ORDERS, "x"})), st.sampled_from(["", "A", "B*2", "on", "2"])),
)


@settings(max_examples=60)
@given(st.lists(TYPED, max_size=6))
def test_no_lines_end_a_conversation_badly(typed: list[str]) -> None:
    told = ask("repl", stdin="\n".join(typed).encode(errors="replace"))
    assert told.code in {0, 1}
    assert "bug in gradcli" not in told.err


# Reading.


@pytest.mark.parametrize(
    ("text", "more"),
    [("A*5", False), ("(A +", True), ("[1,", True), ("with no_grad():", True), ("with no_grad(): B = A", False),
     ("with no_grad():\n    B = A", True), ("with no_grad():\n    B = A\n", False), ("A + \\", True), ("')'", False),
     ("f('(')", False), ("A # (", False), ("A)", False), ("(A\n", False)],
)  # fmt: skip
def test_what_goes_on_in_the_next_line(text: str, more: bool) -> None:
    assert lines.unfinished(text) is more


def test_lines_become_texts() -> None:
    typed = iter(["A", "(B +", "  C)", "with no_grad():", "    D = A", "D", "(", "", "E"])

    def read(continued: bool) -> str:
        del continued
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    assert list(lines.texts(read)) == ["A", "(B +\n  C)", "with no_grad():\n    D = A", "D", "(", "E"]


@pytest.mark.parametrize(
    ("text", "subjects", "given"),
    [
        ("A**2 + 1 --order 2", ["A**2 + 1"], {"order": "2"}),
        ("--order=2 A**2 + 1", ["A**2 + 1"], {"order": "2"}),
        ("F.mse_loss(A, B, reduction='sum')", ["F.mse_loss(A, B, reduction='sum')"], {}),
        ("A --at A=[1, 2] --at B=3", ["A"], {"at": ["A=[1, 2]", "B=3"]}),
        ('"A*2" --at "A=[1, 2]"', ["A*2"], {"at": ["A=[1, 2]"]}),
        ('"A*2" "A + A"', ["A*2", "A + A"], {}),
        ("A  +  1 -q", ["A  +  1"], {"quiet": True}),
        ("-A**2", ["-A**2"], {}),
        ("", [], {}),
    ],
)
def test_a_line_is_divided_without_a_shell(text: str, subjects: list[str], given: dict[str, object]) -> None:
    from gradcli import commands
    from gradcli.doors.options import options_of

    options = options_of(commands.command("grad"))
    found, written = words.divided(text, options)
    assert list(found) == subjects
    assert {options[index].keyword: value for index, value in written.items()} == given


@pytest.mark.parametrize(
    ("before", "written", "word"),
    [(":tr", "tr", "trace"), (":", "", "quit"), ("A*softpl", "softpl", "softplus"), (":help gr", "gr", "grad"),
     ("torch.linalg.de", "torch.linalg.de", "torch.linalg.det"), (":grad A --ord", "--ord", "--order"),
     ("2*wei", "wei", "weights"), ("F.rel", "F.rel", "F.relu"), ("A.soft", "A.soft", "A.softmax"),
     (":precision", "precision", "precision")],
)  # fmt: skip
def test_what_is_offered(before: str, written: str, word: str) -> None:
    found, offered = completing.offered(before, {"weights"})
    assert found == written
    assert word in offered


def test_nothing_is_offered_for_nothing() -> None:
    assert completing.offered("A + ", {"weights"}) == ("", [])
    assert completing.offered(":nothing --", ()) == ("--", [])


def test_a_history_that_cannot_be_written_is_kept_in_memory(tmp_path: Path) -> None:
    pytest.importorskip("prompt_toolkit")
    from prompt_toolkit.history import InMemoryHistory

    from gradcli.doors.environment import Environment
    from gradcli.doors.repl.prompting import history

    (tmp_path / "file").write_text("")
    assert isinstance(history(Environment(variables={"XDG_STATE_HOME": str(tmp_path / "file")})), InMemoryHistory)
    kept = history(Environment(variables={"XDG_STATE_HOME": str(tmp_path)}))
    kept.store_string("A = 5.0")
    assert list(kept.load_history_strings()) == ["A = 5.0"]
    (tmp_path / "gradcli" / "history").unlink()
    (tmp_path / "gradcli" / "history").mkdir()
    kept.store_string("A*5")
    assert list(kept.load_history_strings()) == []


def test_the_modules_of_the_prompt_are_not_needed_over_a_pipe() -> None:
    before = {name for name in sys.modules if name.startswith("gradcli.doors.repl.prompting")}
    said("A*5")
    assert {name for name in sys.modules if name.startswith("gradcli.doors.repl.prompting")} == before


def test_a_history_that_has_grown_long_loses_its_beginning(tmp_path: Path) -> None:
    pytest.importorskip("prompt_toolkit")
    from gradcli.doors.environment import Environment
    from gradcli.doors.repl.prompting import LONGEST, history

    file = tmp_path / "gradcli" / "history"
    around = Environment(variables={"XDG_STATE_HOME": str(tmp_path)})
    history(around).store_string("A*5")
    file.write_bytes(b"\n# before\n+A*4\n" * (LONGEST // 10) + file.read_bytes())
    kept = history(around)
    assert LONGEST // 2 - 20 < file.stat().st_size <= LONGEST // 2
    entries = list(kept.load_history_strings())
    assert entries[0] == "A*5"
    assert set(entries[1:]) == {"A*4"}


@pytest.mark.parametrize("question", ["A*5", ":jacobian A*5", ":trace A*5", ":sweep A*5 --at A=0:1:3"])
def test_notes_do_not_speak_of_the_command_line(question: str) -> None:
    said = ask("repl", stdin=question)
    assert said.code == 0
    assert "--at" not in said.out + said.err
    assert ("A = ..." in said.out) is ("sweep" not in question)


def test_options_without_a_command_are_said_to_need_one() -> None:
    assert "hint: options stand behind a command: :grad A**2 --order 2" in ask("repl", stdin="A**2 --order 2").err
