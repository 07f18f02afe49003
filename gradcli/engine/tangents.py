"""Tangents as tensors: directions in which inputs move."""

from __future__ import annotations

from contextlib import nullcontext

import torch

from gradcli.engine.gradient import Outcome
from gradcli.engine.inputs import make_tensor
from gradcli.engine.operations import shape_text
from gradcli.engine.recording import drawing, make_leaves
from gradcli.errors import GradcliError
from gradcli.language.program import Program
from gradcli.language.values import Given

Blocks = dict[str, torch.Tensor]


def make_tangents(given: tuple[Given, ...], outcome: Outcome, inputs: Blocks) -> Blocks:
    """The tangents that were given, in the dtype and shape of their inputs; one number stands for all elements.

    Raises GradcliError of kind usage for an input that nothing is differentiated by, value where one does not fit.
    """
    request = outcome.request
    made: Blocks = {}
    with drawing(request.seed) if any(isinstance(one.data, Program) for one in given) else nullcontext():
        make_leaves(request)
        for one in given:
            if one.name not in inputs:
                raise GradcliError("usage", f"--tangent names '{one.name}', which does not require grad")
            tangent, leaf = make_tensor(one, request.dtype, request.settings, False), inputs[one.name]
            if tangent.dim() and tangent.shape != leaf.shape:
                shapes = f"has the shape {shape_text(tangent.shape)}, and {one.name} {shape_text(leaf.shape)}"
                raise GradcliError("value", f"the tangent of {one.name} {shapes}")
            if tangent.is_complex() and not leaf.is_complex():
                raise GradcliError("value", f"the tangent of {one.name} is complex, and {one.name} is not")
            made[one.name] = tangent.detach().to(leaf.dtype).expand(leaf.shape).contiguous()
    return made
