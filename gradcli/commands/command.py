"""A command and its options, as data: the command line, the help and the reference pages are made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from gradcli.report import FORMATS


@dataclass(frozen=True, slots=True)
class Option:
    """One option: the keyword of the API function it sets, how it is written, what it takes, one line of help.

    `value`: it takes a tensor's value as `--at` does. `writes`: it names a file to write, which no data file may.
    """

    keyword: str
    flags: tuple[str, ...]
    help: str
    kind: type = str
    default: Any = None
    many: bool = False
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    sets: Any = None
    value: bool = False
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A capability: its name, its API function, its subject, its options and what its help says.

    `formats`: how its answer can be written, the one that it has where none is asked for first.
    `showing`: options of its own that say how to show the answer, and are no keywords of the function.
    `several`: the subject may be given several times; the function then takes a tuple of them.
    `runs`: whether a subject names code of the user's, which is run then; a data file may not ask for that.
    `rest`: the keyword that takes every word behind the subject, which is a program's name and is read no further.
    `becomes`: what the command line calls instead of the function, with how to show what is found; it gives the code.
    """

    name: str
    function: Callable[..., Any]
    summary: str
    subject: str
    subject_help: str
    options: tuple[Option, ...]
    examples: tuple[str, ...] = ()
    subject_required: bool = True
    several: bool = False
    showing: tuple[Option, ...] = ()
    formats: tuple[str, ...] = FORMATS
    runs: Callable[[str], bool] = lambda subject: False  # noqa: ARG005
    reads: Literal["text", "log"] = "text"  # what @FILE and - hold: a short text, or one of any length in pieces
    rest: str | None = None
    becomes: Callable[..., int] | None = None


AT = Option(
    "at",
    ("--at",),
    "Value of an input: VALUE (one input) or NAME=VALUE; @FILE reads one. Repeatable.",
    many=True,
    metavar="VALUE",
    value=True,
)
CONST = Option(
    "const",
    ("--const",),
    "Value that gets no gradient, NAME=VALUE. Whole numbers stay whole.",
    many=True,
    metavar="NAME=VALUE",
    value=True,
)
MODE = Option(
    "mode", ("--mode",), "Grad mode of the evaluation.", default="grad", choices=("grad", "no_grad", "inference")
)
NO_GRAD = Option("mode", ("--no-grad",), "The same as --mode no_grad.", bool, sets="no_grad")
INFERENCE = Option("mode", ("--inference",), "The same as --mode inference.", bool, sets="inference")
DTYPE = Option(
    "dtype",
    ("--dtype",),
    "Floating dtype of the whole evaluation; without it, torch's default, float32.",
    metavar="DTYPE",
)
DEVICE = Option("device", ("--device",), "Device of the whole evaluation; without it, the CPU.", metavar="DEVICE")
SEED = Option("seed", ("--seed",), "Seed of random functions.", int, default=0)

MAX_MEMORY = Option(
    "max_memory",
    ("--max-memory",),
    "Memory that the evaluation may take, such as 2GB; without it, 80 % of what is free.",
    metavar="SIZE",
)

VERIFY = Option(
    "verify", ("--verify",), "Prove for notes also what nothing points to, by slopes on both sides and in float64, "
    "however large the answer; without it, for answers of up to 1,024 elements.", bool, sets=True,
)  # fmt: skip

EVALUATION = (AT, CONST, MODE, NO_GRAD, INFERENCE, DTYPE, DEVICE, SEED, MAX_MEMORY, VERIFY)
WHOLE = (AT, CONST, DTYPE, DEVICE, SEED, MAX_MEMORY, VERIFY)  # whole derivatives: gradients are always recorded

# How to show a result: every command has these.
SHOWING = (
    Option("format", ("--format",), "How to write the answer.", default="table",
           choices=FORMATS),
    Option("format", ("--json",), "The same as --format json.", bool, sets="json"),
    Option("precision", ("--precision",), "Significant digits; without it, all that the dtype has.", int, metavar="N"),
    Option("color", ("--color",), "Colour; auto means on a terminal, where NO_COLOR is not set.", default="auto",
           choices=("auto", "always", "never")),
    Option("quiet", ("-q", "--quiet"), "Leave the notes out of the table.", bool, default=False),
    Option("verbose", ("-v", "--verbose"), "Show large tensors and graphs whole.", bool, default=False),
    Option("strict", ("--strict",), "Exit 1 where a warning was given.", bool, default=False),
    Option("notes", ("--no-notes",), "Look for no diagnosis at all.", bool, default=True, sets=False),
    Option("debug", ("--debug",), "Show the traceback of an error.", bool, default=False),
)  # fmt: skip
