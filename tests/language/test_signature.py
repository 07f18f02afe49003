"""Signature texts: what they ask for, and what is said where a call does not fit."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError
from gradcli.language.parser import parse
from gradcli.language.signature import alternatives

READ = [
    ("()", (), (), set()),
    ("(input)", ("input",), (), {"input"}),
    ("(input, dim, keepdim=False)", ("input", "dim", "keepdim"), (), {"input", "dim"}),
    ("(input, *, dtype=None)", ("input",), ("dtype",), {"input"}),
    ("(*size, dtype=None)", ("size",), ("dtype",), set()),
    ("(input, shape=(1, 2), mode='a, b')", ("input", "shape", "mode"), (), {"input"}),
]


@pytest.mark.parametrize(("text", "positional", "keywords", "required"), READ)
def test_a_signature_is_read(
    text: str, positional: tuple[str, ...], keywords: tuple[str, ...], required: set[str]
) -> None:
    (one,) = alternatives(text)
    assert (one.positional, one.keyword_only, set(one.required)) == (positional, keywords, required)


def test_alternatives_are_told_apart() -> None:
    assert [one.positional for one in alternatives("(input) | (input, dim)")] == [("input",), ("input", "dim")]


FITTING = [
    "sum(A)", "sum(A, 0)", "sum(A, dim=0)", "sum(A, axis=0)", "sum(input=A)", "sum(A, 0, True)", "A.sum()", "A.sum(0)",
    "sum(A, dim=0, keepdims=True)", "A.sum(dim=(0, 1), keepdim=True)", "zeros(2, 3)", "zeros((2, 3))",
    "zeros(2, 3, dtype=torch.float64)", "add(A, B, alpha=2)", "A.add(B, alpha=2)", "clamp(A, max=1)", "A.clamp(0, 1)",
    "F.softmax(A, dim=0)", "where(A > 0, A, 0)", "max(A, B)", "max(A, dim=0)", "A.max(0)", "einsum('ij,jk->ik', A, B)",
    "A.permute(1, 0)", "A.permute((1, 0))", "A.view(-1)",
]  # fmt: skip


@pytest.mark.parametrize("text", FITTING)
def test_calls_that_fit(text: str) -> None:
    assert parse(text).outputs


REASONS = [
    ("sin()", "sin() needs input"),
    ("sin(A, B)", "sin() takes at most 1 operand, and got 2"),
    ("sin(A, other=B)", "sin() has no argument 'other'"),
    ("sum(A, dmi=0)", "sum() has no argument 'dmi'; did you mean 'dim'?"),
    ("lerp(A)", "lerp() needs end and weight"),
    ("sum(A, 0, dim=0)", "sum() was given an argument twice"),
    ("clamp(A, 0, min=1)", "clamp() was given an argument twice"),
    ("gather(A)", "gather() needs dim and index"),
    ("A.gather()", "gather() needs dim and index"),
    ("A.sin(B)", "sin() takes at most 1 operand, and got 2"),
]


@pytest.mark.parametrize(("text", "message"), REASONS)
def test_calls_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(GradcliError) as caught:
        parse(text)
    assert caught.value.kind == "argument"
    assert caught.value.message.startswith(message)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("its signature: ")
    assert caught.value.span == (0, len(text))
