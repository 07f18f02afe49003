"""Many questions: a JSON object a line in, a JSON object a line out, in order; a bad line spoils only itself."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gradcli import commands
from gradcli.commands.command import SHOWING
from gradcli.doors import batch as door
from tests.command_line import Said, ask, process, python
from tests.test_imports import BLOCKER
from tests.test_schema import complaint, strict
from tests.test_surface import EXAMPLES

A5 = {"command": "grad", "expression": "A*5", "at": {"A": 5.0}}


def answers(*questions: Any, options: tuple[str, ...] = ()) -> list[Any]:
    """What is answered to objects, or to lines as they are written."""
    return [strict(line) for line in batch(*questions, options=options).out.splitlines()]


def batch(*questions: Any, options: tuple[str, ...] = ()) -> Said:
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in questions]
    return ask("batch", "-", *options, stdin=b"\n".join(lines))


def question(name: str, example: str) -> dict[str, Any]:
    """An example of a help text as an object: words that are no option are the subject."""
    command = commands.command(name)
    takes = {flag: option for option in (*command.options, *SHOWING) for flag in option.flags}
    found: dict[str, Any] = {"command": name}
    words = shlex.split(example)[2:]
    subjects = []
    while words:
        word = words.pop(0)
        option = takes.get(word)
        if option is None:
            subjects.append(word)
        elif option.kind is bool:
            found[word[2:]] = True
        else:
            value = option.kind(words.pop(0))
            key = word[2:].replace("-", "_")
            found[key] = [*found.get(key, []), value] if option.many else value
    if subjects:
        found[command.subject] = subjects if len(subjects) > 1 else subjects[0]
    return found


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_every_example_of_the_help_is_answered_as_on_the_command_line(name: str, example: str) -> None:
    example = example.replace("300,300", "3,3")  # the schema takes its time
    if name == "compare" and "dtypes" not in example:
        example += " --rounds 0" * isinstance(question(name, example)["expression"], str)  # times differ
    asked = question(name, example)
    (said,) = answers(asked)
    words = [word for word in shlex.split(example)[1:] if word != "--json"]
    alone = strict(ask(*words, "--json", *["--no-notes"] * (name != "sweep")).out)  # its findings go with the notes
    assert complaint(said) is None
    assert {**said, "notes": None} == {**alone, "notes": None}


def test_every_command_is_one_of_the_batch() -> None:
    assert {name for name, _ in EXAMPLES} | {"run"} == set(commands.NAMES)
    (said,) = answers({"command": "run", "script": "train.py"})
    assert said["error"]["message"] == "this would run code, which no line may"


def test_answers_stand_in_order_and_repeat_the_id() -> None:
    said = answers(*({**A5, "at": number, "id": f"q{number}"} for number in range(20)), {**A5, "id": 7})
    assert [one["output"]["value"] for one in said[:20]] == [5.0 * number for number in range(20)]
    assert [one["id"] for one in said] == [*(f"q{number}" for number in range(20)), 7]
    assert all(complaint(one) is None for one in said)


def test_a_line_that_cannot_be_answered_spoils_only_itself() -> None:
    done = batch(A5, {"command": "grad", "expression": "A^2", "id": "x"}, b"nonsense", A5)
    first, second, third, fourth = map(strict, done.out.splitlines())
    assert done.code == 1
    assert done.err == ""
    assert first == fourth
    assert second["error"]["hint"] == "write A**2"
    assert (second["line"], second["id"]) == (2, "x")
    assert third["command"] is None
    assert third["line"] == 3
    assert complaint(second) is None
    assert complaint(third) is None


@pytest.mark.parametrize(
    ("questions", "code"),
    [
        ([A5, A5], 0),
        ([], 0),
        ([A5, {"command": "functions", "pattern": "relu"}], 0),
        ([{"command": "check", "expression": "abs(A)", "at": 1.0}], 0),
        ([{"command": "explain", "expression": "nothing of the kind"}], 1),
        ([{"command": "grad", "expression": "A @ A", "at": [[1, 2, 3]]}], 1),
        ([{**A5, "at": {"A": 5, "B": 6}, "strict": True}], 1),
        ([{**A5, "at": {"A": 5, "B": 6}}], 0),
    ],
)
def test_the_exit_code_is_1_where_a_line_failed(questions: list[Any], code: int) -> None:
    assert batch(*questions).code == code


# A line as it is written, and the beginning of the message; None: it is answered.
LINES: list[tuple[bytes, str | None]] = [
    (b'\xef\xbb\xbf{"command": "eval", "expression": "A"}', None),
    (b'{"command": "eval", "expression": "A"}\r', None),
    (b'  {"command": "eval", "expression": "A"}\t', None),
    (b'{"command": "eval", "expression": "A", "at": NaN}', None),
    (b'{"command": "eval", "expression": "A", "at": "NaN"}', None),
    (b'{"command": "eval", "expression": "A", "at": [1, "-Infinity"]}', None),
    (b'{"command": "eval", "expression": "A", "at": {"A": {"real": 1, "imag": 2}}}', None),
    (b'{"command": "eval", "expression": "A", "at": null, "mode": null}', None),
    (b'{"command": "eval", "expression": "A", "at": "A=2"}', None),
    (b'{"command": "eval", "expression": "A*B", "at": ["A=2", "B=ones(2)"]}', None),
    (b'{"command": "eval", "expression": "A", "at": 1e999}', "the number 1e999 does not fit a float64"),
    (b'{"command": "eval", "expression": "A", "at": ' + b"9" * 5000 + b"}", "not readable: exceeds the limit"),
    (b'{"command": "eval", "expression": "A", "at": 1' + b"0" * 400 + b"}", "the value of A does not fit"),
    (b'{"command": "eval", "expression": "A", "at": {"A": [1, null]}}', "a value is a number, a list or text, not"),
    (b'{"command": "eval", "expression": "A", "at": {}}', None),
    (b'{"command": "eval", "expression": "A", "at": {"B": null}}', "a value is a number, a list or text, not null"),
    (b'{"command": "eval", "expression": "A", "at": {"A": {}}}', "a value is a number, a list or text"),
    (b'{"command": "eval", "command": "grad"}', 'the key "command" stands twice'),
    (b'{"command": "eval", "expression": "A", "at": {"A": 1, "A": 2}}', 'the key "A" stands twice'),
    (b'{"command": "eval", "expression": "A"', "not JSON: expecting ',' delimiter at column 38"),
    (b"{'command': 'eval'}", "not JSON: expecting property name enclosed in double quotes at column 2"),
    (b"\x00", "not JSON: expecting value at column 1"),
    (b"\xff\xfe{}", "not UTF-8 text: byte 1 of the line"),
    (b"[" * 100_000, "the JSON is nested too deeply"),
    (b'{"a":' * 100_000, "the JSON is nested too deeply"),
    (b'{"command": "eval", "expression": "A", "at": ' + b"[" * 500 + b"]" * 500 + b"}", "the value of A is a list"),
    (b"5", "a line holds one object, not a number"),
    (b"null", "a line holds one object, not null"),
    (b"[]", "a line holds one object, not a list"),
    (b"{}", 'the object has no "command"'),
    (b'{"command": "gard", "expression": "A"}', 'there is no command "gard"'),
    (b'{"command": "batch", "file": "x"}', 'there is no command "batch"'),
    (b'{"command": ["eval"]}', '"command" is text, not a list'),
    (b'{"command": "grad", "expression": "A", "dtype": true}', '"dtype" is text or a number, not true'),
    (b'{"command": "eval"}', 'the object has no "expression"'),
    (b'{"command": "eval", "expression": 5}', '"expression" is text, not a number'),
    (b'{"command": "compare", "expression": ["A", 5]}', '"expression" is text or a list of texts, not a list'),
    (b'{"command": "eval", "expression": "A", "oder": 2}', 'eval has no option "oder"'),
    (b'{"command": "grad", "expression": "A", "order": "2"}', '"order" is a whole number, not "2"'),
    (b'{"command": "grad", "expression": "A", "order": true}', '"order" is a whole number, not true'),
    (b'{"command": "grad", "expression": "A", "precision": []}', '"precision" is a whole number, not a list'),
    (b'{"command": "grad", "expression": "A", "precision": 99}', "--precision is a number from 1 to 17"),
    (b'{"command": "grad", "expression": "A", "no_grad": 1}', '"no_grad" is true or false, not 1'),
    (b'{"command": "grad", "expression": "A", "mode": "x"}', '"mode" is one of grad, no_grad, inference, not "x"'),
    (b'{"command": "grad", "expression": "A", "format": "table"}', '"format" is one of json, not "table"'),
    (b'{"command": "grad", "expression": "A", "wrt": 5}', '"wrt" is text or a list of texts, not a number'),
    (b'{"command": "grad", "expression": "A", "no_grad": true, "inference": true}', "--inference contradicts"),
    (b'{"command": "grad", "expression": "A", "no_grad": true, "mode": "grad"}', "--mode contradicts"),
    (b'{"command": "grad", "expression": "A", "mode": "grad", "no_grad": true}', "--no-grad contradicts"),
    (b'{"command": "grad", "expression": "A", "max-memory": 99999, "max_memory": 1}', "--max-memory contradicts"),
    (b'{"command": "grad", "expression": "A", "id": []}', '"id" is text or a number'),
    (b'{"command": "grad", "expression": "-"}', "standard input holds the questions"),
    (b'{"command": "grad", "expression": "A", "at": "@-"}', "standard input holds the questions"),
    (b'{"command": "grad", "expression": "A", "at": ["A= @-:key"]}', "standard input holds the questions"),
    (b'{"command": "grad", "expression": "A", "upstream": "@-"}', "standard input holds the questions"),
    (b'{"command": "grad", "expression": "@nosuchfile"}', "cannot read nosuchfile"),
    (b'{"command": "grad", "expression": "\\ud800"}', "this character cannot stand in an expression"),
    (b'{"command": "graph", "expression": "A*2", "save": "graph.svg"}', '"save" writes a file, which no line may'),
    (b'{"command": "check", "expression": "os.path:join"}', "this would run code, which no line may"),
    (b'{"command": "check", "expression": " torch:sin "}', "this would run code, which no line may"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), LINES, ids=[repr(line[:70]) for line, _ in LINES])
def test_what_a_line_may_hold(line: bytes, message: str | None) -> None:
    said = ask("batch", "-", stdin=line)
    found = strict(said.out)
    assert complaint(found) is None
    assert said.err == ""
    assert said.code == (message is not None)
    if message is None:
        assert found["status"] == "ok"
    else:
        assert found["error"]["message"].startswith(message)
        assert found["error"]["kind"] != "internal"


def test_a_file_that_names_code_runs_none_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by itself, and not through a file that holds the name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("open('ran', 'w')\ndef f(x): return x\n")
    (tmp_path / "name.txt").write_text("mine.py:f\n")
    for text in ("mine.py:f", "@name.txt", "mine:f"):
        (said,) = answers({"command": "check", "expression": text, "at": {"x": 1}})
        assert said["error"]["message"] == "this would run code, which no line may"
    assert not (tmp_path / "ran").exists()


def test_no_option_of_a_command_that_writes_a_file_is_taken() -> None:
    for name in commands.NAMES:
        for option in commands.command(name).options:
            assert option.writes == (option.metavar == "FILE"), f"{name} {option.flags}"


def test_values_and_subjects_may_stand_in_files(tmp_path: Path) -> None:
    import torch

    torch.save(torch.tensor([1.0, 2.0]), tmp_path / "w.pt")
    (tmp_path / "snippet.py").write_text("B = A*5\nB.sum()\n")
    asked = {"command": "grad", "expression": f"@{tmp_path}/snippet.py", "at": {"A": f"@{tmp_path}/w.pt"}}
    (said,) = answers(asked)
    assert said["output"]["value"] == 15.0


def test_notes_that_need_another_evaluation_are_made_where_asked_for() -> None:
    bad = {"command": "grad", "expression": "sqrt(A)", "at": 0}
    flat, proved = answers(bad, {**bad, "verify": True})
    assert flat["notes"] == []
    assert [note["code"] for note in proved["notes"]] == ["G303"]
    vector = {**A5, "at": [1, 2], "const": {}}
    facts = answers(vector, {**A5, "at": {"A": 1, "B": 2}}, {**A5, "mode": "no_grad"}, {**A5, "expression": "A.data*2"})
    assert [[note["code"] for note in one["notes"]] for one in facts] == [["G201"], ["G104"], ["G101"], ["G102"]]
    assert answers({**vector, "no_notes": True})[0]["notes"] == []
    assert answers({**vector, "notes": False})[0]["notes"] == []


def test_options_of_the_command_line_hold_for_lines_that_say_nothing_else() -> None:
    third = {"command": "eval", "expression": "A/3", "at": 1}
    said = answers(third, {**third, "precision": 5}, options=("--precision", "2", "--no-notes"))
    assert [one["output"]["value"] for one in said] == [0.33, 0.33333]
    assert batch({**A5, "at": {"A": 5, "B": 6}}, options=("--strict",)).code == 1


def test_empty_lines_count_and_are_not_answered() -> None:
    done = batch(b"", A5, b"  ", b"\r", b"x", b"")
    assert [json.loads(line).get("line") for line in done.out.splitlines()] == [None, 5]


def test_a_file_that_cannot_be_read_is_told_as_text() -> None:
    done = ask("batch", "nosuchfile.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: cannot read nosuchfile.jsonl: no such file or directory\n"


def test_a_line_of_ten_megabytes_is_answered(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    numbers = ", ".join(["0.1234567" + "0" * 100] * 100_000)
    file.write_text(f'{{"command": "grad", "expression": "A.sum()", "at": [{numbers}]}}\n')
    assert file.stat().st_size > 10_000_000
    said = strict(ask("batch", str(file)).out)
    assert said["inputs"][0]["shape"] == [100_000]
    assert set(said["inputs"][0]["value"]) == {0.1234567}


def test_a_line_that_is_too_long_is_skipped_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "LONGEST", 100)
    done = batch(A5, b"[" * 1000, A5, b"x" * 101)
    said = [strict(line) for line in done.out.splitlines()]
    assert [one["status"] for one in said] == ["ok", "error", "ok", "error"]
    assert said[1]["error"]["kind"] == "bounds"
    assert [said[1]["line"], said[3]["line"]] == [2, 4]


def test_a_bug_is_an_error_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(door, "request", broken)
    done = batch(A5, options=("--debug",))
    assert strict(done.out)["error"]["message"] == "a bug in gradcli: ZeroDivisionError: of ours"
    assert done.code == 1
    assert "Traceback" in done.err
    assert batch(A5).err == ""


def test_a_repeated_expression_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from gradcli.language import parser

    read: list[str] = []
    real = parser.Source
    monkeypatch.setattr(parser, "Source", lambda text: (read.append(text), real(text))[1])
    answers(*({**A5, "expression": "A*5 + 0.125", "at": {"A": number}} for number in range(50)))
    assert read == ["A*5 + 0.125"]


# The process.


def test_the_first_answer_does_not_wait_for_the_second_question() -> None:
    line = json.dumps(A5).encode() + b"\n"
    running = subprocess.Popen(
        [sys.executable, "-m", "gradcli", "batch", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert running.stdin is not None
    assert running.stdout is not None
    for _ in range(3):
        running.stdin.write(line)
        running.stdin.flush()
        assert json.loads(running.stdout.readline())["output"]["value"] == 25.0
    running.stdin.write(line.rstrip())  # a last line without its end
    running.stdin.close()
    assert json.loads(running.stdout.readline())["output"]["value"] == 25.0
    running.stdout.close()
    assert running.wait(timeout=60) == 0


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_closed_pipe_is_silent(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(f"{json.dumps({'command': 'functions'})}\n" * 200)
    line = f"{sys.executable} -m gradcli batch {file} | head -1 | wc -l; echo ${{PIPESTATUS[0]}}"
    done = process("bash", "-c", line)
    assert (done.stdout.split(), done.stderr) == (["1", "0"], "")


def test_lines_that_need_no_torch_are_answered_without_it() -> None:
    code = """
from gradcli.__main__ import answer
print(int(answer(["batch", sys.argv[2]])))
"""
    questions = [
        {"command": "functions", "pattern": "softmax"}, {"command": "explain", "expression": "G302"}, {"command": "x"},
        {"command": "grad", "expression": "A^2"}, {"command": "grad", "expression": "A*B"},
    ]  # fmt: skip
    file = "/dev/stdin"
    done = python(BLOCKER + code, "torch numpy", file, input="\n".join(map(json.dumps, questions)))
    *lines, last = done.stdout.splitlines()
    assert [json.loads(line)["status"] for line in lines] == ["ok", "ok", "error", "error", "error"]
    assert last == "1"


def test_a_sweep_takes_ranges_and_values_by_name() -> None:
    line = b'{"command": "sweep", "expression": "A*B", "at": {"A": "-1:1:3", "B": 2}, "no-notes": true}'
    assert json.loads(ask("batch", "-", stdin=line).out)["value"] == [-2.0, 0.0, 2.0]
    line = b'{"command": "sweep", "expression": "A*5", "at": {"A": [1, "Infinity"]}, "over": "A", "no-notes": true}'
    assert json.loads(ask("batch", "-", stdin=line).out)["value"] == [5.0, "Infinity"]
