"""What `:help` says: all orders, or one with its options."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
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


def in_columns(lines: Iterable[str], width: int | None) -> Iterator[str]:
    """Lines as a terminal of this width has room for them: what follows a wide gap or an indent stays below itself."""
    for line in lines:
        gap = _GAP.search(line)
        column = min(gap.end(), (width or 0) // 3) if gap else 0
        if width is None or (len(line) <= width and (gap is None or gap.end() == column)):
            yield line
        elif gap and gap.start() > column - 2:
            yield line[: gap.start()]
            yield from _wrapped(line[gap.end() :], " " * column, " " * column, width)
        else:
            first = f"{line[: gap.start()]:{column}}" if gap else ""
            yield from _wrapped(line[gap.end() :] if gap else line, first, " " * column, width)


def _wrapped(text: str, first: str, rest: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


_GAP = re.compile(r"(?<=\S)  +(?=\S)|^ +(?=\S)")


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
