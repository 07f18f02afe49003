"""Errors and notes in the words of a conversation: places in what was typed, assignments in place of options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError

if TYPE_CHECKING:
    from gradcli.language.whole import Whole
    from gradcli.results import Note

# What a command line would have one write, and what is written here.
_WORDS = (
    (re.compile(r"--at (\w+)=\.\.\."), r"\1 = ..."),
    (re.compile(r"--const (\w+)=\.\.\."), r":const \1 = ..."),
    (re.compile(r"--(const|max-memory)\b"), r":\1"),
    (re.compile(r"\bgradcli (functions|explain)\b"), r":\1"),
)


def in_words(text: str) -> str:
    """A hint, as it is to be followed here."""
    for written, here in _WORDS:
        text = written.sub(here, text)
    return text


def told(error: GradcliError, found: Sequence[Whole | str], subjects: Sequence[str]) -> GradcliError:
    """An error with its place in what was typed, and with a hint that can be followed here."""
    from gradcli.language.whole import moved

    for one, typed in zip(found, subjects, strict=True):
        if not isinstance(one, str):
            error = moved(error, one.text, one.start, typed)
    error.hint = error.hint and in_words(error.hint)
    return error


def spoken(result: Any) -> Any:
    """A result with notes in the words of a conversation, where an input gets its value by an assignment."""
    if "notes" not in {one.name for one in fields(result)}:  # they are those of the answer that it was made with
        answer = getattr(result, "answer", None)
        return result if answer is None else replace(result, answer=spoken(answer))
    notes = tuple(replace(one, message=_assigned(one)) if "--at" in one.message else one for one in result.notes)
    return replace(result, notes=notes) if any("--at" in one.message for one in result.notes) else result


def _assigned(note: Note) -> str:
    name = note.subject or "A"
    return note.message.replace("(--at)", f"({name} = ...)").replace("with --at", f"as in {name} = 5.0")
