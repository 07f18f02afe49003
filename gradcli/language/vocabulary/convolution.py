"""Linear maps with weights: convolutions, linear and bilinear layers, and the patches they work on."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "convolution",
    row(
        "conv1d",
        "F torch",
        "(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
        "Convolution (cross-correlation) of a signal with kernels.",
        strings={"padding": "valid same"},
    ),
    row(
        "conv2d",
        "F torch",
        "(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
        "Convolution (cross-correlation) of an image with kernels.",
        strings={"padding": "valid same"},
    ),
    row(
        "conv3d",
        "F torch",
        "(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
        "Convolution (cross-correlation) of a volume with kernels.",
        strings={"padding": "valid same"},
    ),
    row(
        "conv_transpose1d",
        "F torch",
        "(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
        "Transposed convolution of a signal: the adjoint of conv1d.",
    ),
    row(
        "conv_transpose2d",
        "F torch",
        "(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
        "Transposed convolution of an image: the adjoint of conv2d.",
    ),
    row(
        "conv_transpose3d",
        "F torch",
        "(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
        "Transposed convolution of a volume: the adjoint of conv3d.",
    ),
    row(
        "convolution",
        "torch",
        "(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)",
        "Convolution of 1 to 3 dimensions, transposed or not, with every argument given.",
    ),
    row(
        "conv_tbc",
        "F torch",
        "(input, weight, bias, pad=0)",
        "Convolution of a signal laid out as time, batch, channels.",
    ),
    row(
        "F.unfold",
        "F.unfold",
        "(input, kernel_size, dilation=1, padding=0, stride=1)",
        "Sliding patches of an image, each as a column.",
    ),
    row(
        "fold",
        "F",
        "(input, output_size, kernel_size, dilation=1, padding=0, stride=1)",
        "Sum of patches put back into an image: the adjoint of unfold.",
    ),
    row("linear", "F", "(input, weight, bias=None)", "Linear layer: input @ weight.T + bias.", grows=""),
    row(
        "bilinear",
        "F torch",
        "(input1, input2, weight, bias=None)",
        "Bilinear layer: input1 @ weight @ input2 + bias, per output.",
        grows="",
    ),
    grows="padding",
)
