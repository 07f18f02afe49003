"""torch.autograd.grad with upstream gradients, without what torch imports to compare their shapes.

Where it is given any, torch imports sympy at the first call, which takes a fifth of its own import. A dot product with
the outputs, of which the gradient is the same to the last bit, needs none.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import torch

from gradcli.engine.recording import recordable

COMPARES = "torch.fx.experimental.symbolic_shapes"
MOST = 1 << 17  # elements of outputs for which a dot product costs next to nothing


def pulled(
    outputs: Sequence[torch.Tensor], inputs: Sequence[Any], vectors: Sequence[torch.Tensor | None], **options: Any
) -> tuple[Any, ...]:
    """What arrives at each input where these upstream gradients start at the outputs.

    `vectors` have the shapes and dtypes of `outputs`; None is 1, of a single number. Raises what torch.autograd.grad
    raises.
    """
    if COMPARES not in sys.modules and all(map(_plain, outputs, vectors)):
        with recordable():
            pairs = zip(outputs, vectors, strict=True)
            products = [one.sum() if vector is None else (one * vector).sum() for one, vector in pairs]
        return torch.autograd.grad(products, inputs, **options)
    return torch.autograd.grad(outputs, inputs, vectors, **options)


def _plain(output: Any, vector: torch.Tensor | None) -> bool:
    return (
        isinstance(output, torch.Tensor)
        and (vector is not None or output.numel() == 1)
        and output.requires_grad
        and output.is_floating_point()
        and output.layout == torch.strided
        and output.itemsize > 1
        and output.numel() <= MOST
    )
