"""Graphs as text: each node shown once, long and deep ones readable, and text that means nothing to its readers."""

from __future__ import annotations

import csv
import io
import re

import pytest
import torch
from rich.cells import cell_len

import gradcli
from gradcli import commands, render
from gradcli.graphed import MOST, Graph
from gradcli.render import Style
from tests.command_line import ask
from tests.test_graph import EXPRESSIONS

LONG = "+".join(["A"] * 1000)
HOSTILE = '"];n9[label="x"]<b>&amp;#quot;\\N\x1b[31m\x00`*_$$x$$|%%{init}\n-->'


def written(form: str, graph: Graph, style: Style | None = None) -> str:
    return "".join(render.pieces(form, graph, style or Style()))


def hostile() -> Graph:
    a = torch.ones(2, requires_grad=True)
    return gradcli.graph(a * 2, at={HOSTILE: a}, values=True)


@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize("form", commands.command("graph").formats)
@pytest.mark.parametrize(("expression", "at"), EXPRESSIONS, ids=[one for one, _ in EXPRESSIONS])
def test_every_format_writes_every_graph(expression: str, at: dict[str, object], form: str, values: bool) -> None:
    found = gradcli.graph(expression, at=at or None, values=values)
    for style in (Style(), Style(width=40), Style(width=80, color=True), Style(verbose=True, ascii=True, precision=2)):
        assert written(form, found, style).endswith("\n")


@pytest.mark.parametrize(("expression", "at"), EXPRESSIONS, ids=[one for one, _ in EXPRESSIONS])
@pytest.mark.parametrize("width", [None, 40, 80])
def test_a_tree_shows_each_node_once_and_each_edge(expression: str, at: dict[str, object], width: int | None) -> None:
    found = gradcli.graph(expression, at=at or None)
    shown = written("tree", found, Style(width=width, verbose=True, quiet=True))
    lines = [one for one in shown.split("\n") if re.search(r"^[│├└─ ]*#\d+ ", one)]
    numbers = [int(one.partition("#")[2].partition(" ")[0]) for one in lines]
    assert set(numbers) == set(range(len(found.nodes)))
    ways = [one for one in lines if "─ #" in one]
    assert len(ways) == len(found.edges)  # a line for each edge, whether its end is shown there or referred to
    if width:
        body = shown.split("\n\n")[0].split("\n")[1:]
        assert all(cell_len(line) <= width for line in body)


def test_a_tree_of_many_nodes_says_how_many_there_are_besides() -> None:
    found = gradcli.graph(LONG, at=1.0)
    short = written("tree", found, Style(width=80))
    assert f"… and {1000 - MOST} more nodes (-v shows all)" in short
    assert len(short.splitlines()) < 4 * MOST
    assert "1,000 nodes · 1,998 edges · depth 1,000" in short
    whole = written("tree", found, Style(width=80, verbose=True))
    assert "more node" not in whole
    assert all(f"#{number} " in whole for number in range(1000))
    said = ask("graph", LONG, "--at", "1", "-v").out
    assert "#998 AddBackward0" in said


def test_what_is_too_deep_goes_on_below() -> None:
    text = "sin(" * 40 + "A" + ")" * 40
    shown = written("tree", gradcli.graph(text, at=1.0), Style(width=80))
    put_off = re.findall(r"#(\d+) SinBackward0, below", shown)
    assert put_off
    assert all(re.search(rf"^#{number} SinBackward0  ", shown, re.MULTILINE) for number in put_off)


def test_the_tree_is_what_is_shown_where_nothing_is_asked_for() -> None:
    found = gradcli.graph("sin(A)*A", at=2.0)
    assert ask("graph", "sin(A)*A", "--at", "2").out == str(found) == written("tree", found)
    assert ask("graph", "sin(A)*A", "--at", "2", "--format", "tree").out == str(found)
    assert "\x1b" not in str(found)
    assert "\x1b[1m" in ask("graph", "sin(A)*A", "--at", "2", terminal=True).out


