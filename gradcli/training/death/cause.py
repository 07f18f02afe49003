"""The cause of a script's death: each rule is asked, and the first that knows it is believed."""

from __future__ import annotations

from gradcli.diagnosis import notes
from gradcli.results import Note
from gradcli.training.death import changed, freed, functions, inference, leaves, others, ungraphed, unused
from gradcli.training.death.scene import Scene

RULES = (
    changed.rule,
    freed.rule,
    inference.rule,
    functions.rule,
    unused.rule,
    leaves.rule,
    ungraphed.rule,
    others.rule,
)


def causes(scene: Scene) -> tuple[Note, ...]:
    """Notes on what a script died of."""
    for rule in RULES:
        try:
            found = tuple(rule(scene))
        except Exception:  # what is left of a script that died is not always whole; torch's message still is
            if notes.RAISES:
                raise
            continue
        if found:
            return found
    return ()
