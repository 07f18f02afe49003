"""Every sub-expression, its value, and the gradient that arrives there: the chain rule, line by line.

For a step s with operands p the gradient of p is the sum over the steps that read p of
(gradient of the step) · ∂s/∂p: upstream times local is downstream. Values and gradients have the shapes of the steps.
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gradcli.commands.answering import answer_of, attempted
from gradcli.commands.asking import request_of
from gradcli.commands.command import EVALUATION, Command, Option
from gradcli.commands.grad import REDUCE, UPSTREAM
from gradcli.results import Note
from gradcli.traced import DIGITS, LocalDerivative, Trace, TracedStep

if TYPE_CHECKING:
    from gradcli.engine.tracing import Place, Traced
    from gradcli.language.program import Program, Step


def trace(
    expression: str, at: Any = None, const: Any = None, *, mode: str = "grad", dtype: Any = None, device: Any = None,
    seed: int = 0, max_memory: Any = None, reduce: str = "sum", upstream: Any = None, chain: bool = False,
    notes: bool = True, verify: bool | None = False,
) -> Trace:  # fmt: skip
    """Evaluate an expression, go back from it, and tell value and gradient of every step.

    >>> [step.source for step in gradcli.trace("sin(A)*A", at=2.0).steps]
    ['A', 'sin(A)', 'sin(A)*A']

    Args:
        chain: whether to write the chain rule of each input of one element as a line of arithmetic.

    The other arguments are those of `gradcli.grad`. Returns a Trace. Raises GradcliError as `gradcli.grad` does.
    Equivalent to calling `retain_grad()` on every intermediate result before `backward()`.
    """
    request = request_of(expression, at, const, mode=mode, dtype=dtype, device=device, seed=seed, backward=True,
                         max_memory=max_memory, reduce=reduce, upstream=upstream, notes=notes,
                         verify=verify)  # fmt: skip

    from gradcli.engine import tracing

    outcome, found = attempted(request, tracing.trace)
    whole = answer_of("trace", outcome, notes)
    steps = _steps(request.program, found)
    lines = _chain(steps) if chain else ()
    remarks = (*whole.notes, *_first_bad(steps)) if notes else ()
    return Trace(whole, steps, lines, remarks)


def _steps(program: Program, found: dict[Place, Traced]) -> tuple[TracedStep, ...]:
    from gradcli.engine.tracing import source_of
    from gradcli.language.program import Call

    made: list[TracedStep] = []
    number = 0
    for (index, part), one in found.items():
        step = program.steps[index]
        source = source_of(program, index) + ("" if part is None else f"[{part}]")
        label = source
        if isinstance(step, Call):
            number += not part
            label = str(number)
        local = tuple(
            LocalDerivative(source_of(program, by.operand), _owner(program, by.operand), by.value) for by in one.local
        )
        name = bound(program, index) if part is None else ""
        made.append(
            TracedStep(
                index, part, label, name, source, step.span, _operation(step), one.value,
                one.requires_grad, one.grad_fn, one.grad, local,
            )
        )  # fmt: skip
    return tuple(made)


def _operation(step: Step) -> str:
    """The name of the function that a step calls (an operator as it is written), or `input`."""
    from gradcli.language.program import Call

    return step.function.name if isinstance(step, Call) else "input"


def bound(program: Program, index: int) -> str:
    """`B = ` where the text gives the value of a step a name."""
    from gradcli.language.program import Bind, Call, Ref

    step = program.steps[index + 1] if index + 1 < len(program.steps) else None
    plain = not isinstance(program.steps[index], Call) or program.steps[index].style != "augment"  # type: ignore[union-attr]
    named = isinstance(step, Bind) and step.name and step.part is None and step.operand == Ref(index) and plain
    return f"{step.name} = " if named else ""  # type: ignore[union-attr]


def _owner(program: Program, index: int) -> int:
    """The step that made a value, behind the names it was given."""
    from gradcli.language.program import Bind, Ref

    step = program.steps[index]
    while isinstance(step, Bind) and isinstance(step.operand, Ref) and step.part is None:
        index = step.operand.step
        step = program.steps[index]
    return index


def _chain(steps: tuple[TracedStep, ...]) -> tuple[tuple[str, str], ...]:
    """For each input of one element: upstream · local, added up over the steps that read it."""
    lines = []
    for leaf in steps:
        if leaf.op != "input" or leaf.value.numel() != 1 or leaf.grad is None:
            continue
        terms = [
            f"{_short(float(step.grad))} · {_short(part.value)}"
            for step in steps
            if step.grad is not None and step.grad.numel() == 1
            for part in step.local
            if part.step == leaf.index
        ]
        if terms:
            lines.append((f"{leaf.source}.grad", f"{' + '.join(terms)} = {_short(float(leaf.grad))}"))
    return tuple(lines)


def _short(value: float) -> str:
    text = f"{value:.{DIGITS}g}"
    text = text if any(letter in text for letter in ".en") else f"{text}.0"
    return f"({text})" if value < 0 else text


def _first_bad(steps: tuple[TracedStep, ...]) -> list[Note]:
    """Remarks on the first value and the first gradient that are not finite."""
    found = []
    for what, order, of in (
        ("value", steps, attrgetter("value")),
        ("gradient", tuple(reversed(steps)), attrgetter("grad")),
    ):
        bad = next((one for one in order if of(one) is not None and not _finite(of(one))), None)
        if bad is not None:
            found.append(Note(None, "info", f"the first {what} that is not finite: {bad.source}.", bad.span))
    return found


def _finite(tensor: Any) -> bool:
    from gradcli.engine.readable import computable

    tensor = computable(tensor)
    return not tensor.is_floating_point() or math.isfinite(float(tensor.sum())) or bool(tensor.isfinite().all())


CHAIN = Option(
    "chain", ("--chain",), "Write the chain rule of each input as a line of arithmetic.", bool, default=False
)

COMMAND = Command(
    "trace", trace, "Every sub-expression: its value, and the gradient that arrives there.",
    "expression", 'Expression or snippet, such as "sin(A)*A"; @FILE reads a file, - standard input.',
    (*EVALUATION, REDUCE, UPSTREAM, CHAIN),
    ('gradcli trace "sin(A)*A" --at 2 --chain', 'gradcli trace "where(A > 0, sqrt(A), 0)" --at "[0, 4]"'),
)  # fmt: skip
