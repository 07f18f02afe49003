"""torch's refusals of an expression: the diagnosis that a message stands for, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.diagnosis.messages import MESSAGES, Message
from gradcli.diagnosis.messages.message import constant, pattern
from gradcli.diagnosis.overwritten import copied, explained
from gradcli.engine.recording import Request
from gradcli.errors import GradcliError

# What only an expression is told: a pattern of the message -> a code, and what to do.
PATTERNS: tuple[tuple[re.Pattern[str], str | None, str], ...] = (
    (re.compile(r"no second derivative"), "G206", "write it with operations that are differentiable twice"),
    (re.compile(r"only supported for real"), "G205", "take a real number of it: .real, abs(...), or give --upstream"),
    (re.compile(r"derivative for aten::floor_divide is"), "G210",
     "write floor(A/B), whose slope is 0 as that of // would be, or A/B where a slope is wanted"),
    (re.compile(r"derivative for aten::heaviside is"), "G210",
     "its slope is 0: write where(A > 0, 1.0, 0.0), or sigmoid(k*A), which is k/4 steep, where one is wanted"),
    (re.compile(r"derivative for aten::scatter is"), "G210",
     "reduce= has none: write scatter_add, or scatter_reduce with reduce='prod'"),
    (re.compile(r"derivative for aten::bincount is"), "G210",
     "write zeros(n).scatter_add(0, i, w): the weights have a gradient there"),
    (re.compile(r"derivative for '(igammac?|zeta)"), "G210",
     "torch has one by the other argument only: give the first with --const, or detach() it"),
    (re.compile(r"not implemented for '?derivative"), "G210", "write it with differentiable operations"),
    (re.compile(r"'(int|float|complex|bool)' object has no attribute"), None,
     "this function takes tensors: write tensor(...) around the number"),
)  # fmt: skip


# Refusals whose text is tried otherwise, so that the hint is what to write.
_REWRITTEN: dict[str, Callable[[GradcliError, Request], GradcliError]] = {"G202": explained, "G203": copied}


def refusals() -> Iterator[Message]:
    """The messages that stand for an error, and those that have a hint for expressions."""
    for one in MESSAGES:
        if one.hint or _refused(one):
            yield one


def hints(code: str) -> list[str]:
    """What an expression is told to do about a diagnosis, whichever operation it is about."""
    said = [one.hint for one in refusals() if one.code == code and one.hint]
    return list(
        dict.fromkeys(
            [*said, *(hint for says, one, hint in PATTERNS if one == code and "derivative for " not in says.pattern)]
        )
    )


def with_code(error: GradcliError, request: Request | None = None) -> GradcliError:
    """The same error, with the diagnosis that its message stands for, and of a request the step that is to blame."""
    if error.kind == "torch" and error.code is None:
        found = list(_found(error.message))
        error.code = next((code for code, _ in found if code), None)
        error.hint = next((hint for _, hint in found if hint), error.hint)
        if error.code in _REWRITTEN and request is not None:
            return _REWRITTEN[error.code](error, request)
    return error


def _found(message: str) -> Iterator[tuple[str | None, str | None]]:
    """What the patterns of expressions say, then what the first message of the table does."""
    for expected, code, hint in PATTERNS:
        if expected.search(message):
            yield code, hint
    for one in MESSAGES:
        if any(constant(says) in message and pattern(says).search(message) for says in one.says):
            yield _refused(one), one.hint
            return


def _refused(one: Message) -> str | None:
    """The code of a message, where it is that of an error."""
    return one.code if one.code in CATALOGUE and CATALOGUE[one.code].level == "error" else None
