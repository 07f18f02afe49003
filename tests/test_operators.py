"""Every differentiable operator of torch's own suite can be written, and means what torch means by it.

The samples are torch's. Each is written as text over named inputs, and gradcli's values and gradients are held
against torch called directly: bit by bit, or to the last digits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy", reason="torch's operator suite imports it")
pytest.importorskip("expecttest", reason="torch's operator suite imports it")

import torch

from gradcli.language.parser import parse
from gradcli.language.vocabulary import FIELDS, by_path, find_bare
from gradcli.language.words import WORDS
from tests.operators import entries
from tests.operators.entries import ENTRIES, shown
from tests.operators.forms import forms
from tests.operators.witness import Differs, agree, gradcli_says, torch_itself
from tests.operators.writing import write

LEFT_OUT = Path(__file__).parent / "operators" / "left_out.txt"
SAME_SUITE = torch.__version__.startswith("2.13.")  # the counts and the list below are those of this suite
COUNTS = {"entries": 514, "names": 457, "samples": 4390, "texts": 7521}

# torch's aliases that are only one of the meanings of a name: another row has that meaning alone.
NARROWER = {"max": "maximum", "min": "minimum"}


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """The samples are small: threads would only wait for one another."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@cache
def verdicts(number: int) -> tuple[Counter[str], list[str], int]:
    """The answers of an entry by form, what differed, and how many samples there were."""
    entry = ENTRIES[number]
    answers: Counter[str] = Counter()
    differences: list[str] = []
    count = 0
    for sample in entries.samples(entry):
        count += 1
        written = write(sample)
        for form, spell, call in forms(entry):
            try:
                answer = agree(spell(written), written, call, sample)
            except Differs as difference:
                answer = "differs"
                differences.append(str(difference))
            answers[f"{form.split()[0]} {answer}"] += 1
    return answers, differences, count


def _each() -> Any:
    return pytest.mark.parametrize("number", range(len(ENTRIES)), ids=[shown(one).replace(" ", "-") for one in ENTRIES])


@_each()
def test_an_operator_means_what_torch_means(number: int) -> None:
    answers, differences, count = verdicts(number)
    assert not differences, "\n".join(differences)
    assert count, "torch's suite gave no sample"
    assert not answers["function refused"], "a sample that torch itself refuses proves nothing"


@_each()
def test_every_way_to_write_it_reaches_the_same_row(number: int) -> None:
    entry = ENTRIES[number]
    known = by_path()
    row = known.get(f"torch.{entry.name}")
    places = [alias.name for alias in entry.aliases if alias.name != NARROWER.get(entry.name)]
    methods = [entry.name] * (entry.method_variant is not None) + [
        alias.name.rpartition(".")[2] for alias in entry.aliases if alias.method_variant and alias.name in places
    ]
    assert all(f"torch.{place}" in known for place in places)
    if row is not None and not entry.name.startswith("nn."):
        assert all(known[f"torch.{place}"] is row for place in places)
        assert all(known[f"torch.Tensor.{name}"] is row for name in methods)
    if row is None or entry.name in {"to", "float", "double", "half", "bfloat16"}:
        return
    name = entry.name.rpartition(".")[2]
    written = next(map(write, entries.samples(entry)))
    function = next(iter(forms(entry)))[1](written)
    short = function.replace(f"torch.{entry.name}(", f"{entry.name}(".replace("nn.functional.", "F."), 1)
    assert parse(short).steps == parse(function).steps
    if find_bare(name) == (f"torch.{entry.name}", row) and name not in WORDS:
        assert parse(function.replace(f"torch.{entry.name}(", f"{name}(", 1)).steps == parse(function).steps


@pytest.mark.parametrize("entry", [one for one in ENTRIES if not one.variant_test_name], ids=shown)
def test_the_parts_of_a_named_tuple(entry: Any) -> None:
    sample = next(entries.samples(entry))
    written = write(sample)
    _, spell, call = next(iter(forms(entry)))
    result, (outputs, _) = torch_itself(call, sample)
    fields = [name for name in dir(type(result)) if not name.startswith(("_", "n_")) and name not in {"count", "index"}]
    if not isinstance(result, tuple) or not fields or any(one.is_complex() for one in result):
        return
    assert set(fields) <= FIELDS
    for field in fields:
        (value,), _ = gradcli_says(f"{spell(written)}.{field}", written)
        assert any(torch.equal(value, one) for one in outputs if one is not None)
    names = ", ".join(f"part{index}" for index in range(len(result)))
    assert all(map(torch.equal, gradcli_says(f"{names} = {spell(written)}", written)[0], outputs))


def test_the_counts(capsys: pytest.CaptureFixture[str]) -> None:
    answers = sum((verdicts(number)[0] for number in range(len(ENTRIES))), Counter())
    counts = {
        "entries": len(ENTRIES),
        "names": len({entry.name for entry in ENTRIES}),
        "samples": sum(verdicts(number)[2] for number in range(len(ENTRIES))),
        "texts": sum(answers.values()),
    }
    with capsys.disabled():
        print(f"\noperators: {', '.join(f'{count:,} {what}' for what, count in counts.items())}")
        print("  " + ", ".join(f"{what}: {count:,}" for what, count in sorted(answers.items())))
        print("  left out: " + ", ".join(f"{count} {why}" for why, count in Counter(entries.LEFT_OUT.values()).items()))
    if SAME_SUITE:
        assert counts == COUNTS


@pytest.mark.skipif(not SAME_SUITE, reason="the list is that of torch 2.13")
def test_the_rest_is_listed_with_its_reason() -> None:
    listed = dict(line.split(": ", 1) for line in LEFT_OUT.read_text().splitlines())
    assert listed == entries.LEFT_OUT
