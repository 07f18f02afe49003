"""Remarks on the tensors of a script at its end: each rule is asked."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.health import Health
from gradcli.results import Note
from gradcli.training.script.passes import Passes
from gradcli.training.script.source import read
from gradcli.training.tutorial import missing, nonleaf, unrecorded
from gradcli.training.tutorial.ended import Ended


def remarks(
    health: Health, passes: Passes, variables: Mapping[str, object], file: str | None, died: bool
) -> tuple[Note, ...]:
    """Notes on the variables of a script, one a code and variable; where an optimizer trains, of .grad reads alone."""
    source = read(file) if file else None
    if source is None or file is None:
        return ()
    script = Ended(source, file, passes, variables)
    trains = any(one.optimizer for one in health.parameters)
    rules = (nonleaf.rule, *(() if trains else (unrecorded.rule,) if died else (missing.rule, unrecorded.rule)))
    found = [one for rule in rules for one in rule(script)]
    return tuple({(one.code, one.subject): one for one in found}.values())
