"""What `:help` says: all orders, or one with its options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gradcli import commands
from gradcli.doors.options import options_of
from gradcli.errors import GradcliError

if TYPE_CHECKING:
    from gradcli.doors.repl.orders import Order


def overview(orders: Mapping[str, Order]) -> Iterator[str]:
    """All that can be typed."""
    yield "A = 5.0          the value of an input; W = randn(3, 3) and x = @x.npy are others"
    yield "B = A**2         a definition: what uses B later goes back to A"
    yield "sin(A)*B         a question: value and gradient"
    yield ""
    yield "A command begins with a colon, and takes the options of the command line: :grad A**2 --order 2."
    yield "Without an expression it is about the last one. :help NAME tells more of it."
    yield ""
    width = max(len(f":{name} {order.takes}") for name, order in orders.items())
    for name, order in orders.items():
        yield f"{f':{name} {order.takes}':{width}}  {order.help}"


def about(name: str, orders: Mapping[str, Order]) -> Iterator[str]:
    """One order, with its options."""
    if name not in orders:
        raise GradcliError("usage", f"unknown command :{name}", hint=":help lists the commands")
    yield f":{name} {orders[name].takes}".rstrip()
    yield f"  {orders[name].help}"
    if name in commands.NAMES:
        for option in options_of(commands.command(name)):
            takes = "" if option.kind is bool else f" {option.metavar or '|'.join(option.choices) or 'N'}"
            yield f"{', '.join(option.flags)}{takes}"
            yield f"  {option.help}"
