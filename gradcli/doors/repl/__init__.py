"""`gradcli repl`: many questions in one process, which keeps the names that were given and loads torch once."""

from __future__ import annotations

from typing import Any

from gradcli.commands.command import EVALUATION, SHOWING, Command
from gradcli.doors.environment import Environment
from gradcli.errors import ExitCode


def repl(subject: None, environment: Environment, **options: Any) -> ExitCode:
    """Answer line after line. Over a pipe NO where one failed, and the rest is answered; on a terminal always OK."""
    del subject
    from gradcli.doors.repl.loop import converse

    return converse(environment, options)


COMMAND = Command(
    "repl", repl, "Ask one question after another: names are kept, and torch is loaded once.", "", "",
    (*EVALUATION, *SHOWING),
    ("gradcli repl", "gradcli repl --dtype float64 --at A=5.0", "gradcli repl < questions.txt"),
    subject_required=False,
)  # fmt: skip
