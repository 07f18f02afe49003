"""The rules of bounds/ against torch itself: they know every row, and never tell less than torch makes."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
import torch

import gradcli
from gradcli.engine import evaluate, gradient
from gradcli.engine.bounds import results
from gradcli.engine.bounds.operands import Operands, broadcast, product
from gradcli.engine.bounds.results import elements, itemsize
from gradcli.engine.bounds.views import gives_view, pieces
from gradcli.engine.bounds.workspace import contractions
from gradcli.engine.defaults import tensors
from gradcli.engine.operations import operand_value
from gradcli.language.parser import parse
from gradcli.language.program import Call
from gradcli.language.vocabulary import Function, functions
from gradcli.language.vocabulary.operators import AUGMENTED, BINARY, COMPARISON, FIELD, INDEX, LENGTH, STORE, UNARY
from tests.operators import entries
from tests.operators.forms import forms
from tests.operators.writing import write

SAMPLES = 5  # of each entry of torch's suite
SPARE = 16  # elements of the flags and counts beside a result that rules leave out

OPERATORS = (*BINARY.values(), *COMPARISON.values(), *UNARY.values(), *AUGMENTED.values())
ROWS = (*functions(), *OPERATORS, FIELD, INDEX, LENGTH, STORE)


def test_every_row_has_a_rule() -> None:
    def known(row: Function) -> bool:
        return row.pointwise or row.name.removesuffix("_") in results._NAMES or row.family in results._FAMILIES

    assert [row.name for row in ROWS if not known(row)] == []


class Witness:
    """Holds every step of an evaluation against what its rules told before."""

    def __init__(self) -> None:
        self.told = 0
        self.wrong: list[str] = []
        self._call = evaluate._call

    def __call__(self, step: Call, values: list[Any], *rest: Any) -> Any:
        args = [operand_value(one, values) for one in step.args]
        given = Operands(step, args, {name: operand_value(one, values) for name, one in step.kwargs})
        count, ruled = elements(given)
        size, view, many = itemsize(given), gives_view(given), pieces(given)
        result = self._call(step, values, *rest)
        made = list(tensors(result))
        own = {one.untyped_storage().data_ptr() for one in given.tensors}
        is_item = step.style in {"index", "field"} and not isinstance(args[0], torch.Tensor)
        if not is_item:
            self.told += 1
            self._hold(given, ruled, "knows no rule")
            least = sum(one.numel() * one.element_size() for one in made)
            self._hold(
                given, count * size + SPARE * 8 >= least, f"tells {count} elements of {size} bytes, made {least}"
            )
            self._hold(given, many >= len(made) or len(made) < 9, f"tells {many} tensors, made {len(made)}")
            fresh = [one for one in made if one.numel() > 1 and one.untyped_storage().data_ptr() not in own]
            self._hold(given, not (view and fresh), "calls a view what is none")
        return result

    def _hold(self, given: Operands, true: bool, says: str) -> None:
        if not true:
            shapes = [tuple(one.shape) for one in given.tensors]
            plain = [one for one in given.values if not isinstance(one, torch.Tensor)]
            self.wrong.append(f"{given.name} of {shapes} {plain} {says}"[:300])


def test_no_rule_tells_less_than_torch_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    witness = Witness()
    monkeypatch.setattr(evaluate, "_call", witness)
    monkeypatch.setattr(gradient, "plan_of", lambda _: None)  # every step is to be weighed
    for entry in entries.ENTRIES:
        _, text, _ = next(iter(forms(entry)))
        for sample in islice(entries.samples(entry), SAMPLES):
            written = write(sample)
            try:
                gradcli.evaluate(text(written), const=written.inputs or None, notes=False)
            except gradcli.GradcliError:
                continue  # test_operators.py knows which samples torch itself refuses
    assert witness.wrong == []
    assert witness.told > 2000


def test_an_operand_is_known_by_the_name_of_its_parameter() -> None:
    (step,) = [one for one in parse("F.conv2d(A, B, None, 2, dilation=(3, 4))").steps if isinstance(one, Call)]
    given = Operands(step, [torch.ones(1, 1, 9, 9), torch.ones(1, 1, 2, 2), None, 2], {"dilation": (3, 4)})
    assert given.get("stride") == 2
    assert given.each("stride", 2, 1) == [2, 2]
    assert given.each("dilation", 2, 1) == [3, 4]
    assert given.each("padding", 2, 0) == [0, 0]


@pytest.mark.parametrize(
    ("shapes", "together"),
    [(((2, 1), (3,)), (2, 3)), (((0,), (1,)), (0,)), (((2,), (3,)), None), ((), ()), (((4, 1, 5), (7, 1)), (4, 7, 5))],
)
def test_shapes_broadcast_as_torch_has_it(
    shapes: tuple[tuple[int, ...], ...], together: tuple[int, ...] | None
) -> None:
    assert broadcast(shapes) == together
    if together is not None:
        assert tuple(torch.broadcast_shapes(*shapes)) == together


def test_a_list_counts_by_its_length_where_that_is_more() -> None:
    assert product([torch.ones(5), [0] * 100]) == 500
    assert product([3, [2, 4], True, float("nan"), "text", None]) == 24


def test_a_contraction_is_followed_operand_by_operand() -> None:
    (step,) = [one for one in parse("einsum('ab,cd,ac,bd->', A, A, A, A)").steps if isinstance(one, Call)]
    given = Operands(step, ["ab,cd,ac,bd->", *[torch.ones(10, 10)] * 4], {})
    largest, work = contractions(given)
    assert largest == 10**4  # ab and cd have nothing in common
    assert work == 10**4 + 10**4 + 10**2
