"""Discrete Fourier transforms, and the spectra of signals in overlapping windows."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "fft",
    row("fft", "fft", "(input, n=None, dim=-1, norm=None)", "Fourier transform along one dimension."),
    row("ifft", "fft", "(input, n=None, dim=-1, norm=None)", "Inverse Fourier transform along one dimension."),
    row("rfft", "fft", "(input, n=None, dim=-1, norm=None)", "Fourier transform of a real signal, half of it."),
    row(
        "irfft",
        "fft",
        "(input, n=None, dim=-1, norm=None)",
        "Inverse of rfft: a real signal from half a spectrum.",
        grows="double",
    ),
    row(
        "hfft",
        "fft",
        "(input, n=None, dim=-1, norm=None)",
        "Real spectrum of half a Hermitian signal.",
        grows="double",
    ),
    row("ihfft", "fft", "(input, n=None, dim=-1, norm=None)", "Inverse of hfft: half a Hermitian signal."),
    row("fft2", "fft", "(input, s=None, dim=(-2, -1), norm=None)", "Fourier transform along two dimensions."),
    row("ifft2", "fft", "(input, s=None, dim=(-2, -1), norm=None)", "Inverse Fourier transform along two dimensions."),
    row("rfft2", "fft", "(input, s=None, dim=(-2, -1), norm=None)", "Fourier transform of a real image, half of it."),
    row(
        "irfft2",
        "fft",
        "(input, s=None, dim=(-2, -1), norm=None)",
        "Inverse of rfft2: a real image.",
        grows="double",
    ),
    row(
        "hfft2",
        "fft",
        "(input, s=None, dim=(-2, -1), norm=None)",
        "Real spectrum of half a Hermitian image.",
        grows="double",
    ),
    row("ihfft2", "fft", "(input, s=None, dim=(-2, -1), norm=None)", "Inverse of hfft2: half a Hermitian image."),
    row("fftn", "fft", "(input, s=None, dim=None, norm=None)", "Fourier transform along several dimensions."),
    row("ifftn", "fft", "(input, s=None, dim=None, norm=None)", "Inverse Fourier transform along several dimensions."),
    row("rfftn", "fft", "(input, s=None, dim=None, norm=None)", "Fourier transform of real values, half of it."),
    row(
        "irfftn",
        "fft",
        "(input, s=None, dim=None, norm=None)",
        "Inverse of rfftn: real values.",
        grows="double",
    ),
    row(
        "hfftn",
        "fft",
        "(input, s=None, dim=None, norm=None)",
        "Real spectrum of half a Hermitian signal, in n dims.",
        grows="double",
    ),
    row("ihfftn", "fft", "(input, s=None, dim=None, norm=None)", "Inverse of hfftn: half a Hermitian signal."),
    row("fftshift", "fft", "(input, dim=None)", "Frequency 0 moved to the middle.", strings={}),
    row("ifftshift", "fft", "(input, dim=None)", "Frequency 0 moved from the middle to the front.", strings={}),
    row(
        "fftfreq",
        "fft",
        "(n, d=1.0, *, dtype=None, device=None, requires_grad=False)",
        "Frequencies of an fft.",
        makes="float",
        strings={},
    ),
    row(
        "rfftfreq",
        "fft",
        "(n, d=1.0, *, dtype=None, device=None, requires_grad=False)",
        "Frequencies of an rfft.",
        makes="float",
        strings={},
    ),
    row(
        "stft",
        "torch Tensor",
        "(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect',"
        " normalized=False, onesided=None, return_complex=None, align_to_window=None)",
        "Fourier transforms of overlapping windows of a signal.",
        grows="frames",
        strings={"pad_mode": "constant reflect replicate circular"},
    ),
    row(
        "istft",
        "torch Tensor",
        "(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False,"
        " onesided=None, length=None, return_complex=False)",
        "Signal from the Fourier transforms of its windows.",
        strings={},
    ),
    strings={"norm": "forward backward ortho"},
)
