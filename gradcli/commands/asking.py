"""From the keywords of the API to a checked request: everything that can be refused before torch is imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradcli.commands.pairing import Values, given_value, read_programs
from gradcli.commands.sweeping import swept_inputs
from gradcli.errors import GradcliError, Span
from gradcli.language.files import FileValue
from gradcli.language.program import Bind, Program
from gradcli.language.values import Given

if TYPE_CHECKING:
    from gradcli.engine.recording import Request

MODES = ("grad", "no_grad", "inference")
REDUCTIONS = ("sum", "mean", "none")


def choice(option: str, value: str, choices: Sequence[str]) -> str:
    """`value` where it is one of `choices`; GradcliError of kind usage otherwise."""
    if value not in choices:
        raise GradcliError("usage", f"{option} is one of {', '.join(choices)}, not '{value}'")
    return value


def request_of(
    expression: str, at: Values, const: Values, *, mode: str, dtype: Any, device: Any, seed: int, backward: bool,
    max_memory: Any = None, reduce: str = "sum", upstream: Any = None, wrt: Any = None, notes: bool = False,
    verify: bool | None = False,
) -> Request:  # fmt: skip
    """A checked request. torch is imported at the end, when the rest is known to be right."""
    (request,) = requests_of(
        (expression,), at, const, mode=mode, dtype=dtype, device=device, seed=seed, backward=backward,
        max_memory=max_memory, reduce=reduce, upstream=upstream, wrt=wrt, notes=notes, verify=verify,
    )  # fmt: skip
    return request


def requests_of(
    expressions: Sequence[str], at: Values, const: Values, *, mode: str, dtype: Any, device: Any, seed: int,
    backward: bool, max_memory: Any = None, reduce: str = "sum", upstream: Any = None, wrt: Any = None,
    notes: bool = False, verify: bool | None = False, sweep: bool = False, over: Any = None,
) -> tuple[Request, ...]:  # fmt: skip
    """A checked request for each of several texts, with the same values: those of all their inputs.

    `sweep`: some inputs have many values, as a range or because `over` names them; they alone require grad.
    """
    choice("--mode", mode, MODES)
    choice("--reduce", reduce, REDUCTIONS)
    programs, given, origins = read_programs(expressions, at, const, sweep)
    program = programs[0]
    seeded = given_value("upstream", upstream, True) if upstream is not None else None
    if seeded is not None and program.upstream is not None:
        raise GradcliError("usage", "backward() has a gradient in the text, and --upstream gives another")
    if not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise GradcliError("usage", f"a seed is a whole number from 0, not {seed!r}")
    swept = swept_inputs(given, origins, over) if sweep else ()
    names, computed = _wrt_names(swept or wrt, program, given)

    from gradcli.engine.inputs import device_of, dtype_of, settings_of
    from gradcli.engine.memory import read_size
    from gradcli.engine.recording import Request

    kind = dtype_of(dtype)
    settings = settings_of(kind, device_of(device), read_size(max_memory))
    given, seeded = _with_files_read(given, seeded, kind, settings)
    return tuple(
        Request(
            one,
            given,
            origins,
            settings,
            kind,
            mode,
            seed,
            backward,
            reduce,
            seeded,
            names,
            (*one.grad_reads, *computed),
            notes=notes,
            verify=verify,
            swept=swept,
        )
        for one in programs
    )


def _with_files_read(
    given: tuple[Given, ...], upstream: Given | None, dtype: Any, settings: Any
) -> tuple[tuple[Given, ...], Given | None]:
    """The values with the tensors of files in them: each file is read once, however often the request is evaluated."""
    values = given if upstream is None else (*given, upstream)
    if not any(isinstance(one.data, FileValue) for one in values):
        return given, upstream
    from gradcli.engine.files import loaded

    values = loaded(values, dtype, settings)
    return (values, None) if upstream is None else (values[:-1], values[-1])


def sweep_request(expression: str, at: Values, const: Values, over: Any, **options: Any) -> Request:
    """A checked request for the numbers at many points."""
    (request,) = requests_of((expression,), at, const, backward=True, sweep=True, over=over, **options)
    return request


def whole_request(asks: str, expression: str, at: Values, const: Values, **options: Any) -> Request:
    """A checked request for a whole derivative: nothing is left in .grad."""
    return request_of(expression, at, const, mode="grad", backward=False, **options)._replace(asks=asks)


def _wrt_names(
    wrt: Any, program: Program, given: tuple[Given, ...]
) -> tuple[frozenset[str] | None, list[tuple[str, Span]]]:
    """The inputs that --wrt names, and the computed tensors that it names: those are no leaves and keep no .grad."""
    if not wrt:
        return None, []
    names = [wrt] if isinstance(wrt, str) else list(wrt)
    inputs = [one.name for one in given if not one.constant]
    bound = {step.name: step.span for step in program.steps if isinstance(step, Bind) and step.name}
    for name in names:
        if name not in inputs and name not in bound:
            hint = f"the inputs: {', '.join(inputs) or 'none'}"
            raise GradcliError("usage", f"--wrt names '{name}', which is not an input", hint=hint)
    asked = frozenset(names) & frozenset(inputs)
    return asked or None, [(name, bound[name]) for name in names if name not in inputs]
