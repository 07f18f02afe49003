"""Every message of torch in the table is one that the installed torch gives, and is recognised before all others."""

from __future__ import annotations

import mmap
import re
import string
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import torch

import gradcli
from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.diagnosis.messages import FAMILIES, MESSAGES
from gradcli.diagnosis.messages.message import constant, names, parts, pattern
from gradcli.diagnosis.recognising import resembling
from gradcli.diagnosis.refusals import with_code
from gradcli.errors import GradcliError
from gradcli.explained import MessageMatch
from tests.diagnosis.raising import RAISED, said

TORCH = Path(torch.__file__).parent
SOURCES = ("autograd", "amp", "_functorch", "nn", "optim", "utils/checkpoint.py", "_tensor.py", "cuda/amp")
LIBRARIES = ("libtorch_python.so", "libc10.so", "libtorch_cpu.so")

# What Python says of None and of numbers, and what other libraries log.
NOT_OF_TORCH = {"none-gradient-used", "number-has-no-graph", "overflow-logged"}


def matches(text: str) -> list[str]:
    return [one.name for one in gradcli.explain(text).matches]


def test_there_are_many_messages_each_with_a_name_of_its_own() -> None:
    assert len(MESSAGES) >= 150
    assert len(RAISED) >= 150
    assert [name for name, count in Counter(one.name for one in MESSAGES).items() if count > 1] == []
    assert sum(len(family.MESSAGES) for family in FAMILIES) == len(MESSAGES)


@pytest.mark.parametrize("raised", RAISED)
def test_what_torch_raises_is_recognised_first(raised: str) -> None:
    name = raised.partition("/")[0]
    found = [matches(text) for text in said(RAISED[raised])]
    assert [one[0] for one in found if name in one] != []
    assert {one[0] for one in found if name in one} == {name}


@pytest.mark.parametrize("raised", RAISED)
def test_a_sentence_is_filled_with_what_torch_said(raised: str) -> None:
    for text in said(RAISED[raised]):
        for match in gradcli.explain(f"RuntimeError: {text}").matches:
            assert isinstance(match, MessageMatch)
            told = " ".join((match.what, match.why, match.next))
            assert "{" not in told
            assert not re.search(r"\s\s|‹|\n", told)
            assert match.text
            assert " ".join(text.split()).startswith(match.text[:30])


@cache
def installed() -> tuple[str, tuple[mmap.mmap, ...]]:
    """The texts of torch's Python sources, literals joined, and its libraries."""
    places = [TORCH / place for place in SOURCES]
    files = [path for place in places for path in ([place] if place.suffix else place.rglob("*.py"))]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    joined = re.sub(r"[\"']\s*\n\s*[rfb]*[\"']", "", text).replace('\\"', '"')
    maps = []
    for library in LIBRARIES:
        with (TORCH / "lib" / library).open("rb") as file:
            maps.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return joined, tuple(maps)


UNRAISED = [one for one in MESSAGES if not any(key.startswith(f"{one.name}/") for key in RAISED)]


@pytest.mark.parametrize("message", UNRAISED, ids=[one.name for one in UNRAISED])
def test_what_is_hard_to_raise_is_in_the_installed_torch(message: object) -> None:
    text, libraries = installed()
    words = [constant(says) for says in message.says]  # type: ignore[attr-defined]
    assert any(one in text or any(library.find(one.encode()) >= 0 for library in libraries) for one in words), words


def test_little_is_left_unraised() -> None:
    assert len(UNRAISED) <= 12


@pytest.mark.parametrize("message", MESSAGES, ids=[one.name for one in MESSAGES])
def test_a_row_fits_itself(message: object) -> None:
    for says in message.says:  # type: ignore[attr-defined]
        assert parts(says)[0], "a message begins with words"
        assert len(constant(says)) >= 12
        used = {
            field
            for told in (message.what, message.why, message.next)  # type: ignore[attr-defined]
            for _, field, _, _ in string.Formatter().parse(told)
            if field
        }
        assert used <= set(filter(None, names(says))), says
        filled = re.sub(r"\{\w*\}", "[3, 4]", says)
        assert pattern(says).search(filled)
        assert matches(f"RuntimeError: {filled}")[0] == message.name  # type: ignore[attr-defined]
        wrapped = filled.replace(" ", "\n    ", 3)
        assert matches(f"RuntimeError: {wrapped}")[0] == message.name  # type: ignore[attr-defined]
    for told in (message.what, message.why, message.next):  # type: ignore[attr-defined]
        assert told.endswith(".")


def test_codes_of_messages_are_diagnoses() -> None:
    codes = {code for one in MESSAGES for code in (one.code, *one.see) if code}
    assert all(re.fullmatch(r"G[1-7]\d\d", code) for code in codes)
    told = {code for one in gradcli.explain("can't optimize a non-leaf Tensor").matches for code in (one.code,)}  # type: ignore[union-attr]
    assert told == {"G105"}
    assert told <= set(CATALOGUE)


HEALTHY = [
    "step 3 loss 0.123 grad_norm 1.5",
    "backward pass took 12 ms",
    "all parameters require grad",
    "loss.backward()",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    "KeyError: 'grad'",
    "the derivative is zero; it is not implemented as a kernel",
    "retain_graph=True",
    "'NoneType' object has no attribute 'shape'",
    "",
]


@pytest.mark.parametrize("text", HEALTHY)
def test_other_texts_are_not_taken_for_messages(text: str) -> None:
    found = gradcli.explain(text)
    assert found.matches == ()
    assert found.exit_no
    assert [note.level for note in found.notes] == ["warning"]


PARTS = [
    ("element 0 of tensors does not require grad …", "no-graph"),
    ("element 0 ... a grad_fn", "no-graph"),
    ("modified by an inplace operation: [torch.FloatTensor [3]]", "version-of-result"),
    ("does not have a grad_fn", "no-graph"),
    ("DOES NOT HAVE A GRAD_FN", "no-graph"),
    ("modified by an inplace operation", "version-of-result"),
    ("backward through the graph a second time", "second-backward"),
    ("a leaf Variable that requires grad", "leaf-in-place"),
]


@pytest.mark.parametrize(("text", "name"), PARTS)
def test_a_part_of_a_message_is_enough(text: str, name: str) -> None:
    assert matches(text)[0] == name
    (first, *_) = gradcli.explain(text).matches
    assert isinstance(first, MessageMatch)
    assert first.says


def test_two_words_are_too_few_for_a_part() -> None:
    assert resembling("require grad") == []
    assert resembling("grad") == []


def test_an_expression_is_refused_with_the_same_table() -> None:
    for one in (one for one in MESSAGES if one.name not in NOT_OF_TORCH):
        text = re.sub(r"\{\w*\}", "x", one.says[0])
        error = with_code(GradcliError("torch", f"torch: {text}"))
        expected = one.code if one.code in CATALOGUE and CATALOGUE[one.code].level == "error" else None
        assert error.code == expected, one.name
        assert error.hint == one.hint, one.name
