"""Functions whose derivatives are wrong, each with a right twin beside it.

They are found here by the tests as `tests/checking/wrong.py:NAME` and as `tests.checking.wrong:NAME`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

Tensor = torch.Tensor


class _Saving(Function):
    """Saves its inputs, as most of these do."""

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        del output
        ctx.save_for_backward(*(one for one in inputs if isinstance(one, Tensor)))


class _Sine(_Saving):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.sin()


class RightSine(_Sine):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * x.cos()


class WrongSign(_Sine):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return -g * x.cos()


class NoGradient(_Sine):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return None


class WrongShape(_Sine):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return (g * x.cos())[:2]


class SummedToOneNumber(_Sine):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return (g * x.cos()).sum()


class NoTensor(_Sine):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return 1.0


class TooManyGradients(_Sine):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * x.cos(), g


class NotANumber(_Sine):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * x.cos() * (x - x) / (x - x)


class Raises(_Sine):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        raise ValueError("not today")


class NoBackward(_Sine):
    pass


class _Square(_Saving):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x * x


class RightSquare(_Square):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * g * x


class MissingFactor(_Square):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * x


class SlightlyOff(_Square):
    """By one in ten million."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2.0000002 * g * x


class OneElement(_Square):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        made = 2 * g * x
        return torch.cat([made[:1] + 1e-3, made[1:]])


class OnlyNegative(_Square):
    """Wrong for numbers below 0."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * g * x.abs()


class IgnoresUpstream(_Square):
    """Right where the gradient that comes in is 1."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x


class Clips(_Square):
    """Right where the gradient that comes in is at most 1."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * g.clamp(-1, 1) * x


class RandomBackward(_Square):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * g * x * (1 + 1e-6 * torch.rand_like(x))


class SingleBackward(_Square):
    """Computes its gradient in float32."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * g.float() * x.float() / 3 * 3


class WrongForward(_Square):
    """Its forward-mode formula lacks the factor."""

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * g * x

    @staticmethod
    def jvp(ctx: Any, t: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return t * x


class RightForward(WrongForward):
    @staticmethod
    def jvp(ctx: Any, t: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * t * x


class SingleInside(Function):
    """Computes everything in float32."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return (x.float() * x.float()).double()

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * g * x


class SingleInsideAndWrong(SingleInside):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * x


class _Product(_Saving):
    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return a * b


class RightProduct(_Product):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        a, b = ctx.saved_tensors
        return g * b, g * a


class Swapped(_Product):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        a, b = ctx.saved_tensors
        return g * a, g * b


class TooFewGradients(_Product):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        _, b = ctx.saved_tensors
        return g * b


class ForgetsOne(_Product):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        _, b = ctx.saved_tensors
        return g * b, None


class _MatrixProduct(_Saving):
    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return a @ b


class RightMatrixProduct(_MatrixProduct):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        a, b = ctx.saved_tensors
        return g @ b.mT, a.mT @ g


class Transposed(_MatrixProduct):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        a, b = ctx.saved_tensors
        return (g @ b.mT).mT, a.mT @ g


class NotTransposed(_MatrixProduct):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        a, b = ctx.saved_tensors
        return g @ b, a.mT @ g


class _Biased(_Saving):
    """A matrix and a vector added to each of its rows."""

    @staticmethod
    def forward(x: Tensor, b: Tensor) -> Tensor:
        return x + b


class RightBias(_Biased):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return g, g.sum(0)


class BroadcastNotSummed(_Biased):
    """Keeps the gradient of one row only, where those of all rows add up."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return g, g[0]


class BroadcastLeftToTorch(_Biased):
    """Leaves the sum to torch, which does it: a gradient that broadcasts from the input is summed."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return g, g


class _Softmax(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.softmax(1)
        ctx.save_for_backward(y)
        return y


class RightSoftmax(_Softmax):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (y,) = ctx.saved_tensors
        return y * (g - (g * y).sum(1, keepdim=True))


class WrongDimension(_Softmax):
    """Sums over everything instead of each row. In the plain sum of the outputs the error cancels."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (y,) = ctx.saved_tensors
        return y * (g - (g * y).sum() / len(y))


class _TimesExponential(_Saving):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x * x.exp()


class RightTerms(_TimesExponential):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * (x.exp() + x * x.exp())


class MissingTerm(_TimesExponential):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * x.exp()


class SecondOrderOff(_TimesExponential):
    """Its gradient is right, and that of its gradient is not: a part is detached."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * (x.exp() + x.detach() * x.exp())


class SavedIntermediate(Function):
    """Saves a tensor that it computed inside: the gradient is right, and cannot be differentiated again."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        power = x.exp()
        ctx.save_for_backward(power)
        return power + 1

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (power,) = ctx.saved_tensors
        return g * power


class SavedInput(_Saving):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.exp() + 1

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * x.exp()


class Once(_Square):
    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * g * x


class RandomForward(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x + 1e-6 * torch.rand_like(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return 2 * g


class WritesIntoItsInput(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x.mul_(2)
        return x + 0

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return 2 * g


class WritesAndSaysSo(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return 2 * g


class WritesAndIsWrong(WritesAndSaysSo):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return g


class Unchanged(Function):
    """Gives its input as it is, and a gradient that is not that of it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return 2 * g


class RightUnchanged(Unchanged):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return g


class View(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view(-1)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return g.flip(0)


class RightView(View):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return g


class ChangedAfterSaving(Function):
    """Saves an output, which is written to afterwards."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (y,) = ctx.saved_tensors
        return g * y


def changed_after_saving(x: Tensor) -> Tensor:
    return ChangedAfterSaving.apply(x).mul_(2)  # type: ignore[no-any-return]


def right_after_saving(x: Tensor) -> Tensor:
    return ChangedAfterSaving.apply(x).mul(2)  # type: ignore[no-any-return]


def detached_part(x: Tensor) -> Tensor:
    return x * x.detach().exp()


def right_part(x: Tensor) -> Tensor:
    return x * x.exp()


def without_grad(x: Tensor) -> Tensor:
    with torch.no_grad():
        scale = x.norm()
    return x / scale


def with_grad(x: Tensor) -> Tensor:
    return x / x.norm()


def straight_through(x: Tensor) -> Tensor:
    return x + (x.round() - x).detach()


def swapped_in_a_function(a: Tensor, b: Tensor) -> Tensor:
    """A wrong Function among right operations."""
    return (Swapped.apply(a, b).sin() * 2).sum()  # type: ignore[no-untyped-call]


def right_in_a_function(a: Tensor, b: Tensor) -> Tensor:
    return (RightProduct.apply(a, b).sin() * 2).sum()  # type: ignore[no-untyped-call]


def two_outputs(x: Tensor) -> tuple[Tensor, Tensor]:
    return WrongSign.apply(x), RightSquare.apply(x)  # type: ignore[no-untyped-call]


def right_two_outputs(x: Tensor) -> tuple[Tensor, Tensor]:
    return RightSine.apply(x), RightSquare.apply(x)  # type: ignore[no-untyped-call]
