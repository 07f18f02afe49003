"""Errors as people read them: carets are counted in the cells of a terminal, long lines are cut around the place."""

from __future__ import annotations

import pickle

import pytest

import gradcli
from gradcli.doors import failures
from gradcli.errors import KINDS, ExitCode, GradcliError, Span


def shown(source: str, part: str) -> list[str]:
    start = source.index(part)
    error = GradcliError("syntax", "message", source=source, span=Span(start, start + len(part)))
    return failures.text(error).splitlines()[1:]


CARETS = [
    ("A + sine(B)", "sine", ["  A + sine(B)", "      ^^^^"]),
    ("變 + sine(B)", "sine", ["  變 + sine(B)", "       ^^^^"]),
    ("A + 變數 + B", "變數", ["  A + 變數 + B", "      ^^^^"]),
    ("é + X", "X", ["  é + X", "      ^"]),
    ("e\u0301 + X", "X", ["  e\u0301 + X", "      ^"]),
    ("A\t+ X", "X", ["  A + X", "      ^"]),
    ("A\x07 + X", "X", ["  A\\x07 + X", "          ^"]),
    ("one\ntwo + X\nthree", "X", ["  two + X", "        ^"]),
    ("A + (B\n + C)", "(B\n + C)", ["  A + (B", "      ^^"]),
    ("", "", []),
    ("A\n   \nB", "   ", []),
]


@pytest.mark.parametrize(("source", "part", "lines"), CARETS)
def test_carets_stand_under_the_characters_at_fault(source: str, part: str, lines: list[str]) -> None:
    assert shown(source, part) == lines


def test_of_a_long_line_only_what_surrounds_the_place_is_shown() -> None:
    line, carets = shown("A + " * 300 + "sine(B)" + " + C" * 300, "sine")
    assert len(line) <= 82
    assert line.startswith("  …")
    assert line.endswith("…")
    assert line.index("sine") == carets.index("^")
    assert carets.count("^") == 4


def test_a_place_at_the_end_of_the_text_has_one_caret() -> None:
    error = GradcliError("syntax", "message", source="A +", span=Span(3, 3))
    assert failures.text(error).splitlines()[1:] == ["  A +", "     ^"]


def test_code_and_hint() -> None:
    error = GradcliError("autograd", "message", hint="do this", code="G108")
    assert failures.text(error) == "error G108: message\nhint: do this\n"


def test_colour_paints_the_words_and_the_carets_only() -> None:
    error = GradcliError("syntax", "message", source="A + X", span=Span(4, 5), hint="do this")
    assert failures.text(error, color=True) == (
        "\x1b[1;31merror\x1b[0m: message\n  A + X\n      \x1b[1;31m^\x1b[0m\n\x1b[1;36mhint\x1b[0m: do this\n"
    )


def test_every_kind_has_an_exit_code() -> None:
    for kind, code in KINDS.items():
        assert GradcliError(kind, "message").exit_code is code
    assert {*KINDS.values()} <= {*ExitCode}


def test_only_spans_in_the_expression_stand_in_json() -> None:
    inside = GradcliError("syntax", "message", source="A", span=Span(0, 1))
    outside = GradcliError("value", "message", source="x", span=Span(0, 1), what="the value of A")
    assert failures.document(inside, "grad")["error"]["span"] == [0, 1]  # type: ignore[index]
    assert failures.document(outside, "grad")["error"]["span"] is None  # type: ignore[index]


def test_an_error_comes_whole_from_another_process() -> None:
    with pytest.raises(GradcliError) as caught:
        gradcli.grad("sine(A)")
    again = pickle.loads(pickle.dumps(caught.value))
    assert vars(again) == vars(caught.value)
    assert str(again) == str(caught.value)
