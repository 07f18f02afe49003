"""Errors as facts: what kind, what message, which columns of which text, what to do next. No layout here."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple


class Span(NamedTuple):
    """A half-open range of code points of a source text."""

    start: int
    end: int


class ExitCode(IntEnum):
    """What a process says when it ends; docs/reference/exit-codes.md is made from this."""

    OK = 0
    NO = 1
    REQUEST = 2
    TORCH = 3
    INTERNAL = 70
    OUTPUT = 74
    INTERRUPTED = 130


EXIT_MEANINGS: dict[ExitCode, str] = {
    ExitCode.OK: "an answer",
    ExitCode.NO: 'the answer is "no": `--strict` and a warning, nothing was found, or a line of a batch failed',
    ExitCode.REQUEST: "the request is wrong: usage, expression, value, file, or beyond the bounds",
    ExitCode.TORCH: "torch could not compute it",
    ExitCode.INTERNAL: "a bug in gradcli: one line is printed, `--debug` shows the traceback",
    ExitCode.OUTPUT: "the output could not be written",
    ExitCode.INTERRUPTED: "interrupted (Ctrl-C)",
}


# kind -> exit code: the one list of what can go wrong.
KINDS: dict[str, ExitCode] = {
    "usage": ExitCode.REQUEST,  # options that do not fit together
    "syntax": ExitCode.REQUEST,  # not an expression of the language
    "name": ExitCode.REQUEST,  # an unknown function, attribute or constant
    "argument": ExitCode.REQUEST,  # a call that does not fit its signature
    "value": ExitCode.REQUEST,  # an input's value
    "file": ExitCode.REQUEST,  # a file that cannot be read
    "bounds": ExitCode.REQUEST,  # longer, deeper, larger or slower than allowed
    "autograd": ExitCode.REQUEST,  # something that leaves or breaks autograd, refused before it runs
    "torch": ExitCode.TORCH,  # torch's own refusal
    "output": ExitCode.OUTPUT,  # the answer could not be written
    "internal": ExitCode.INTERNAL,
}


class GradcliError(Exception):
    """A refusal: `kind`, `message`, and where known `code` (a diagnosis), `span` in `source`, and `hint`.

    `exit_code` follows from `kind`. `to_dict()` is the `error` object of the JSON format.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        source: str | None = None,
        span: Span | None = None,
        hint: str | None = None,
        code: str | None = None,
        what: str = "the expression",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.source = source
        self.span = span
        self.hint = hint
        self.code = code
        self.what = what  # what `source` is: spans of the JSON format count in the expression only

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.kind, self.message, self.__dict__)

    @property
    def exit_code(self) -> ExitCode:
        return KINDS[self.kind]

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "code": self.code,
            "message": self.message,
            "span": list(self.span) if self.span and self.what == "the expression" else None,
            "hint": self.hint,
        }


def _again(kind: str, message: str, facts: dict[str, Any]) -> GradcliError:
    """An error as it was in another process."""
    error = GradcliError(kind, message)
    error.__dict__.update(facts)
    return error
