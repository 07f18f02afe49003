"""What is told of a script at its end: the health of its training, its tensors, and what ended it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from gradcli.health import Health
from gradcli.results import Note
from gradcli.training.own import died
from gradcli.training.script.passes import Passes
from gradcli.training.sentences import often
from gradcli.training.tensors import named_tensors, seen
from gradcli.training.tutorial.remarks import remarks
from gradcli.training.watching.session import Session

if TYPE_CHECKING:
    from gradcli.training.death.scene import Scene


def look(
    session: Session, passes: Passes, variables: Mapping[str, object], file: str | None, error: BaseException | None,
    noted: bool,
) -> Health:  # fmt: skip
    """The health of what a session watched, with the variables of the script and the exception that ended it."""
    session.end()
    recording = torch.is_grad_enabled()
    with torch.no_grad():
        health = session.health()
        tensors = tuple(seen(name, one) for name, one in named_tensors(variables))
        health = replace(health, tensors=tensors)
        if not noted:
            return replace(health, notes=())
        scene, dead = _death(error, variables, session, passes, recording)
        said = {note.code for note in dead}
        further = tuple(one for one in _remarks(health, passes, variables, file, bool(dead)) if one.code not in said)
    return replace(
        health, verdict=_verdict(health, scene, error, dead, further), notes=(*dead, *health.notes, *further)
    )


def _remarks(
    health: Health, passes: Passes, variables: Mapping[str, object], file: str | None, died: bool
) -> tuple[Note, ...]:
    try:
        return remarks(health, passes, variables, file, died)
    except Exception:  # what a text says is only read, never run: where that goes wrong, the rest still stands
        from gradcli.diagnosis import notes

        if notes.RAISES:
            raise
        return ()


def _death(
    error: BaseException | None, variables: Mapping[str, object], session: Session, passes: Passes, recording: bool
) -> tuple[Scene | None, tuple[Note, ...]]:
    """What the script died of, where torch ended it; what tells so is imported for that alone."""
    if error is None:
        return None, ()
    from gradcli.training.death.cause import causes
    from gradcli.training.death.scene import scene_of

    scene = scene_of(error, variables, session, passes, recording)
    return scene, causes(scene) if scene is not None else ()


def _verdict(
    health: Health, scene: Scene | None, error: BaseException | None, dead: tuple[Note, ...], further: tuple[Note, ...]
) -> str:
    """One sentence: what the script died of, else how its training is, else what became of its tensors."""
    if scene is not None and dead:
        code = f" ({dead[0].code})" if dead[0].code else ""
        return f"the script died of torch's {type(scene.error).__name__} in {scene.at(scene.line)}{code}"
    return "; ".join(filter(None, (died(error), _of_training(health, further))))


def _of_training(health: Health, further: tuple[Note, ...]) -> str:
    if health.parameters or any(note.code and note.code.startswith("G7") for note in health.notes):
        return health.verdict
    return _of_tensors(health, further)


def _of_tensors(health: Health, further: tuple[Note, ...]) -> str:
    leaves = [one for one in health.tensors if one.requires_grad and one.is_leaf]
    got = [one.name for one in leaves if one.grad is not None]
    passes = health.seen.backwards
    if not health.tensors:
        return health.verdict
    if not passes:
        return "backward() never ran, so no tensor has a gradient" if leaves else "no tensor requires grad"
    whose = f"{len(got)} of {len(leaves)} leaves that require grad {'has' if len(got) == 1 else 'have'} a gradient"
    if len(got) == len(leaves) and 0 < len(got) <= 4:
        names = " and ".join(filter(None, (", ".join(got[:-1]), got[-1])))
        whose = f"{names} {'has' if len(got) == 1 else 'have'} a gradient"
    if not leaves:
        whose = "no leaf among the variables requires grad"
    warned = next((note for note in further if note.level == "warning"), None)
    return f"backward() ran {often(passes)}: {whose}" + (f" ({warned.code})" if warned else "")
