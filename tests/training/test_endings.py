"""A script ends as it ends without gradcli: what it says, byte for byte, and its exit code. The report comes after.

Most of these run with a torch of three letters beside them: what is tested is the process, and torch takes seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gradcli
from gradcli.training import launching
from tests.command_line import ask

CASES = [json.loads(line) for line in (Path(__file__).parents[1] / "cases" / "endings.jsonl").read_text().splitlines()]
ROOT = Path(gradcli.__file__).parents[1]
STARTED = f"import sys\nsys.path.insert(1, {str(ROOT)!r})\nfrom gradcli.__main__ import main\nmain()\n"


def start(words: list[str], folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "NO_COLOR", "FORCE_COLOR"}}
    variables = {**kept, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, input=stdin, capture_output=True, text=True, env=variables, timeout=120,
        check=False,
    )  # fmt: skip


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The command `gradcli` as pip installs it: a script in another folder."""
    file = tmp_path_factory.mktemp("bin") / "gradcli"
    file.write_text(STARTED)
    return str(file)


def laid_out(case: dict[str, Any], folder: Path) -> None:
    files = {**({"script.py": case["script"]} if case["script"] else {}), **case.get("files", {})}
    if not case.get("real"):
        files.setdefault("torch.py", "x = 1\n")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_script_ends_as_it_does_without_gradcli(case: dict[str, Any], tmp_path: Path, program: str) -> None:
    laid_out(case, tmp_path)
    alone = start(case["words"], tmp_path, case.get("stdin", ""))
    watched = start([program, "run", *case["words"]], tmp_path, case.get("stdin", ""))
    assert (watched.returncode, watched.stdout) == (alone.returncode, alone.stdout)
    assert watched.stderr.startswith(alone.stderr)
    report = watched.stderr.removeprefix(alone.stderr)
    assert "\\u" not in report
    if case["id"] in {"os._exit", "abort"}:
        assert report == ""
    else:
        assert report.startswith("verdict  "), report
        assert "watching failed" not in report


@pytest.mark.parametrize(("text", "verdict"), [
    ("x = (\n", "the script died of SyntaxError in script.py:1; torch was not imported: there is nothing to tell"),
    ("import torch\nf = int\nf('x')\n",
     "the script died of ValueError in script.py:3; torch was not imported: there is nothing to tell"),
    ("x = 1\n", "torch was not imported: there is nothing to tell"),
])  # fmt: skip
def test_a_script_without_torch_has_a_verdict_and_a_log(
    text: str, verdict: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "script.py").write_text(text)
    (tmp_path / "torch.py").write_text("")
    found = gradcli.run(tmp_path / "script.py", log=tmp_path / "log.jsonl")
    capfd.readouterr()
    first, last = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert (found.verdict, first["event"], last["verdict"]) == (verdict, "start", verdict)


def test_processes_that_a_script_started_are_said_not_to_be_watched(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "script.py").write_text(
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'sum(range(9))'])\n"
    )
    found = gradcli.run(tmp_path / "script.py")
    capfd.readouterr()
    assert [note.message for note in found.notes] == ["the script started other processes, which are not watched."]


TRAINING = """
import os, sys, torch
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
unused = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*model.parameters(), *unused.parameters()], lr=0.1)
for step in range(10):
    optimizer.zero_grad()
    model(torch.randn(8, 4)).pow(2).mean().backward()
    optimizer.step()
print(model.weight.tolist())
if sys.argv[1:] == ["gone"]:
    os._exit(7)
"""


def test_a_log_holds_what_was_seen_where_no_report_is_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script, log = tmp_path / "script.py", tmp_path / "log.jsonl"
    script.write_text(TRAINING)
    found = gradcli.run(script, ["gone"], log=log, every=3, report=tmp_path / "report.json")
    assert capfd.readouterr().err == ""
    assert (found.exit_code, found.parameters) == (7, ())
    assert found.verdict == "the process ended before anything could be told"
    first, *steps = [json.loads(line) for line in log.read_text().splitlines()]
    assert (first["event"], first["arguments"]) == ("start", ["gone"])
    assert [one["step"] for one in steps] == [1, 4, 7, 10]
    assert all(one["norm"] > 0 and one["none"] == 2 for one in steps)
    assert not (tmp_path / "report.json").exists()


def test_a_finding_can_change_the_exit_code_of_a_script_that_succeeded(tmp_path: Path, program: str) -> None:
    (tmp_path / "script.py").write_text(TRAINING)
    words = ["run", "--fail-on", "G701", "--report", "report.json", "--quiet", "--log", "log.jsonl", "script.py"]
    done = start([program, *words], tmp_path)
    assert (done.returncode, done.stderr) == (1, "gradcli: exit 1: G701\n")
    assert done.stdout.startswith("[[")
    report = json.loads((tmp_path / "report.json").read_text())
    assert [one["name"] for one in report["parameters"]] == [
        "model.weight",
        "model.bias",
        "unused.weight",
        "unused.bias",
    ]
    assert [one["none"] for one in report["parameters"]] == [0, 0, 10, 10]
    last = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert (last["event"], [note["code"] for note in last["notes"]]) == ("end", ["G701"])


@pytest.mark.parametrize(("words", "said"), [
    (["missing.py"], "error: cannot read missing.py: no such file\n"),
    (["--report", "x.txt", "s.py"], "error: --report writes .json, .md, .csv: not 'x.txt'\n"),
    (["--every", "0", "s.py"], "error: --every is a number of steps from 1 on, not 0\n"),
    (["--fail-on", "G999", "s.py"], "error: --fail-on: there is no diagnosis G999\nhint: gradcli explain lists them\n"),
    (["--fail-on", ",", "s.py"], "error: --fail-on: no code is given\nhint: gradcli explain lists them\n"),
    (["--log", "/nowhere/x", "s.py"], "error: --log: there is no folder /nowhere\n"),
    ([], "error: missing argument 'SCRIPT [ARGUMENTS...]'\nhint: gradcli run --help\n"),
])  # fmt: skip
def test_a_request_that_is_wrong_starts_nothing(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    answer = ask("run", *words)
    assert (answer.code, answer.out, answer.err) == (2, "", said)


@pytest.mark.parametrize(("typed", "flags"), [
    (["-m", "gradcli"], []),
    (["-X", "dev", "-Em", "gradcli", "-q"], ["-X", "dev"]),
    (["-Wignore", "-uB", "-I", "bin/gradcli", "run", "-m"], ["-Wignore", "-u", "-B"]),
    (["bin/gradcli", "-X"], []),
    (["-c", "import x", "-O"], []),
])  # fmt: skip
def test_the_script_gets_the_flags_that_the_interpreter_was_given(typed: list[str], flags: list[str]) -> None:
    assert launching._flags(typed) == flags
