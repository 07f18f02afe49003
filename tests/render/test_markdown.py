"""Markdown: a table that GitHub reads, notes as a list, and no text of the user's that means anything to it."""

from __future__ import annotations

from tests.command_line import ask


def lines(*words: str) -> list[str]:
    said = ask(*words, "--format", "markdown")
    assert (said.code, said.err) == (0, "")
    return said.out.splitlines()


def test_the_whole_text() -> None:
    assert lines("grad", "A*5", "--at", "[1, 2]") == [
        "### `A*5`",
        "",
        "| tensor | value | .grad | requires\\_grad | grad\\_fn |",
        "| --- | ---: | ---: | --- | --- |",
        "| `A` | [1.0, 2.0] | [5.0, 5.0] | True | leaf |",
        "| `A*5` | [5.0, 10.0] | None | True | MulBackward0 |",
        "",
        "- **G201** the output has 2 elements, so its sum was differentiated. Other ways: --reduce mean, --upstream V.",
    ]


def test_a_bar_in_a_label_does_not_end_its_cell() -> None:
    found = lines("eval", "(A > 0) | (A < -1)", "--at", "[1, -2]")
    assert "| `(A > 0) \\| (A < -1)` | [True, True] | None | False | none |" in found


def test_every_row_has_as_many_cells_as_the_heading() -> None:
    for expression in ("A*B_1", "A | B_1", "A[None, ...]*B_1"):
        found = lines("eval", expression, "--const", "A=[1, 2]", "--const", "B_1=3")
        table = [line.replace("\\|", "") for line in found if line.startswith("|")]
        assert {line.count("|") for line in table} == {6}


def test_a_large_tensor_is_whole() -> None:
    found = lines("eval", "arange(100000)*1.0")
    (row,) = (line for line in found if "[0.0, 1.0, 2.0, " in line)
    assert ", 99999.0]" in row


def test_a_function_alone_is_told_as_a_list() -> None:
    found = lines("functions", "softplus")
    assert found[0] == "### `softplus`"
    assert "- **written as**: F.softplus" in found


def test_precision() -> None:
    assert "| `A/3` | 0.333 | None | True | DivBackward0 |" in lines("grad", "A/3", "--at", "1", "--precision", "3")
