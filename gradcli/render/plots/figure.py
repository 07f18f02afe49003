"""A sweep as a figure for a lecture, drawn by matplotlib: readable in grey, and the same bytes each time."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import Any

from gradcli.render.plots import surface
from gradcli.render.plots.curves import Curve, marked, picture_of, stretches, worded
from gradcli.render.plots.labels import Labels, number
from gradcli.render.plots.scales import Scale, scale_of
from gradcli.swept import Sweep

WIDTH, PANEL, ABOVE = 7.2, 2.3, 1.1  # inches
DOTS = 150  # an inch of a PNG
RUG = 40  # crosses for points that are not finite
STYLES = ("-", "--", ":", "-.")
INK, GREY = "#1b2a41", "#8a8f98"
COLORS = ("#1f4e79", "#b3541e", "#3c6e47", "#6b4c8a")
# kind of finding -> marker; poles, jumps and gaps are drawn as upright lines besides.
MARKERS = {
    "minimum": "v", "maximum": "^", "saddle": "X", "inflection": "s", "stationary": "D", "kink": "o", "jump": "d",
    "gap": "o",
}  # fmt: skip
# kind of a stretch -> how it is filled: grey where numbers are 0 or small, hatched where they fail.
FILLS: dict[str, dict[str, Any]] = {
    "zero": {"facecolor": "#eceef1", "edgecolor": "none"},
    "vanishing": {"facecolor": "#f5f6f7", "edgecolor": "none"},
    **{
        kind: {"facecolor": "none", "edgecolor": "#c3c7cd", "hatch": hatch}
        for kind, hatch in {"nan": "//", "infinite": "xx", "lost": "\\\\", "refused": "++"}.items()
    },
}
_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "gradcli", "svg.fonttype": "none", "font.size": 9.5, "axes.grid": True, "grid.alpha": 0.35,
    "grid.linewidth": 0.5, "axes.edgecolor": GREY, "axes.spines.top": False, "axes.spines.right": False,
    "hatch.linewidth": 0.5, "axes.unicode_minus": True, "path.simplify": True
}  # fmt: skip
_DATELESS = {"svg": {"Date": None, "Creator": "gradcli"}, "pdf": {"CreationDate": None, "Producer": "gradcli"},
             "png": {"Software": "gradcli"}}  # fmt: skip


def drawn(result: Sweep, kind: str) -> bytes:
    """The bytes of a file of this kind."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    written = io.BytesIO()
    with (
        matplotlib.rc_context({**matplotlib.rcParamsDefault, **_SETTINGS, "backend": "agg"}),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # letters that the font lacks are drawn as boxes
        several = [name for name, values in result.at.items() if len(values) > 1]
        figure = surface.drawn(result) if len(several) == 2 else _curves(result, several)
        if not hasattr(figure.canvas, "get_renderer"):
            FigureCanvasAgg(figure)
        figure.savefig(written, format=kind, dpi=DOTS, metadata=_DATELESS[kind])
    return written.getvalue()


def _curves(result: Sweep, several: Sequence[str]) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    name = several[0] if several else next(iter(result.at))
    picture = picture_of(result, name)
    count = 2 if picture.slopes else 1
    figure = Figure(figsize=(WIDTH, PANEL * count + ABOVE), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    figure.suptitle(title_of(result), fontsize=11, color=INK, parse_math=False)
    for first, (axes, curves) in enumerate(zip(panels, (picture.values, picture.slopes), strict=False)):
        scale = scale_of([y for one in curves for y in one.heights], any(one.broken for one in curves))
        _scaled(axes, scale)
        _lines(axes, curves, first)
        _upright(axes, result, name)
        _bands(axes, result, name)
        label = curves[0].label if len(curves) == 1 else f"{name}.grad"
        axes.set_ylabel(f"{label} (cut off)" if scale.clipped else label, parse_math=False)
        if len(curves) > 1:
            axes.legend(loc="best", fontsize=8, framealpha=0.9)
        if not any(one.runs for one in curves):
            axes.text(
                0.5, 0.5, "nothing of it is finite", transform=axes.transAxes, ha="center", va="center", color=INK
            )
    bottom = panels[-1]
    if picture.logarithmic:
        bottom.set_xscale("log")
    if picture.left < picture.right:
        bottom.set_xlim(picture.left, picture.right)
    bottom.set_xlabel(picture.name, parse_math=False)
    _marks(panels[0], result, name)
    _told(figure, panels[0], result, name, any(one.missing for one in (*picture.values, *picture.slopes)))
    return figure


def title_of(result: Sweep) -> str:
    """The expression on one line, and what was held fixed."""
    text = " ".join(result.expression.split())
    text = text if len(text) <= 70 else f"{text[:69]}…"
    dtype = str(next(iter(result.at.values())).dtype).removeprefix("torch.")
    fixed = [
        f"{name} = {number(float(view.value))}"
        for name, view in result.inputs.items()
        if name not in result.at and view.value.numel() == 1 and not view.value.is_complex()
    ]
    return "   ".join([text, *fixed[:3], *([] if dtype == "float32" else [dtype])])


def _lines(axes: Any, curves: Sequence[Curve], first: int) -> None:
    for index, curve in enumerate(curves, first):
        style = {"color": COLORS[index], "linestyle": STYLES[index], "linewidth": 1.6, "solid_capstyle": "round"}
        for place, run in enumerate(curve.runs):
            label = curve.label if place == 0 else None
            xs, ys = zip(*run, strict=True)
            alone = {"marker": "o", "markersize": 4} if len(run) == 1 else {}
            axes.plot(xs, ys, label=label, **style, **alone)
        if curve.missing:
            base = axes.get_xaxis_transform()
            shown = curve.missing[:: -(-len(curve.missing) // RUG)]
            axes.plot(
                shown, [0.0] * len(shown), "x", color=INK, markersize=5, transform=base, clip_on=False,
                zorder=5,
            )  # fmt: skip


def _scaled(axes: Any, scale: Scale) -> None:
    if scale.kind == "log":
        axes.set_yscale("log")
    elif scale.kind == "symlog":
        axes.set_yscale("symlog", linthresh=scale.threshold)
    if scale.kind == "linear" and scale.high > scale.low and max(abs(scale.low), abs(scale.high)) < 1e300:
        axes.set_ylim(scale.low, scale.high)


def _upright(axes: Any, result: Sweep, name: str) -> None:
    """Where the curve breaks."""
    for one in result.findings:
        place = one.where.get(name)
        if isinstance(place, (int, float)) and one.kind in {"pole", "jump"}:
            style = ":" if one.kind == "pole" else (0, (1, 2))
            axes.axvline(place, color=GREY, linewidth=1.0, linestyle=style, zorder=1)


def _bands(axes: Any, result: Sweep, name: str) -> None:
    for one, left, right in stretches(result, name):
        axes.axvspan(left, right, **FILLS[one.kind], zorder=0)


def _marks(axes: Any, result: Sweep, name: str) -> None:
    """Findings on the curve of the value, the first of them with their numbers beside them."""
    labels = Labels(axes)
    for one, x, y in marked(result, name):
        low, high = axes.get_ylim()
        if not low <= y <= high or one.kind == "pole":
            continue
        filled = one.kind not in {"kink", "gap"}
        axes.plot(
            [x], [y], MARKERS.get(one.kind, "o"), markersize=7, markeredgecolor=INK, zorder=6,
            markerfacecolor="white" if not filled else "#f2c14e",
        )  # fmt: skip
        labels.want(x, y, f"{worded(one.kind)} ({number(x)}, {number(y)})")
    for one in result.findings:
        place = one.where.get(name)
        if one.kind == "pole" and isinstance(place, (int, float)):
            low, high = axes.get_ylim()
            labels.want(place, low + 0.9 * (high - low), f"pole at {number(place)}")
    labels.place()


def _told(figure: Any, axes: Any, result: Sweep, name: str, missing: bool) -> None:
    """A legend for markers and hatches, below the panels."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    del axes
    handles: list[Any] = []
    for kind in dict.fromkeys(one.kind for one, _, _ in marked(result, name) if one.kind != "pole"):
        face = "white" if kind in {"kink", "gap"} else "#f2c14e"
        handles.append(
            Line2D(
                [], [], marker=MARKERS.get(kind, "o"), linestyle="", color=INK, markerfacecolor=face, label=worded(kind)
            )
        )
    for of, kind in dict.fromkeys((one.of, one.kind) for one, _, _ in stretches(result, name)):
        handles.append(Patch(**FILLS[kind], label=f"{of} {kind}"))
    if missing:
        handles.append(Line2D([], [], marker="x", linestyle="", color=INK, label="not finite"))
    if handles:
        figure.legend(
            handles=handles, loc="outside lower center", ncols=min(len(handles), 5), fontsize=8, frameon=False
        )
