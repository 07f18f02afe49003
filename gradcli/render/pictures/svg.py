"""A picture as SVG: a document of its own, without scripts, links or fonts to load."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from gradcli.graphed import Graph
from gradcli.render import escaped
from gradcli.render.pictures.boxes import LINE, PADDING, span
from gradcli.render.pictures.layout import draw
from gradcli.render.pictures.shapes import Label, Path, Placed

SIZE = 11  # of letters, whose width is LETTER in most monospace fonts
ARROW = 4.0
# Under a class of its own, as a page may hold the picture and have text and paths of its own.
STYLE = "".join(
    f".gradcli-graph {rule}"
    for rule in (
        "text{font:11px monospace;fill:#222}",
        ".name{font-weight:bold}",
        "rect{fill:#fff;stroke:#555}",
        ".leaf{fill:#e8f1e4;stroke:#5a7d4c}",
        ".behind{stroke:none}",
        "path{fill:none;stroke:#888}",
        ".arrow{fill:#888;stroke:none}",
    )
)


def text(graph: Graph) -> str:
    """The SVG document of a graph."""
    return "".join(f"{line}\n" for line in _lines(graph))


def _lines(graph: Graph) -> Iterator[str]:
    drawing = draw(graph)
    size = f'width="{drawing.width:.0f}" height="{drawing.height:.0f}"'
    view = f'viewBox="0 0 {drawing.width:.1f} {drawing.height:.1f}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" class="gradcli-graph" {size} {view}>'
    yield f"<title>{_safe(graph.title)}</title>"
    yield f"<desc>{_safe(graph.totals())}</desc>"
    yield f"<style>{STYLE}</style>"
    yield '<rect class="behind" width="100%" height="100%"/>'
    for path in drawing.paths:
        yield from _path(path, graph)
    for index, placed in enumerate(drawing.boxes):
        yield from _box(index, placed)
    for label in drawing.labels:
        yield from _label(label)
    yield "</svg>"


def _path(path: Path, graph: Graph) -> Iterator[str]:
    which = "" if path.edge is None else f' data-edge="{graph.edges[path.edge].start}-{path.end}"'
    yield f'<path{which} d="{curve(path)}"/>'
    if path.arrow:
        x, y = path.points[-1]
        yield f'<path class="arrow" d="M{x:.1f} {y:.1f}l{-ARROW} {-2 * ARROW}h{2 * ARROW}z"/>'


def curve(path: Path) -> str:
    """The points as path data."""
    (x, y), *rest = path.points
    parts = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in rest:
        if path.straight or abs(to_x - x) < 0.05:
            parts.append(f"L{to_x:.1f} {to_y:.1f}")
        else:
            half = (y + to_y) / 2
            parts.append(f"C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    return "".join(parts)


def _box(index: int, placed: Placed) -> Iterator[str]:
    box, x, y = placed.box, placed.x, placed.y
    kind = ' class="leaf" rx="10"' if box.leaf else ' rx="2"'
    yield f'<g id="node-{index}">'
    yield f'<rect{kind} x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"/>'
    for number, line in enumerate(box.lines):
        name = ' class="name"' if number == 0 else ""
        yield _text(name, x + PADDING, y + PADDING / 2 + LINE * number + SIZE, line)
    yield "</g>"


def _label(label: Label) -> Iterator[str]:
    width = span(label.text)
    x = label.x - width / 2
    yield f'<rect class="behind" x="{x - 2:.1f}" y="{label.y - SIZE:.1f}" width="{width + 4:.1f}" height="{LINE:.1f}"/>'
    yield _text("", x, label.y, label.text)


def _text(kind: str, x: float, y: float, told: str) -> str:
    """Text whose width is set, so that it fits its box in whatever font there is."""
    return (
        f'<text{kind} x="{x:.1f}" y="{y:.1f}" textLength="{span(told):.1f}" xml:space="preserve">{_safe(told)}</text>'
    )


def _safe(told: str) -> str:
    return escape(escaped(told))
