"""`gradcli functions`: the vocabulary, searched; a function alone is told in full."""

from __future__ import annotations

import json

import pytest

import gradcli
from gradcli.language.vocabulary import functions as vocabulary
from tests.command_line import ask


def names(pattern: str | None) -> list[str]:
    return [one.name for one in gradcli.functions(pattern).found]


def test_all_functions_without_a_pattern() -> None:
    assert gradcli.functions().found == vocabulary()
    found = json.loads(ask("functions", "--json").out)
    assert found["pattern"] is None
    assert len(found["functions"]) == len(vocabulary())
    assert list(found["functions"][0])[:5] == ["name", "names", "signature", "family", "differentiable"]


SEARCHED = [
    ("softplus", "softplus"),
    ("SOFTPLUS", "softplus"),
    ("sin", "sin"),
    ("torch.sin", "sin"),
    ("absolute", "abs"),
    ("erf", "erf"),
    ("add_", "add_"),
]


@pytest.mark.parametrize(("pattern", "first"), SEARCHED)
def test_an_exact_name_comes_first(pattern: str, first: str) -> None:
    assert names(pattern)[0] == first


def test_a_part_of_a_name_a_family_and_a_description() -> None:
    assert {"softmax", "log_softmax", "gumbel_softmax"} <= set(names("softmax"))
    assert {"fft", "ifft", "rfft"} <= set(names("fft"))
    assert "lgamma" in names("gamma")
    assert "cosine_similarity" in names("cosine")


def test_wildcards_stand_for_letters_of_a_whole_name() -> None:
    assert {"softplus", "softmax"} <= set(names("soft*"))
    assert "gumbel_softmax" not in names("soft*")
    assert set(names("SIN?")) == {"sin_", "sinc", "sinh"}
    assert {"layer_norm", "batch_norm"} <= set(names("F.*norm"))
    assert gradcli.functions("*").found == vocabulary()


@pytest.mark.parametrize("pattern", ["[", "[*", "(", "\\", "a" * 500, "é"])
def test_a_pattern_is_plain_text(pattern: str) -> None:
    said = ask("functions", pattern)
    assert (said.code, said.err) == (0, "")


def test_nothing_found_is_a_warning() -> None:
    found = json.loads(ask("functions", "nothing_of_the_kind", "--json").out)
    assert (found["status"], found["functions"]) == ("ok", [])
    assert [note["level"] for note in found["notes"]] == ["warning"]


def test_a_function_alone_is_told_in_full() -> None:
    lines = ask("functions", "softplus").out.splitlines()
    told = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in lines}
    assert told["written as"] == "F.softplus"
    assert told["signature"].startswith("softplus(input")
    assert told["differentiable"] == "yes"
    assert "family" in told


def test_random_functions_and_kinks_say_so() -> None:
    assert "draws from --seed" in ask("functions", "bernoulli_").out
    assert "at its kinks" in ask("functions", "abs").out


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_every_format_holds_every_function(form: str) -> None:
    said = ask("functions", "--format", form)
    assert said.code == 0
    text = said.out.replace("\\_", "_")
    assert all(one.name in text for one in vocabulary())


def test_code_is_no_format_of_it() -> None:
    said = ask("functions", "--format", "code")
    assert said.code == 2
    assert "code" in said.err


def test_str_is_the_table() -> None:
    assert str(gradcli.functions("softplus")) == ask("functions", "softplus").out


def test_a_name_is_told_in_full_where_others_hold_the_word() -> None:
    lines = ask("functions", "softmax").out.splitlines()
    assert lines[:2] == [
        "signature       softmax(input, dim, dtype=None)",
        "or              F.softmax(input, dim=None, *, dtype=None)",
    ]
    near = next(line for line in lines if line.startswith("see also"))
    assert {"log_softmax,", "masked.softmax,", "gumbel_softmax"} <= set(near.split())


def test_a_name_of_two_things_tells_both() -> None:
    told = [line for line in ask("functions", "real").out.splitlines() if line.startswith("signature")]
    assert [line.split()[1] for line in told] == ["real(input)", "A.real"]


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("where", "A.where(condition, other)"),
        ("polygamma", "A.polygamma(n)"),
        ("expand_as", "A.expand_as(other)"),
        ("dropout", "F.dropout(input, p=0.5, training=True, inplace=False)"),
        ("linalg.lu", "linalg.lu(A, *, pivot=True)"),
        ("mT", "A.mT"),
    ],
)
def test_a_signature_is_written_as_the_call_is(name: str, signature: str) -> None:
    lines = ask("functions", name).out.splitlines()
    assert signature in [line.split(maxsplit=1)[1] for line in lines if line.startswith(("signature", "or "))]


def test_choices_and_bounds_of_arguments_are_told() -> None:
    assert "reduction=      none, mean, sum" in ask("functions", "l1_loss").out
    assert "n=              at most 100,000" in ask("functions", "matrix_power").out


def test_many_are_told_in_a_line_each_under_their_family() -> None:
    lines = ask("functions").out.splitlines()
    start = lines.index("trigonometry")
    assert lines[start - 1] == ""
    assert lines[start + 1].split(maxsplit=1) == ["sin", "Sine of each element."]
    assert len(lines) < len(vocabulary()) + 100


def test_the_nearest_names_come_first() -> None:
    assert names("softm")[:2] == ["softmax", "softmin"]
    assert names("lu")[:3] == ["lu", "lu_factor", "lu_factor_ex"]
