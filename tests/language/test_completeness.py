"""Every public function of the installed torch is in the vocabulary, or left out for a reason that is written down."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import pytest
import torch

from gradcli.errors import GradcliError
from gradcli.language.parser import parse
from gradcli.language.vocabulary import NAMESPACES, by_path
from gradcli.language.vocabulary.exclusions import EXCLUSIONS, why_excluded

PLACES: dict[str, Any] = {
    "torch.": torch,
    "torch.Tensor.": torch.Tensor,
    "torch.nn.functional.": torch.nn.functional,
    "torch.linalg.": torch.linalg,
    "torch.special.": torch.special,
    "torch.fft.": torch.fft,
    "torch.masked.": torch.masked,
    "torch.signal.windows.": torch.signal.windows,
}
SAME_TORCH = torch.__version__.startswith("2.13.")


def public(place: str) -> Iterator[str]:
    """The dotted names of what can be called in a namespace, less classes and names that begin with an underscore."""
    for name in dir(PLACES[place]):
        value = getattr(PLACES[place], name, None)
        if not name.startswith("_") and callable(value) and not inspect.isclass(value):
            yield place + name


def neither(names: Iterator[str]) -> list[str]:
    """The names that are in neither the vocabulary nor the list of exclusions."""
    return [name for name in names if name not in by_path() and why_excluded(name) is None]


@pytest.mark.parametrize("place", PLACES)
def test_every_public_function_is_in_the_vocabulary_or_left_out_for_a_reason(place: str) -> None:
    assert neither(public(place)) == []


def test_a_function_that_torch_did_not_have_before_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "cosecant", torch.sin, raising=False)
    assert neither(public("torch.")) == ["torch.cosecant"]


def test_no_function_is_both_in_the_vocabulary_and_left_out() -> None:
    assert [path for path in by_path() if why_excluded(path)] == []


@pytest.mark.skipif(not SAME_TORCH, reason="another torch has lost or gained some of these names")
def test_every_exclusion_is_about_something() -> None:
    known = [name for place in PLACES for name in public(place)]
    for name in (name for names in EXCLUSIONS.values() for name in names.split()):
        place, _, rest = name.partition(".")
        assert any(fnmatchcase(one, NAMESPACES[place] + rest) for one in known), name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("torch.empty(3)*A", "torch.empty() is left out: it shows memory that nothing has written to yet"),
        ("empty(3)*A", "empty() is left out: it shows memory that nothing has written to yet"),
        ("A.resize_(2)", ".resize_() is left out: it shows or rearranges raw memory"),
        ("torch.cudnn_convolution(A)", "torch.cudnn_convolution() is left out: it is the kernel of one backend"),
        ("torch.solve(A, B)", "torch.solve() is left out: torch has removed it"),
    ],
)
def test_the_refusal_of_such_a_function_tells_the_reason(text: str, message: str) -> None:
    with pytest.raises(GradcliError) as caught:
        parse(text)
    assert caught.value.kind == "name"
    assert caught.value.message.startswith(message)
