"""The directional derivative: how the output moves when the inputs move along a tangent.

For an output y of shape (m...), inputs x and tangents t of the same shapes, J · t = Σ ∂y/∂x · t has the shape (m...).
Forward mode carries it along the evaluation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradcli.commands.answering import answer_of, attempted
from gradcli.commands.asking import whole_request
from gradcli.commands.command import WHOLE, Command, Option
from gradcli.commands.tangents import tangents_of
from gradcli.report import Column, Notes, Report, Table, label_of, title_of
from gradcli.results import Answer, Note, Result, TensorView, with_members

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Jvp(Result):
    """The tangent of each output for the `given` ones of some inputs, and the evaluation that it is of.

    `way`: `forward` mode, double backward (`twice`), or the `rows` of the Jacobian.
    """

    answer: Answer
    tangents: tuple[torch.Tensor, ...]
    given: Mapping[str, torch.Tensor]
    way: str

    @property
    def tangent(self) -> torch.Tensor:
        """That of the output, of the first where there are several."""
        return self.tangents[0]

    @property
    def inputs(self) -> Mapping[str, TensorView]:
        return self.answer.inputs

    @property
    def output(self) -> TensorView:
        return self.answer.output

    @property
    def notes(self) -> tuple[Note, ...]:
        return self.answer.notes

    def document(self) -> dict[str, Any]:
        """The JSON object, with tensors where their numbers will stand."""
        several = len(self.tangents) > 1
        members: dict[str, Any] = {"tangents": [*self.tangents]} if several else {"tangent": self.tangent}
        return with_members(self.answer.document(), {"along": dict(self.given), **members})

    def report(self) -> Report:
        """A row for each tensor, with its value and its tangent."""
        answer = self.answer

        def rows() -> Iterable[tuple[Any, ...]]:
            for name, view in answer.inputs.items():
                yield label_of(view), view.value, self.given.get(name)
            for view, tangent in zip(answer.outputs, self.tangents, strict=True):
                yield label_of(view), view.value, tangent

        columns = (Column("tensor"), Column("value", True), Column("tangent", True))
        return Report(title_of(answer), (Table(columns, rows, elements=True), Notes(answer.notes, answer.expression)))


def jvp(
    expression: str, at: Any = None, const: Any = None, tangent: Any = None, *, dtype: Any = None, device: Any = None,
    seed: int = 0, max_memory: Any = None, notes: bool = True, verify: bool | None = False,
) -> Jvp:  # fmt: skip
    """Evaluate an expression and differentiate its output along a tangent of its inputs.

    >>> gradcli.jvp("A**2", at=[1.0, 2.0], tangent=[1.0, 10.0]).tangent
    tensor([ 2., 40.])

    Args:
        tangent: a value for the one input, or a mapping of names to values, of the inputs' shapes; one number stands
            for all elements. Inputs without one are held fixed.

    The other arguments are those of `gradcli.grad`. Returns a Jvp, whose `tangent` has the shape of the output. Where
    torch has no forward formula for a step, double backward answers, or the rows of the Jacobian, and a note says so.
    Raises GradcliError: exit code 2 where the request is wrong, 3 where torch refuses.
    Equivalent to `torch.func.jvp`.
    """
    options = {"dtype": dtype, "device": device, "seed": seed, "max_memory": max_memory, "verify": verify}
    request = whole_request("jvp", expression, at, const, notes=notes, **options)
    along = tangents_of(tangent, request.program, request.given)

    from gradcli.diagnosis.extras import on_refusal
    from gradcli.engine.directional import directional

    found = attempted(request, lambda request: directional(request, along))
    outcome = found.outcome._replace(derived=[("", one) for one in found.outputs])
    answer = answer_of("jvp", outcome, notes, further=on_refusal(found.outcome, found.refusal, found.way))
    return Jvp(answer, found.outputs, found.tangents, found.way)


COMMAND = Command(
    "jvp", jvp, "The directional derivative: how the output moves along a tangent of the inputs.",
    "expression", 'Expression or snippet, such as "A**2"; @FILE reads a file, - standard input.',
    (
        *WHOLE,
        Option("tangent", ("--tangent",), "Direction of an input: VALUE (one input) or NAME=VALUE. Repeatable; the "
               "other inputs are held fixed.", many=True, metavar="VALUE", value=True),
    ),
    (
        'gradcli jvp "A**2" --at "[1, 2]" --tangent "[1, 10]"',
        'gradcli jvp "sin(A)*B" --at A=1 --at B=2 --tangent A=1',
    ),
)  # fmt: skip
