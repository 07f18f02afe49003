"""The documentation is true: its commands print what it shows, its examples run, its links lead somewhere."""

from __future__ import annotations

import doctest
import inspect
import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import gradcli
from gradcli import commands
from gradcli.commands.command import SHOWING
from gradcli.errors import KINDS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))  # the tool is a script, not an installed package

from refresh import fresh  # noqa: E402
from writing import pages, session  # noqa: E402
from writing.blocks import blocks, prose  # noqa: E402
from writing.diagnoses import EXAMPLES  # noqa: E402
from writing.tables import MADE  # noqa: E402

REFERENCE = ROOT / "docs" / "reference"
SCHEMA = json.loads((REFERENCE / "schema.json").read_text(encoding="utf-8"))
PAGES = [pytest.param(path, id=str(path.relative_to(ROOT))) for path in pages.paths()]


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def answers(path: Path) -> dict[int, pages.Answered]:
    """What the commands of a page print, by line."""
    with tempfile.TemporaryDirectory() as folder:
        return {one.line: one for one in pages.run(text_of(path), Path(folder))}


def typed() -> list[Any]:
    """A case for each command of each page."""
    cases = [(path, line) for path in pages.paths() for line, _ in pages.typed(text_of(path))]
    return [pytest.param(path, line, id=f"{path.relative_to(ROOT)}:{line}") for path, line in cases]


def print_of(text: str) -> str:
    """What one command line prints, in a folder of no interest."""
    command = session.Command(tuple(f"$ {text}".split("\n")), ())
    return "\n".join(session.answered(command, ROOT))


# What stands there is what gradcli says.


@pytest.mark.parametrize(("path", "line"), typed())
def test_commands_print_what_stands_below_them(path: Path, line: int) -> None:
    answer = answers(path)[line]
    assert list(answer.printed) == list(answer.command.shown), "python docs/refresh.py writes it anew"


@pytest.mark.parametrize("path", PAGES)
def test_made_parts_are_fresh(path: Path) -> None:
    made = pages.with_made_parts(text_of(path), MADE)
    assert pages.without_answers(made) == pages.without_answers(text_of(path)), "python docs/refresh.py writes it anew"


@pytest.mark.parametrize("path", PAGES)
def test_python_sessions_hold(path: Path) -> None:
    assert pages.tried(text_of(path), path.name) == ""


@pytest.mark.parametrize("name", [name for name in gradcli.__all__ if inspect.isfunction(getattr(gradcli, name))])
def test_docstring_examples_hold(name: str) -> None:
    said: list[str] = []
    tests = doctest.DocTestFinder(recurse=False).find(getattr(gradcli, name), name, globs={"gradcli": gradcli})
    results = [doctest.DocTestRunner().run(test, out=said.append) for test in tests]
    assert said == []
    assert sum(result.attempted for result in results) > 0, f"gradcli.{name} shows no example"


@pytest.mark.parametrize("name", commands.NAMES)
def test_examples_of_a_command_run(name: str) -> None:
    examples = commands.command(name).examples
    assert examples
    for example in examples:
        assert print_of(f"{example}; echo $?").endswith("\n0"), example


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_of_a_diagnosis_shows_it(code: str) -> None:
    assert code in print_of(EXAMPLES[code]).replace(EXAMPLES[code], "")


# Everything is there.


