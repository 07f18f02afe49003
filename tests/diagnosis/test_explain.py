"""The command `explain`: what a subject is taken for, every format, and the exit code."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
import torch

import gradcli
from gradcli.diagnosis.nodes import names, node
from gradcli.explained import NodeMatch
from tests.command_line import ask

KINDS = [
    ("G203", "code", "leaf-changed"),
    ("g203", "code", "leaf-changed"),
    (" G203\n", "code", "leaf-changed"),
    ("leaf-changed", "code", "leaf-changed"),
    ("PowBackward0", "node", "PowBackward0"),
    ("<PowBackward0>", "node", "PowBackward0"),
    ("<PowBackward0 object at 0x7f3e3c0b2a40>", "node", "PowBackward0"),
    ("AccumulateGrad", "node", "AccumulateGrad"),
    ("CopySlices", "node", "CopySlices"),
    ("MyFunctionBackward", "node", "MyFunctionBackward"),
    ("can't optimize a non-leaf Tensor", "message", "optimizer-non-leaf"),
    ("PowBackward0 failed: can't optimize a non-leaf Tensor", "message", "optimizer-non-leaf"),
]


@pytest.mark.parametrize(("text", "kind", "name"), KINDS)
def test_what_a_subject_is_taken_for(text: str, kind: str, name: str) -> None:
    (match,) = gradcli.explain(text).matches
    assert (match.facts()["kind"], match.name) == (kind, name)
    assert ask("explain", "-", stdin=text).out == ask("explain", text).out


UNKNOWN = [
    ("G999", "there is no diagnosis G999: gradcli explain lists them"),
    ("G203x", "did you mean G203"),
    ("leaf-change", "did you mean leaf-changed?"),
    ("PowBackward7", "did you mean PowBackward"),
    ("hello", "nothing is known of 'hello'"),
    ("nothing of this kind", "no error or warning of torch about gradients was recognised in this text"),
]


@pytest.mark.parametrize(("text", "words"), UNKNOWN)
def test_nothing_found_is_said_and_ends_with_1(text: str, words: str) -> None:
    said = ask("explain", text)
    assert said.code == 1
    assert words in said.out
    assert said.err == ""
    found = json.loads(ask("explain", text, "--json").out)
    assert (found["status"], found["matches"]) == ("ok", [])


@pytest.mark.parametrize("text", ["G203", "PowBackward0", "can't optimize a non-leaf Tensor"])
@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_every_format_tells_what_and_why(text: str, form: str) -> None:
    (match,) = gradcli.explain(text).matches
    said = ask("explain", text, "--format", form)
    assert said.code == 0
    plain = said.out.replace("\\", "")
    assert match.what.replace('"', "") in plain.replace('"', "")
    assert match.why[:40] in plain


def test_a_file_is_read_and_a_missing_one_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("ValueError: can't optimize a non-leaf Tensor\n", encoding="utf-8")
    assert "An optimizer was given a computed tensor." in ask("explain", f"@{log}").out
    assert ask("explain", f"@{tmp_path}").code == 2
    assert ask("explain", f"@{tmp_path / 'nothing'}").code == 2


def test_lines_of_an_open_file_are_a_subject(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("step\n" * 10_000 + "ValueError: can't optimize a non-leaf Tensor\n", encoding="utf-8")
    with log.open(encoding="utf-8") as file:
        assert [one.name for one in gradcli.explain(file).matches] == ["optimizer-non-leaf"]


def test_a_result_is_frozen_and_shows_itself() -> None:
    answer = gradcli.explain("G203")
    with pytest.raises(AttributeError):
        answer.expression = "x"  # type: ignore[misc]
    assert "leaf-changed" in answer._repr_html_()
    assert json.loads(json.dumps(answer.to_dict())) == answer.to_dict()


# Nodes.


def test_a_node_says_who_records_it_and_what_it_saves() -> None:
    (match,) = gradcli.explain("PowBackward0").matches
    assert isinstance(match, NodeMatch)
    assert match.functions[0] == "pow"
    assert {one.name: one.kinds for one in match.saves} == {"exponent": ("number",), "self": ("tensor",)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("grad_fn=<PowBackward0>", "PowBackward0"),
        ("tensor([25., 4.], grad_fn=<MulBackward0>)", "MulBackward0"),
        ("torch::autograd::AccumulateGrad", "AccumulateGrad"),
        ("<AddBackward0 object at 0x7f3a>", "AddBackward0"),
        ("NotImplemented", "NotImplemented"),
    ],
)
def test_a_node_is_found_as_torch_prints_it(text: str, name: str) -> None:
    (match,) = gradcli.explain(text).matches
    assert isinstance(match, NodeMatch)
    assert match.name == name


def test_a_node_of_an_older_torch_is_no_function_of_the_user() -> None:
    (match,) = gradcli.explain("SelectBackward").matches
    assert isinstance(match, NodeMatch)
    assert "select" in match.functions
    (own,) = gradcli.explain("MyReLUBackward").matches
    assert "MyReLU" in own.what


def test_nodes_of_common_expressions_are_known() -> None:
    texts = ["A*5", "A**2", "A/A", "-A", "A@A", "sin(A)", "F.relu(A)", "A.sum()", "A[0]", "A[[0, 0]]", "softmax(A, 0)"]
    for text in texts:
        name = gradcli.evaluate(text, at=[1.0, 2.0]).output.grad_fn
        found = node(str(name))
        assert found, name
        assert found.functions


@pytest.mark.skipif(not torch.__version__.startswith("2.13."), reason="the table is that of torch 2.13")
def test_the_table_holds_what_is_measured_now() -> None:
    pytest.importorskip("numpy", reason="torch's operator suite imports it")
    pytest.importorskip("expecttest", reason="torch's operator suite imports it")
    from tests.operators.entries import ENTRIES
    from tests.operators.nodes import measured_of

    for name, one in measured_of(islice(ENTRIES, 0, None, 12)).items():
        known = node(name)
        assert known, name
        assert one.direct <= set(known.functions), name
        assert one.within <= set(known.functions) | set(known.within), name
        saves = dict(known.saves)
        assert all(kinds <= set(saves[saved]) for saved, kinds in one.saves.items()), name


def test_names_are_many_and_lead_to_a_node() -> None:
    assert len(names()) > 300
    assert all(node(name) for name in names())
