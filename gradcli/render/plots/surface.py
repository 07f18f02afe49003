"""A sweep over two inputs as contours, with the gradient as arrows and what was found on the surface."""

from __future__ import annotations

from typing import Any

from gradcli.render.plots.labels import Labels, number
from gradcli.render.plots.scales import logarithmic
from gradcli.swept import Sweep

ARROWS = 17  # in each direction
LEVELS = 12
FINE = 220  # points in each direction that a contour is drawn from
MARKERS = {
    "minimum": "v",
    "maximum": "^",
    "saddle": "X",
    "stationary": "D",
    "inflection": "s",
    "kink": "o",
    "pole": "P",
}
LINES: dict[str, Any] = {"kink": "--", "jump": (0, (1, 2)), "pole": ":"}
INK = "#1b2a41"


def drawn(result: Sweep) -> Any:
    """The figure."""
    import numpy
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import BoundaryNorm
    from matplotlib.figure import Figure

    from gradcli.render.plots.figure import title_of

    figure = Figure(figsize=(6.6, 5.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    figure.suptitle(title_of(result), fontsize=11, color=INK, parse_math=False)
    (left, xs), (below, ys) = ((name, _places(values)) for name, values in result.at.items())
    value = result.value.real if result.value.is_complex() else result.value
    heights = numpy.array(value.double().tolist()).T
    columns, rows = numpy.argsort(xs, kind="stable"), numpy.argsort(ys, kind="stable")
    xs, ys, heights = xs[columns], ys[rows], heights[rows][:, columns]
    across, up = _thinned(len(xs), FINE), _thinned(len(ys), FINE)
    known = numpy.ma.masked_invalid(heights[up][:, across])
    axes.set_facecolor("#e4e6e9")
    axes.grid(False)
    levels = _levels(known.compressed())
    if len(levels) > 1:
        shades = BoundaryNorm(levels, 256, extend="both")  # a step of colour a level, however far they are apart
        filled = axes.contourf(
            xs[across], ys[up], known, levels=levels, cmap="Blues", norm=shades, alpha=0.75, extend="both"
        )
        axes.contour(xs[across], ys[up], known, levels=levels, colors=INK, linewidths=0.6, alpha=0.7)
        figure.colorbar(filled, ax=axes, label="value", shrink=0.9, format=_short)
    elif known.count():
        axes.contourf(xs[across], ys[up], known * 0, levels=[-1, 1], colors=["#c6d6e6"])
        axes.text(
            0.02, 0.97, f"value {number(float(known.compressed()[0]))} everywhere", transform=axes.transAxes, va="top"
        )
    else:
        axes.text(0.5, 0.5, "nothing of it is finite", transform=axes.transAxes, ha="center", va="center", color=INK)
    _arrows(axes, result, xs, ys, columns, rows)
    for set_scale, places in ((axes.set_xscale, xs), (axes.set_yscale, ys)):
        if logarithmic(places.tolist()):
            set_scale("log")
    axes.set_xlim(xs[0], xs[-1])
    axes.set_ylim(ys[0], ys[-1])
    axes.set_xlabel(left, parse_math=False)
    axes.set_ylabel(below, parse_math=False)
    _marks(figure, axes, result, left, below, bool(numpy.ma.getmaskarray(known).any()))
    return figure


def _places(values: Any) -> Any:
    import numpy

    return numpy.array(values.double().tolist() if values.dim() == 1 else range(len(values)), dtype=float)


def _thinned(count: int, most: int) -> Any:
    import numpy

    return numpy.unique(numpy.linspace(0, count - 1, min(count, most)).round().astype(int))


def _short(value: float, place: Any = None) -> str:
    del place
    return number(value)


def _levels(heights: Any) -> list[float]:
    """Heights of contours: round ones, or where some tower over all others, with as many points between them."""
    import numpy
    from matplotlib.ticker import MaxNLocator

    if not len(heights):
        return []
    low, high = float(heights.min()), float(heights.max())
    if not low < high:
        return []
    found: Any
    spread = numpy.quantile(heights, (0.1, 0.5, 0.9))
    if (
        not numpy.isfinite(high - low)
        or spread[2] - spread[0] < 0.15 * (high - low)
        or not 0.3 < (spread[1] - low) / (high - low) < 0.7
    ):
        found = numpy.unique(
            [float(f"{one:.2g}") for one in numpy.quantile(heights, numpy.linspace(0.02, 0.98, LEVELS))]
        )
    else:
        found = MaxNLocator(LEVELS).tick_values(low, high)
    return [float(one) for one in found if low < one < high or len(found) < 4]


def _arrows(axes: Any, result: Sweep, xs: Any, ys: Any, columns: Any, rows: Any) -> None:
    """The gradient where it is finite: its direction on the paper, and its length by the root of its size."""
    import numpy

    grads = [grad for grad in result.grad.values() if grad is not None and grad.dim() == 2 and not grad.is_complex()]
    if len(grads) < 2:
        return
    across, up = _thinned(len(xs), ARROWS), _thinned(len(ys), ARROWS)
    parts = [numpy.array(one.double().tolist()).T[rows][:, columns][up][:, across] for one in grads]
    width, height = float(xs[-1] - xs[0]), float(ys[-1] - ys[0])
    with numpy.errstate(all="ignore"):
        right, upward = parts[0] / height, parts[1] / width  # as steep as the paper shows it
        size = numpy.hypot(right, upward)
        good = numpy.isfinite(size) & (size > 0)
        if not good.any():
            return
        top = float(numpy.quantile(size[good], 0.95))
        length = numpy.where(good, numpy.sqrt(numpy.minimum(size / top, 1.0)), 0.0)
        right = numpy.where(good, right / numpy.where(good, size, 1.0) * length, 0.0)
        upward = numpy.where(good, upward / numpy.where(good, size, 1.0) * length, 0.0)
    shown = [numpy.ma.masked_array(one, ~good) for one in (right, upward)]
    axes.quiver(
        xs[across], ys[up], *shown, pivot="mid", color="#444b57", scale=ARROWS * 1.4, width=0.0028, headwidth=4,
        alpha=0.85, angles="uv",
    )  # fmt: skip


def _marks(figure: Any, axes: Any, result: Sweep, left: str, below: str, missing: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    labels = Labels(axes)
    kinds: list[str] = []
    for one in result.findings:
        x, y = one.where.get(left), one.where.get(below)
        if isinstance(x, (int, float)) and isinstance(y, (int, float)) and one.kind in MARKERS:
            axes.plot([x], [y], MARKERS[one.kind], markersize=8, color="#f2c14e", markeredgecolor=INK, zorder=6)
            labels.want(x, y, f"{one.kind} ({number(x)}, {number(y)})")
            kinds.append(one.kind)
    straight = _straight(axes, result, left, below)
    labels.place()
    handles: list[Any] = [
        Line2D([], [], marker=MARKERS[kind], linestyle="", color="#f2c14e", markeredgecolor=INK, label=kind)
        for kind in dict.fromkeys(kinds)
    ]
    handles += [Line2D([], [], color=INK, linewidth=1.0, linestyle=LINES[kind], label=f"line of {kind}s")
                for kind in straight]  # fmt: skip
    if missing:
        handles.append(Patch(facecolor="#e4e6e9", edgecolor="#8a8f98", label="not finite"))
    if any(grad is not None for grad in result.grad.values()):
        handles.append(
            Line2D([], [], marker=r"$\rightarrow$", linestyle="", color="#444b57", markersize=11, label="gradient")
        )
    if handles:
        figure.legend(
            handles=handles, loc="outside lower center", ncols=min(len(handles), 5), fontsize=8, frameon=False
        )


def _straight(axes: Any, result: Sweep, left: str, below: str) -> list[str]:
    """Draw lines along one input where a surface breaks; their kinds."""
    drawn: list[str] = []
    for one in result.findings:
        x, y = one.where.get(left), one.where.get(below)
        line = axes.axvline if isinstance(x, (int, float)) else axes.axhline
        place = x if isinstance(x, (int, float)) else y
        if one.kind in LINES and isinstance(place, (int, float)) and isinstance(x, tuple) != isinstance(y, tuple):
            line(place, color=INK, linewidth=1.0, linestyle=LINES[one.kind], zorder=4)
            drawn.append(one.kind)
    return list(dict.fromkeys(drawn))
