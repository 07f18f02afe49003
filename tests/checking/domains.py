"""Texts for the operators that work element by element, over points where their rows say that they are smooth."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import torch

from gradcli.language.vocabulary import Function, functions


def _between(low: float, high: float) -> torch.Tensor:
    return low + (high - low) * torch.rand(2, 3, dtype=torch.float64)


# The inputs of the texts below: any numbers, numbers between 0 and 1, positive ones.
INPUTS: dict[str, Callable[[], torch.Tensor]] = {
    "A": lambda: torch.randn(2, 3, dtype=torch.float64), "B": lambda: torch.randn(2, 3, dtype=torch.float64),
    "p": lambda: _between(0.15, 0.85), "r": lambda: _between(0.4, 3.0),
}  # fmt: skip

# Further operands of rows that work element by element, where a signature does not tell which will do.
_ARGUMENTS = {
    "polygamma": "1, {0}", "mvlgamma": "{0}, 2", "round": "{0}", "float_power": "{0}, 2.5", "pow": "{0}, 2.5",
    "clamp": "{0}, -0.4, 0.7", "clamp_min": "{0}, 0.1", "clamp_max": "{0}, 0.1", "threshold": "{0}, 0.2, 1.5",
    "igamma": "tensor(1.7), {0}", "igammac": "tensor(1.7), {0}", "zeta": "2.5, {0}",
    "div": "{0}, {1}", "ldexp": "{0}, {1}",
    "where": "A > 0, {0}, {1}", "addcmul": "{0}, {1}, r", "addcdiv": "{0}, {1}, r", "lerp": "{0}, {1}, p",
}  # fmt: skip

# Rows that are written otherwise: what they take or give are complex numbers.
_TEXTS = {
    "real": "torch.complex(A, B).real * A",
    "imag": "torch.imag(torch.complex(A, B)) * A",
    "angle": "torch.angle(torch.complex(A, r))",
    "complex": "torch.complex(A, B).abs()",
    "polar": "torch.polar(r, B).real",
    "conj": "(torch.conj(torch.complex(A, B)) * torch.complex(B, A)).real",
    "conj_physical": "torch.conj_physical(torch.complex(A, B)).imag * A",
    "resolve_conj": "torch.resolve_conj(torch.conj(torch.complex(A, B))).imag * A",
    "resolve_neg": "torch.resolve_neg(torch.imag(torch.conj(torch.complex(A, B)))) * A",
    "view_as_real": "torch.view_as_real(torch.complex(A, B)) ** 2",
    "view_as_complex": "torch.view_as_complex(torch.stack([A, B], -1)).abs()",
}
FAMILIES = ("arithmetic", "exponentials", "trigonometry", "rounding", "selection", "special", "complex", "activations")

# Rows that cannot be judged in this way, and why.
LEFT_OUT = {
    "fake_quantize_per_tensor_affine": "it moves in steps, and torch lets gradients through",
    "fake_quantize_per_channel_affine": "it moves in steps, and torch lets gradients through",
    "nextafter": "it moves by less than differences see",
    "frexp": "its parts jump at every power of two",
}

# What a row says of where it is smooth -> the input for it. Numbers drawn at random miss single points by themselves.
_SMOOTH = (
    (r"-1 < input < 1", "(1.8*p - 0.9)"), (r"0 < input < 1", "p"), (r"input > \(p - 1\) / 2", "(r + 1)"),
    (r"input > 1\b", "(r + 1)"), (r"input > -1|input > 0|other > 0", "r"), (r"other > -1", "r"),
)  # fmt: skip


def elementwise() -> Iterator[tuple[str, str]]:
    """The name and the text of every differentiable row of these families that works element by element."""
    for row in functions():
        plain = row.pointwise or row.name in _TEXTS
        if plain and row.differentiable and not row.writes and row.family in FAMILIES and row.name not in LEFT_OUT:
            yield row.name, _TEXTS.get(row.name) or _written(row)


def values(text: str) -> dict[str, torch.Tensor]:
    """Values for the inputs of a text, drawn anew."""
    return {name: make() for name, make in INPUTS.items() if re.search(rf"\b{name}\b", text)}


def _written(row: Function) -> str:
    first = next((made for pattern, made in _SMOOTH if re.search(pattern, row.smooth)), "A")
    names = [one.strip() for one in row.signature.split(" | ")[0].strip("F()").split(",")]
    needed = [one for one in names if "=" not in one and one != "*"]
    operands = [first, "r" if "other" in row.smooth and first != "r" else "B"]
    if row.name in _ARGUMENTS:
        words = _ARGUMENTS[row.name].format(*operands)
    elif row.name in ("xlogy", "xlog1py"):
        words = "A, r"
    else:
        words = ", ".join(operands[: len(needed)])
    return f"{row.paths[0]}({words})"
