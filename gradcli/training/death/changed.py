"""G202: which operation saved a tensor, who wrote to it since, and where."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.results import Note
from gradcli.training.death.saved import Overwritten, states
from gradcli.training.death.scene import Scene, line_of
from gradcli.training.death.stepped import stepped
from gradcli.training.death.written import written
from gradcli.training.own import Line
from gradcli.training.script.writes import instead
from gradcli.training.sentences import note, part
from gradcli.training.watching.graph import kind


def rule(scene: Scene) -> Iterator[Note]:
    """A saved tensor that was overwritten."""
    if scene.code != "G202":
        return
    saver, field = next(((node, name) for node, name, state in states(scene.nodes) if state == "changed"), (None, ""))
    gone = Overwritten(saver, _version(scene), _shape(scene))
    made = line_of(saver) if saver is not None else None
    facts = {
        "line": scene.quoted(scene.line), "saver": kind(saver) if saver is not None else "an operation",
        "made": f" ({scene.at(made)})" if made else "",
    }  # fmt: skip
    step = stepped(scene, gone)
    write = None if step else written(scene, gone)
    if step is not None:
        at = f" ({scene.at(step.line)})" if step.line else ""
        yield note("G202", "step", subject=step.name, **facts, name=step.name, optimizer=step.optimizer, step=at)
    elif write is not None:
        yield note("G202", "written", subject=write.name, **facts, name=write.name or "its tensor",
                   writer=scene.quoted(write.line), repair=_repair(scene, write.line))  # fmt: skip
    else:
        yield note("G202", "unknown", **facts, field=field or "a tensor")


def _version(scene: Scene) -> int | None:
    now = scene.said.facts.get("now", "")
    return int(now) if now.isdigit() else None


def _shape(scene: Scene) -> tuple[int, ...] | None:
    """[torch.FloatTensor [3, 4]] as (3, 4)."""
    text = str(scene.error).partition("Tensor [")[2].partition("]")[0]
    try:
        return tuple(int(one) for one in text.split(",") if one.strip())
    except ValueError:
        return None


def _repair(scene: Scene, line: Line) -> str:
    """What to write instead of the line that writes in place."""
    situation, facts = instead(scene.source, line.number) if scene.source else ("module", {})
    return part("G202", "repair", situation, **facts)
