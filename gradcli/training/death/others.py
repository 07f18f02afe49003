"""Every other message of torch that is known: what it says, and what to change, at the user's own line."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.results import Note
from gradcli.training.death.scene import Scene


def rule(scene: Scene) -> Iterator[Note]:
    """What explain says of the message."""
    message, facts = scene.said.message, scene.said.facts
    level = CATALOGUE[message.code].level if message.code in CATALOGUE else "error"
    said = f"{scene.quoted(scene.line)}: {message.what.format_map(facts)} {message.next.format_map(facts)}"
    yield Note(message.code, level, said)
