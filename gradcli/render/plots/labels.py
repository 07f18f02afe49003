"""Labels beside points of a figure, where they cover neither each other nor the points nor the curves."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

MOST = 12  # labels; of more, none could be read
_SIDES = [(x, y) for distance in (9, 18, 30, 46) for x, y in (
    (distance, distance), (-distance, distance), (distance, -distance), (-distance, -distance),
    (0, distance), (0, -distance), (distance, 0), (-distance, 0),
)]  # fmt: skip
_LEADER = {"arrowstyle": "-", "color": "#8a8f98", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4}
_GROUND = {"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.8}
_FIT = {1: "left", 0: "center", -1: "right"}
_UP = {1: "bottom", 0: "center", -1: "top"}


@dataclass(slots=True)
class Labels:
    """The labels that an axes is to get."""

    axes: Any
    wanted: list[tuple[float, float, str]] = field(default_factory=list)

    def want(self, x: float, y: float, text: str) -> None:
        """Ask for a label at a point, in data coordinates."""
        self.wanted.append((x, y, text))

    def place(self) -> None:
        """Put each label to the first free side of its point; one that finds none is left out.

        Of very many none is put: they would cover the picture, and tell of some points alone.
        """
        from matplotlib.text import Text
        from matplotlib.transforms import Bbox

        if len(self.wanted) > MOST:
            return
        figure = self.axes.figure
        figure.draw_without_rendering()  # the layout decides where the axes are
        renderer = figure.canvas.get_renderer()
        inside = self.axes.get_window_extent(renderer)
        at = [self.axes.transData.transform((x, y)) for x, y, _ in self.wanted]
        taken = [Bbox.from_bounds(x - 6, y - 6, 12, 12) for x, y in at]
        curve = _drawn(self.axes, inside)
        for x, y, text in self.wanted:
            best: tuple[int, Any, Any] | None = None
            for right, up in _SIDES:
                label = self.axes.annotate(
                    text, (x, y), (right, up), textcoords="offset points", fontsize=8, color="#1b2a41", zorder=7,
                    parse_math=False, bbox=_GROUND, arrowprops=_LEADER if max(abs(right), abs(up)) > 9 else None,
                    ha=_FIT[(right > 0) - (right < 0)], va=_UP[(up > 0) - (up < 0)],
                )  # fmt: skip
                label.update_positions(renderer)
                box = Text.get_window_extent(label, renderer).padded(2)  # of the words, without the leader
                crossed = sum(box.contains(*point) for point in curve)
                fits = inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1
                if not fits or box.count_overlaps(taken) or (best is not None and best[0] <= crossed):
                    label.remove()
                    continue
                if best is not None:
                    best[1].remove()
                best = (crossed, label, box)
                if not crossed:
                    break
            if best is not None:
                taken.append(best[2])


def _drawn(axes: Any, inside: Any) -> list[tuple[float, float]]:
    """Places that lines of an axes go through, close to one another."""
    found: list[tuple[float, float]] = []
    for line in axes.lines:
        points = line.get_transform().transform(line.get_xydata())
        if len(points) < 2:
            continue
        for (x, y), (to_x, to_y) in pairwise(points):
            steps = min(int(max(abs(to_x - x), abs(to_y - y)) // 4) + 1, 200)
            found += [
                (x + (to_x - x) * step / steps, y + (to_y - y) * step / steps) for step in range(steps)
            ]  # fmt: skip
    return [point for point in found if inside.contains(*point)]


def number(value: float) -> str:
    """A coordinate as a label tells it."""
    text = f"{value:.4g}"
    return "0" if float(text) == 0 else text.replace("-", "−")