def test_a_terminal_without_box_characters_gets_plain_ones() -> None:
    said = ask("graph", "sin(α)*α", "--at", "α=2", "--values", encoding="ascii")
    assert "|  `- #2 AccumulateGrad: \\u03b1.grad" in said.out
    assert said.out.isascii()


def test_gradients_in_a_tree_are_rounded_and_large_ones_summarised() -> None:
    found = gradcli.graph("A/3", at=torch.ones(2), values=True)
    assert "gradient [0.3333, 0.3333]" in str(found)
    assert "gradient [0.33, 0.33]" in written("tree", found, Style(precision=2))
    large = gradcli.graph("A*2", at=torch.ones(10, 10), values=True)
    assert "gradient (10×10) 2.0 … 2.0, mean 2.0 ± 0.0" in str(large)
    assert "[2.0, 2.0, 2.0" in written("tree", large, Style(verbose=True))


def test_csv_has_a_row_a_node_and_with_gradients_one_an_edge() -> None:
    found = gradcli.graph("sin(A)*A", at=2.0)
    rows = list(csv.DictReader(io.StringIO(written("csv", found))))
    assert [(one["node"], one["name"], one["saved"], one["bytes"], one["next"]) for one in rows] == [
        ("0", "MulBackward0", "other self", "8", "1 2"), ("1", "SinBackward0", "self", "0", "2"),
        ("2", "AccumulateGrad", "", "0", ""),
    ]  # fmt: skip
    nodes, edges = written("csv", gradcli.graph("sin(A)*A", at=2.0, values=True)).split("\n\n")
    assert len(nodes.splitlines()) == 4
    assert edges.splitlines() == ["from,to,argument,gradient", "0,1,0,2.0", "0,2,1,0.9092974", "1,2,0,-0.8322937"]


def test_mermaid_has_a_line_a_node_and_a_line_an_edge() -> None:
    lines = written("mermaid", gradcli.graph("sin(A)*A", at=2.0, values=True)).splitlines()
    assert lines[0] == "flowchart TD"
    assert [one.strip() for one in lines[4:]] == ['n0 -->|"2.0"| n1', 'n0 -->|"0.9093"| n2', 'n1 -->|"-0.8323"| n2']
    assert lines[3] == '    n2(["#35;2 AccumulateGrad: A.grad<br/>() float32"])'


def test_mermaid_reads_nothing_in_what_is_written() -> None:
    text = written("mermaid", hostile())
    assert len(text.splitlines()) == 4
    for line in text.splitlines()[1:]:
        for label in re.findall(r'"([^"]*)"', line):
            assert not set(re.sub(r"<br/>|#\d+;", "", label)) & set('"#<>&;`\\$%{}|*_')
    leaf = text.splitlines()[2].partition('"')[2].partition('"')[0]
    told = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), leaf)
    assert told.startswith("#1 AccumulateGrad: " + render.escaped(HOSTILE))


def labels(dot: str) -> list[str]:
    """The labels of a digraph, read as Graphviz reads quoted strings: escapes, then entities."""
    found = re.findall(r'label="((?:[^"\\]|\\.)*)"', dot)
    read = [re.sub(r"\\(.)", lambda one: {"n": "\n"}.get(one[1], one[1]), label) for label in found]
    return [label.replace("&amp;", "&") for label in read]


def test_dot_reads_nothing_in_what_is_written() -> None:
    text = written("dot", hostile())
    assert len(text.splitlines()) == 8
    whole = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    assert re.fullmatch(r'[\w\s={};\[\]",>-]*', whole)
    assert len(re.findall(r"^    n\d+ \[label=\"\"", whole, re.MULTILINE)) == 2
    assert labels(text)[2].split("\n")[0] == f"#1 AccumulateGrad: {render.escaped(HOSTILE)}.grad"


def test_no_format_for_people_writes_control_characters() -> None:
    for form in set(commands.command("graph").formats) - {"csv"}:  # which is data
        text = written(form, hostile())
        assert "\x1b" not in text
        assert "\x00" not in text


def test_a_notebook_is_shown_a_table() -> None:
    assert "<b>&" not in hostile()._repr_html_()
    assert "MulBackward0" in gradcli.graph("A*5", at=1.0)._repr_html_()
