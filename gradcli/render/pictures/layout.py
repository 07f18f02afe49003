"""A graph laid out: from the outputs down to the inputs, layer by layer."""

from __future__ import annotations

from gradcli.graphed import Graph
from gradcli.render.pictures.boxes import LINE, boxes, span
from gradcli.render.pictures.layers import layered
from gradcli.render.pictures.order import order
from gradcli.render.pictures.places import levels, middles_of
from gradcli.render.pictures.routes import routes
from gradcli.render.pictures.shapes import Drawing, Label, Placed

BETWEEN = 40.0  # pixels between layers, where edges bend
BEND = 6.0  # the width that a bend keeps free
MARGIN = 16.0
LABEL = 4.0  # pixels below a label


def draw(graph: Graph) -> Drawing:
    """Lay a graph out; in time and memory nearly linear in its edges."""
    if not graph.nodes:
        told = graph.totals()
        width = span(told) + 2 * MARGIN
        return Drawing(width, LINE + 2 * MARGIN, (), (), (Label(told, width / 2, MARGIN + LINE),))
    made, shown = layered(graph), boxes(graph)
    order(made)
    widths = [box.width for box in shown] + [BEND] * (made.items - len(shown))
    middles = middles_of(made, widths, len(shown))
    left = min(middle - width / 2 for middle, width in zip(middles, widths, strict=True)) - MARGIN
    middles = [middle - left for middle in middles]
    right = max(middle + width / 2 for middle, width in zip(middles, widths, strict=True)) + MARGIN
    sides = levels(made, shown, MARGIN, LINE + LABEL if graph.flowed else 0.0, BETWEEN)
    placed = tuple(Placed(box, middles[index] - box.width / 2, sides[index][0]) for index, box in enumerate(shown))
    paths, labels = routes(graph, made, placed, middles, sides)
    return Drawing(right, max(bottom for _, bottom in sides) + MARGIN, placed, paths, labels)
