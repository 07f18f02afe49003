"""Findings are complete and none is invented: every curve and surface of the table, each on a grid of several.

GRADCLI_SWEEPS=all asks for every one of them on every grid.
"""

from __future__ import annotations

import math
import os
from typing import Any

import pytest

import gradcli
from gradcli.findings import KINDS, STRETCHES, Finding
from tests.sweep.truths import ALL, CURVES, SURFACES, UNSEEN, Row

# Counts of points that hit round numbers and that do not, coarse and fine, with a dtype each.
GRIDS = ((10, "float64"), (101, "float32"), (98, "float64"), (2003, "float32"))


SIZES = (((21, 21), "float32"), ((12, 17), "float64"))
WHOLE = os.environ.get("GRADCLI_SWEEPS") == "all"


def each(rows: tuple[Any, ...], grids: tuple[Any, ...]) -> list[Any]:
    """Every row with every grid, or with one, the next row with the next."""
    return [
        pytest.param(row, *grid, id=f"{row[0]} on {grid[0]}")
        for place, row in enumerate(rows)
        for number, grid in enumerate(grids)
        if WHOLE or number == place % len(grids)
    ]


def found(row: Row, count: int, dtype: str) -> tuple[Finding, ...]:
    return gradcli.sweep(row.expression, at={"x": f"{row.low}:{row.high}:{count}"}, dtype=dtype).findings


def near(told: Any, true: float, dtype: str, size: float) -> bool:
    if math.isinf(true):
        return bool(told == true)
    return abs(told - true) <= {"float32": 4e-7, "float64": 4e-10}[dtype] * max(abs(true), size)


@pytest.mark.parametrize(("row", "count", "dtype"), each((*CURVES, *UNSEEN), GRIDS))
def test_a_curve_has_what_it_has_and_nothing_else(row: Row, count: int, dtype: str) -> None:
    told = found(row, count, dtype)
    stretch = [one for one in told if isinstance(one.where["x"], tuple)]
    spots = [one for one in told if one not in stretch and (one.kind not in STRETCHES or one.kind == "infinite")]
    assert [one.kind for one in spots] == [kind for kind, *_ in row.spots], [one.sentence() for one in told]
    for one, (_, x, *facts) in zip(spots, row.spots, strict=True):
        assert near(one.where["x"], x, dtype, 0.05), one.sentence()
        for fact in facts:
            if isinstance(fact, str):
                assert one.extremum == fact
            else:
                assert one.sides is not None
                assert all(near(*pair, dtype, 1.0) for pair in zip(one.sides, fact, strict=True)), one.sentence()
        if not any(isinstance(fact, str) for fact in facts):
            assert one.extremum is None
    known = [one for one in stretch if one.kind not in row.may]
    if count >= 98:
        told_ones = sorted((one.kind, one.of, *one.where["x"]) for one in known)  # type: ignore[misc]
        assert len(told_ones) == len(row.stretches), [one.sentence() for one in known]
        for (kind, of, low, high), true in zip(told_ones, sorted(row.stretches), strict=True):
            assert (kind, of) == true[:2]
            assert near(low, true[2], dtype, 0.05)
            assert near(high, true[3], dtype, 0.05)


@pytest.mark.parametrize(("row", "counts", "dtype"), each(SURFACES, SIZES))
def test_a_surface_has_what_it_has_and_nothing_else(row: Any, counts: tuple[int, int], dtype: str) -> None:
    expression, size, points = row
    at = {name: f"-{size}:{size}:{count}" for name, count in zip("xy", counts, strict=True)}
    told = [one for one in gradcli.sweep(expression, at=at, dtype=dtype).findings if one.kind not in STRETCHES]
    assert sorted(one.kind for one in told) == sorted(kind for kind, *_ in points), [one.sentence() for one in told]
    for kind, *place in points:
        assert any(one.kind == kind and all(map(_at, one.where.values(), place)) for one in told), (kind, place)


def _at(told: Any, true: float | None) -> bool:
    return isinstance(told, tuple) if true is None else not isinstance(told, tuple) and abs(told - true) < 2e-6


def test_numbers_lost_in_a_dtype_are_told_with_where() -> None:
    (one,) = [one for one in gradcli.sweep("exp(x)", at={"x": "0:100:11"}).findings if one.of == "value"]
    assert (one.kind, one.points) == ("lost", 2)
    assert one.where["x"] == (88.72284, 100.0)
    assert one.says == "infinite in float32 and not in float64"
    assert not gradcli.sweep("exp(x)", at={"x": "0:100:11"}, dtype="float64").findings
    half = gradcli.sweep("x*1000", at={"x": "0:100:11"}, dtype="float16").findings
    assert [(one.kind, one.of, one.where["x"]) for one in half] == [("lost", "value", (65.56, 100.0))]


