"""How many elements come of sliding windows: convolutions, pooling, patches, resizing, sampling."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from gradcli.engine.bounds.operands import Operands, Rule, integers, same


def places(given: Operands, size: Sequence[int], kernel: Sequence[int], stride: list[int] | None = None) -> list[int]:
    """How many places a window has in each dimension; one more where a last partial window counts."""
    count = len(size)
    steps = stride or given.each("stride", count, 0)
    steps = [one or width for one, width in zip(steps, kernel, strict=True)]
    pads, spaces = given.each("padding", count, 0), given.each("dilation", count, 1)
    more = 1 if given.get("ceil_mode") is True else 0
    return [
        max((length + 2 * pad - space * (width - 1) - 1) // max(step, 1) + 1 + more, 0)
        for length, pad, space, width, step in zip(size, pads, spaces, kernel, steps, strict=True)
    ]


def convolved(given: Operands) -> tuple[int, int, int]:
    """Of a convolution: batch and output channels, places of the output, and elements of one filter."""
    data, weight = given.tensors[:2]
    count = weight.dim() - 2
    kernel, size = list(weight.shape[2:]), list(data.shape[-count:])
    batch = data.shape[0] if data.dim() > count + 1 else 1
    groups = given.whole("groups", default=1)
    if transposes(given):
        steps, spaces = given.each("stride", count, 1), given.each("dilation", count, 1)
        pads, more = given.each("padding", count, 0), given.each("output_padding", count, 0)
        out = [
            max((length - 1) * step - 2 * pad + space * (width - 1) + add + 1, 0)
            for length, step, pad, space, width, add in zip(size, steps, pads, spaces, kernel, more, strict=True)
        ]
        return batch * weight.shape[1] * groups, math.prod(out), max(weight.numel() // max(weight.shape[1], 1), 1)
    if isinstance(given.get("padding"), str):
        out = size
    else:
        steps = given.each("stride", count, 1)
        out = places(given, size, kernel, steps)
    return batch * weight.shape[0], math.prod(out), max(weight.numel() // max(weight.shape[0], 1), 1)


def transposes(given: Operands) -> bool:
    """Whether a convolution is a transposed one."""
    return given.get("transposed") is True or "transpose" in given.name


def _convolution(given: Operands) -> int:
    channels, out, _ = convolved(given)
    return channels * out


def _time_first(given: Operands) -> int:
    """conv_tbc: time × batch × channels."""
    data, weight = given.tensors[:2]
    return (data.shape[0] + 2 * given.whole("pad", default=0)) * data.shape[1] * weight.shape[-1]


def _dimensions(name: str) -> int:
    """The number before the d of a name: conv2d, max_pool3d_with_indices."""
    match = re.search(r"(\d)d", name)
    return int(match[1]) if match else 1


def pooled(given: Operands) -> tuple[int, int]:
    """Of pooling: the places of the output, and the elements of a window."""
    count = _dimensions(given.name)
    kernel = given.each("kernel_size", count, 1)
    size = list(given.first.shape[-count:])
    outside = _outside(given, size)
    if given.name.startswith("lp_pool") and given.get("stride") is None:
        return outside * math.prod(places(given, size, kernel, kernel)), math.prod(kernel)
    return outside * math.prod(places(given, size, kernel)), math.prod(kernel)


def _pooling(given: Operands) -> int:
    return pooled(given)[0] * (2 if given.name.startswith("max_pool") else 1)


def _resized(given: Operands) -> int:
    """Adaptive and fractional pooling, unpooling: the size of the output is given, or a share of the input's."""
    count = _dimensions(given.name)
    size = list(given.first.shape[-count:])
    outside = _outside(given, size)
    asked = given.get("output_size")
    if asked is None and given.name.startswith("max_unpool"):
        kernel = given.each("kernel_size", count, 1)
        steps = [one or width for one, width in zip(given.each("stride", count, 0), kernel, strict=True)]
        out = [(length - 1) * step + width for length, step, width in zip(size, steps, kernel, strict=True)]
    elif asked is None:
        ratio = given.get("output_ratio", default=1)
        ratios = ratio if isinstance(ratio, (list, tuple)) else [ratio] * count
        out = [math.ceil(length * share) for length, share in zip(size, ratios, strict=True)]
    elif isinstance(asked, int):
        out = [asked] * count
    else:
        out = [length if one is None else one for length, one in zip(size, list(asked)[-count:], strict=True)]
    twice = 2 if "max" in given.name and "unpool" not in given.name else 1
    return twice * outside * math.prod(max(one, 0) for one in out)


def _outside(given: Operands, size: Sequence[int]) -> int:
    """The places of batches and channels, beside the dimensions that a window slides over."""
    return same(given) // max(math.prod(size), 1)


def patches(given: Operands) -> int:
    """A column for each place of a window: all its elements in all channels."""
    size = list(given.first.shape[-2:])
    kernel = given.each("kernel_size", 2, 1)
    outside = _outside(given, size)
    return outside * math.prod(kernel) * math.prod(places(given, size, kernel, given.each("stride", 2, 1)))


def _folded(given: Operands) -> int:
    batch = given.first.shape[0] if given.first.dim() > 2 else 1
    channels = given.first.shape[-2] // max(math.prod(given.each("kernel_size", 2, 1)), 1)
    return batch * max(channels, 1) * math.prod(given.each("output_size", 2, 1))


def _scaled(given: Operands) -> int:
    """size= names the new sizes, scale_factor= multiplies the old ones; one number stands for each dimension."""
    first = given.first
    count = first.dim() - 2
    size, factor = given.get("size"), given.get("scale_factor", default=1)
    if size is not None:
        sizes = [size] * count if isinstance(size, int) else list(integers([size]))
        return int(first.shape[0] * first.shape[1]) * math.prod(max(one, 0) for one in sizes)
    factors = list(factor) if isinstance(factor, (list, tuple)) else [factor] * count
    return math.ceil(first.numel() * math.prod(float(one) for one in factors))


def _sampled(given: Operands) -> int:
    """A value of each channel at each point of the grid."""
    data, grid = given.tensors[:2]
    return data.shape[0] * data.shape[1] * (grid.numel() // max(grid.shape[0] * grid.shape[-1], 1))


def _gridded(given: Operands) -> int:
    """The coordinates of each place of an image of this size."""
    size = list(integers([given.get("size", default=())]))
    return size[0] * math.prod(size[2:]) * (len(size) - 2)


def is_resizing(name: str) -> bool:
    """Whether a row of pooling is given the size of its output, not its windows."""
    return re.match(r"adaptive|fractional|max_unpool", name) is not None


def pooling(given: Operands) -> int:
    """Of any row of the family."""
    return _resized(given) if is_resizing(given.name) else _pooling(given)


NAMES: dict[str, Rule] = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "convolution"), _convolution),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), _convolution),
    **dict.fromkeys(("interpolate", "upsample", "upsample_nearest", "upsample_bilinear"), _scaled),
    **dict.fromkeys(("pixel_shuffle", "pixel_unshuffle", "channel_shuffle"), same),
    **dict.fromkeys(("grid_sample", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d"), _sampled),
    **dict.fromkeys(("affine_grid", "affine_grid_generator"), _gridded),
    "conv_tbc": _time_first, "F.unfold": patches, "fold": _folded,
}  # fmt: skip
FAMILIES: dict[str, Rule] = {"pooling": pooling}
