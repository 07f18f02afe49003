"""The eigenvalues of a Hessian, and what they say: a minimum, a saddle, a flat direction."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from gradcli.engine.derivatives import Hessians
from gradcli.errors import GradcliError


@dataclass(frozen=True, eq=False, slots=True)
class Curvature:
    """Eigenvalues in ascending order and their verdict; both None where the Hessian is not finite."""

    eigenvalues: torch.Tensor | None
    definiteness: str | None


def curvature(found: Hessians) -> Curvature:
    """The eigenvalues of all blocks as one matrix, its rounding evened out between the two triangles.

    Raises GradcliError of kind usage where an input is complex: torch's Hessian by it is not symmetric.
    """
    rows = [
        torch.cat([block.reshape(found.size(name), found.size(other)) for other, block in blocks.items()], 1)
        for name, blocks in found.blocks.items()
    ]
    if not rows:
        return Curvature(torch.zeros(0), _verdict(torch.zeros(0)))
    whole = torch.cat(rows)
    if whole.is_complex():
        raise GradcliError("usage", "--eigen is for real inputs", hint="give real and imaginary part as two inputs")
    if not bool(whole.isfinite().all()):
        return Curvature(None, None)
    wide = whole if whole.itemsize >= 4 else whole.float()
    values = torch.linalg.eigvalsh((wide + wide.T) / 2).to(whole.dtype)
    return Curvature(values, _verdict(values))


def _verdict(values: torch.Tensor) -> str:
    """The definiteness of a symmetric matrix, eigenvalues within rounding of 0 counted as 0."""
    if not values.numel():
        return "zero"
    rounding = values.numel() * torch.finfo(values.dtype).eps * float(values.abs().max())
    up, down = bool((values > rounding).any()), bool((values < -rounding).any())
    flat = bool((values.abs() <= rounding).any())
    if up and down:
        return "indefinite"
    if not up and not down:
        return "zero"
    return f"{'positive' if up else 'negative'} {'semidefinite' if flat else 'definite'}"
