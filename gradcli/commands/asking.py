"""From the keywords of the API to a checked request: everything that can be refused before torch is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError, Span
from gradcli.language import numbers, slips
from gradcli.language.parser import parse
from gradcli.language.program import Bind, Input, Program
from gradcli.language.values import Given, read_value, split_name

if TYPE_CHECKING:
    from gradcli.engine.gradient import Request

DEFAULT = 5.0
MODES = ("grad", "no_grad", "inference")
REDUCTIONS = ("sum", "mean", "none")

Values = Any
"""A number, nested lists, text, a tensor, or for several inputs a mapping of names to these."""


def choice(option: str, value: str, choices: Sequence[str]) -> str:
    """`value` where it is one of `choices`; GradcliError of kind usage otherwise."""
    if value not in choices:
        raise GradcliError("usage", f"{option} is one of {', '.join(choices)}, not '{value}'")
    return value


def read_program(expression: str, at: Values, const: Values) -> tuple[Program, tuple[Given, ...], dict[str, str]]:
    """The program of a text, a value for each of its inputs in the order of the call, and where each came from.

    Raises GradcliError where the text, a value, or their fit is wrong.
    """
    if not isinstance(expression, str):
        raise GradcliError("usage", f"an expression is text, not {type(expression).__name__}")
    bare: list[Any] = []
    named: dict[str, Given] = {}
    for values, constant in ((at, False), (const, True)):
        for name, value in _pairs(values, "const" if constant else "at"):
            if name is None:
                bare.append(value)
            elif name in named:
                raise GradcliError("usage", f"{name} was given two values")
            else:
                named[name] = _given(name, value, constant)
    program = parse(expression, frozenset(named))
    if bare:
        name = _only_input(program, named, len(bare), expression)
        named = {name: _given(name, bare[0], False), **named}
    origins = {name: "constant" if given.constant else "given" for name, given in named.items()}
    missing = [name for name in program.inputs if name not in named]
    if len(program.inputs) == 1 and missing and not named:
        name = missing[0]
        return program, (Given(name, DEFAULT),), {name: "default"}
    if missing:
        raise _missing(program, missing, named)
    return program, tuple(named.values()), origins


def _pairs(values: Values, option: str) -> list[tuple[str | None, Any]]:
    """Each value with its name, or None where it was given without one."""
    if values is None:
        return []
    if isinstance(values, Mapping):
        return [(str(name), value) for name, value in values.items()]
    if isinstance(values, str):
        values = (values,)
    if isinstance(values, tuple) and values and all(isinstance(one, str) for one in values):
        pairs = [split_name(one) for one in values]
    else:
        pairs = [(None, values)]  # type: ignore[list-item]
    if option == "const" and any(name is None for name, _ in pairs):
        raise GradcliError("usage", "a constant needs its name", hint="--const NAME=VALUE")
    return pairs  # type: ignore[return-value]


def _given(name: str, value: Any, constant: bool) -> Given:
    if not name.isidentifier() or name in {"torch", "True", "False", "None"}:
        raise GradcliError("usage", f"'{name}' cannot be the name of an input")
    if isinstance(value, str):
        return Given(name, read_value(value, name), constant, value.strip())
    return Given(name, value, constant)


def _only_input(program: Program, named: Mapping[str, Given], count: int, expression: str) -> str:
    """The one input that a value without a name can mean."""
    open_names = [name for name in program.inputs if name not in named]
    if count > 1:
        raise GradcliError("usage", f"{count} values were given without a name", hint="write --at NAME=VALUE")
    if len(open_names) == 1:
        return open_names[0]
    if open_names:
        hint = " ".join(f"--at {name}=..." for name in open_names)
        raise GradcliError("usage", f"the value does not say which input it is for: {', '.join(open_names)}", hint=f"write {hint}")
    hint = "it makes its own tensors: leave --at out" if program.steps else None
    for name in numbers.CONSTANTS:
        if name in expression:
            hint = f"'{name}' is a constant; to make it an input write --at {name}=..."
    raise GradcliError("usage", "a value was given, and the expression has no input for it", hint=hint)


def _missing(program: Program, missing: list[str], named: Mapping[str, Given]) -> GradcliError:
    first = missing[0]
    span = next(step.span for step in program.steps if isinstance(step, Input) and step.name == first)
    plain = slips.look_alike(first)
    if plain in named:
        message = f"no value for '{first}', which has {slips.scripts_of(first)} letters"
        hint = f"'{plain}' was given: type the name in the same letters"
        return GradcliError("value", message, source=program.source, span=span, hint=hint)
    listed = ", ".join(missing)
    hint = " ".join(f"--at {name}=..." for name in missing)
    return GradcliError("value", f"no value for {listed}", source=program.source, span=span, hint=f"add {hint}")


def read_subject(text: str, standard_input: Any) -> str:
    """An expression as the command line has it: the text itself, `@file`, or `-` for standard input."""
    if text == "-":
        return _decoded(standard_input.buffer.read(), "standard input")
    if text.startswith("@"):
        return _decoded(_bytes_of(text[1:]), text[1:])
    return text


def _bytes_of(path: str) -> bytes:
    limit = 1_000_000
    try:
        if Path(path).is_dir():
            raise GradcliError("file", f"{path} is a directory")
        with open(path, "rb") as file:
            return file.read(limit)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise GradcliError("file", f"cannot read {path}: {reason[0].lower()}{reason[1:]}") from None


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").rstrip()
    except UnicodeDecodeError as error:
        raise GradcliError("file", f"{what} is not UTF-8 text: byte {error.start}") from None


def request_of(
    expression: str, at: Values, const: Values, *, mode: str, dtype: Any, device: Any, seed: int, backward: bool,
    reduce: str = "sum", upstream: Any = None, wrt: Any = None,
) -> Request:  # fmt: skip
    """A checked request. torch is imported at the end, when the rest is known to be right."""
    choice("--mode", mode, MODES)
    choice("--reduce", reduce, REDUCTIONS)
    program, given, origins = read_program(expression, at, const)
    seeded = _given("upstream", upstream, True) if upstream is not None else None
    if seeded is not None and program.upstream is not None:
        raise GradcliError("usage", "backward() has a gradient in the text, and --upstream gives another")
    if not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise GradcliError("usage", f"a seed is a whole number from 0, not {seed!r}")
    names, computed = _wrt_names(wrt, program, given)

    from gradcli.engine import inputs
    from gradcli.engine.gradient import Request

    kind = inputs.dtype_of(dtype)
    settings = inputs.settings_of(kind, inputs.device_of(device))
    return Request(program, given, origins, settings, kind, mode, seed, backward, reduce, seeded, names,
                   (*program.grad_reads, *computed))


def _wrt_names(
    wrt: Any, program: Program, given: tuple[Given, ...]
) -> tuple[frozenset[str] | None, list[tuple[str, Span]]]:
    """The inputs that --wrt names, and the computed tensors that it names: those are no leaves and keep no .grad."""
    names = [] if wrt is None else [wrt] if isinstance(wrt, str) else list(wrt)
    inputs = [one.name for one in given if not one.constant]
    bound = {step.name: step.span for step in program.steps if isinstance(step, Bind) and step.name}
    for name in names:
        if name not in inputs and name not in bound:
            hint = f"the inputs: {', '.join(inputs) or 'none'}"
            raise GradcliError("usage", f"--wrt names '{name}', which is not an input", hint=hint)
    asked = frozenset(names) & frozenset(inputs)
    return asked or None, [(name, bound[name]) for name in names if name not in inputs]
