"""What is read from a script's text alone: where paths are cut, what a line goes back from, what it writes in place."""

from __future__ import annotations

import ast

import pytest

from gradcli.training.script.cuts import cut_of_call, operands
from gradcli.training.script.modes import off_by
from gradcli.training.script.roots import roots_at
from gradcli.training.script.source import Source
from gradcli.training.script.writes import instead, writes

CALLS = [
    ("torch.tensor(x, requires_grad=True)", "G107"), ("torch.tensor(x, requires_grad=False)", "G102"),
    ("torch.tensor(x)", "G102"), ("Variable(x, requires_grad=True)", "G107"), ("Variable(x)", None),
    ("x.requires_grad_()", "G107"), ("nn.Parameter(x)", "G107"),
    ("x.detach()", "G102"), ("detach(x)", None), ("float(x)", "G102"), ("x.float()", None),
    ("int(x)", "G102"), ("x.int()", "G103"),
    ("torch.autograd.grad(y, x)", "G102"), ("torch.autograd.grad(y, x, create_graph=True)", None),
    ("np.sin(x)", "G102"), ("torch.sin(x)", None), ("np.argmax(x)", "G102"), ("x.argmax()", "G103"), ("x.amax()", None),
    ("x.to(torch.long)", "G103"), ("x.to(torch.float64)", None), ("x.to('cpu')", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), CALLS)
def test_calls_that_cut_a_path_and_their_neighbours(text: str, code: str | None) -> None:
    call = _expression(text)
    assert isinstance(call, ast.Call)
    cut = cut_of_call(call)
    assert (cut.code if cut else None) == code


OPERANDS = [
    ("x.data", [("x", "G102")]), ("x.grad", [("x", "G102")]), ("x.T", [("x", None)]), ("x.shape", []),
    ("x.sort().indices", [("x.sort()", "G103")]), ("x.sort().values", [("x.sort()", None)]),
    ("x.max(1)[1]", [("x.max(1)", "G103"), ("1", "G103")]), ("x.max(1)[0]", [("x.max(1)", None), ("0", "G103")]),
    ("x[1]", [("x", None), ("1", "G103")]), ("x < y", [("x", "G103"), ("y", "G103")]),
    ("a if c else b", [("a", None), ("b", None)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), OPERANDS)
def test_operands_of_what_is_no_call(text: str, expected: list[tuple[str, str | None]]) -> None:
    found = operands(_expression(text))
    assert [(ast.unparse(node), cut.code if cut else None) for node, cut in found] == expected


MODES = [
    ("torch.no_grad()", "no_grad"), ("no_grad", "no_grad"), ("torch.enable_grad()", None),
    ("torch.inference_mode()", "inference_mode"), ("torch.inference_mode(False)", None),
    ("torch.set_grad_enabled(False)", "set_grad_enabled"), ("torch.set_grad_enabled(True)", None),
    ("torch.set_grad_enabled(training)", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "mode"), MODES)
def test_modes(text: str, mode: str | None) -> None:
    off = off_by(_expression(text))
    assert (off.mode if off else None) == mode


ROOTS = [
    ("loss.backward()", ["loss"]), ("(a + b).backward()", ["a + b"]), ("model(x).sum().backward()", ["model(x).sum()"]),
    ("torch.autograd.backward(loss)", ["loss"]), ("autograd.backward(loss)", ["loss"]), ("backward(loss)", ["loss"]),
    ("torch.autograd.grad(loss, w)", ["loss"]), ("grad(loss, w)", ["loss"]), ("loss.forward()", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "roots"), ROOTS)
def test_what_a_line_goes_back_from(text: str, roots: list[str]) -> None:
    assert [ast.unparse(one) for one in roots_at(Source(text), 1)] == roots


WRITES = [
    ("w += 1", ["w"], ("whole", {"text": "w = w + 1"})), ("w.add_(1)", ["w"], ("method", {"method": "add"})),
    ("w[0] = 1", ["w"], ("part", {"name": "w"})), ("w[0] *= 2", ["w"], ("part", {"name": "w"})),
    ("F.relu(h, inplace=True)", ["h"], ("module", {})), ("w = w + 1", [], ("module", {})),
    ("w.requires_grad_()", [], ("module", {})),
]  # fmt: skip


@pytest.mark.parametrize(("text", "names", "repair"), WRITES)
def test_what_a_line_writes_in_place(text: str, names: list[str], repair: tuple[str, dict[str, str]]) -> None:
    assert [name for _, name in writes(Source(text))] == names
    assert instead(Source(text), 1) == repair


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
