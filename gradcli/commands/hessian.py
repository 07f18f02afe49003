"""The Hessian: the second derivatives of the sum of the output by every pair of input elements.

For inputs a of shape (m...) and b of shape (n...) the block of a and b is ∂²Σy/∂a∂b of shape (m..., n...), row a,
column b. All blocks together are a symmetric matrix; its eigenvalues are the curvatures along its axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradcli.commands.answering import answer_of, attempted
from gradcli.commands.asking import whole_request
from gradcli.commands.command import WHOLE, Command, Option
from gradcli.commands.grad import WRT
from gradcli.report import Column, Matrix, Notes, Report, Section, Table, axis_of, title_of
from gradcli.results import Answer, Note, Result, TensorView, with_members

if TYPE_CHECKING:
    import torch

    from gradcli.engine.curvature import Curvature


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Hessian(Result):
    """The blocks of second derivatives by input and input, and the evaluation that they are of.

    `flat` names the inputs that torch has no second derivative for, and whose first is constant. `eigenvalues`
    (ascending) and `definiteness` are None where they were not asked for, or the Hessian is not finite.
    """

    answer: Answer
    hessian: Mapping[str, Mapping[str, torch.Tensor]]
    flat: frozenset[str] = frozenset()
    curvature: Curvature | None = None

    @property
    def eigenvalues(self) -> torch.Tensor | None:
        return self.curvature.eigenvalues if self.curvature else None

    @property
    def definiteness(self) -> str | None:
        return self.curvature.definiteness if self.curvature else None

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
        members: dict[str, Any] = {"hessian": {name: dict(blocks) for name, blocks in self.hessian.items()}}
        if self.curvature is not None:
            members |= {"eigenvalues": self.eigenvalues, "definiteness": self.definiteness}
        return with_members(self.answer.document(), members)

    def report(self) -> Report:
        """A matrix: a row and a column for each element of the inputs."""
        answer = self.answer
        axes = tuple(axis_of(answer.inputs[name]) for name in self.hessian)
        blocks = tuple(tuple(one.values()) for one in self.hessian.values())
        sections: tuple[Section, ...] = (Matrix(("input", "by", "second derivative"), axes, axes, blocks),)
        if self.curvature is not None:
            columns = (Column("definiteness"), Column("eigenvalues", True))
            row = (self.definiteness or "unknown: not finite", self.eigenvalues)
            sections += (Table(columns, lambda: [row], elements=True),)
        title = f"Hessian of {title_of(answer)}" if title_of(answer) else "Hessian"
        return Report(title, (*sections, Notes(answer.notes, answer.expression)))


def hessian(
    expression: str, at: Any = None, const: Any = None, *, dtype: Any = None, device: Any = None, seed: int = 0,
    wrt: Any = None, eigen: bool = False, max_memory: Any = None, notes: bool = True,
    verify: bool | None = False,
) -> Hessian:  # fmt: skip
    """Evaluate an expression and differentiate the sum of its output twice, by every two elements of its inputs.

    >>> gradcli.hessian("A**3", at=[1.0, 2.0]).hessian["A"]["A"]
    tensor([[ 6.,  0.],
            [ 0., 12.]])

    Args:
        eigen: whether to find the eigenvalues of the whole matrix, and what they make of it, such as positive definite.

    The other arguments are those of `gradcli.grad`. Returns a Hessian, whose `hessian` maps two inputs that require
    grad to a tensor of shape first input × second input: zeros where the first derivative is constant.
    Raises GradcliError: exit code 2 where the request is wrong, 3 where torch refuses or has no second derivative.
    Equivalent to `torch.func.hessian` of the summed output.
    """
    options = {"dtype": dtype, "device": device, "seed": seed, "max_memory": max_memory, "verify": verify}
    request = whole_request("hessian", expression, at, const, wrt=wrt, notes=notes, **options)

    from gradcli.engine import curvature, derivatives

    found = attempted(request, derivatives.hessian)
    bent = attempted(request, lambda _: curvature.curvature(found)) if eigen else None
    from gradcli.diagnosis.extras import on_flat

    bent_by = [(name, 2, one) for name, blocks in found.blocks.items() for one in blocks.values()]
    answer = answer_of("hessian", found.outcome._replace(bent=bent_by), notes, further=on_flat(found.flat))
    return Hessian(answer, found.blocks, found.flat, bent)


COMMAND = Command(
    "hessian", hessian, "The second derivatives of the summed output by every two elements of the inputs.",
    "expression", 'Expression or snippet, such as "A**3"; @FILE reads a file, - standard input.',
    (
        *WHOLE, WRT,
        Option("eigen", ("--eigen",), "Eigenvalues too, and whether the matrix is definite.", bool, default=False),
    ),
    (
        'gradcli hessian "(1-x[0])**2 + 100*(x[1]-x[0]**2)**2" --at "[1, 1]" --eigen',
        'gradcli hessian "sin(A)*B" --at A=1 --at B=2 --json',
    ),
)  # fmt: skip
