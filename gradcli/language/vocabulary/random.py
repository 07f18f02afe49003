"""Random draws whose parameters are tensors, and in-place fillings with random numbers."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "random",
    row(
        "bernoulli",
        "torch Tensor",
        "(input, *, generator=None) | (input, p, *, generator=None)",
        "Draws of 0 or 1, the probability of 1 being input (or p).",
        at_kinks="torch passes back 0 from input as probability, and refuses the backward with p.",
    ),
    row(
        "normal",
        "torch",
        "(mean, std=1, *, generator=None)"
        " | (mean, std, size, *, generator=None, dtype=None, device=None, requires_grad=False)",
        "Normal draws with the given means and standard deviations.",
        makes="float",
    ),
    row("poisson", "torch", "(input, generator=None)", "Poisson draws with rate input."),
    row(
        "binomial",
        "torch",
        "(count, prob, generator=None)",
        "Numbers of successes in count trials.",
        differentiable=False,
        at_kinks="",
    ),
    row(
        "multinomial",
        "torch Tensor",
        "(input, num_samples, replacement=False, *, generator=None)",
        "Indices drawn with the weights of each row.",
        differentiable=False,
        at_kinks="",
    ),
    row(
        "bernoulli_",
        "Tensor",
        "(input, p=0.5, *, generator=None)",
        "Fill in place with draws of 0 or 1.",
        writes=True,
    ),
    row(
        "normal_",
        "Tensor",
        "(input, mean=0, std=1, *, generator=None)",
        "Fill in place with normal draws.",
        writes=True,
    ),
    row(
        "log_normal_",
        "Tensor",
        "(input, mean=1, std=2, *, generator=None)",
        "Fill in place with exponentials of normal draws.",
        writes=True,
    ),
    row(
        "uniform_",
        "Tensor",
        "(input, from_=0, to=1, *, generator=None)",
        "Fill in place with uniform draws from [from, to).",
        writes=True,
    ),
    row(
        "random_",
        "Tensor",
        "(input, *, generator=None) | (input, to, *, generator=None) | (input, from_, to, *, generator=None)",
        "Fill in place with integers drawn uniformly from [from, to).",
        writes=True,
    ),
    row(
        "exponential_",
        "Tensor",
        "(input, lambd=1, *, generator=None)",
        "Fill in place with exponential draws.",
        writes=True,
    ),
    row(
        "cauchy_",
        "Tensor",
        "(input, median=0, sigma=1, *, generator=None)",
        "Fill in place with Cauchy draws.",
        writes=True,
    ),
    row(
        "geometric_",
        "Tensor",
        "(input, p, *, generator=None)",
        "Fill in place with geometric draws.",
        writes=True,
    ),
    random=True,
    smooth="nowhere",
    at_kinks="torch passes back 0: a draw carries no gradient.",
)
