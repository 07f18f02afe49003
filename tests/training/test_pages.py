"""The scripts of the pages of `gradcli explain`: each shows its code and no other warning, its repair nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gradcli
from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.diagnosis.pages import PAGES
from gradcli.training import detectors
from gradcli.training.watching.session import Session

TRAINING = [code for code in CATALOGUE if code.startswith("G7")]

# Where gradients that are not finite are clipped or not, they are still that.
BESIDES = {"G715": {"G708"}}


def seen(script: str, path: Path) -> frozenset[str]:
    """The codes of a script."""
    variables: dict[str, object] = {"__name__": "__main__"}
    session = Session()
    session.begin(lambda: variables)
    exec(compile(script, str(path), "exec"), variables)
    session.end()
    assert session.failure is None
    return session.health().codes


@pytest.mark.parametrize("code", TRAINING)
def test_an_example_shows_its_code_and_no_other(code: str, tmp_path: Path) -> None:
    assert seen(PAGES[code].files["train.py"], tmp_path / "train.py") - BESIDES.get(code, set()) == {code}


@pytest.mark.parametrize("code", [code for code in TRAINING if PAGES[code].repair])
def test_a_repair_shows_nothing(code: str, tmp_path: Path) -> None:
    assert seen(PAGES[code].files["right.py"], tmp_path / "right.py") == set()


def test_every_code_has_a_rule_and_every_rule_a_code() -> None:
    files = Path(detectors.__file__).parent.glob("*.py")
    given = {code for path in files for code in re.findall(r'"(G7\d\d)"', path.read_text(encoding="utf-8"))}
    assert given == set(TRAINING)
    assert [one.name for one in gradcli.explain("G704").matches] == ["not-zeroed"]
