"""One point for several dtypes: the values are made once, in float64, and rounded to each dtype."""

from __future__ import annotations

import torch

from gradcli.engine.defaults import COMPLEX_OF
from gradcli.engine.inputs import make_tensor, settings_of
from gradcli.engine.recording import Request, recordable, seeded
from gradcli.engine.widening import widened

Point = dict[str, torch.Tensor]


def point_of(request: Request, dtype: torch.dtype | None) -> Point:
    """The inputs of a request, read in a dtype (None: torch's default), in float64 and complex128.

    Constants that are whole numbers or booleans stay so.
    """
    read = settings_of(dtype, request.settings.device, request.settings.memory)
    with recordable(), seeded(request):
        made = {one.name: make_tensor(one, dtype, read, False).detach() for one in request.given}
    return {name: rounded(one, torch.float64) for name, one in made.items()}


def rounded(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Floating numbers in a dtype, complex ones in the complex dtype whose parts are of it."""
    if tensor.is_complex():
        return tensor.to(dtype if dtype.is_complex else COMPLEX_OF.get(dtype, torch.complex64))
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def at_point(request: Request, point: Point, dtype: torch.dtype) -> Request:
    """The request with the numbers of a point in a dtype, which is also that of tensors made inside."""
    given = tuple(one._replace(data=rounded(point[one.name], dtype), text=None) for one in request.given)
    settings = settings_of(dtype, request.settings.device, request.settings.memory)
    return request._replace(given=given, dtype=dtype, settings=settings)


def in_float64(request: Request, point: Point) -> Request:
    """The request at a point in float64 throughout, whatever narrower dtypes its text names."""
    return at_point(request._replace(program=widened(request.program)), point, torch.float64)
