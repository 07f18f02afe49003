"""Pictures of sweeps: what a figure and a plot in the terminal hold, and what is refused beforehand."""

from __future__ import annotations

import math
import re
import stat
import sys
from itertools import pairwise
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradcli
from gradcli.render import Style, plot
from gradcli.render.plots import checked, figure
from gradcli.render.plots.curves import picture_of
from gradcli.render.plots.scales import along, scale_of, ticks
from tests.command_line import ask

pytest.importorskip("matplotlib")
pytest.importorskip("plotext")

GOLDEN = Path(__file__).parent / "plots"


def svg(expression: str, **at: str) -> ElementTree.Element:
    drawn = figure.drawn(gradcli.sweep(expression, at=at), "svg")
    return ElementTree.fromstring(drawn)


def words(root: ElementTree.Element) -> str:
    return " | ".join("".join(one.itertext()).strip() for one in root.iter("{http://www.w3.org/2000/svg}text"))


@pytest.mark.parametrize(
    ("expression", "at", "told"),
    [
        ("x**3-3*x", "-3:3:61", ["x**3-3*x", "x.grad", "maximum (−1, 2)", "minimum (1, −2)", "value"]),
        ("abs(x)", "-2:2:40", ["kink (0, 0)"]),
        ("1/x", "-5:5:50", ["pole at 0"]),
        ("sqrt(1-x**2)", "-2:2:41", ["infinite slope (−1, 0)", "maximum (0, 1)"]),
        ("log(x)", "-1:5:61", ["not finite", "value nan"]),
        ("log(x)", "-5:-1:11", ["nothing of it is finite"]),
    ],
)
def test_a_curve_is_named_and_its_findings_are_labelled(expression: str, at: str, told: list[str]) -> None:
    found = words(svg(expression, x=at))
    assert all(one in found for one in told), found
    assert re.search(r"(^| )x( |$)", found)


def test_of_very_many_points_none_is_labelled() -> None:
    found = words(svg("sin(100*x)", x="0:3:500"))
    assert "maximum" in found
    assert "maximum (" not in found


def test_a_curve_goes_through_corners_between_its_points() -> None:
    (run,) = picture_of(gradcli.sweep("sqrt(abs(x))", at="-2:2:50")).values[0].runs
    assert (0.0, 0.0) in run
    assert len(run) == 51


def test_poles_are_marked_in_the_terminal_and_named_below() -> None:
    lines = ask("sweep", "tan(x)", "--at", "x=-2:2:60", "--plot", "--color", "never").out.splitlines()
    assert ": pole" in lines
    assert sum(line.count(":") == 2 for line in lines) > 10


def test_lines_of_kinks_are_drawn_on_a_surface() -> None:
    found = words(svg("abs(x) + y**2", x="-1:1:12", y="-1:1:12"))
    assert "line of kinks" in found


def test_a_surface_has_contours_arrows_and_its_stationary_points() -> None:
    root = svg("x**2-y**2", x="-1:1:21", y="-1:1:21")
    assert "saddle (0, 0)" in words(root)
    groups = {one.get("id", "").partition("_")[0] for one in root.iter("{http://www.w3.org/2000/svg}g")}
    assert {"Quiver", "QuadContourSet"} <= groups


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_a_picture_is_the_same_bytes_each_time(kind: str) -> None:
    result = gradcli.sweep("x**2", at={"x": "-1:1:5"})
    drawn = figure.drawn(result, kind)
    assert drawn == figure.drawn(result, kind)
    assert drawn[:4] in {b"<?xm", b"\x89PNG", b"%PDF"}


EXTREME = [
    ("0*x+3", "-1:1:5"), ("1e30*x", "-1e5:1e5:9"), ("1e-30*x", "-1:1:9"), ("x**x", "log:1e-3:10:9"),
    ("exp(x)", "-50:100:31"), ("x/0", "-1:1:5"), ("floor(x)", "-2:2:9"), ("tan(x)", "-2:2:50"), ("x", "0:1e-40:5"),
    ("x", "-3e38:3e38:5"), ("x > 0", "-1:1:5"), ("x.detach()", "-1:1:5"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "at"), EXTREME)
def test_nothing_is_too_extreme_to_draw(expression: str, at: str) -> None:
    result = gradcli.sweep(expression, at={"x": at})
    assert figure.drawn(result, "svg").startswith(b"<?xml")
    assert "".join(plot.pieces(result, Style(width=80, height=24)))


@pytest.mark.parametrize(
    ("expression", "dtype"), [("x*y", "float16"), ("log(-x**2-y**2)", None), ("0*x*y", None), ("x/y", None)]
)
def test_nor_is_any_surface(expression: str, dtype: str | None) -> None:
    result = gradcli.sweep(expression, at={"x": "-1:1:5", "y": "-2:2:4"}, dtype=dtype)
    assert figure.drawn(result, "svg").startswith(b"<?xml")
    assert "".join(plot.pieces(result, Style(width=80, height=24)))


def test_points_that_are_no_numbers_are_numbered() -> None:
    result = gradcli.sweep("(A**2).sum()", at={"A": [[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]]}, over="A")
    assert "number of the point of A" in words(ElementTree.fromstring(figure.drawn(result, "svg")))


def test_no_line_goes_across_a_pole_or_a_jump() -> None:
    for expression, at in (("1/x", "-5:5:50"), ("tan(x)", "-2:2:60"), ("floor(x)", "-2:2:50")):
        for notes in (True, False):
            (curve,) = picture_of(gradcli.sweep(expression, at={"x": at}, notes=notes), "x").values
            assert len(curve.runs) > 1, expression
            for run in curve.runs:
                rises = [after - before for (_, before), (_, after) in pairwise(run)]
                assert all(one >= 0 for one in rises) or all(one <= 0 for one in rises)


