"""How far numbers lie from those that they should be: relative, in units of the last place, lost at either end."""

from __future__ import annotations

import torch

from gradcli.compared_dtypes import Error


def error_of(got: torch.Tensor, want: torch.Tensor) -> Error | None:
    """The error of a tensor of any dtype against one in float64; None where they are not of one kind and shape."""
    if got.shape != want.shape or got.is_complex() != want.is_complex():
        return None
    have, true = parts(got), parts(want)
    gap = relative_to(have, true)
    there = true.isfinite() & (true != 0)
    under, over = int((there & (have == 0)).sum()), int((true.isfinite() & ~have.isfinite()).sum())
    worst = int(gap.argmax()) if gap.numel() else None
    largest = float(gap[worst]) if worst is not None else 0.0
    if not (got.is_floating_point() or got.is_complex()):
        return Error(None, largest, worst if largest else None, under, over, int(there.sum()))
    in_ulps = torch.where(have == true, 0.0, (have - true).abs() / ulp(true, got.dtype)).nan_to_num(
        torch.inf, torch.inf
    )
    in_ulps = torch.where(gap == 0, 0.0, in_ulps)
    ulps = float(in_ulps.max()) if gap.numel() else 0.0
    return Error(ulps, largest, worst if largest else None, under, over, int(there.sum()))


def parts(tensor: torch.Tensor) -> torch.Tensor:
    """The numbers of a tensor in float64, in a row; of complex ones both parts."""
    flat = tensor.detach().reshape(-1)
    flat = torch.view_as_real(flat.resolve_conj()).reshape(-1) if flat.is_complex() else flat
    return flat.to(torch.float64) + 0  # + 0: zeros that torch keeps no memory for become numbers


def relative_to(have: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """|have - true| / |true|; 0 where both are the same, or not a number; infinite where only one is."""
    same = (have == true) | (have.isnan() & true.isnan())
    off = ((have - true).abs() / true.abs()).nan_to_num(torch.inf, torch.inf)
    return torch.where(same, 0.0, off)


def between(one: torch.Tensor, other: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, float]:
    """The differences of two tensors, beside the larger number and absolute, and the largest finite number of both.

    A complex number has one difference, that of its worse part.
    """
    a, b = parts(one), parts(other)
    gap = torch.minimum(relative_to(a, b), relative_to(b, a))
    absolute = (a - b).abs().nan_to_num(torch.inf, torch.inf)
    if one.is_complex():
        gap, absolute = gap.reshape(-1, 2).amax(1), absolute.reshape(-1, 2).amax(1)
    sizes = torch.cat([a, b]).abs()
    largest = float(sizes[sizes.isfinite()].amax()) if bool(sizes.isfinite().any()) else 0.0
    return gap, absolute, largest


def ulp(true: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The distance of neighbouring numbers of a dtype at some numbers; below its normal range, of subnormal ones."""
    info = torch.finfo(dtype)
    _, exponent = torch.frexp(true.abs().clamp(info.smallest_normal, torch.finfo(torch.float64).max))
    return torch.ldexp(torch.full_like(true, info.eps), exponent - 1)
