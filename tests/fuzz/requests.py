"""Random requests: a text, values for its names, options, and the door that they come in by."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from gradcli import commands
from tests.fuzz import texts

MEMORY = "300MB"  # that a request may take
VALUES = (
    "5.0", "-2", "0", "inf", "nan", "-0.0", "1e-300", "1e400", "1+2j", "[1, 2, 3]", "[1.5, -2, 0.25]", "[[1, 2], [3, 4]]",
    "[[1, 2, 3], [4, 5, 6]]", "[]", "[[]]", "[[1, 2], [3]]", "[True, False]", "[1, nan, inf]", "[[[1], [2]]]", "randn(3)",
    "randn(2, 3)", "randn(3, 3)", "randn(2, 3, 4)", "randn(1, 2, 5, 5)", "eye(3)", "linspace(0, 1, 5)", "torch.tensor([1, 2])",
    "zeros(0)", "zeros(2, 0, 3)", "ones(3, dtype=torch.complex64)", "rand(4, 1).expand(4, 5)", "2**0.5", "1_000", "@nothing.npy",
    "", "A", "'text'", "[1, [2]]", "randn(10**12)", "zeros(1).expand(10**11)", "torch.float32", "None", "...",
)  # fmt: skip
RANGES = (
    "-2:2:9", "0:1:2", "3:-3:7", "log:1e-3:1e3:5", "-1e300:1e300:4", "1e-40:1e-38:3", "-1:1:30", "1:1:5", "0:1:1", "0:nan:3",
    "log:-1:1:3", "0:1:999999999999", "::", "0:1", "-5:5:101",
)  # fmt: skip
SHAPED = VALUES[9:31]  # those that most functions can work on


# Commands that take an expression and its values, but the first two.
OTHERS = tuple(one.name for one in map(commands.command, commands.NAMES[2:]) if one.subject_required and not one.rest)


@dataclass(frozen=True)
class Request:
    """What is asked: of the command line where `format` is set, of the API otherwise."""

    text: str
    at: dict[str, str]
    const: dict[str, str]
    command: str
    format: str | None
    options: dict[str, object] = field(default_factory=dict)

    def words(self) -> list[str]:
        """The request as a command line."""
        words = [self.command, "--format", str(self.format), "--max-memory", MEMORY]
        words += [word for name, value in self.at.items() for word in ("--at", f"{name}={value}")]
        words += [word for name, value in self.const.items() for word in ("--const", f"{name}={value}")]
        for name, value in self.options.items():
            words.append(f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}"))
        return [*words, "--", self.text]


def request(random: Random) -> Request:
    """A random request."""
    text = texts.text(random)
    names = [name for name in texts.NAMES if name in text]
    names += random.choices(texts.NAMES, k=1) if random.random() < 0.05 else []
    same = random.choice(SHAPED) if random.random() < 0.75 else None
    at: dict[str, str] = {}
    const: dict[str, str] = {}
    for name in names:
        if random.random() < 0.02:
            continue
        value = same or random.choice(SHAPED if random.random() < 0.9 else VALUES)
        if random.random() < 0.03:
            value = texts.mutated(random, value)
        (const if random.random() < 0.1 else at)[name] = value
    command = random.choice(("grad", "grad", "grad", "eval", "sweep", random.choice(OTHERS)))
    if command == "sweep":
        for name in random.sample(sorted(at), min(len(at), random.choice((1, 1, 1, 2)))):
            at[name] = random.choice(RANGES if random.random() < 0.4 else RANGES[:7])
    written = random.choice(commands.command(command).formats) if random.random() < 0.3 else None
    return Request(text, at, const, command, written, _options(random))


def _options(random: Random) -> dict[str, object]:
    if random.random() < 0.6:
        return {"rounds": 0}
    rows: tuple[tuple[str, tuple[object, ...]], ...] = (
        ("mode", ("grad", "no_grad", "inference")), ("dtype", texts.DTYPES), ("seed", (0, 7, 2**62)),
        ("precision", (3,)), ("reduce", ("sum", "mean", "none")), ("upstream", VALUES[:20]), ("wrt", ("A", "y")),
        ("order", (1, 2, 3)), ("repeat", (2, 3)), ("zero_grad", (True,)), ("loss_scale", ("1024", "1e-40", "inf")),
        ("chain", (True,)), ("second_order", (True,)), ("forward", (True,)), ("reverse", (True,)), ("eigen", (True,)),
        ("tangent", VALUES[:20]), ("tolerance", (1e-3,)), ("notes", (True,)),
        ("over", ("A", "y")), ("values", (True,)), ("dtypes", ("float64,float16", "bfloat16", "int8")),
    )  # fmt: skip
    chosen = {name: random.choice(choices) for name, choices in random.sample(rows, random.randint(1, 6))}
    return {"rounds": 0, **chosen}  # times are not what is looked for
