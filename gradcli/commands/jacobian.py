"""The whole Jacobian: the derivative of every element of the output by every element of every input.

For an output y of shape (m...) and an input x of shape (n...) it is ∂y/∂x of shape (m..., n...). Reverse mode makes it
from one product vᵀJ for each element of y, forward mode from one product Jt for each element of x.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradcli.commands.answering import answer_of, attempted
from gradcli.commands.asking import whole_request
from gradcli.commands.command import WHOLE, Command, Option
from gradcli.commands.grad import WRT
from gradcli.errors import GradcliError
from gradcli.report import Matrix, Notes, Report, axis_of, title_of
from gradcli.results import Answer, Note, Result, TensorView, with_members

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Jacobian(Result):
    """The Jacobian of each output by each input, of shape output × input, and the evaluation that it is of."""

    answer: Answer
    jacobians: tuple[Mapping[str, torch.Tensor], ...]
    direction: str

    @property
    def jacobian(self) -> Mapping[str, torch.Tensor]:
        """That of the output, by input; of the first where there are several."""
        return self.jacobians[0]

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
        found = [dict(one) for one in self.jacobians]
        several = len(found) > 1
        members = {"direction": self.direction, **({"jacobians": found} if several else {"jacobian": found[0]})}
        return with_members(self.answer.document(), members)

    def report(self) -> Report:
        """A matrix: a row for each element of the outputs, a column for each of the inputs."""
        answer = self.answer
        matrix = Matrix(
            ("output", "input", "derivative"), tuple(map(axis_of, answer.outputs)),
            tuple(axis_of(answer.inputs[name]) for name in self.jacobian),
            tuple(tuple(one.values()) for one in self.jacobians),
        )  # fmt: skip
        title = f"Jacobian of {title_of(answer)}" if title_of(answer) else "Jacobian"
        return Report(f"{title} · {self.direction} mode", (matrix, Notes(answer.notes, answer.expression)))


def jacobian(
    expression: str, at: Any = None, const: Any = None, *, dtype: Any = None, device: Any = None, seed: int = 0,
    wrt: Any = None, forward: bool = False, reverse: bool = False, max_memory: Any = None, notes: bool = True,
    verify: bool | None = False,
) -> Jacobian:  # fmt: skip
    """Evaluate an expression and differentiate every element of its output by every element of its inputs.

    >>> gradcli.jacobian("A**2", at=[1.0, 2.0]).jacobian["A"]
    tensor([[2., 0.],
            [0., 4.]])

    Args:
        forward: use forward mode: a product for each element of the inputs.
        reverse: use reverse mode: a product for each element of the output. Without either, whichever needs fewer.

    The other arguments are those of `gradcli.grad`. Returns a Jacobian, whose `jacobian` maps each input that requires
    grad to a tensor of shape output × input: zeros where the input does not reach the output. By a complex input a row
    is the gradient of the real part of its element, in torch's convention.
    Raises GradcliError: exit code 2 where the request is wrong, 3 where torch refuses.
    Equivalent to `torch.func.jacrev` and `torch.func.jacfwd`.
    """
    if forward and reverse:
        raise GradcliError("usage", "--forward and --reverse contradict each other")
    options = {"dtype": dtype, "device": device, "seed": seed, "max_memory": max_memory, "verify": verify}
    request = whole_request("jacobian", expression, at, const, wrt=wrt, notes=notes, **options)

    from gradcli.engine import derivatives

    wish: derivatives.Direction | None = "forward" if forward else "reverse" if reverse else None
    found = attempted(request, lambda request: derivatives.jacobian(request, wish))
    from gradcli.diagnosis.extras import on_refusal

    outcome = found.outcome._replace(derived=[one for block in found.blocks for one in block.items()])
    answer = answer_of("jacobian", outcome, notes, further=on_refusal(found.outcome, found.refusal, "jacobian"))
    return Jacobian(answer, found.blocks, found.direction)


COMMAND = Command(
    "jacobian", jacobian, "The derivative of every element of the output by every element of the inputs.",
    "expression", 'Expression or snippet, such as "A**2"; @FILE reads a file, - standard input.',
    (
        *WHOLE, WRT,
        Option("forward", ("--forward",), "Forward mode: a pass for each element of the inputs.", bool, default=False),
        Option("reverse", ("--reverse",), "Reverse mode: a pass for each element of the output. Without either, "
               "whichever needs fewer.", bool, default=False),
    ),
    (
        'gradcli jacobian "A**2" --at "[1, 2, 3]"',
        'gradcli jacobian "W @ x" --at "W=[[1, 2], [3, 4]]" --at "x=[5, 6]" --json',
    ),
)  # fmt: skip
