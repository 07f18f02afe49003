"""Random expressions over the whole vocabulary, snippets of them, and texts of the tests with slips of the hand."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from random import Random

from gradcli.errors import GradcliError
from gradcli.language.parser import parse
from gradcli.language.signature import Parameters, alternatives
from gradcli.language.vocabulary import FIELDS, Function, by_path, functions
from tests import cases

NAMES = ("A", "B", "C", "x", "Δ", "w_1")
OPERATORS = (*("+", "-", "*", "/") * 4, "//", "%", "**", "**", "@", "&", "|", "<", "<=", ">", ">=", "==", "!=")
NUMBERS = (
    "0", *("1", "2", "3", "5.0", "0.5") * 4, "-1", "-2", "-0.0", "1e-300", "1e30", "1e308", "2j", "pi", "inf", "-inf", "nan", "True",
    "False", "None", "1_000", "7", "64", "1000", "10**6", "10**9", "10**12", "-10**12", "2**31", "2**63-1", "-2**63", "2**64",
)  # fmt: skip
SIZES = ("0", "1", "2", "3", "4", "-1", "7", "100", "10**5", "10**9", "10**12", "2**31", "2**62", "2**63-1", "-2")
WORDS = ("-", "-", "+", "~", "abs", "sum", "max", "min", "round", "sin", "exp", "torch.relu", "len", "pow", "float")
DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int64", "int8", "uint8", "bool")
INDICES = (
    "0",
    "0",
    "-1",
    "5",
    "...",
    "None",
    ":",
    "1:",
    ":2",
    "::2",
    "::-1",
    "[0, 1]",
    "[0, 5]",
    "[]",
    "True",
    "tensor([0, 0, 1])",
)
MAKERS = (
    "ones(3)", "zeros(2, 3)", "randn(3)", "randn(2, 3)", "rand(2, 3, 4)", "randn(1, 2, 5, 5)", "eye(3)", "arange(4)",
    "arange(5.0)", "linspace(-1, 1, 5)", "tensor([1., 2., nan])", "tensor([inf, -inf, 0.])", "tensor(3)", "tensor([0, 1, 2])",
    "tensor([[0, 1], [1, 0]])", "tensor([True, False, True])", "tensor([1+2j, 3.])", "zeros(0)", "zeros(0, 3)", "ones(1)",
    "randn(3, 3)", "full((2, 2), -1.0)", "randperm(3)", "randint(3, (4,))", "ones(2, 2, dtype=torch.float16)", "ones(1, 1).expand(3, 3)",
)  # fmt: skip
ATTRIBUTES = (*("T", "mT", "H", "real", "imag", "data", "shape", "ndim", "dtype") * 3, *sorted(FIELDS))
SLIPS = ("", " ", "(", ")", "[", "]", ",", ";", ":", "=", "*", ".", "'", '"', "\n", "\n    ", "\t", "#", "\\", "²", "×", "−", "é", "變",
         "\x00", "\x1b", "\ud800", "\u202e", "\U0001f600", "9", "999999999999999999999", "e", "j", "_", "A", "@", "~", "!", "$")  # fmt: skip


def text(random: Random) -> str:
    """Any of the kinds of text, the readable ones more often."""
    kind = random.random()
    if kind < 0.35:
        return call(random, random.choice((0, 0, 1, 2)))
    if kind < 0.6:
        return expression(random, random.choice((1, 1, 2, 3)))
    if kind < 0.75:
        return snippet(random)
    if kind < 0.8:
        return random.choice(corpus())
    return mutated(random, random.choice((snippet(random), expression(random, 2), *random.choices(corpus(), k=4))))


def expression(random: Random, depth: int) -> str:
    """An expression of the language, though not always one that torch can compute."""
    if depth <= 0 or random.random() < 0.15:
        return _leaf(random)
    kind = random.random()
    inner = expression(random, depth - 1)
    if kind < 0.25:
        return f"({inner}) {random.choice(OPERATORS)} ({expression(random, depth - 1)})"
    if kind < 0.65:
        return call(random, depth - 1)
    if kind < 0.75:
        return f"({inner})[{', '.join(_index(random) for _ in range(random.randint(1, 3)))}]"
    if kind < 0.85:
        return f"({inner}).{random.choice(ATTRIBUTES)}"
    if kind < 0.92:
        return f"{random.choice(WORDS)}({inner})"
    return random.choice(("({}, {})", "[{}, {}]", "sum([{}, {}])", "stack(({}, {}))", "cat([{}, {}], -1)")).format(
        inner, expression(random, depth - 1)
    )


def call(random: Random, depth: int) -> str:
    """A call of any function by any of its places, its operands chosen by the names of its parameters."""
    path = random.choice(_paths())
    row = by_path()[path]
    if row.attribute or row.family == "operators":
        return f"({_tensor(random, depth)}).{row.name}" if row.attribute else f"-({_tensor(random, depth)})"
    parameters = random.choice(alternatives(row.signature))
    words = _operands(random, row, parameters, depth)
    if path.startswith("torch.Tensor."):
        first, *words = words if words else [_tensor(random, depth)]
        return f"({first}).{path.rpartition('.')[2]}({', '.join(words)})"
    shown = random.choice((path, path, path.removeprefix("torch."), path.rpartition(".")[2]))
    return f"{shown}({', '.join(words)})"


def _operands(random: Random, row: Function, parameters: Parameters, depth: int) -> list[str]:
    words: list[str] = []
    by_keyword = False
    for name in (*parameters.positional, *parameters.keyword_only):
        by_keyword |= name in parameters.keyword_only
        if name not in parameters.required and random.random() < 0.7:
            by_keyword = True
            continue
        word = _operand(random, row, name, depth)
        words.append(f"{name}={word}" if by_keyword else word)
    if random.random() < 0.05:
        words.append(_leaf(random))
    return words


def _operand(random: Random, row: Function, name: str, depth: int) -> str:
    """Something that a parameter of this name often takes, and sometimes anything."""
    if random.random() < 0.06:
        return random.choice((_leaf(random), expression(random, depth), random.choice(NUMBERS)))
    if name in row.strings:
        choices = row.strings[name].split()
        return (
            repr(random.choice(choices))
            if choices != ["*"]
            else repr(random.choice(("ij,jk->ik", "i->", "ii", "...i", "mean")))
        )
    if name in row.limits or name in _NUMBERED:
        return random.choice(SIZES)
    if name in {"size", "shape", "sizes", "output_size", "repeats", "normalized_shape", "kernel_size", "stride", "padding",
                "dilation", "dims", "pad", "scale_factor", "shifts", "output_padding", "s"}:  # fmt: skip
        return _sizes(random)
    if name == "dtype":
        return f"torch.{random.choice(DTYPES)}"
    if name in {"keepdim", "keepdims", "largest", "sorted", "descending", "inplace", "training", "upper", "full_matrices",
                "center", "normalized", "align_corners", "ceil_mode", "count_include_pad", "requires_grad", "bias"}:  # fmt: skip
        return random.choice(("True", "False"))
    if name in {"index", "indices", "target", "targets", "indices_or_sections", "offsets", "boundaries", "perm"}:
        return random.choice(
            ("tensor([0, 1])", "tensor([[0, 1], [1, 0]])", "tensor([0, 5])", "tensor(0)", _leaf(random))
        )
    if name in {"tensors", "operands", "arrays", "bins"}:
        return random.choice(("[{}, {}]", "({}, {})", "[{}]")).format(_tensor(random, depth), _tensor(random, depth))
    return _tensor(random, depth)


_NUMBERED = frozenset(
    "dim dim0 dim1 dim2 axis n N k r p q start end step steps length offset diagonal sections chunks split_size groups eps "
    "alpha beta value fill_value num_samples num_classes decimals correction degree_freedom window_length n_fft hop_length "
    "win_length m row col high low std mean sigma tau delta margin niter maxnorm rcond tol ord reduction_dim upscale_factor "
    "downscale_factor num_groups minlength maxsplit max_norm norm_type negative_slope threshold".split()
)


def _sizes(random: Random) -> str:
    if random.random() < 0.5:
        return random.choice(SIZES[:7] if random.random() < 0.7 else SIZES)
    many = [random.choice(SIZES[:7] if random.random() < 0.9 else SIZES) for _ in range(random.randint(1, 4))]
    return f"({', '.join(many)},)"


def _tensor(random: Random, depth: int) -> str:
    kind = random.random()
    if depth > 0 and kind < 0.25:
        return expression(random, depth - 1)
    return random.choice(NAMES) if kind < 0.85 else random.choice(MAKERS)


def _leaf(random: Random) -> str:
    kind = random.random()
    if kind < 0.6:
        return random.choice(NAMES)
    return random.choice(NUMBERS) if kind < 0.85 else random.choice(MAKERS)


def _index(random: Random) -> str:
    kind = random.random()
    if kind < 0.7:
        return random.choice(INDICES)
    return f"{random.choice(NAMES)} > 0" if kind < 0.85 else random.choice(SIZES)


def snippet(random: Random) -> str:
    """Several statements: assignments of all kinds, blocks, imports, prints, and at times backward()."""
    lines = random.choices(
        ("import torch", "import torch.nn.functional as F", "torch.manual_seed(1)", ""), k=random.randint(0, 1)
    )
    bound: list[str] = []
    for _ in range(random.randint(1, 5)):
        value = call(random, 1) if random.random() < 0.5 else expression(random, 2)
        name = random.choice(("y", "z", "loss", *NAMES[:2]))
        kinds = ["{name} = {value}", "{name} = {value}", "{value}", "{name}, k = {value}, A", "{name}, k = {value}",
                 "{name} = torch.tensor([5.0, 2.0], requires_grad=True)", "with torch.no_grad():\n    {name} = {value}",
                 "with torch.{mode}: {name} = {value}", "print({value})", "{name} = ({value}, {name})"]  # fmt: skip
        if name in bound:
            kinds += ["{name} += {value}", "{name}[{index}] = {value}", "{name}[{index}] *= 2", "{name}.add_({value})",
                      "{name} = cat([{name}, {name}])", "{name}.requires_grad = True", "print({name}.grad)"]  # fmt: skip
        mode = random.choice(
            ("no_grad()", "enable_grad()", "inference_mode()", "set_grad_enabled(True)", "set_grad_enabled(A)")
        )
        lines.append(random.choice(kinds).format(name=name, value=value, index=_index(random), mode=mode))
        bound.append(name)
    if random.random() < 0.25:
        lines.append(
            random.choice(("{0}.backward()", "{0}.sum().backward()", "{0}.backward(ones(3))")).format(
                random.choice(bound)
            )
        )
        lines += random.choices(("print(A.grad)", "g = A.grad", "{0}.backward()", "A * 2"), k=random.randint(0, 2))
    if random.random() < 0.4:
        lines.append(random.choice(bound))
    return random.choice(("\n", "\n", "; ")).join(
        line.format(bound[-1]) if line == "{0}.backward()" else line for line in lines
    )


def mutated(random: Random, source: str) -> str:
    """A text with some slips: characters left out, doubled, replaced, moved, or a piece of another text put in."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        here = random.randint(0, len(source))
        length = random.choice((0, 1, 1, 1, 2, 5, 20))
        piece = random.choice((
            lambda: random.choice(SLIPS), lambda: source[here : here + length] * 2, lambda: random.choice(NUMBERS),
            lambda: _leaf(random), lambda: random.choice(corpus())[:40], lambda: chr(random.randint(0, 0x2FFF)),
            lambda: random.choice(OPERATORS), lambda: random.choice(SLIPS) * random.choice((2, 30, 300)),
        ))()  # fmt: skip
        source = source[:here] + piece + source[here + length :]
    return source[:12_000]


@cache
def _paths() -> tuple[str, ...]:
    return tuple(path for row in functions() for path in row.paths)


@cache
def corpus() -> tuple[str, ...]:
    """Every text of the tests that is an expression, and every one that they say is refused."""
    found: list[str] = [row["text"] for row in cases.rows("refusals")]
    for file in sorted(Path(__file__).parents[1].rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and 2 < len(node.value) < 300
                and _readable(node.value)
            ):
                found.append(node.value)
    return tuple(dict.fromkeys(found))


def _readable(source: str) -> bool:
    try:
        return not source.isidentifier() and bool(parse(source).steps)
    except GradcliError:
        return False