def test_a_long_curve_keeps_its_peaks_and_few_points() -> None:
    result = gradcli.sweep("exp(-(1000*x)**2) - x", at={"x": "-1:1:100001"}, notes=False)
    (curve,) = picture_of(result, "x").values
    assert sum(map(len, curve.runs)) < 5000
    assert max(curve.heights) == float(result.value.max())


# Scales.


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40),
    st.booleans(),
    st.integers(2, 9),
)
def test_a_scale_holds_what_it_does_not_cut_and_has_ticks_inside(heights: list[float], broken: bool, most: int) -> None:
    scale = scale_of(heights, broken)
    if not scale.clipped:
        assert all(-1e-6 <= scale.place(one) <= 1 + 1e-6 for one in heights)
    for number, text in ticks(scale, most):
        assert math.isfinite(scale.place(number))
        assert len(text) < 30


@pytest.mark.parametrize(
    ("heights", "broken", "kind", "clipped"),
    [
        ([-1.0, 0.0, 2.0], False, "linear", False),
        ([10.0**power for power in range(-20, 20)], False, "log", False),
        ([-(10.0**power) for power in range(-20, 20)], False, "symlog", False),
        ([1 / (place / 50) for place in range(1, 50)] + [1e6], True, "linear", True),
        ([0.0] * 100 + [5.0], False, "linear", False),
        ([3.0], False, "linear", False),
        ([], False, "linear", False),
    ],
)
def test_the_scale_of(heights: list[float], broken: bool, kind: str, clipped: bool) -> None:
    found = scale_of(heights, broken)
    assert (found.kind, found.clipped) == (kind, clipped)


def test_ticks_are_round_and_alike() -> None:
    assert [text for _, text in ticks(along(-3.0, 3.0, False), 7)] == ["-3", "-2", "-1", "0", "1", "2", "3"]
    assert [text for _, text in ticks(along(0.0, 1.0, False), 4)] == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert ticks(along(1e-3, 1e3, True), 7)[0][1] == "1e-3"
    assert [text for _, text in ticks(along(0.0, 4e30, False), 4)] == ["0", "1e30", "2e30", "3e30", "4e30"]


# In the terminal.

PLOTS = {
    "curve": ("x**3-3*x", "--at", "x=-3:3:101"),
    "pole": ("1/x", "--at", "x=-5:5:100"),
    "surface": ("x**2-y**2", "--at", "x=-1:1:21", "--at", "y=-1:1:21"),
}


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("place", ["terminal", "piped", "ascii"])
def test_a_plot_looks_like_this(name: str, place: str, rewrite: bool) -> None:
    encoding = "ascii" if place == "ascii" else "utf-8"
    variables = {"NO_COLOR": "1", "LINES": "24"}
    words_ = ("sweep", *PLOTS[name], "--plot")
    said = ask(*words_, terminal=place == "terminal", encoding=encoding, variables=variables)
    assert (said.code, said.err) == (0, "")
    file = GOLDEN / f"{name}-{place}.txt"
    if rewrite:
        file.write_text(said.out, encoding="utf-8")
    assert said.out == file.read_text(encoding="utf-8")
    assert "\x1b" not in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    assert place != "ascii" or said.out.isascii()


def test_a_pipe_gets_no_escapes_where_colour_is_not_asked_for() -> None:
    assert "\x1b" not in ask("sweep", *PLOTS["curve"], "--plot").out


# Refused before anything is computed.


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("curve.gif", "--save draws .svg, .png, .pdf, not 'curve.gif'"),
        ("curve", "--save draws .svg, .png, .pdf, not 'curve'"),
        ("no/such/curve.svg", "--save cannot write 'no/such/curve.svg': there is no folder no/such"),
        (".", "--save draws"),
    ],
)
def test_a_file_that_cannot_be_is_refused_at_once(file: str, message: str) -> None:
    with mock.patch("gradcli.commands.sweep.sweep_request", side_effect=AssertionError("computed")):
        said = ask("sweep", "x**2", "--at", "x=-1:1:5", "--save", file)
    assert said.code == 2
    assert said.err.startswith(f"error: {message}")


@pytest.mark.parametrize(("words_", "package"), [(("--plot",), "plotext"), (("--save", "c.svg"), "matplotlib")])
def test_a_missing_extra_is_named_with_its_command(
    words_: tuple[str, ...], package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with mock.patch.dict(sys.modules, {package: None}), mock.patch("importlib.util.find_spec", return_value=None):
        said = ask("sweep", "x**2", "--at", "x=-1:1:5", *words_)
    assert said.code == 2
    assert said.err == (
        f"error: {words_[0]} needs {package}, which is not installed\nhint: pip install 'gradcli[plot]'\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_save_writes_one_file_and_replaces_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "curve.svg"
    file.write_text("old")
    file.chmod(0o640)
    said = ask("sweep", "x**2", "--at", "x=-1:1:5", "--save", str(file))
    assert (said.code, said.err) == (0, "")
    assert file.read_bytes().startswith(b"<?xml")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_a_picture_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "curve.png"
    with mock.patch("os.replace", side_effect=OSError(28, "No space left on device")):
        said = ask("sweep", "x**2", "--at", "x=-1:1:5", "--save", str(file))
    assert said.code == 74
    assert "could not be written: No space left on device" in said.err
    assert list(tmp_path.iterdir()) == []


def test_a_save_that_is_no_name_is_refused() -> None:
    with pytest.raises(gradcli.GradcliError, match="--save is the name of a file, not int"):
        checked(3)
