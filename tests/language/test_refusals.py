"""Every refusal of a text, word for word and caret for caret, beside the text that is accepted instead."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.doors import failures
from gradcli.errors import GradcliError, Span
from gradcli.language import slips
from gradcli.language.parser import parse
from tests.cases import rows, write

ROWS = rows("refusals")
OURS = [row for row in ROWS if not row.get("python")]
PYTHONS = [row for row in ROWS if row.get("python")]


def refusal(text: str) -> GradcliError:
    with pytest.raises(GradcliError) as caught:
        parse(text)
    return caught.value


def words(text: str) -> list[str]:
    return failures.text(refusal(text)).splitlines()


def test_the_words_are_rewritten_where_that_is_asked_for(rewrite: bool) -> None:
    if rewrite:
        write("refusals", [row if row in PYTHONS else {**row, "error": words(row["text"])} for row in ROWS])


@pytest.mark.parametrize("row", OURS, ids=lambda row: row["text"][:30])
def test_text_is_refused_in_these_words(row: dict[str, Any], rewrite: bool) -> None:
    assert rewrite or words(row["text"]) == row["error"]


@pytest.mark.parametrize("row", PYTHONS, ids=lambda row: row["text"][:30])
def test_text_that_is_no_python_is_refused_under_its_place(row: dict[str, Any]) -> None:
    """The words are Python's own and change with it."""
    error = refusal(row["text"])
    assert error.kind == "syntax"
    assert error.span is not None
    assert 0 <= error.span.start < error.span.end <= len(row["text"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["instead"][:30])
def test_its_neighbour_is_accepted(row: dict[str, Any]) -> None:
    assert parse(row["instead"]).outputs


@pytest.mark.parametrize("character", slips.CHARACTERS)
def test_every_slip_of_a_character_is_found_under_its_place(character: str) -> None:
    error = refusal(f"A {character} B")
    assert error.span == Span(2, 3)
    assert error.hint == slips.CHARACTERS[character]


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        pytest.param("A+" * 5_000 + "A", "A+" * 2_000 + "A", id="longer than 10,000 characters"),
        pytest.param("-" * 9_999 + "A", "-" * 50 + "A", id="nested deeper than Python reads"),
        pytest.param("sin(" * 2_000 + "A" + ")" * 2_000, "sin(" * 50 + "A" + ")" * 50, id="nested calls"),
        pytest.param("9" * 400, "9" * 300, id="a number beyond float64"),
        pytest.param("9**9**9", "9**9", id="a power beyond float64"),
        pytest.param("2**1022*4", "2**1021*2", id="a product beyond float64"),
    ],
)
def test_bounds_of_a_text(text: str, instead: str) -> None:
    error = refusal(text)
    assert error.kind in {"bounds", "syntax"}
    assert error.exit_code == 2
    assert parse(instead).outputs
