"""Pictures of graphs: nothing lies on anything else, every edge ends at its boxes, and files are written as asked."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

import gradcli
from gradcli.graphed import Graph
from gradcli.render import pictures
from gradcli.render.pictures import graphviz, layers, svg
from gradcli.render.pictures.layers import layered
from gradcli.render.pictures.layout import draw
from gradcli.render.pictures.order import crossings, order
from gradcli.render.pictures.shapes import Drawing, Point
from gradcli.render.pictures.shapes import Path as Route
from tests.command_line import ask

NAMESPACE = "{http://www.w3.org/2000/svg}"
ATTENTION = """
h = relu(x @ W1 + b) + x
h = F.layer_norm(relu(h @ W2 + b) + h, [4]) * W3[0]
q, k, v = h @ W1, h @ W2, h @ W3
a = softmax(q @ k.T / 2.0, -1) @ v
(a * h + x).tanh().pow(2).mean() + (W1**2).sum()*0.01
"""


def encoder() -> torch.Tensor:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 8, dropout=0.0)
    return torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)(torch.ones(2, 1, 8)).pow(2).mean()


def five() -> Graph:
    return gradcli.graph("sin(A)*A + A*A", at=2.0, values=True)


def fifty() -> Graph:
    weights = {name: torch.full((4, 4), 0.1) for name in ("x", "W1", "W2", "W3")}
    return gradcli.graph(ATTENTION, at={**weights, "b": torch.ones(4)}, values=True)


def three_hundred() -> Graph:
    return gradcli.graph(encoder())


def crossed() -> Graph:
    pairs = "; ".join(f"B{i} = sin(A)*{i}" for i in range(8))
    return gradcli.graph(f"{pairs}; stack([{', '.join(f'B{i}*B{7 - i}' for i in range(8))}]).prod()", at=1.0)


GRAPHS = {
    "five": five, "fifty": fifty, "three hundred": three_hundred, "crossed": crossed,
    "several outputs": lambda: gradcli.graph("A*2, A*B, B > 1", at={"A": 1.0, "B": 2.0}, values=True),
    "long chain": lambda: gradcli.graph("+".join(["A"] * 300), at=1.0),
    "one": lambda: gradcli.graph("A*5", at=1.0),
    "nothing": lambda: gradcli.graph("A > 1", at=1.0),
    "large gradients": lambda: gradcli.graph("(A*B).sum()", at={"A": torch.ones(40), "B": torch.ones(40)}, values=True),
    "wide letters": lambda: gradcli.graph("变量*变量 + é", at={"变量": 1.0, "é": 2.0}),
}  # fmt: skip


@pytest.fixture(scope="module", params=GRAPHS)
def graph(request: pytest.FixtureRequest) -> Graph:
    return GRAPHS[request.param]()


@pytest.fixture(scope="module")
def drawing(graph: Graph) -> Drawing:
    return draw(graph)


Frame = tuple[float, float, float, float]


def frames(drawing: Drawing) -> list[Frame]:
    return [(one.x, one.y, one.x + one.box.width, one.y + one.box.height) for one in drawing.boxes]


def labels(drawing: Drawing) -> list[Frame]:
    """What labels cover."""
    from gradcli.render.pictures.boxes import LINE, span

    found = [(one.x - span(one.text) / 2, one.y, span(one.text)) for one in drawing.labels]
    return [(x, y - LINE + 4, x + width, y + 4) for x, y, width in found]


def apart(one: Frame, other: Frame) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def points(route: Route) -> list[Point]:
    """Points along a path, its curves followed."""
    (x, y), *rest = route.points
    found = [(x, y)]
    for to_x, to_y in rest:
        for step in range(1, 9):
            t = step / 8
            u = 1 - t
            straight = route.straight or to_x == x
            across = t if straight else 3 * u * t * t + t**3
            down = t if straight else 1.5 * u * u * t + 1.5 * u * t * t + t**3
            found.append((x + (to_x - x) * across, y + (to_y - y) * down))
        x, y = to_x, to_y
    return found


def test_boxes_and_labels_lie_apart_and_inside_the_picture(drawing: Drawing) -> None:
    covered = sorted([*frames(drawing), *labels(drawing)], key=lambda frame: frame[1])
    for place, one in enumerate(covered):
        assert one[0] >= 0
        assert one[1] >= 0
        assert one[2] <= drawing.width
        assert one[3] <= drawing.height
        for other in covered[place + 1 :]:
            if other[1] >= one[3]:
                break
            assert apart(one, other)


def test_lines_fit_their_boxes(drawing: Drawing) -> None:
    from gradcli.render.pictures.boxes import LINE, span

    for one in drawing.boxes:
        assert max(map(span, one.box.lines)) <= one.box.width - 8
        assert len(one.box.lines) * LINE <= one.box.height


def test_every_edge_goes_from_its_box_to_its_box(graph: Graph, drawing: Drawing) -> None:
    boxes = frames(drawing)
    bundles = {one.end: one for one in drawing.paths if one.edge is None}
    drawn = [one for one in drawing.paths if one.edge is not None]
    assert [one.edge for one in drawn] == list(range(len(graph.edges)))
    for one in drawing.paths:
        end = one.points[-1]
        if one.arrow:
            left, top, right, _ = boxes[one.end]
            assert left < end[0] < right
            assert end[1] == top
        else:
            assert end in bundles[one.end].points[::2]  # it joins the others that go there
        if one.edge is not None:
            left, _, right, bottom = boxes[graph.edges[one.edge].start]
            assert graph.edges[one.edge].end == one.end
            assert left < one.points[0][0] < right
            assert one.points[0][1] == bottom
    starts = [one.points[0] for one in drawn]
    assert len(set(starts)) == len(starts)  # two edges between the same boxes are two lines


def test_no_path_crosses_a_box(drawing: Drawing) -> None:
    boxes = sorted(frames(drawing), key=lambda frame: frame[1])
    for one in drawing.paths:
        assert not one.straight
        for x, y in points(one):
            for left, top, right, bottom in boxes:
                if top >= y:
                    break
                assert not (left < x < right and top < y < bottom)
            assert 0 <= x <= drawing.width


def test_sorting_leaves_fewer_crossings() -> None:
    made = layered(crossed())
    made.layers = [sorted(layer, key=lambda item: (item * 7919) % 101) for layer in made.layers]
    before = crossings(made)
    order(made)
    assert crossings(made) < before
    assert sorted(item for layer in made.layers for item in layer) == list(range(made.items))


def test_crossings_are_counted_pair_by_pair() -> None:
    made = layered(fifty())
    total = 0
    for layer, below in zip(made.layers, made.layers[1:], strict=False):
        place = {item: at for at, item in enumerate(below)}
        lines = [(at, place[end]) for at, item in enumerate(layer) for end in made.down[item]]
        total += sum((a - c) * (b - d) < 0 for at, (a, b) in enumerate(lines) for c, d in lines[:at])
    assert crossings(made) == total


def test_edges_to_one_node_share_their_bends_and_the_others_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    total = gradcli.graph("+".join(["A"] * 1000), at=1.0)
    assert layered(total).items == 1000 + 998
    monkeypatch.setattr(layers, "BENDS", 0)
    assert layered(total).items == 1000
    straight = draw(gradcli.graph("+".join(["A"] * 10), at=1.0))
    assert sum(one.straight for one in straight.paths) == 8


def document(graph: Graph) -> ElementTree.Element:
    return ElementTree.fromstring(svg.text(graph))


def test_the_svg_holds_every_node_and_edge(graph: Graph) -> None:
    root = document(graph)
    assert {one.get("id") for one in root.iter(f"{NAMESPACE}g")} == {f"node-{one.number}" for one in graph.nodes}
    drawn = sorted(one.get("data-edge") or "" for one in root.iter(f"{NAMESPACE}path") if one.get("data-edge"))
    assert drawn == sorted(f"{one.start}-{one.end}" for one in graph.edges)
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    for one in root.iter(f"{NAMESPACE}text"):
        x, y, length = (float(one.get(name) or "nan") for name in ("x", "y", "textLength"))
        assert x >= 0
        assert x + length <= width
        assert 0 <= y <= height
    assert not {one.tag.removeprefix(NAMESPACE) for one in root.iter()} & {"script", "image", "a", "foreignObject"}


def test_the_svg_escapes_what_it_writes() -> None:
    a = torch.ones(2, requires_grad=True)
    text = svg.text(gradcli.graph(a * 2, at={'<b>&"\x1b[31m\x00]]>': a}))
    assert "<b>" not in text
    assert "\x1b" not in text
    assert any('<b>&"\\x1b[31m\\x00]]>.grad' in (one.text or "") for one in ElementTree.fromstring(text).iter())


def test_an_svg_is_the_same_each_time() -> None:
    assert svg.text(fifty()) == svg.text(fifty())


# Files.


@pytest.fixture
def nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Graphviz and without matplotlib."""
    monkeypatch.setattr("shutil.which", lambda *_: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)


