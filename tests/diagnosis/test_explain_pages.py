"""Every diagnosis has a page; its example shows it and nothing else, and its repair shows it no more."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

import gradcli
from gradcli.diagnosis import extras, refusals
from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.diagnosis.notes import LOSSES, RULES
from gradcli.diagnosis.pages import FAMILIES, PAGES, WRITTEN
from tests.documentation import session

_CODE = re.compile(r"G\d{3}")


def codes_of(thing: Any, seen: set[int]) -> Iterator[str]:
    """The codes that a function can name: in its own code, in what it calls of its room, in tables it reads."""
    thing = getattr(thing, "__wrapped__", thing)  # a function whose answers are kept
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, str):
        yield from _CODE.findall(thing) if _CODE.fullmatch(thing) else ()
    elif isinstance(thing, (tuple, list, set, frozenset)):
        for one in thing:
            yield from codes_of(one, seen)
    elif isinstance(thing, dict):
        yield from codes_of([*thing.keys(), *thing.values()], seen)
    elif isinstance(thing, CodeType):
        yield from codes_of(thing.co_consts, seen)
    elif isinstance(thing, FunctionType) and thing.__module__.startswith("gradcli.diagnosis"):
        yield from codes_of(thing.__code__, seen)
        for name in names_of(thing.__code__):
            found = thing.__globals__.get(name)
            if found is not CATALOGUE:
                yield from codes_of(found, seen)
            if isinstance(found, ModuleType):
                yield from codes_of([getattr(found, other, None) for other in names_of(thing.__code__)], seen)


def names_of(code: CodeType) -> set[str]:
    inner = [names_of(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inner)


def given() -> set[str]:
    """The codes that a registered rule, a note of an option, or a refusal can give."""
    rules = {code for rule in (*LOSSES, *RULES, extras.notes_on) for code in codes_of(rule, set())}
    refused = {one.code for one in refusals.refusals()} | {code for _, code, _ in refusals.PATTERNS}
    rooms = [path for room in ("language", "engine") for path in Path(gradcli.__file__).with_name(room).rglob("*.py")]
    raised = {code for path in rooms for code in re.findall(r'"(G\d{3})"', path.read_text(encoding="utf-8"))}
    refused |= {code for code in raised if code in CATALOGUE and CATALOGUE[code].level == "error"}
    return rules | {code for code in refused if code}


GIVEN = given()


def test_the_registered_rules_are_read() -> None:
    assert {"G101", "G102", "G103", "G104", "G105", "G107", "G109", "G201", "G607"} <= GIVEN
    assert "G701" not in GIVEN
    made = FunctionType(compile("def rule(e):\n yield 'G999'", "x", "exec").co_consts[0], {})
    made.__module__ = "gradcli.diagnosis.made"
    assert set(codes_of(made, set())) == {"G999"}


def test_every_code_of_the_catalogue_has_a_page_and_no_page_is_promised() -> None:
    assert list(PAGES) == list(CATALOGUE)
    assert all(code == page.code and code[:2] in FAMILIES for code, page in WRITTEN.items())


@pytest.mark.parametrize("code", WRITTEN)
def test_sentences_are_whole(code: str) -> None:
    page = WRITTEN[code]
    for told in (page.what, page.why, page.next):
        assert told.endswith(".")
        assert "{" not in told
    assert page.term
    assert not page.term.endswith(".")


def answered(command: str, code: str, folder: Path) -> tuple[list[str], int]:
    """The codes of a command's answer or refusal, and its exit code."""
    for name, text in WRITTEN[code].files.items():
        (folder / name).write_text(text, encoding="utf-8")
    typed = f"$ {command} --json; echo $?".replace("\n", "\n> ").split("\n")
    *lines, number = session.answered(session.Command(tuple(typed), ()), folder)
    found = json.loads("".join(lines))
    notes = found.get("notes", [found.get("error")])
    codes = [note["code"] for note in notes if note["code"]]
    return codes + [one["code"] for one in found.get("inputs", []) if one.get("code")], int(number)


TRAINING = [code for code in WRITTEN if code.startswith("G7")]  # scripts: tests/training/test_pages.py


@pytest.mark.parametrize("code", [code for code in WRITTEN if code not in TRAINING])
def test_an_example_shows_its_code_and_no_other(code: str, tmp_path: Path) -> None:
    if code not in GIVEN or code not in CATALOGUE:
        pytest.skip("no rule gives it yet")
    codes, _ = answered(WRITTEN[code].example, code, tmp_path)
    assert code in codes
    assert [one for one in codes if one != code and CATALOGUE[one].level != "info"] == []


@pytest.mark.parametrize("code", [code for code, page in WRITTEN.items() if page.repair and code not in TRAINING])
def test_a_repair_runs_and_does_not_show_the_code(code: str, tmp_path: Path) -> None:
    codes, exit_code = answered(str(WRITTEN[code].repair), code, tmp_path)
    assert exit_code == 0
    assert code not in codes


@pytest.mark.parametrize("code", PAGES)
def test_explain_tells_the_page(code: str) -> None:
    (match,) = gradcli.explain(code).matches
    page = PAGES[code]
    assert (match.code, match.level, match.name) == (code, CATALOGUE[code].level, CATALOGUE[code].name)  # type: ignore[union-attr]
    shown = str(gradcli.explain(code))
    for told in (page.what, page.why, page.next, page.term, *page.example.split("\n")):
        assert told in shown
    assert gradcli.explain(code.lower()).matches == gradcli.explain(match.name).matches == (match,)


def test_codes_are_listed_with_their_family() -> None:
    listed = gradcli.explain()
    assert [one.code for one in listed.matches] == list(CATALOGUE)  # type: ignore[union-attr]
    assert all(f"  {code}  {PAGES[code].what}" in str(listed) for code in PAGES)
