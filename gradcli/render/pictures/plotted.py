"""A picture as PNG or PDF, drawn by matplotlib from the same coordinates as the SVG."""

from __future__ import annotations

import io
import math
import warnings
from typing import Any

from gradcli.graphed import Graph
from gradcli.render.pictures.boxes import LINE, PADDING, span
from gradcli.render.pictures.layout import draw
from gradcli.render.pictures.shapes import Drawing, Path

DOTS = 144  # an inch of a PNG: two for each pixel of the drawing
INCH = 72.0  # pixels of the drawing
LONGEST = 14_000.0  # pixels of a side; what is longer is drawn smaller, as PDF and PNG have limits
LARGEST = 12_000_000.0  # and of all: a PNG of them takes 200 MB while it is made
LETTERING = 10.5  # points, whose letters are a little narrower than those of the SVG
LINES, LETTERS, LEAF, EDGE = "#555555", "#222222", "#e8f1e4", "#888888"


def drawn(graph: Graph, kind: str) -> bytes:
    """The bytes of a file of this kind."""
    from matplotlib.figure import Figure

    drawing = draw(graph)
    sides = drawing.width, drawing.height
    scale = min(1.0, LONGEST / max(sides), math.sqrt(LARGEST / math.prod(sides)))
    figure = Figure(figsize=(drawing.width * scale / INCH, drawing.height * scale / INCH), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    _fill(axes, drawing, scale)
    written = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font lacks are drawn as boxes
        figure.savefig(written, format=kind, dpi=DOTS)
    return written.getvalue()


def _fill(axes: Any, drawing: Drawing, scale: float) -> None:
    from matplotlib.patches import PathPatch, Polygon, Rectangle

    for path in drawing.paths:
        axes.add_patch(PathPatch(_curve(path), facecolor="none", edgecolor=EDGE, linewidth=scale))
        if path.arrow:
            x, y = path.points[-1]
            axes.add_patch(Polygon([(x, y), (x - 4, y - 8), (x + 4, y - 8)], facecolor=EDGE, edgecolor="none"))
    letters = {"family": "monospace", "color": LETTERS, "parse_math": False}
    for one in drawing.boxes:
        color = LEAF if one.box.leaf else "white"
        axes.add_patch(
            Rectangle((one.x, one.y), one.box.width, one.box.height, facecolor=color, edgecolor=LINES, linewidth=scale)
        )
        for number, line in enumerate(one.box.lines):
            y = one.y + PADDING / 2 + LINE * (number + 0.5)
            weight = "bold" if number == 0 else "normal"
            axes.text(one.x + PADDING, y, line, fontsize=LETTERING * scale, va="center", weight=weight, **letters)
    for label in drawing.labels:
        width = span(label.text) + 4
        corner = (label.x - width / 2, label.y - LINE + 4)
        axes.add_patch(Rectangle(corner, width, LINE, facecolor="white", edgecolor="none"))
        axes.text(
            label.x, label.y - LINE / 2 + 4, label.text, fontsize=LETTERING * scale, ha="center", va="center", **letters
        )


def _curve(path: Path) -> Any:
    """The points as matplotlib's path: lines, and curves that leave and arrive upright."""
    from matplotlib.path import Path as Drawn

    (x, y), *rest = path.points
    points, codes = [(x, y)], [Drawn.MOVETO]
    for to_x, to_y in rest:
        if path.straight or abs(to_x - x) < 0.05:
            points.append((to_x, to_y))
            codes.append(Drawn.LINETO)
        else:
            half = (y + to_y) / 2
            points += [(x, half), (to_x, half), (to_x, to_y)]
            codes += [Drawn.CURVE4] * 3
        x, y = to_x, to_y
    return Drawn(points, codes)
