"""The diagnoses: what each code is called, what it says, and its page with a command that shows it at work."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradcli import commands
from gradcli.diagnosis.catalogue import CATALOGUE, Entry
from gradcli.diagnosis.messages import FAMILIES, Message
from gradcli.diagnosis.pages import PAGES
from gradcli.diagnosis.refusals import hints
from writing.markdown import code, plain, table

_JOINS = " .,;"  # what joins a part to its sentence
_FACT = re.compile(r"\{(\w*)\}")


def diagnoses() -> Iterator[str]:
    """A table of all codes, and a section for each."""
    yield from table(
        ("code", "name", "level"),
        ((f"[{one.code}](#{one.code.lower()}-{one.name})", one.name, one.level) for one in CATALOGUE.values()),
    )
    yield ""
    for entry in CATALOGUE.values():
        yield from _section(entry)


def messages() -> Iterator[str]:
    """The messages of torch that are recognised, in torch's words, a table a family."""
    for family in FAMILIES:
        yield f"## {(family.__doc__ or '').partition(chr(10))[0].rstrip('.')}"
        yield ""
        yield from table(("torch says", "which means"), map(_meaning, family.MESSAGES))
        yield ""


def _meaning(one: Message) -> tuple[str, str]:
    entry = CATALOGUE.get(one.code or "")
    link = f" [{entry.code}](diagnoses.md#{entry.code.lower()}-{entry.name})" if entry else ""
    return "; ".join(code(_FACT.sub("…", says)) for says in one.says), plain(_placed(one.what)) + link


def _section(entry: Entry) -> Iterator[str]:
    yield f"## {entry.code} {entry.name}"
    yield ""
    page = PAGES.get(entry.code)
    if page:
        yield from (plain(page.what), "", plain(page.why), "")
    if entry.says:
        yield "The note:"
        yield ""
        yield from (f"- {plain(_placed(sentence))}" for sentence in entry.says.values())
        yield ""
    if entry.parts:
        yield "What can stand there at a place:"
        yield ""
        for place, parts in entry.parts.items():
            yield f"- ‹{place}›: " + "; or ".join(f"“{plain(_placed(part.strip(_JOINS)))}”" for part in parts.values())
        yield ""
    advice = hints(entry.code)
    if advice:
        yield from (f"What to do: {plain('; or '.join(advice))}.", "")
    if page:
        for name, text in page.files.items():
            yield from (f'```python title="{name}"', *text.rstrip().split("\n"), "```", "")
        yield from _session(page.example)
        yield from (plain(page.next), "")
        if page.repair:
            yield from _session(page.repair)
        yield from (f"In torch's documentation: {plain(page.term)}.", "")


def _placed(sentence: str) -> str:
    """A sentence with its places marked: ‹names›."""
    return _FACT.sub(r"‹\1›", sentence)


def _session(command: str) -> Iterator[str]:
    """A block that the refresher answers; further lines of a command are marked. Scripts have tests of their own."""
    if commands.command(command.split()[1]).runs(command):
        yield from ("```sh", command, "```", "")
        return
    typed = command.replace("\n", "\n> ").split("\n")
    yield from ("```console", f"$ {typed[0]}", *typed[1:], "```", "")
