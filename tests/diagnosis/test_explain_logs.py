"""Messages in logs: whose line it was, which message is told first, and that any bytes of any length are read."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradcli
from gradcli.diagnosis import recognising
from gradcli.diagnosis.pieces import cleaned
from gradcli.explained import MessageMatch
from tests.command_line import ask, python

MESSAGE = "element 0 of tensors does not require grad and does not have a grad_fn"

PYTHON = f"""Traceback (most recent call last):
  File "/home/u/train.py", line 12, in <module>
    main()
    ~~~~^^
  File "/home/u/train.py", line 9, in main
    loss.backward()
    ~~~~~~~~~~~~~^^
  File "/opt/lib/python3.13/site-packages/torch/_tensor.py", line 626, in backward
    torch.autograd.backward(
    ~~~~~~~~~~~~~~~~~~~~~~~^
        self, gradient, retain_graph, create_graph, inputs=inputs
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    )
    ^
  File "/opt/lib/python3.13/site-packages/torch/autograd/graph.py", line 841, in _engine_run_backward
    return Variable._execution_engine.run_backward(
RuntimeError: {MESSAGE}
"""
WINDOWS = PYTHON.replace("/home/u/", "C:\\Users\\u\\").replace("/opt/lib/", "C:\\Lib\\").replace("/torch/", "\\torch\\")
IPYTHON = f"""---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[3], line 2
      1 x = torch.ones(2)
----> 2 x.sum().backward()

File ~/v/lib/python3.11/site-packages/torch/_tensor.py:626, in Tensor.backward(self, gradient)
    616 if has_torch_function_unary(self):
--> 626 torch.autograd.backward(
    627     self, gradient, retain_graph, create_graph, inputs=inputs

RuntimeError: {MESSAGE}
"""
PYTEST = f"""=================================== FAILURES ===================================
__________________________________ test_train __________________________________

    def test_train():
>       helper(torch.ones(2))

test_a.py:9:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def helper(x):
>       x.sum().backward()

test_a.py:5:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
../lib/python3.11/site-packages/torch/_tensor.py:626: in backward
    torch.autograd.backward(
E       RuntimeError: {MESSAGE}

../lib/python3.11/site-packages/torch/autograd/graph.py:841: RuntimeError
"""
RICH = f"""╭────────────────── Traceback (most recent call last) ──────────────────╮
│ /home/u/train.py:6 in <module>                                        │
│                                                                       │
│   3 x = torch.ones(2)                                                 │
│ ❱ 6 x.sum().backward()                                                │
│                                                                       │
│ /home/u/lib/python3.11/site-packages/torch/_tensor.py:626 in backward │
│                                                                       │
│ ❱ 626         torch.autograd.backward(                                │
╰───────────────────────────────────────────────────────────────────────╯
RuntimeError: {MESSAGE}
"""
WARNING = """/home/u/train.py:7: UserWarning: Using backward() with create_graph=True will create a reference cycle
  loss.backward(create_graph=True)
"""
ANOMALY = """/opt/site-packages/torch/autograd/graph.py:865: UserWarning: Error detected in SqrtBackward0. \
Traceback of forward call that caused the error:
  File "/home/u/nan.py", line 5, in <module>
    y = torch.sqrt(x) * 0
 (Triggered internally at /pytorch/torch/csrc/autograd/python_anomaly_mode.cpp:122.)
  return Variable._execution_engine.run_backward(
Traceback (most recent call last):
  File "/home/u/nan.py", line 6, in <module>
    y.sum().backward()
RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
"""

OWN = "/home/u/train.py:9 in main: loss.backward()"
LOGS = [
    ("python", PYTHON, OWN),
    ("another error before", PYTHON.replace(MESSAGE, "other") + "\n" + PYTHON, OWN),
    ("a rank before each line", "".join(f"[rank0]: {line}\n" for line in PYTHON.splitlines()), OWN),
    ("windows", WINDOWS, "C:\\Users\\u\\train.py:9 in main: loss.backward()"),
    ("carriage returns", PYTHON.replace("\n", "\r\n"), OWN),
    ("colours", PYTHON.replace("element", "\x1b[1;31melement\x1b[0m").replace("File", "\x1b[35mFile\x1b[0m"), OWN),
    ("a progress bar", f"50%|###  |\r100%|#####|\r{PYTHON}", OWN),
    ("recursion", PYTHON.replace("    main()\n", "    main()\n  [Previous line repeated 995 more times]\n"), OWN),
    ("ipython", IPYTHON, "Cell In[3]:2: x.sum().backward()"),
    ("pytest", PYTEST, "test_a.py:5: x.sum().backward()"),
    ("rich", RICH, "/home/u/train.py:6 in <module>: x.sum().backward()"),
    ("no source", PYTHON.replace("    loss.backward()\n    ~~~~~~~~~~~~~^^\n", ""), "/home/u/train.py:9 in main"),
    ("only torch", PYTHON.replace("/home/u/train.py", "/x/site-packages/torch/a.py"), None),
    ("no traceback", f"RuntimeError: {MESSAGE}\n", None),
    ("the traceback was of another error", f"{PYTHON.replace(MESSAGE, 'other')}step 4\n{MESSAGE}\n", None),
    ("wrapped by a terminal", PYTHON.replace("does not require", "does not\nrequire"), OWN),
]  # fmt: skip


def found(text: str) -> list[MessageMatch]:
    matches = gradcli.explain(text).matches
    assert all(isinstance(one, MessageMatch) for one in matches)
    return list(matches)  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "line"), [log[1:] for log in LOGS], ids=[log[0] for log in LOGS])
def test_the_users_own_line(text: str, line: str | None) -> None:
    (match,) = found(text)
    assert match.name == "no-graph"
    assert (str(match.line) if match.line else None) == line


def test_a_warning_names_its_line() -> None:
    (match,) = found(WARNING)
    assert (match.name, match.level) == ("create-graph", "warning")
    assert str(match.line) == "/home/u/train.py:7: loss.backward(create_graph=True)"


def test_anomaly_detection_names_the_line_of_the_forward_pass() -> None:
    error, warning = found(ANOMALY)
    assert (error.name, str(error.line)) == ("anomaly-nan", "/home/u/nan.py:6 in <module>: y.sum().backward()")
    assert (warning.name, str(warning.line)) == (
        "anomaly-forward", "/home/u/nan.py:5 in <module>: y = torch.sqrt(x) * 0",
    )  # fmt: skip
    assert "SqrtBackward0" in error.what


def test_the_last_error_is_told_first_and_warnings_last() -> None:
    second = PYTHON.replace(MESSAGE, "can't optimize a non-leaf Tensor").replace("line 9", "line 44")
    names = [one.name for one in found(f"{PYTHON}{WARNING}{second}ValueError: optimizer got an empty parameter list\n")]
    assert names == ["optimizer-non-leaf", "no-graph", "optimizer-empty", "create-graph"]


def test_the_same_message_at_the_same_line_is_told_once() -> None:
    (match,) = found(PYTHON * 8)
    assert match.count == 8
    assert "8 times" in str(gradcli.explain(PYTHON * 8))


def test_many_places_are_cut_to_the_last_ones_and_that_is_said() -> None:
    answer = gradcli.explain("".join(PYTHON.replace("line 9", f"line {number}") for number in range(100, 150)))
    assert [one.line.number for one in answer.matches] == list(range(149, 129, -1))  # type: ignore[union-attr]
    assert [note.message for note in answer.notes] == ["30 more messages stand at other places and are not shown"]


SIZES = (7, 100, 1 << 16)


@pytest.mark.parametrize("size", SIZES)
def test_a_log_may_come_in_pieces_of_any_size(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognising, "ENOUGH", 1)  # look at each piece by itself
    text = f"{WARNING}\x1b[31m{PYTHON}\x1b[0m\r\n{RICH}{PYTEST}" + "step\n" * 3000
    whole = gradcli.explain(text)
    pieces = gradcli.explain(text[index : index + size] for index in range(0, len(text), size))
    assert pieces.matches == whole.matches
    assert len(whole.matches) == 4


def test_a_message_across_pieces_of_a_long_log() -> None:
    text = "step 1 loss 0.5\n" * 20_000 + PYTHON + "step 2 loss 0.4\n" * 20_000
    for size in (4_000, 40_001, 1 << 20):
        (match,) = gradcli.explain(text[index : index + size] for index in range(0, len(text), size)).matches
        assert (match.name, str(match.line), match.count) == ("no-graph", OWN, 1)  # type: ignore[union-attr]


def test_a_long_log_takes_little_memory() -> None:
    block = "step 17 loss 0.123 grad_norm 1.23 lr 1e-4 to the next epoch\n" * 1_000

    def log() -> Iterator[str]:
        for _ in range(120):
            yield block
        yield PYTHON

    gradcli.explain(PYTHON)  # what is read once stays
    tracemalloc.start()
    answer = gradcli.explain(log())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [one.name for one in answer.matches] == ["no-graph"]
    assert peak < 120 * len(block) / 2
    assert len(answer.expression or "") <= 10_001


def test_any_bytes_are_read() -> None:
    said = ask("explain", "-", stdin=b"\xfa\xff\x00[bold]x[/]\x07 \x1b]0;title\x07" + PYTHON.encode())
    assert (said.code, said.err) == (0, "")
    assert OWN in said.out
    wide = ask("explain", "-", stdin=PYTHON.encode("utf-16"))
    assert OWN in wide.out
    assert ask("explain", "-", stdin=b"").code == 1


def test_markup_and_control_characters_of_a_log_are_shown_as_they_are() -> None:
    text = PYTHON.replace("loss.backward()", "loss.backward([red]1[/red])\x9b31m")
    said = ask("explain", "-", stdin=text, terminal=True, columns=200)
    assert "loss.backward([red]1[/red])" in said.out
    assert "\x9b" not in said.out


def test_a_cut_off_colour_is_waited_for() -> None:
    assert "".join(cleaned(["a\x1b[3", "1mb\r", "\nc\x1b"])) == "ab\nc"


LINES = [line for _, text, _ in LOGS for line in text.splitlines(keepends=True)]
FRAGMENTS = [*LINES, WARNING, ANOMALY, MESSAGE, "\x1b[3"]


@given(st.lists(st.one_of(st.text(max_size=20), st.sampled_from(FRAGMENTS)), max_size=30))
def test_any_text_is_answered_and_pieces_do_not_matter(texts: list[str]) -> None:
    joined = gradcli.explain("".join(texts) + "\n" * 2_001)
    pieces = gradcli.explain([*texts, "\n" * 2_001])
    assert joined.matches == pieces.matches
    assert str(joined)
    assert joined.exit_no is not bool(joined.matches)


SCRIPT = """
import torch
x = torch.ones(3, requires_grad=True)
def step(y):
    y += 1
    return y.sum()
step(x)
"""


def test_a_script_that_really_fails() -> None:
    failed = python(SCRIPT)
    (match,) = found(failed.stderr)
    assert match.name == "leaf-in-place"
    assert match.line
    assert (match.line.number, match.line.function) == (5, "step")


def test_a_message_in_the_code_that_a_traceback_shows_is_not_said_again() -> None:
    said = "No inf checks were recorded for this optimizer."
    code = f'    assert len(found) > 0, "{said}"\n'
    log = f'  File "/lib/torch/amp/grad_scaler.py", line 339, in step\n{code}'
    (match,) = gradcli.explain(f"{log}AssertionError: {said}\n").matches
    assert isinstance(match, MessageMatch)
    assert (match.count, match.text) == (1, said)
    (alone,) = gradcli.explain(log).matches
    assert isinstance(alone, MessageMatch)
    assert alone.name == match.name
