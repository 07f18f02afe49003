"""The catalogue of diagnoses: codes in order, one level each, sentences that the rules' facts fill."""

from __future__ import annotations

import re
import string

import pytest

import gradcli
from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.diagnosis.refusals import PATTERNS, with_code
from gradcli.diagnosis.scripts import SCRIPTS
from gradcli.errors import GradcliError
from tests.cases import rows


def test_codes_are_in_order_and_named() -> None:
    assert list(CATALOGUE) == sorted(CATALOGUE)
    for code, entry in CATALOGUE.items():
        assert re.fullmatch(r"G[1-7]\d\d", code)
        assert entry.code == code
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", entry.name)
        assert entry.level in {"info", "warning", "error"}
    assert len({entry.name for entry in CATALOGUE.values()}) == len(CATALOGUE)


def test_a_refusal_has_no_sentence_of_its_own() -> None:
    """Its words are those of the error that carries the code; a script that died of it is told more."""
    own = [entry for entry in CATALOGUE.values() if entry.level == "error" and entry.says]
    assert all(entry.says == SCRIPTS[entry.code] for entry in own)


def test_sentences_are_whole() -> None:
    for entry in CATALOGUE.values():
        for sentence in entry.says.values():
            ends = tuple(f"{{{place}}}" for place in ("next", *entry.parts))
            assert sentence.endswith((".", *ends)), sentence
            assert all(field.isidentifier() for field in fields(sentence)), sentence


def test_a_part_stands_at_a_place_of_a_sentence() -> None:
    for entry in CATALOGUE.values():
        parts = [part for one in entry.parts.values() for part in one.values()]
        places = {field for text in (*entry.says.values(), *parts) for field in fields(text)}
        assert set(entry.parts) <= places, entry.code


def fields(text: str) -> list[str]:
    return [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]


LEVELS = [
    ("G101", "info"), ("G102", "warning"), ("G103", "warning"), ("G104", "warning"), ("G105", "warning"),
    ("G106", "error"), ("G107", "warning"), ("G108", "error"), ("G109", "info"), ("G201", "info"), ("G202", "error"),
    ("G203", "error"), ("G204", "error"), ("G205", "error"), ("G207", "error"), ("G208", "error"), ("G210", "error"),
    ("G301", "warning"), ("G302", "warning"), ("G303", "warning"), ("G304", "warning"), ("G305", "warning"),
    ("G401", "warning"), ("G402", "warning"), ("G403", "info"), ("G404", "info"), ("G501", "info"), ("G601", "warning"),
    ("G602", "warning"), ("G603", "warning"), ("G605", "warning"), ("G606", "info"), ("G607", "info"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "level"), LEVELS)
def test_a_code_has_one_level_always(code: str, level: str) -> None:
    assert CATALOGUE[code].level == level


def test_every_code_of_the_catalogue_that_has_a_note_is_shown_by_a_case() -> None:
    shown = {note[0] for row in rows("notes") for note in row["notes"]}
    assert {"G101", "G102", "G103", "G104", "G105", "G107", "G109", "G201"} <= shown


def test_codes_of_refusals_are_in_the_catalogue() -> None:
    codes = {code for _, code, _ in PATTERNS if code is not None}
    assert codes <= set(CATALOGUE)
    assert all(CATALOGUE[code].level == "error" for code in codes)


def test_a_message_without_a_pattern_keeps_no_code() -> None:
    plain = GradcliError("torch", "torch: mat1 and mat2 shapes cannot be multiplied")
    assert with_code(plain).code is None
    other = GradcliError("value", "has been modified by an inplace operation")
    assert with_code(other).code is None


ERRORS = [
    ("A.item()", "G108"),
    ("A.numpy()", "G108"),
    ("A.tolist()", "G108"),
    ("float(A)", "G108"),
    ("int(A)", "G108"),
    ("B = A*2\nB.backward()\nB.backward()", "G204"),
]


@pytest.mark.parametrize(("text", "code"), ERRORS)
def test_refusals_of_the_language_that_have_a_code(text: str, code: str) -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.grad(text, at=1.0)
    assert (caught.value.code, caught.value.kind, caught.value.exit_code) == (code, "autograd", 2)
    assert CATALOGUE[code].level == "error"
