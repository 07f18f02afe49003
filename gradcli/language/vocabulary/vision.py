"""Images and other grids: padding, resizing, resampling and moving pixels between space and channels."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "vision",
    row(
        "pad",
        "F",
        "(input, pad, mode='constant', value=None)",
        "Add elements at the ends of the last dimensions (or remove them: negative pad).",
        strings={"mode": "constant reflect replicate circular"},
        grows="padding",
    ),
    row(
        "constant_pad_nd",
        "torch",
        "(input, pad, value=0)",
        "Add a constant at the ends of the last dimensions (or cut them: negative pad).",
        grows="padding",
    ),
    row(
        "interpolate",
        "F",
        "(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None,"
        " antialias=False)",
        "Resize a signal, image or volume to a size or by a factor.",
        strings={"mode": "nearest nearest-exact linear bilinear bicubic trilinear area lanczos"},
        grows="size",
    ),
    row(
        "upsample",
        "F",
        "(input, size=None, scale_factor=None, mode='nearest', align_corners=None)",
        "Older name of interpolate.",
        strings={"mode": "nearest nearest-exact linear bilinear bicubic trilinear area"},
        grows="size",
    ),
    row(
        "upsample_nearest",
        "F",
        "(input, size=None, scale_factor=None)",
        "Older name of interpolate with mode='nearest'.",
        grows="size",
    ),
    row(
        "upsample_bilinear",
        "F",
        "(input, size=None, scale_factor=None)",
        "Older name of interpolate with mode='bilinear' and align_corners=True.",
        grows="size",
    ),
    row(
        "pixel_shuffle",
        "F torch",
        "(input, upscale_factor)",
        "Move channels into space: upscale_factor^2 channels make one larger image.",
    ),
    row(
        "pixel_unshuffle",
        "F torch",
        "(input, downscale_factor)",
        "Move space into channels: the inverse of pixel_shuffle.",
    ),
    row("channel_shuffle", "F torch", "(input, groups)", "Interleave the channels of groups."),
    row(
        "grid_sample",
        "F",
        "(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None)",
        "Sample an image or volume at the points of a grid, coordinates from -1 to 1.",
        smooth="no grid point on a line of pixel centres or on the border",
        strings={"mode": "bilinear nearest bicubic", "padding_mode": "zeros border reflection"},
    ),
    row(
        "affine_grid",
        "F",
        "(theta, size, align_corners=None)",
        "Grid for grid_sample that carries out the affine maps theta.",
    ),
    row(
        "grid_sampler",
        "torch",
        "(input, grid, interpolation_mode, padding_mode, align_corners)",
        "grid_sample with its modes as numbers.",
        smooth="no grid point on a line of pixel centres or on the border",
    ),
    row(
        "grid_sampler_2d",
        "torch",
        "(input, grid, interpolation_mode, padding_mode, align_corners)",
        "grid_sample of an image, with its modes as numbers.",
        smooth="no grid point on a line of pixel centres or on the border",
    ),
    row(
        "grid_sampler_3d",
        "torch",
        "(input, grid, interpolation_mode, padding_mode, align_corners)",
        "grid_sample of a volume, with its modes as numbers.",
        smooth="no grid point on a line of pixel centres or on the border",
    ),
    row(
        "affine_grid_generator",
        "torch",
        "(theta, size, align_corners)",
        "affine_grid with every argument given.",
    ),
)
