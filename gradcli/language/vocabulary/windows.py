"""Windows that weigh the samples of a signal."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "windows",
    row(
        "hann_window",
        "torch",
        "(window_length, periodic=True, *, dtype=None, device=None, requires_grad=False)",
        "Hann window: a raised cosine that ends at 0.",
    ),
    row(
        "hamming_window",
        "torch",
        "(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, device=None, requires_grad=False)",
        "Hamming window: alpha - beta * cos, a raised cosine.",
    ),
    row(
        "blackman_window",
        "torch",
        "(window_length, periodic=True, *, dtype=None, device=None, requires_grad=False)",
        "Blackman window: a sum of three cosines.",
    ),
    row(
        "bartlett_window",
        "torch",
        "(window_length, periodic=True, *, dtype=None, device=None, requires_grad=False)",
        "Bartlett window: a triangle that ends at 0.",
    ),
    row(
        "kaiser_window",
        "torch",
        "(window_length, periodic=True, beta=12.0, *, dtype=None, device=None, requires_grad=False)",
        "Kaiser window: a Bessel bell that beta narrows.",
    ),
    row(
        "signal.windows.bartlett",
        "torch.signal.windows.bartlett",
        "(M, *, sym=True, dtype=None, device=None, requires_grad=False)",
        "Bartlett window, symmetric unless sym is false.",
    ),
    row(
        "signal.windows.blackman",
        "torch.signal.windows.blackman",
        "(M, *, sym=True, dtype=None, device=None, requires_grad=False)",
        "Blackman window, symmetric unless sym is false.",
    ),
    row(
        "signal.windows.cosine",
        "torch.signal.windows.cosine",
        "(M, *, sym=True, dtype=None, device=None, requires_grad=False)",
        "Half a wave of a sine.",
    ),
    row(
        "signal.windows.exponential",
        "torch.signal.windows.exponential",
        "(M, *, center=None, tau=1.0, sym=True, dtype=None, device=None, requires_grad=False)",
        "Exponential decay to both sides of the centre.",
    ),
    row(
        "signal.windows.gaussian",
        "torch.signal.windows.gaussian",
        "(M, *, std=1.0, sym=True, dtype=None, device=None, requires_grad=False)",
        "Gaussian bell of a given standard deviation.",
    ),
    row(
        "signal.windows.general_cosine",
        "torch.signal.windows.general_cosine",
        "(M, *, a, sym=True, dtype=None, device=None, requires_grad=False)",
        "Sum of cosines with the weights a.",
    ),
    row(
        "signal.windows.general_hamming",
        "torch.signal.windows.general_hamming",
        "(M, *, alpha=0.54, sym=True, dtype=None, device=None, requires_grad=False)",
        "Hamming window with a chosen weight alpha.",
    ),
    row(
        "signal.windows.hamming",
        "torch.signal.windows.hamming",
        "(M, *, sym=True, dtype=None, device=None, requires_grad=False)",
        "Hamming window, symmetric unless sym is false.",
    ),
    row(
        "signal.windows.hann",
        "torch.signal.windows.hann",
        "(M, *, sym=True, dtype=None, device=None, requires_grad=False)",
        "Hann window, symmetric unless sym is false.",
    ),
    row(
        "signal.windows.kaiser",
        "torch.signal.windows.kaiser",
        "(M, *, beta=12.0, sym=True, dtype=None, device=None, requires_grad=False)",
        "Kaiser window, symmetric unless sym is false.",
    ),
    row(
        "signal.windows.nuttall",
        "torch.signal.windows.nuttall",
        "(M, *, sym=True, dtype=None, device=None, requires_grad=False)",
        "Nuttall window: a sum of four cosines.",
    ),
    makes="float",
    differentiable=False,
    smooth="nowhere",
)