def test_a_gradient_that_saturates_vanishes_and_a_minimum_does_not() -> None:
    kinds = {one.kind for one in gradcli.sweep("sigmoid(x)", at={"x": "-80:80:161"}, dtype="float64").findings}
    assert "vanishing" in kinds
    assert not {"minimum", "maximum", "inflection"} & kinds
    flat = gradcli.sweep("x**4", at={"x": "-1:1:2001"}).findings
    assert [one.kind for one in flat] == ["minimum"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_float64_loses_too_is_lost_and_not_zero(dtype: str) -> None:
    def last(expression: str, at: str) -> tuple[str, Any, str | None]:
        *_, one = (one for one in gradcli.sweep(expression, at=at, dtype=dtype).findings if one.of == "gradient")
        return one.kind, one.where["x"], one.says

    kind, (low, high), says = last("sigmoid(20*x)", "-5:5:101")
    assert (kind, high, says) == ("lost", 5.0, f"0 in {dtype} and not with more digits")
    assert low == pytest.approx(1.83684)
    assert last("logsumexp(stack([x, 2*x]), 0)*0", "1:2:9")[0] == "zero"
    assert last("relu(-x)", "-1:1:9") == ("zero", (0.0, 1.0), None)
    assert last("exp(x)", "0:1000:101")[0] == "infinite"


@pytest.mark.parametrize("expression", ["sigmoid(1000*x)", "exp(1/x)"])
def test_where_numbers_begin_and_end_is_no_jump_on_a_fine_grid(expression: str) -> None:
    found = gradcli.sweep(expression, at="-1:1:150001", dtype="float64").findings
    assert {one.kind for one in found} <= STRETCHES


def test_stretches_end_where_they_do_over_many_powers_of_ten() -> None:
    told = gradcli.sweep("x**2", at={"x": "log:1e-300:1e300:7"}, dtype="float64").findings
    ends = {(one.kind, one.of): one.where["x"] for one in told}
    assert ends["infinite", "value"] == (1.34078079299426e154, 1e300)
    assert ends["zero", "value"] == (1e-300, pytest.approx(2.0**-537.5, rel=1e-2))  # its square is 2**-1075
    assert ends["vanishing", "gradient"] == (1e-300, pytest.approx(2.0**-53))


def test_fine_points_around_a_flat_place_are_told_once() -> None:
    for expression in ("relu(x**3)", "x**3", "F.tanhshrink(x)"):
        told = gradcli.sweep(expression, at={"x": "-1:1:40000"}).findings
        assert not [one for one in told if one.kind == "vanishing"], expression
    told = gradcli.sweep("cosh(x) - 1", at={"x": "-3:3:40001"}).findings
    (lost,) = [one for one in told if one.kind == "lost"]
    assert (lost.of, lost.where["x"]) == ("value", (-0.00034526698, 0.00034526698))


@pytest.mark.parametrize(
    ("expression", "size", "told"),
    [
        ("exp(-x*x - y*y)", 6, [("x", 6.0), ("y", 6.0)]),
        ("x**4 + y**4", 1, []),
        ("x*y", 1, []),
        ("sigmoid(x) + y**2", 40, [("x", -20.4)]),
    ],
)
def test_a_surface_vanishes_where_it_saturates_and_not_at_its_points(expression: str, size: int, told: Any) -> None:
    at = {"x": f"-{size}:{size}:601", "y": f"-{size}:{size}:151"}
    found = [one for one in gradcli.sweep(expression, at=at).findings if one.kind == "vanishing"]
    assert [(one.input, one.where["x"][1]) for one in found] == told  # type: ignore[index]


def test_a_line_of_points_goes_to_the_ends_of_the_range() -> None:
    (one,) = gradcli.sweep("(x - y)**2", at={"x": "-1:1:21", "y": "-1:1:21"}).findings
    assert dict(one.where) == {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}


def test_points_that_torch_refuses_are_told() -> None:
    swept = gradcli.sweep("linalg.cholesky(x*eye(2)).sum()", at={"x": "-1:1:5"})
    (one,) = [one for one in swept.findings if one.kind == "refused"]
    assert (one.where["x"], one.points) == ((-1.0, 0.0), 3)
    assert "positive-definite" in (one.says or "")


def test_kinds_are_told_in_the_reference() -> None:
    assert set(KINDS) >= STRETCHES
    assert ALL <= STRETCHES