@pytest.mark.usefixtures("nothing_else")
def test_an_svg_needs_no_other_program(tmp_path: Path) -> None:
    file = tmp_path / "graph.SVG"
    file.write_text("something longer that was there before" * 1000)
    said = ask("graph", "A*5", "--at", "1", "--save", str(file))
    assert (said.code, said.err) == (0, "")
    assert said.out == ask("graph", "A*5", "--at", "1").out
    assert file.read_text(encoding="utf-8") == svg.text(gradcli.graph("A*5", at=1.0))
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.usefixtures("nothing_else")
@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_what_a_picture_lacks_is_named(kind: str, tmp_path: Path) -> None:
    said = ask("graph", "A*5", "--at", "1", "--save", str(tmp_path / f"graph.{kind}"))
    assert said.code == 2
    assert said.out == ""
    assert f"a .{kind} needs matplotlib or Graphviz's dot" in said.err
    assert "pip install 'gradcli[plot]'" in said.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["graph.jpg", "graph", ".svg", "svg", ""])
def test_a_name_that_asks_for_no_picture_is_refused(name: str, tmp_path: Path) -> None:
    said = ask("graph", "A*5", "--at", "1", "--save", str(tmp_path / name) if name else "")
    assert said.code == 2
    assert "--save draws .svg, .png, .pdf" in said.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_an_output_error(tmp_path: Path) -> None:
    for file in (tmp_path / "nowhere" / "graph.svg", tmp_path):
        target = file if file.suffix else file / "folder.svg"
        if not file.suffix:
            target.mkdir()
        said = ask("graph", "A*5", "--at", "1", "--save", str(target))
        assert said.code == 74
        assert "could not be written" in said.err
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.graph("A*5", at=1.0, save="null\x00.svg")
    assert (caught.value.kind, caught.value.exit_code) == ("output", 74)
    with pytest.raises(gradcli.GradcliError, match="the name of a file, not int"):
        gradcli.graph("A*5", at=1.0, save=5)


