"""How many elements Fourier transforms, spectra of windows and padding make."""

from __future__ import annotations

import math

from gradcli.engine.bounds.operands import Operands, Rule, integers, same


def _padded(given: Operands) -> int:
    pads = list(integers([given.get("pad", default=())]))
    sizes = list(given.first.shape)
    for place in range(len(pads) // 2):
        sizes[-1 - place] = max(sizes[-1 - place] + pads[2 * place] + pads[2 * place + 1], 0)
    return math.prod(sizes)


def _transformed(given: Operands) -> int:
    """A transform with n or s other elements along its dimensions; half of them for a real signal."""
    sizes = list(given.first.shape)
    asked = list(integers([given.get("n", "s", default=())]))
    dims = list(integers([given.get("dim")])) or _transformed_dims(given.name, asked or sizes)
    for place, dim in enumerate(dims):
        if place < len(asked) and asked[place] >= 0:
            sizes[dim] = asked[place]
        elif place == len(dims) - 1 and given.name.startswith(("irfft", "hfft")):
            sizes[dim] = 2 * sizes[dim]
    if dims and given.name.startswith(("rfft", "ihfft")):
        sizes[dims[-1]] = sizes[dims[-1]] // 2 + 1
    return math.prod(sizes)


def _transformed_dims(name: str, sizes: list[int]) -> list[int]:
    return [-2, -1] if name.endswith("2") else list(range(-len(sizes), 0)) if name.endswith("n") else [-1]


def _frames(given: Operands) -> int:
    """A spectrum for each place of a window."""
    n = given.whole("n_fft", default=1)
    length = given.first.shape[-1] + (n if given.get("center") is not False else 0)
    hop = given.whole("hop_length", default=max(n // 4, 1))
    half = n if given.first.is_complex() or given.get("onesided") is False else n // 2 + 1
    return (same(given) // max(given.first.shape[-1], 1)) * half * max((length - n) // max(hop, 1) + 1, 1)


def _unframed(given: Operands) -> int:
    n = given.whole("n_fft", default=1)
    hop = given.whole("hop_length", default=max(n // 4, 1))
    batch = same(given) // max(given.first.shape[-1] * given.first.shape[-2], 1)
    length = given.get("length")
    return batch * (length if isinstance(length, int) else n + hop * given.first.shape[-1])


NAMES: dict[str, Rule] = {
    **dict.fromkeys(("pad", "constant_pad_nd"), _padded),
    **dict.fromkeys(("fftshift", "ifftshift"), same),
    "stft": _frames, "istft": _unframed,
}  # fmt: skip
FAMILIES: dict[str, Rule] = {"fft": _transformed}
