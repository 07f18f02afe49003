"""Random and mutated requests keep what is promised: an answer or a GradcliError in its place, and silence.

A longer run, in processes of its own: `python -m tests.fuzz --count 100000 --seed 1`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli import commands
from gradcli.errors import GradcliError, Span
from tests.fuzz import promises
from tests.fuzz.requests import Request, request

EXAMPLES = 1_000
pytestmark = pytest.mark.usefixtures("one_thread")


@contextmanager
def alone(folder: Path) -> Iterator[Callable[[], None]]:
    """A while in an empty folder; the call complains of what was said on the standard streams."""
    place = Path.cwd()
    os.chdir(folder)
    try:
        with promises.silence() as heard:
            yield heard
    finally:
        os.chdir(place)


def test_random_requests_keep_what_is_promised(tmp_path: Path) -> None:
    with alone(tmp_path) as heard:

        @settings(max_examples=EXAMPLES, database=None)
        @given(st.integers(0, 2**40))
        def asked(seed: int) -> None:
            promises.keeps(request(Random(seed)))
            heard()

        asked()
    assert os.listdir(tmp_path) == []


def _raising(error: BaseException) -> Callable[..., Any]:
    def answer(*_: object, **__: object) -> Any:
        raise error

    return answer


def _printing(*_: object, **__: object) -> Any:
    os.write(2, b"hm")
    raise GradcliError("name", "no")


# Commands that break a promise, and what is said of them.
WRONG: dict[str, tuple[Callable[..., Any], type[BaseException], str]] = {
    "another exception": (_raising(ZeroDivisionError("odd")), ZeroDivisionError, "odd"),
    "a kind of no list": (_raising(GradcliError("odd", "no")), promises.Broken, "the kind odd"),
    "two lines": (_raising(GradcliError("name", "no\nno")), promises.Broken, "the message"),
    "a span outside": (
        _raising(GradcliError("name", "no", source="A*5", span=Span(2, 9))),
        promises.Broken,
        "outside the text",
    ),
    "something said": (_printing, promises.Broken, "written past the streams: 'hm'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_breaks_a_promise_is_noticed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function, error, said = WRONG[name]
    broken = replace(commands.command("grad"), function=function)
    monkeypatch.setattr(commands, "command", lambda _: broken)
    with alone(tmp_path) as heard:

        def asked() -> None:
            promises.keeps(Request("A*5", {}, {}, "grad", None, {}))
            heard()

        with pytest.raises(error, match=said):
            asked()


def test_a_file_that_is_written_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(promises.Broken, match="touched: open"), promises.untouched():
        (tmp_path / "made").write_text("")
