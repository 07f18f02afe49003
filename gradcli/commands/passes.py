"""What `--order`, `--repeat` and `--loss-scale` make of a request: at most one of them at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gradcli.commands.command import Option
from gradcli.errors import GradcliError

if TYPE_CHECKING:
    from gradcli.commands.answering import Pass
    from gradcli.engine.gradient import Outcome
    from gradcli.engine.recording import Request
    from gradcli.extras import Extra

MOST_ORDERS = 10
MOST_CALLS = 1000


def pass_of(order: Any, repeat: Any, zero_grad: bool, loss_scale: Any) -> Pass | None:
    """The way through the engine that these options ask for; None for one plain backward pass.

    Raises GradcliError of kind usage for a number out of range, and for options that do not go together.
    """
    if order is None and repeat is None and loss_scale is None and not zero_grad:
        return None
    given = [("--order", order), ("--repeat", repeat), ("--loss-scale", loss_scale)]
    asked = [name for name, value in given if value is not None]
    if len(asked) > 1:
        raise GradcliError("usage", f"{asked[0]} and {asked[1]} do not go together")
    if zero_grad and repeat is None:
        raise GradcliError("usage", "--zero-grad needs several backward calls", hint="add --repeat 3")
    if order is not None:
        return _higher(_whole("--order", order, MOST_ORDERS))
    if repeat is not None:
        return _repeated(_whole("--repeat", repeat, MOST_CALLS), zero_grad)
    return _scaled(_scale(loss_scale))


def _higher(order: int) -> Pass:
    def way(request: Request) -> tuple[Outcome, Extra]:
        from gradcli.engine.higher import higher

        return higher(request, order)

    return way


def _repeated(calls: int, zeroed: bool) -> Pass:
    def way(request: Request) -> tuple[Outcome, Extra]:
        from gradcli.engine.repeats import repeated

        return repeated(request, calls, zeroed)

    return way


def _scaled(scale: float | None) -> Pass:
    def way(request: Request) -> tuple[Outcome, Extra]:
        from gradcli.engine.scaling import scaled

        return scaled(request, scale)

    return way


def _whole(option: str, value: Any, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise GradcliError("usage", f"{option} is a whole number from 1 to {most:,}, not {value!r}")
    return value


def _scale(value: Any) -> float | None:
    """A positive number; None for `auto`."""
    if value == "auto":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 < number < math.inf or isinstance(value, bool):
        raise GradcliError(
            "usage", f"--loss-scale is a positive number or auto, not {value!r}", hint="--loss-scale 1024"
        )
    return number


ORDER = Option("order", ("--order",), f"Derivatives up to this order, at most {MOST_ORDERS}.", int, metavar="N")
REPEAT = Option("repeat", ("--repeat",), "Call backward so often, and show .grad after each call.", int, metavar="N")
ZERO_GRAD = Option(
    "zero_grad", ("--zero-grad",), "Set .grad to None before each call of --repeat.", bool, default=False
)
LOSS_SCALE = Option(
    "loss_scale", ("--loss-scale",), "Scale the loss: the scaled and the unscaled gradient, and what is lost. A "
    "number, or auto for the powers of two that lose nothing.", metavar="S",
)  # fmt: skip
PASSES = (ORDER, REPEAT, ZERO_GRAD, LOSS_SCALE)
