"""New tensors from numbers, from sizes, from the shape of another tensor, or at random."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "creation",
    row(
        "tensor", "torch", "(data, *, dtype=None, device=None, requires_grad=False)",
        "New tensor of given numbers; a tensor given is copied, without its graph.", makes="numbers",
    ),
    row(
        "as_tensor", "torch", "(data, *, dtype=None, device=None)",
        "Tensor of given numbers; a tensor given is kept, with its graph.", makes="numbers", differentiable=True,
        smooth="everywhere",
    ),
    row(
        "asarray", "torch", "(obj, *, dtype=None, device=None, copy=None, requires_grad=None)",
        "Tensor of given numbers; a tensor given is kept, with its graph.", makes="numbers", differentiable=True,
        smooth="everywhere",
    ),
    row(
        "scalar_tensor", "torch", "(s, *, dtype=None, device=None, requires_grad=False)",
        "Tensor of no dimensions from one number.", makes="float",
    ),
    row(
        "zeros", "torch", "(*size, dtype=None, device=None, requires_grad=False)", "Zeros in a given shape.",
        makes="float",
    ),
    row(
        "ones", "torch", "(*size, dtype=None, device=None, requires_grad=False)", "Ones in a given shape.",
        makes="float",
    ),
    row(
        "full", "torch", "(size, fill_value, *, dtype=None, device=None, requires_grad=False)",
        "One number all over a given shape.", makes="numbers",
    ),
    row(
        "eye", "torch", "(n, m=None, *, dtype=None, device=None, requires_grad=False)",
        "Ones on the diagonal of a matrix of zeros.", makes="float", grows="square",
    ),
    row(
        "arange", "torch",
        "(end, *, dtype=None, device=None, requires_grad=False) | "
        "(start, end, step=1, *, dtype=None, device=None, requires_grad=False)",
        "Numbers from start, step by step, to before end.", makes="numbers", grows="steps",
    ),
    row(
        "linspace", "torch", "(start, end, steps, *, dtype=None, device=None, requires_grad=False)",
        "So many evenly spaced numbers from start to end.", makes="float",
    ),
    row(
        "logspace", "torch", "(start, end, steps, base=10.0, *, dtype=None, device=None, requires_grad=False)",
        "Powers of base with evenly spaced exponents from start to end.", makes="float",
    ),
    row(
        "tril_indices", "torch", "(row, col, offset=0, *, dtype=int64, device=None)",
        "Indices of a matrix's lower triangle, rows above columns.", makes="numbers", grows="pairs",
    ),
    row(
        "triu_indices", "torch", "(row, col, offset=0, *, dtype=int64, device=None)",
        "Indices of a matrix's upper triangle, rows above columns.", makes="numbers", grows="pairs",
    ),
    row(
        "zeros_like", "torch", "(input, *, dtype=None, device=None, requires_grad=False, memory_format=None)",
        "Zeros in the shape and dtype of a tensor.", makes="like",
    ),
    row(
        "ones_like", "torch", "(input, *, dtype=None, device=None, requires_grad=False, memory_format=None)",
        "Ones in the shape and dtype of a tensor.", makes="like",
    ),
    row(
        "full_like", "torch",
        "(input, fill_value, *, dtype=None, device=None, requires_grad=False, memory_format=None)",
        "One number all over the shape of a tensor, in its dtype.", makes="like",
    ),
    row(
        "new_zeros", "Tensor", "(input, *size, dtype=None, device=None, requires_grad=False)",
        "Zeros in a given shape and the tensor's dtype.", makes="like",
    ),
    row(
        "new_ones", "Tensor", "(input, *size, dtype=None, device=None, requires_grad=False)",
        "Ones in a given shape and the tensor's dtype.", makes="like",
    ),
    row(
        "new_full", "Tensor", "(input, size, fill_value, *, dtype=None, device=None, requires_grad=False)",
        "One number all over a given shape, in the tensor's dtype.", makes="like",
    ),
    row(
        "new_tensor", "Tensor", "(input, data, *, dtype=None, device=None, requires_grad=False)",
        "New tensor of given numbers in the tensor's dtype.", makes="like",
    ),
    row(
        "rand", "torch", "(*size, generator=None, dtype=None, device=None, requires_grad=False)",
        "Uniform random numbers from 0 to 1 in a given shape.", makes="float", random=True,
    ),
    row(
        "randn", "torch", "(*size, generator=None, dtype=None, device=None, requires_grad=False)",
        "Standard normal random numbers in a given shape.", makes="float", random=True,
    ),
    row(
        "randint", "torch",
        "(high, size, *, generator=None, dtype=None, device=None, requires_grad=False) | "
        "(low, high, size, *, generator=None, dtype=None, device=None, requires_grad=False)",
        "Random integers from low (or 0) to before high.", makes="numbers", random=True,
    ),
    row(
        "randperm", "torch", "(n, *, generator=None, dtype=int64, device=None, requires_grad=False)",
        "The integers from 0 to before n in random order.", makes="numbers", random=True,
    ),
    row(
        "rand_like", "torch",
        "(input, *, generator=None, dtype=None, device=None, requires_grad=False, memory_format=None)",
        "Uniform random numbers from 0 to 1 in the shape and dtype of a tensor.", makes="like", random=True,
    ),
    row(
        "randn_like", "torch",
        "(input, *, generator=None, dtype=None, device=None, requires_grad=False, memory_format=None)",
        "Standard normal random numbers in the shape and dtype of a tensor.", makes="like", random=True,
    ),
    row(
        "randint_like", "torch",
        "(input, high, *, generator=None, dtype=None, device=None, requires_grad=False, memory_format=None) | "
        "(input, low, high, *, generator=None, dtype=None, device=None, requires_grad=False, memory_format=None)",
        "Random integers from low (or 0) to before high, in the shape and dtype of a tensor.", makes="like",
        random=True,
    ),
    differentiable=False, smooth="nowhere",
)
