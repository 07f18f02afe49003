"""Activation functions of neural networks, and the softmax kind that turns scores into weights."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "activations",
    row(
        "relu", "torch F Tensor Tensor_ torch.relu_ F.relu_", "(input, inplace=False)",
        "Positive part: the input where positive, else 0.",
        smooth="input != 0", kinks="0", at_kinks="torch takes 0 at 0",
    ),
    row(
        "relu6", "F", "(input, inplace=False)", "Input held between 0 and 6.",
        smooth="input != 0 and input != 6", kinks="0 6", at_kinks="torch takes 0 at 0 and at 6",
    ),
    row(
        "leaky_relu", "F F.leaky_relu_", "(input, negative_slope=0.01, inplace=False)",
        "Input where positive, else negative_slope times it.",
        smooth="input != 0", kinks="0", at_kinks="torch takes negative_slope at 0",
    ),
    row(
        "elu", "F F.elu_", "(input, alpha=1.0, inplace=False)",
        "Input where positive, else alpha * (exp(input) - 1).", smooth="input != 0 or alpha == 1",
    ),
    row(
        "selu", "torch F torch.selu_ F.selu_", "(input, inplace=False)",
        "Scaled elu whose constants keep mean 0 and variance 1.",
        smooth="input != 0", kinks="0", at_kinks="torch takes the slope from the left, 1.7581, at 0",
    ),
    row(
        "celu", "torch F torch.celu_ F.celu_", "(input, alpha=1.0, inplace=False)",
        "Input where positive, else alpha * (exp(input / alpha) - 1).",
    ),
    row(
        "gelu", "F", "(input, *, approximate='none')", "Input times the normal distribution function of it.",
        strings={"approximate": "none tanh"},
    ),
    row("silu", "F", "(input, inplace=False)", "Input times its sigmoid (also called swish)."),
    row("mish", "F", "(input, inplace=False)", "Input times tanh(softplus(input))."),
    row(
        "softplus", "F", "(input, beta=1.0, threshold=20.0)",
        "log(1 + exp(beta x)) / beta, and x itself where beta x > threshold.", smooth="beta * input != threshold",
    ),
    row("softsign", "F", "(input)", "x / (1 + |x|)."),
    row(
        "softshrink", "F", "(input, lambd=0.5)", "Input moved towards 0 by lambd, and 0 within lambd of it.",
        smooth="abs(input) != lambd", kinks="bounds", at_kinks="torch takes 0 at -lambd and lambd",
    ),
    row(
        "hardshrink", "torch F Tensor", "(input, lambd=0.5)", "Input, and 0 within lambd of 0.",
        smooth="abs(input) != lambd", kinks="bounds", at_kinks="torch takes 0 at -lambd and lambd, where it jumps",
    ),
    row("tanhshrink", "F", "(input)", "x - tanh(x)."),
    row(
        "hardtanh", "F F.hardtanh_", "(input, min_val=-1.0, max_val=1.0, inplace=False)",
        "Input held between min_val and max_val.",
        smooth="input != min_val and input != max_val", kinks="bounds", at_kinks="torch takes 0 at both bounds",
    ),
    row(
        "hardsigmoid", "F", "(input, inplace=False)", "x / 6 + 1/2 held between 0 and 1.",
        smooth="input != -3 and input != 3", kinks="-3 3", at_kinks="torch takes 0 at -3 and 3",
    ),
    row(
        "hardswish", "F", "(input, inplace=False)", "Input times its hardsigmoid.",
        smooth="input != -3 and input != 3", kinks="-3 3", at_kinks="torch takes 0 at -3 and 1 at 3",
    ),
    row(
        "threshold", "torch F torch.threshold_ F.threshold_", "(input, threshold, value, inplace=False)",
        "Input where above threshold, else value.",
        smooth="input != threshold", kinks="bounds", at_kinks="torch takes 0 at threshold, where it may jump",
    ),
    row(
        "prelu", "torch F Tensor", "(input, weight)", "Input where positive, else its channel's weight times it.",
        smooth="input != 0", kinks="0", at_kinks="torch takes weight at 0", pointwise=False,
    ),
    row(
        "rrelu", "torch F torch.rrelu_ F.rrelu_",
        "(input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False)",
        "leaky_relu with a slope drawn between lower and upper; their mean unless training.",
        smooth="input != 0", kinks="0", at_kinks="torch takes the negative side's slope at 0", random=True,
    ),
    row("logsigmoid", "F", "(input)", "Logarithm of the sigmoid."),
    row(
        "glu", "F", "(input, dim=-1)", "First half along dim times the sigmoid of the second half.",
        pointwise=False,
    ),
    row(
        "softmax", "torch special Tensor", "(input, dim, dtype=None)",
        "exp(input) divided by its sum along dim: weights that add up to 1.", pointwise=False,
    ),
    row(
        "softmax", "F", "(input, dim=None, *, dtype=None)",
        "exp(input) divided by its sum along dim: weights that add up to 1.", pointwise=False,
    ),
    row(
        "log_softmax", "torch special Tensor", "(input, dim, dtype=None)", "Logarithm of the softmax along dim.",
        pointwise=False,
    ),
    row(
        "log_softmax", "F", "(input, dim=None, *, dtype=None)", "Logarithm of the softmax along dim.",
        pointwise=False,
    ),
    row(
        "softmin", "F", "(input, dim=None, *, dtype=None)", "Softmax of the negated input along dim.",
        pointwise=False,
    ),
    row(
        "gumbel_softmax", "F", "(logits, tau=1.0, hard=False, eps=1e-10, dim=-1)",
        "Softmax of the logits plus Gumbel noise, over tau; one-hot values if hard.",
        random=True, pointwise=False,
    ),
    row(
        "normalize", "F", "(input, p=2.0, dim=1, eps=1e-12)", "Input divided by its p-norm along dim, at least eps.",
        smooth="norm of input along dim > eps", kinks="zero", at_kinks="torch takes 1 / eps at a zero vector",
        pointwise=False,
    ),
    pointwise=True,
)
