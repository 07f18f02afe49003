"""Tables: colour where it is wanted, text that cannot steer a terminal, characters that the stream has."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import gradcli
from gradcli.render import Style, table
from gradcli.report import Column, Fields, Report, Table
from tests.command_line import ask

ESCAPE = "\x1b["

COLOURED = [
    ({"terminal": True}, (), True),
    ({"terminal": False}, (), False),
    ({"terminal": False}, ("--color", "always"), True),
    ({"terminal": True}, ("--color", "never"), False),
    ({"terminal": True, "variables": {"NO_COLOR": "1"}}, (), False),
    ({"terminal": True, "variables": {"NO_COLOR": ""}}, (), True),
    ({"terminal": True, "variables": {"NO_COLOR": "1"}}, ("--color", "always"), True),
    ({"terminal": True, "variables": {"TERM": "dumb"}}, (), False),
    ({"terminal": True, "variables": {"TERM": "unknown"}}, (), False),
]


@pytest.mark.parametrize(("surroundings", "words", "colour"), COLOURED)
def test_colour_only_where_it_is_wanted(surroundings: dict[str, object], words: tuple[str, ...], colour: bool) -> None:
    answer = ask("grad", "A*5", *words, **surroundings)  # type: ignore[arg-type]
    refusal = ask("grad", "sine(A)", *words, **surroundings)  # type: ignore[arg-type]
    assert (ESCAPE in answer.out) == colour
    assert (ESCAPE in refusal.err) == colour
    plain = ask("grad", "A*5", "--color", "never")
    assert re.sub(r"\x1b\[[0-9;]*m", "", answer.out).split() == plain.out.split()


@pytest.mark.parametrize("form", ["json", "csv", "markdown", "code"])
def test_other_formats_are_never_coloured(form: str) -> None:
    assert ESCAPE not in ask("grad", "A*5", "--format", form, "--color", "always", terminal=True).out


def test_a_users_text_is_never_markup_and_never_steers_the_terminal() -> None:
    said = ask("grad", "A[0]*W['bold']", "--at", "[1]", terminal=True)
    assert said.code == 2
    assert "W['bold']" in said.err
    shown = ask("grad", "A[[0]]*2 #[/red][bold]\x07", "--at", "[1]", terminal=True, variables={"NO_COLOR": "1"})
    assert shown.code == 0
    assert "[/red][bold]\\x07" in shown.out
    for text in ("A\x1b[2J", "A\x07*2", "A*2\x9b31m"):
        refused = ask("grad", text, terminal=True, variables={"NO_COLOR": "1"})
        assert refused.code == 2
        assert not set(refused.err) & set("\x1b\x07\x9b")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1251"])
def test_an_encoding_without_lines_gets_plain_ones(encoding: str) -> None:
    said = ask("grad", "A*5", "--at", "randn(40)", encoding=encoding)
    assert said.code == 0
    lines = [line for line in said.out.splitlines() if line[:1] in "+|"]
    assert len(lines) == 6
    assert {len(line) for line in lines} == {len(lines[0])}  # the borders stand under each other


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_name_that_the_encoding_lacks_is_escaped_and_keeps_its_column(encoding: str) -> None:
    said = ask("grad", "А*變", "--at", "А=1", "--at", "變=2", encoding=encoding)
    assert said.code == 0
    lines = [line for line in said.out.splitlines() if line[:1] in "+|"]
    assert {len(line) for line in lines} == {len(lines[0])}
    assert "\\u0410" in said.out


def test_a_caret_stands_under_its_place_where_the_text_is_escaped() -> None:
    said = ask("grad", "А*sine(А)", encoding="ascii")
    line, caret = said.err.splitlines()[1:3]
    assert line.index("sine") == caret.index("^")


def test_cyrillic_is_shown_where_the_encoding_has_it() -> None:
    assert "│" not in ask("grad", "А*5", encoding="cp1251").out
    assert "А*5" in ask("grad", "А*5", encoding="cp1251").out


def test_quiet_leaves_notes_out_and_verbose_shows_large_tensors_whole() -> None:
    words = ("grad", "A*5", "--at", "arange(0.0, 40.0)")
    assert "G201" in ask(*words).out
    assert "G201" not in ask(*words, "-q").out
    assert "(40) 0.0 … 39.0" in ask(*words).out
    assert "37.0, 38.0, 39.0]" in ask(*words, "-v").out
    assert ask(*words, "-qv").out == ask(*words, "-q", "-v").out


def test_str_and_the_notebook_view_are_the_table() -> None:
    answer = gradcli.grad("A*5", at=[1.0, 2.0])
    assert str(answer) == ask("grad", "A*5", "--at", "[1, 2]").out
    html = answer._repr_html_()
    assert "<table>" in html
    assert html.count("<tr>") == 3
    assert "G201" in html
    assert "&lt;" in gradcli.evaluate("A < 5", at=1.0)._repr_html_()


def test_text_of_a_notebook_is_escaped() -> None:
    html = gradcli.grad("A*2 #<script>alert(1)</script>", at=1.0)._repr_html_()
    assert "<script>" not in html


def test_a_table_that_is_too_wide_becomes_blocks_and_one_that_fits_does_not() -> None:
    report = Report("title", (Table((Column("name"), Column("value", True)), lambda: [("a", 1.5), ("b", None)]),))
    assert "┃ name ┃ value ┃" in table.text(report, Style(width=20))
    assert table.text(report, Style(width=10)).splitlines() == ["title", "a", "  value  1.5", "b", "  value  None"]


def test_fields_are_set_below_one_another() -> None:
    report = Report("", (Fields(lambda: [("long name", "told"), ("short", "[bold]told")]),))
    assert table.text(report).splitlines() == ["long name  told", "short      [bold]told"]


RESULTS = (
    lambda: gradcli.grad("A*5", at=3.0),
    lambda: gradcli.graph("A*5", at=3.0),
    lambda: gradcli.hessian("A**3", at=3.0),
    lambda: gradcli.sweep("A**3", at="-1:1:3"),
    lambda: gradcli.functions("softplus"),
    lambda: gradcli.explain("G101"),
)


@pytest.mark.parametrize("make", RESULTS)
def test_at_a_prompt_a_result_is_what_it_prints_as(make: Callable[[], object]) -> None:
    result = make()
    assert repr(result) == str(result).rstrip("\n") != ""
    assert "object at" not in repr(result)
    assert "Span(" not in repr(result)
