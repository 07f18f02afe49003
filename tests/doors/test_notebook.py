"""`%gradcli` in a real kernel: answers as HTML tables, errors with carets, the notebook's own tensors left alone."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

from gradcli.doors import notebook
from gradcli.doors.borrowing import filled
from gradcli.errors import GradcliError

ROOT = Path(__file__).parents[2]

CELLS = {
    "load": "%load_ext gradcli",
    "line": '%gradcli grad "A*5" --at 5',
    "dollar": '%gradcli eval "A*{5}" --at $HOME',
    "quiet": '%gradcli eval --no-grad "A**2+16" -q --precision 2',
    "json": '%gradcli grad "A*5" --at 5 --json',
    "error": '%gradcli grad "sin(x) + sine(y)" --at x=1 --at y=2',
    "torch error": '%gradcli grad "A @ A" --at "[[1, 2, 3]]"',
    "open quote": '%gradcli grad "A*5',
    "stdin": "%gradcli grad -",
    "help": "%gradcli --help",
    "markup": '%gradcli eval "A < 5" --at "[1, 9]"',
    "cell": '%%gradcli --no-notes\n# both\ngrad "A*5"\n\neval "B = A*2\nB + 1" --at 3\ngrad A^2\ngrad -- -A**2',
    "graph": '%gradcli graph "sin(A)*A" --at 2',
    "functions": "%gradcli functions relu6",
    "explain": "%gradcli explain G203",
    "tensors": "import torch\nw = torch.tensor([1., 2.], requires_grad=True)\n(w*3).sum().backward()\n"
    "x = torch.ones(2)\nk = w*2\ni = torch.tensor([0, 1])\nlr = 0.5\ndef state():\n    "
    "return [(t.tolist(), t.requires_grad, t._version) "
    "for t in (w, x, k, i)], w.grad.tolist(), x.grad, k.grad_fn.name()\nbefore = state()",
    "free": '%gradcli grad "(w*x).sum()"',
    "named": '%gradcli grad "A*B" --at A=w --const B=x',
    "only": '%gradcli grad "A*lr" --at k --at lr=lr',
    "indices": '%gradcli grad "w[i]*lr" --at lr=2',
    "writes": '%gradcli grad "w.mul_(2); w.sum()" --no-grad',
    "beside": '%gradcli jvp "w*x" --tangent w=x',
    "unchanged": "before == state()",
    "result": "import gradcli\ngradcli.grad('w*2', at=w)",
    "loop": 'for n in (1, 2):\n    get_ipython().run_line_magic("gradcli", f"eval A*2 --at {n}")',
}


@pytest.fixture(scope="module")
def cells() -> dict[str, Any]:
    """The outputs of each cell, by its name."""
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(text) for text in CELLS.values()]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = path
    try:
        nbclient.NotebookClient(book, timeout=120, kernel_name="python3", allow_errors=True).execute()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    return {name: cell.outputs for name, cell in zip(CELLS, book.cells, strict=True)}


def html(outputs: list[Any]) -> list[str]:
    return [one["data"]["text/html"] for one in outputs if "text/html" in one.get("data", {})]


def stream(outputs: list[Any], name: str) -> str:
    return "".join(one["text"] for one in outputs if one["output_type"] == "stream" and one["name"] == name)


def test_no_cell_shows_a_traceback(cells: dict[str, Any]) -> None:
    for name, outputs in cells.items():
        assert [one for one in outputs if one["output_type"] == "error"] == [], name


def test_an_answer_is_a_table_and_where_there_is_no_html_text(cells: dict[str, Any]) -> None:
    (shown,) = cells["line"]
    assert "MulBackward0" in shown["data"]["text/html"]
    assert "<table>" in shown["data"]["text/html"]
    assert "│ A*5    │  25.0 │  None │ True          │ MulBackward0 │" in shown["data"]["text/plain"]
    assert "\x1b" not in shown["data"]["text/plain"]


@pytest.mark.parametrize("name", ["line", "quiet", "markup", "graph", "functions", "explain", "free", "result"])
def test_results_of_every_kind_are_shown_in_html(cells: dict[str, Any], name: str) -> None:
    assert len(html(cells[name])) == 1
    assert stream(cells[name], "stderr") == ""


def test_options_of_showing_are_kept(cells: dict[str, Any]) -> None:
    (shown,) = html(cells["quiet"])
    assert "G101" not in shown
    assert stream(cells["json"], "stdout").startswith('{"schema": "gradcli/1"')
    assert html(cells["json"]) == []
    assert "A &lt; 5" in html(cells["markup"])[0]


def test_errors_have_carets(cells: dict[str, Any]) -> None:
    assert stream(cells["error"], "stderr") == (
        "error: unknown function 'sine'\n  sin(x) + sine(y)\n           ^^^^\nhint: did you mean 'sin'?\n"
    )
    assert "  A @ A\n  ^^^^^\n" in stream(cells["torch error"], "stderr")
    assert stream(cells["open quote"], "stderr").startswith("error: a quotation is not closed\n")
    assert stream(cells["stdin"], "stderr") == "error: cannot read standard input: it is closed\n"
    assert "'$'" not in stream(cells["dollar"], "stdout")
    assert stream(cells["dollar"], "stderr").startswith("error: ")


def test_help_is_text(cells: dict[str, Any]) -> None:
    assert stream(cells["help"], "stdout").startswith("Usage: gradcli ")


def test_each_line_of_a_cell_is_answered_and_an_error_stops_none(cells: dict[str, Any]) -> None:
    first, second, third = html(cells["cell"])
    assert "5.0 (--at)" not in first
    assert '<td style="text-align: left">7.0</td>' in second
    assert "-A**2" in third
    assert "hint: write A**2" in stream(cells["cell"], "stderr")


def test_inputs_may_be_tensors_of_the_notebook(cells: dict[str, Any]) -> None:
    assert "[1.0, 1.0]" in html(cells["free"])[0]  # the gradient by w, and x itself
    assert "[2.0, 4.0]" in html(cells["only"])[0]
    assert "0.5" in html(cells["only"])[0]
    assert "[2.0, 2.0]" in html(cells["indices"])[0]
    (named,) = html(cells["named"])
    assert named.count("[1.0, 2.0]") >= 2
    (beside,) = html(cells["beside"])
    assert "tangent" in beside
    assert len(html(cells["loop"])) == 2


def test_tensors_of_the_notebook_are_left_as_they_were(cells: dict[str, Any]) -> None:
    (shown,) = cells["unchanged"]
    assert shown["data"]["text/plain"] == "True"


# Without a kernel.


def asked(name: str, subject: str, names: dict[str, Any], **keywords: Any) -> dict[str, Any]:
    from gradcli import commands

    return filled(names, commands.command(name), subject, keywords)


def test_what_is_taken_from_the_notebook() -> None:
    import torch

    w, i = torch.ones(2), torch.tensor([0, 1])
    names = {"w": w, "i": i, "lr": 0.5, "e": 3.0, "text": "5"}
    assert asked("grad", "w*5", names, at=None) == {"at": {"w": w}}
    assert asked("grad", "w[i]", names) == {"at": {"w": w}, "const": {"i": i}}
    assert asked("grad", "A*5", names, at=("w",)) == {"at": {"A": w}}
    assert asked("grad", "A*5", names, at=("A=lr",)) == {"at": {"A": 0.5}}
    assert asked("grad", "A*5", names, at=("A=e",)) == {"at": ("A=e",)}  # the constant of the language
    assert asked("grad", "A*5", names, at=("A=text",)) == {"at": ("A=text",)}
    assert asked("grad", "A*w", names, at=("3",)) == {"at": {"A": "3", "w": w}}
    assert asked("grad", "A*5", names, at=("w=3",)) == {"at": ("w=3",)}
    assert asked("grad", "w*5", names, at=("w=3",)) == {"at": ("w=3",)}
    assert asked("grad", "A*5", names, upstream="w") == {"upstream": w}
    assert asked("grad", "A^2", names) == {}
    assert asked("grad", "A*5", names) == {}
    assert asked("check", "os.path:join", names) == {}
    assert asked("functions", "w", names) == {}
    assert asked("compare", ("w*2", "w+w"), names) == {"at": {"w": w}}  # type: ignore[arg-type]
    assert asked("grad", "w*lr", names) == {"at": {"w": w, "lr": 0.5}}
    assert asked("grad", "text*5", names, at=("3",)) == {"at": ("3",)}


def test_arrays_serve_as_tensors_do() -> None:
    numpy = pytest.importorskip("numpy")
    x, i = numpy.array([1.0, 2.0]), numpy.arange(2)
    assert asked("grad", "x*5", {"x": x}) == {"at": {"x": x}}
    assert asked("grad", "A*5", {"x": x}, at=("A=x",)) == {"at": {"A": x}}
    assert asked("grad", "A*i", {"i": i}, at=("A=3",)) == {"at": ("A=3",), "const": {"i": i}}
    with pytest.raises(GradcliError, match="of type ndarray"):
        asked("grad", "x*5", {"x": numpy.array(["text"])})


@pytest.mark.parametrize(("value", "said"), [("5", "of type str"), (len, "a function"), (json, "a module")])
def test_an_input_that_is_called_like_something_else_is_no_number(value: object, said: str) -> None:
    with pytest.raises(GradcliError, match=f"'x' is {said} here, which is no value"):
        asked("grad", "x*2", {"x": value})


@pytest.mark.parametrize("at", [("A=w", "w"), ("w", "w"), ("A=w", "A=w")])
def test_a_tensor_that_does_not_say_what_it_is_for_is_refused(at: tuple[str, ...]) -> None:
    import torch

    with pytest.raises(GradcliError):
        asked("grad", "A*B*C", {"w": torch.ones(2)}, at=at)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("", []),
        ("# nothing\n\n", []),
        ("grad A*5", [["grad", "A*5"]]),
        ('grad "A*5" # x', [["grad", "A*5", "#", "x"]]),
        ('grad "A\n*5"\neval B', [["grad", "A\n*5"], ["eval", "B"]]),
        ("grad \\\n  A*5 \\\n  --at 3", [["grad", "A*5", "--at", "3"]]),
    ],
)
def test_lines_of_a_cell(cell: str, words: list[list[str]]) -> None:
    assert list(notebook.lines(cell)) == words


def test_a_quotation_that_does_not_end_is_refused() -> None:
    with pytest.raises(GradcliError, match="not closed"):
        list(notebook.lines('grad "A*5\neval B'))
