"""torch stays away until a request is known to be right: proved in processes where importing it raises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gradcli import commands
from tests.command_line import python

# Importing any of the modules named on the command line raises; then the rest of the code runs.
BLOCKER = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

BLOCKED = set(sys.argv[1].split())
sys.meta_path.insert(0, Blocker())
"""

# Each command line is answered in one process, one after the other; what they say is thrown away.
ANSWERS = """
import contextlib, io, json
from gradcli.__main__ import answer

codes = []
for words in json.loads(sys.argv[2]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        sys.stdin = io.TextIOWrapper(io.BytesIO(b"A^2"))
        codes.append(int(answer(words)))
print(json.dumps([codes, sorted(set(sys.modules) & {"torch", "numpy", "sympy"})]))
"""

EVALUATED = {name: command for name in commands.NAMES if (command := commands.command(name)).subject_required}
EXPRESSIONS = [name for name, command in EVALUATED.items() if command.subject == "expression"]

WITHOUT_TORCH: list[tuple[list[str], int]] = [
    ([], 0),
    (["--help"], 0),
    (["-h"], 0),
    (["--version"], 0),
    (["-V"], 0),
    *[([name, "--help"], 0) for name in commands.NAMES],
    (["functions"], 0),
    (["functions", "softmax"], 0),
    (["functions", "relu", "--json"], 0),
    (["functions", "--format", "csv"], 0),
    (["functions", "--format", "markdown"], 0),
    (["functions", "nothing_of_the_kind", "--strict"], 1),
    (["explain"], 0),
    (["explain", "G203"], 0),
    (["explain", "PowBackward0", "--json"], 0),
    (["explain", "element 0 of tensors does not require grad and does not have a grad_fn"], 0),
    (["explain", "-"], 1),
    (["explain", "@missing.log"], 2),
    (["nothing"], 2),
    (["--nothing"], 2),
    *[([name], 2) for name in EXPRESSIONS],
    *[([name, "A^2"], 2) for name in EXPRESSIONS],
    *[([name, "sine(A)", "--json"], 2) for name in EXPRESSIONS],
    *[([name, "-"], 2) for name in EXPRESSIONS],
    *[([name, "A*5", "--nothing"], 2) for name in EXPRESSIONS],
    (["grad", "A*5", "--at"], 2),
    (["grad", "A*5", "--at", "--no-grad"], 2),
    (["grad", "A*5", "--at", "[1, [2]]"], 2),
    (["grad", "A*5", "--at", "1e999"], 2),
    (["grad", "A*5", "--at", "A=hello"], 2),
    (["grad", "A*5", "--const", "5"], 2),
    (["grad", "A*B"], 2),
    (["grad", "A*B", "--at", "5"], 2),
    (["grad", "A*5", "--wrt", "B"], 2),
    (["grad", "A*5", "--seed", "-1"], 2),
    (["grad", "A*5", "--seed", "x"], 2),
    (["grad", "A*5", "--mode", "x"], 2),
    (["grad", "A*5", "--reduce", "x"], 2),
    (["grad", "A*5", "--format", "x"], 2),
    (["grad", "A*5", "--precision", "0"], 2),
    (["grad", "A*5", "--no-grad", "--inference"], 2),
    (["grad", "@missing.py"], 2),
    (["grad", "A.item()"], 2),
    (["grad", "matrix_power(A, 10**9)"], 2),
    (["grad", "A*9**9**9"], 2),
]


def answers(blocked: str, lines: list[list[str]]) -> Any:
    done = python(BLOCKER + ANSWERS, blocked, json.dumps(lines))
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_what_needs_no_torch_is_answered_without_it() -> None:
    codes, modules = answers("torch numpy sympy", [words for words, _ in WITHOUT_TORCH])
    assert [(words, code) for (words, _), code in zip(WITHOUT_TORCH, codes, strict=True)] == WITHOUT_TORCH
    assert modules == []


def test_the_test_above_would_notice_an_import_of_torch() -> None:
    """Requests that are right need torch: where it is blocked they end as bugs do, and not as answers."""
    codes, _ = answers("torch", [["grad", "A*5"], ["eval", "A*5", "--json"], ["functions", "softmax"]])
    assert codes == [70, 70, 0]


def test_what_is_healthy_is_answered_without_what_torch_imports_late() -> None:
    lines = [
        ["grad", "A*5", "--at", "5.0"],
        ["grad", "A**2", "--at", "[1, 2]"],
        ["eval", "A**2+16", "--at", "5"],
        ["sweep", "x**2", "--at", "x=-2:2:11"],
    ]
    codes, modules = answers("sympy", lines)
    assert (codes, "sympy" in modules) == ([0] * 4, False)


@pytest.mark.parametrize(
    "code", ["import gradcli", "import gradcli; dir(gradcli); gradcli.__version__; gradcli.GradcliError"]
)
def test_importing_gradcli_imports_next_to_nothing(code: str) -> None:
    blocked = "torch numpy sympy typer rich click gradcli.doors gradcli.render gradcli.engine"
    done = python(
        f"{BLOCKER}{code}\nprint(*sorted(name for name in sys.modules if name.startswith('gradcli')))", blocked
    )
    assert done.stderr == ""
    loaded = done.stdout.split()
    assert set(loaded) <= {"gradcli", "gradcli.errors"}


def test_the_functions_of_the_api_come_without_torch_and_without_the_command_line() -> None:
    code = (
        "import gradcli\nassert gradcli.functions('softmax').found\nfor name in gradcli.__all__: getattr(gradcli, name)"
    )
    done = python(BLOCKER + code, "torch typer rich")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_request_that_is_wrong_is_refused_by_the_api_without_torch() -> None:
    code = """
import gradcli
WRONG = [("A^2", {}), ("A*B", {}), ("A*5", {"at": "[1, [2]]"}), ("A*5", {"wrt": "B"}), ("A*5", {"mode": "x"})]
for text, options in WRONG:
    try:
        gradcli.grad(text, **options)
    except gradcli.GradcliError as error:
        assert error.exit_code == 2
    else:
        raise AssertionError(text)
"""
    done = python(BLOCKER + code, "torch")
    assert (done.returncode, done.stderr) == (0, "")


WITHOUT_NUMPY = """
from gradcli.__main__ import answer
answer(["grad", "A*randn(3)", "--at", "[1, 2, 3]", "--json"])
answer(["grad", "A*5", "--at", "ones(100)"])
answer(["grad", "A*5", "--format", "code"])
import gradcli
print(gradcli.grad("linalg.det(A)", at=[[1, 2], [3, 4]]).inputs["A"].grad.tolist())
print(sorted(name for name in sys.modules if name.partition(".")[0] == "numpy"))
"""


def test_everything_works_where_numpy_is_absent_and_nothing_is_said_of_it() -> None:
    done = python(BLOCKER + WITHOUT_NUMPY, "numpy")
    assert (done.returncode, done.stderr) == (0, "")
    first, *_, determinant, modules = done.stdout.splitlines()
    assert json.loads(first)["status"] == "ok"
    assert determinant == "[[4.0, -3.0], [-2.0, 1.0]]"
    assert modules == "[]"