@pytest.mark.parametrize("name", commands.NAMES)
def test_every_command_and_option_is_documented(name: str) -> None:
    text = text_of(REFERENCE / "commands.md")
    section = re.search(rf"^## gradcli {name}\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert section, f"{name} has no section"
    shared = text.partition("## Options of every command")[2]
    for options, told in ((commands.command(name).options, section[1]), (SHOWING, shared)):
        for flag in (flag for option in options for flag in option.flags):
            assert re.search(rf"`{re.escape(flag)}[ `]", told), f"{name} {flag}"


def test_every_page_is_reached_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    reached = {target for target, _ in links(index)} | {index}
    assert [path for path in pages.paths() if path not in reached] == []


def links(path: Path) -> Iterator[tuple[Path, str]]:
    """The pages that a page leads to, each with the heading that it names."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(text_of(path))):
        if "://" not in target:
            place, _, heading = target.partition("#")
            yield ((path.parent / place).resolve() if place else path), heading


def headings(path: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    found = re.findall(r"^#+ (.*)$", prose(text_of(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in found}


@pytest.mark.parametrize("path", PAGES)
def test_links_lead_somewhere(path: Path) -> None:
    for target, heading in links(path):
        assert target.is_file(), target
        assert not heading or heading in headings(target), f"{target}#{heading}"


# The two commands of the README.


def steps(number: int) -> list[str]:
    scripts = [block.text for block in blocks(text_of(ROOT / "README.md")) if block.language == "sh"]
    return [step.strip() for step in scripts[number].split("&&")]


def test_the_first_command_answers_a_question() -> None:
    environment, install, question = steps(0)
    assert environment == "python3 -m venv .venv"
    assert install == ".venv/bin/pip install -c constraints.txt ."
    assert "MulBackward0" in print_of(question.removeprefix(".venv/bin/"))


def test_the_second_command_installs_what_the_tests_need() -> None:
    environment, install, check = steps(1)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (environment, check) == ("python3 -m venv .venv", ".venv/bin/pytest")
    asked = re.fullmatch(r'\.venv/bin/pip install -c constraints\.txt -e "\.\[([\w,]+)\]"', install)
    assert asked
    extras = asked[1].split(",")
    assert set(extras) <= project["optional-dependencies"].keys()
    needed = [*project["dependencies"], *(one for extra in extras for one in project["optional-dependencies"][extra])]
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").split("\n")}
    names = {re.split(r"[\[<>=]", one)[0] for one in needed} - {"gradcli"}
    assert names <= pinned


# JSON answers keep to the schema.

ASKED = (
    'gradcli grad "A*5" --at 5.0 --json',
    'gradcli grad "A, A*2" --at "[1, 2]" --json',
    'gradcli grad "sort(A)" --at "[3, 1, 2]" --json',
    'gradcli grad "loss = A*B" --at A=2 --const B=3 --json',
    'gradcli grad "A = torch.tensor([5.0], requires_grad=True); (A*5).backward()" --json',
    'gradcli grad "A.detach()*2" --json',
    'gradcli grad "abs(z)" --at z=1+2j --json',
    'gradcli eval "A/0" --at "[1, -1, 0]" --json',
    'gradcli eval "A > B" --at "A=[1, 2]" --const "B=[True, False]" --json',
    'gradcli eval "zeros(0, 3)*A" --json',
    'gradcli eval --inference "A" --at "ones(2, 0)" --json',
    "gradcli functions --json",
    "gradcli functions nosuchfunction --json",
    'gradcli grad "A^2" --json',
    'gradcli grad "A*B" --json',
    'gradcli grad "A*5" --at "[[1, 2], [3]]" --json',
    'gradcli grad "A.item()" --json',
    'gradcli grad "A @ A" --at "[[1, 2, 3]]" --json',
    "gradcli grad @nosuchfile --json",
    'gradcli grad "9**9**9" --json',
    "gradcli grad --nosuchoption --json",
)


def complaint(document: Any) -> str | None:
    """Where an object breaks the schema, and how; None where it does not."""
    checker = jsonschema.Draft202012Validator(SCHEMA)
    worst = jsonschema.exceptions.best_match(checker.iter_errors(document))
    return None if worst is None else f"{worst.json_path}: {worst.message}"


def strict(text: str) -> Any:
    """JSON without the words that Python's reader takes beyond the standard."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("text", ASKED)
def test_answers_keep_to_the_schema(text: str) -> None:
    assert complaint(strict(print_of(text))) is None


def test_json_answers_on_the_pages_keep_to_the_schema() -> None:
    shown = [
        one
        for path in pages.paths()
        for one in answers(path).values()
        if one.command.stages[-1][0] == "gradcli" and "--json" in one.command.text
    ]
    assert shown
    for one in shown:
        assert complaint(strict(one.printed[0])) is None, one.command.text


def test_the_schema_knows_every_command_and_kind() -> None:
    known = {one["$ref"].rpartition("/")[2] for one in SCHEMA["oneOf"]}
    assert known == {"error", *commands.NAMES}
    assert set(SCHEMA["$defs"]["error"]["properties"]["error"]["properties"]["kind"]["enum"]) == set(KINDS)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda document: document.update(extra=1),
        lambda document: document.pop("mode"),
        lambda document: document["output"].update(value="nan"),
        lambda document: document["output"].update(outside=1),
        lambda document: document["inputs"][0].pop("origin"),
        lambda document: document.update(outputs=[document["output"]] * 2),
        lambda document: document.update(command="nosuchcommand"),
        lambda document: document.update(status="error"),
    ],
)
def test_the_schema_refuses_what_is_wrong(spoil: Any) -> None:
    document = strict(print_of(ASKED[0]))
    spoil(document)
    assert complaint(document)


# The tool notices.


def test_a_wrong_answer_is_written_anew() -> None:
    page = '```console\n$ gradcli grad "A^2"; echo $?\n2\n```\n'
    right = page.replace(
        "\n2\n", "\nerror: '^' is exclusive or in Python, not a power\n  A^2\n  ^^^\nhint: write A**2\n2\n"
    )
    assert fresh(page) == right
    assert fresh(right) == right


def test_a_stale_made_part_is_written_anew() -> None:
    page = "<!-- made: exit_codes -->\n| code | meaning |\n<!-- end -->\n"
    assert "| 70 | a bug in gradcli" in fresh(page)


def test_a_wrong_session_is_told() -> None:
    assert "Expected:\n    3" in pages.tried("```python\n>>> 1 + 1\n3\n```\n", "page")


def test_files_pipes_and_continued_lines() -> None:
    page = """```python title="snippet.py"
A = torch.tensor([5.0], requires_grad=True)
```
```console
$ gradcli eval -q @snippet.py --format csv > answer.csv
$ cat answer.csv | head -2
$ printf 'A*5' | gradcli eval - --at 1 --format csv
$ gradcli eval "B = A*3
> B*2" --at 3 --format csv
```
"""
    assert fresh(page).split("\n")[4:-2] == [
        "$ gradcli eval -q @snippet.py --format csv > answer.csv",
        "$ cat answer.csv | head -2",
        "tensor,index,value,grad,requires_grad,grad_fn",
        "A,0,5.0,,True,leaf",
        "$ printf 'A*5' | gradcli eval - --at 1 --format csv",
        "tensor,index,value,grad,requires_grad,grad_fn",
        "A,,1.0,,True,leaf",
        "A*5,,5.0,,True,MulBackward0",
        '$ gradcli eval "B = A*3',
        '> B*2" --at 3 --format csv',
        "tensor,index,value,grad,requires_grad,grad_fn",
        "A,,3.0,,True,leaf",
        "B*2,,18.0,,True,MulBackward0",
    ]
