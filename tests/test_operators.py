"""Every differentiable operator of torch's own suite can be written, and means what torch means by it.

The samples are torch's. Each is written as text over named inputs, and gradcli's values and gradients are held
against torch called directly: bit by bit, or to the last digits.
"""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy", reason="torch's operator suite imports it")
pytest.importorskip("expecttest", reason="torch's operator suite imports it")

import torch

import gradcli
from gradcli.language.parser import parse
from gradcli.language.vocabulary import FIELDS, by_path, find_bare
from gradcli.language.words import WORDS
from tests.operators.entries import COMPLEX, ENTRIES, LEFT_OUT, first_sample, shown, tensors
from tests.operators.forms import forms
from tests.operators.verdicts import verdict
from tests.operators.witness import Differs, agree, forward, gradcli_says, values
from tests.operators.writing import write

LISTED = Path(__file__).parent / "operators" / "left_out.txt"
SAME_SUITE = torch.__version__.startswith("2.13.")  # the counts and the list are those of this suite
COUNTS = {"entries": 514, "names": 457, "samples": 4384, "texts": 7523}
COMPLEX_COUNTS = {"entries": 312, "samples": 863, "texts": 1620}

# torch calls them aliases; here they are rows of their own: one of two meanings of max and min, a function and not the
# attribute .mH.
OTHER_ROWS = {"maximum", "minimum", "adjoint"}

each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=shown)


pytestmark = pytest.mark.usefixtures("one_thread")


@each_entry
def test_it_means_what_torch_means(entry: Any) -> None:
    found = verdict(shown(entry))
    assert not found.differences, "\n".join(found.differences)
    assert found.samples, "torch's suite gave no sample"
    assert not found.answers["function: refused"], "a sample that torch itself refuses proves nothing"


@pytest.mark.parametrize("entry", COMPLEX, ids=shown)
def test_it_means_what_torch_means_by_complex_numbers(entry: Any) -> None:
    found = verdict(shown(entry), torch.complex128)
    assert not found.differences, "\n".join(found.differences)
    assert found.answers["function: equal"] + found.answers["function: close"]


@each_entry
def test_every_way_to_write_it_reaches_the_same_row(entry: Any) -> None:
    known = by_path()
    path, name = f"torch.{entry.name}", entry.name.rpartition(".")[2]
    aliases = [alias for alias in entry.aliases if alias.name not in OTHER_ROWS]
    paths = [f"torch.{alias.name}" for alias in aliases]
    paths += [f"torch.Tensor.{alias.name.rpartition('.')[2]}" for alias in aliases if alias.method_variant]
    paths += [f"torch.Tensor.{name}"] if entry.method_variant and path in known else []
    row = known.get(path) or known.get(f"torch.Tensor.{name}")
    assert [one for one in paths if known.get(one) is not row] == []
    text = next(iter(forms(entry)))[1](write(first_sample(entry)))
    if f"{path}(" not in text or name in WORDS:
        return
    short = entry.name.replace("nn.functional.", "F.")
    assert parse(text.replace(f"{path}(", f"{short}(")).steps == parse(text).steps
    if find_bare(name) == (path, row):
        assert parse(text.replace(f"{path}(", f"{name}(")).steps == parse(text).steps


@each_entry
def test_the_parts_of_what_it_returns(entry: Any) -> None:
    sample = first_sample(entry)
    written = write(sample)
    _, spell, call = next(iter(forms(entry)))
    result = _returned(call, sample)
    fields = [name for name in dir(result) if not name.startswith(("_", "n_")) and name not in {"count", "index"}]
    if type(result) is tuple or not isinstance(result, tuple) or any(one.is_complex() for one in result):
        return
    assert set(fields) <= FIELDS
    for field in fields:
        (value,), _ = gradcli_says(f"({spell(written)}).{field}", written)
        assert torch.equal(value, getattr(result, field))
    names = ", ".join(f"part{index}" for index in range(len(result)))
    assert all(map(torch.equal, gradcli_says(f"{names} = {spell(written)}", written)[0], result))


@each_entry
def test_its_answer_is_diagnosed_and_shown(entry: Any) -> None:
    sample = first_sample(entry)
    written = write(sample)
    _, spell, call = next(iter(forms(entry)))
    result = _returned(call, sample)
    ask = gradcli.evaluate if any(one.is_complex() for one in tensors(result)) else gradcli.grad
    answer = ask(spell(written), **values(written))
    assert str(answer)
    assert {one["name"] for one in answer.to_dict()["inputs"]} == set(written.inputs)


def _returned(call: Any, sample: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return forward(call, sample)[0]


def test_a_difference_is_noticed() -> None:
    sine = next(entry for entry in ENTRIES if entry.name == "sin")
    sample = first_sample(sine)
    written = write(sample)
    assert agree("torch.sin(A)", written, torch.sin, sample) == "equal"
    with pytest.raises(Differs):
        agree("torch.sin(A) + 1e-9", written, torch.sin, sample)
    with pytest.raises(Differs):
        agree("torch.sin(A).detach() + A.detach()*0", written, torch.sin, sample)
    with pytest.raises(Differs):
        agree("torch.sine(A)", written, torch.sin, sample)


def test_the_counts(capsys: pytest.CaptureFixture[str]) -> None:
    found = [verdict(shown(entry)) for entry in ENTRIES]
    answers = sum((one.answers for one in found), Counter())
    counts = {
        "entries": len(found),
        "names": len({entry.name for entry in ENTRIES}),
        "samples": sum(one.samples for one in found),
        "texts": sum(answers.values()),
    }
    complex_found = [verdict(shown(entry), torch.complex128) for entry in COMPLEX]
    complex_counts = {
        "entries": len(complex_found),
        "samples": sum(one.samples for one in complex_found),
        "texts": sum(sum(one.answers.values()) for one in complex_found),
    }
    with capsys.disabled():
        print(f"\noperators: {_told(counts)}; {_told(dict(sorted(answers.items())))}")
        print(f"of complex numbers: {_told(complex_counts)}")
        print(f"left out: {_told(Counter(LEFT_OUT.values()))}")
    if SAME_SUITE:
        assert counts == COUNTS
        assert complex_counts == COMPLEX_COUNTS


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())


@pytest.mark.skipif(not SAME_SUITE, reason="the list is that of torch 2.13")
def test_the_rest_is_listed_with_its_reason() -> None:
    assert dict(line.split(": ", 1) for line in LISTED.read_text().splitlines()) == LEFT_OUT
