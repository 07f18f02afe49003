"""A sweep as a picture in characters: value and gradient above one another, or the heights of a surface."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.findings import STATIONARY
from gradcli.render import Style
from gradcli.render.plots import relief
from gradcli.render.plots.curves import Curve, Picture, marked, picture_of, worded
from gradcli.render.plots.scales import Scale, along, scale_of, ticks
from gradcli.swept import Sweep

WIDTH, HEIGHT = 80, 24  # where there is no terminal to ask
LEAST = (30, 8)  # columns of a picture, and lines of a panel
MARKS = {
    "minimum": "v", "maximum": "^", "saddle": "x", "inflection": "~", "kink": "o", "jump": "|", "pole": ":", "gap": "o",
    "infinite": "I",
}  # fmt: skip
NARROW = 11  # columns of a number below the axis
_OUTSIDE = "!"


def pictures(result: Sweep, style: Style) -> Iterator[str]:
    """The lines of a sweep's pictures."""
    width = max(min(style.width or WIDTH, 200), LEAST[0])
    several = [name for name, values in result.at.items() if len(values) > 1]
    if len(several) == 2:
        yield from relief.lines(result, width, style)
        return
    name = several[0] if several else next(iter(result.at))
    drawn = picture_of(result, name)
    used = len(result.findings) + len(result.notes) + 3  # and the heading, the legend, the prompt
    height = min(max((style.height or HEIGHT) - used, 2 * LEAST[1]), 40)
    panels = [(drawn.values, True), *([(drawn.slopes, False)] if drawn.slopes else [])]
    rows = height // len(panels)  # titles stand in the frames, numbers below the last one alone
    for index, (curves, first) in enumerate(panels):
        last = index == len(panels) - 1
        found = list(_panel(result, drawn, curves, name, (width, rows + last), style, first))
        yield from found if last else found[:-1]
    yield from _legend(result, drawn, panels, style)


def _panel(
    result: Sweep,
    drawn: Picture,
    curves: tuple[Curve, ...],
    name: str,
    size: tuple[int, int],
    style: Style,
    first: bool,
) -> Iterator[str]:
    """One plot, drawn by plotext: what it is given lies between 0 and 1, and is finite."""
    import plotext  # type: ignore[import-untyped]  # it has no types

    figure = plotext.figure
    figure.clear()
    figure.plot_size(*size)
    across, up = (
        along(drawn.left, drawn.right, drawn.logarithmic),
        scale_of([y for one in curves for y in one.heights], any(one.broken for one in curves)),
    )
    for axis, scale, most in (("x", across, size[0] // NARROW), ("y", up, max((size[1] - 4) // 2, 2))):
        chosen = [(scale.place(number), text) for number, text in ticks(scale, most)]
        figure.ruler(axis).lim(0, 1)
        figure.ruler(axis).ticks([place for place, _ in chosen], [text for _, text in chosen])
    for number, curve in enumerate(curves):
        marker = ("*", "+", "#", "=")[number] if style.ascii else "braille"
        for run in curve.runs:
            points = [(across.place(x), up.place(y)) for x, y in run]
            for part in _inside(points):
                signal = figure.signal([x for x, _ in part], [y for _, y in part], marker=marker)
                signal.lines(len(part) > 1)
                figure.draw(signal)
        outside = [across.place(x) for x in curve.missing]
        if outside:
            figure.draw(figure.signal(outside, [0.0] * len(outside), marker=_OUTSIDE))
    for place in _poles(result, name):
        column = [at / (2 * size[1]) for at in range(2 * size[1] + 1)]
        figure.draw(figure.signal([across.place(place)] * len(column), column, marker=MARKS["pole"]))
    if first:
        for one, x, y in marked(result, name):
            if drawn.left <= x <= drawn.right and 0 <= up.place(y) <= 1:
                figure.draw(figure.signal([across.place(x)], [up.place(y)], marker=MARKS.get(one.kind, "o")))
    title = style.shown(", ".join(one.label for one in curves)) + _way(up)
    if not first or not drawn.slopes:
        figure.label(style.shown(drawn.name), "x")
    text = figure.build().string(colorless=True)
    figure.clear()
    for number, line in enumerate(text.rstrip("\n").split("\n")):
        framed = line.translate(_ASCII) if style.ascii else line
        yield (_titled(framed, title) if number == 0 else framed).rstrip()


def _titled(frame: str, title: str) -> str:
    """The upper side of a frame with a title in its middle, as far as it has room."""
    room = len(frame.strip()) - 4
    words = f" {title if len(title) <= room - 2 else title[: room - 3] + '~'} "
    start = (len(frame) - len(words)) // 2
    return frame[:start] + words + frame[start + len(words) :] if room > 8 else frame


def _poles(result: Sweep, name: str) -> list[float]:
    places = [one.where.get(name) for one in result.findings if one.kind == "pole"]
    return [float(one) for one in places if isinstance(one, (int, float))]


_ASCII = str.maketrans("┌┐└┘─│┤┬├┴┼", "++++-||-|-+")


def _way(scale: Scale) -> str:
    return {"linear": " (cut off)" if scale.clipped else "", "log": " (log scale)", "symlog": " (symlog scale)"}[
        scale.kind
    ]


def _inside(points: list[tuple[float, float]]) -> Iterator[list[tuple[float, float]]]:
    """The parts of a run between the edges; a line that leaves the picture goes on to its edge."""
    part: list[tuple[float, float]] = []
    for before, here in zip([None, *points], points, strict=False):
        inside = 0 <= here[1] <= 1
        if inside and before is not None and not 0 <= before[1] <= 1:
            part = [_crossing(before, here)]
        if inside:
            part.append(here)
        elif part:
            assert before is not None
            yield [*part, _crossing(here, before)]
            part = []
    if part:
        yield part


def _crossing(outside: tuple[float, float], inside: tuple[float, float]) -> tuple[float, float]:
    """Where the line between two points meets the edge."""
    edge = 1.0 if outside[1] > 1 else 0.0
    share = (edge - inside[1]) / (outside[1] - inside[1])
    return inside[0] + (outside[0] - inside[0]) * share, edge


def _legend(result: Sweep, drawn: Picture, panels: list[tuple[tuple[Curve, ...], bool]], style: Style) -> Iterator[str]:
    name = next(name for name in (drawn.name, *result.at) if name in result.at)
    kinds = list(dict.fromkeys(one.kind for one, _, _ in marked(result, name)))
    kinds += ["pole"] if _poles(result, name) and "pole" not in kinds else []
    said = [f"{MARKS.get(kind, 'o')} {worded(kind)}" for kind in kinds if kind in STATIONARY or kind in MARKS]
    curves = [curve for part, _ in panels for curve in part]
    if any(curve.missing for curve in curves):
        said.append(f"{_OUTSIDE} not finite")
    if style.ascii and len(drawn.slopes) > 1:
        said += [f"{mark} {one.label}" for mark, one in zip("*+#=", drawn.slopes, strict=False)]
    if said:
        yield "  ".join(said)
    if not any(curve.runs for curve in curves):
        yield "nothing of it is finite"