DOT = """#!/bin/sh
cat > "$(dirname "$0")/said"
printf '%s' "$1"
"""


@pytest.mark.parametrize(("script", "wanted"), [(DOT, b"-Tpng"), ("#!/bin/sh\nexit 1\n", None), ("#!/bin/sh\n", None)])
def test_dot_draws_where_it_is_installed(
    script: str, wanted: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "dot"
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda *_: str(program))
    found = gradcli.graph("A*5", at=1.0)
    assert graphviz.drawn(found, "png") == wanted
    if wanted:
        assert (tmp_path / "said").read_text().startswith("digraph")
    else:  # what dot does not draw, the next one does
        pictures.save(found, tmp_path / "graph.svg", "svg")
        assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == svg.text(found)


@pytest.mark.parametrize("kind", ["png", "pdf"])
@pytest.mark.parametrize("name", ["five", "fifty", "nothing", "wide letters"])
def test_matplotlib_draws_the_same(kind: str, name: str) -> None:
    pytest.importorskip("matplotlib")
    from gradcli.render.pictures import plotted

    drawn = plotted.drawn(GRAPHS[name](), kind)
    assert drawn.startswith({"png": b"\x89PNG", "pdf": b"%PDF"}[kind])


def test_a_picture_of_2_400_terms_is_drawn() -> None:
    text = svg.text(gradcli.graph("+".join(["A"] * 2400), at=1.0))
    assert len(re.findall("data-edge", text)) == 4798
    assert len(text) < 4_000_000
