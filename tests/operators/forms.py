"""The ways to write an operator: as a function, a method, in place on an intermediate, bare, and under its aliases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch

from tests.operators.writing import Written

Call = Callable[..., Any]
# A form: what it is called, its text for written operands, and what torch itself calls on the operands.
Form = tuple[str, Callable[[Written], str], Call]


def forms(entry: Any) -> Iterator[Form]:
    """Every form of an entry that torch has, the function first."""
    path = f"torch.{entry.name}"
    spell = _FUNCTION.get(entry.name) or _VARIANT.get(entry.variant_test_name)
    yield "function", spell or partial(_ORDER.get(entry.name, _function), path), entry.op
    if entry.method_variant is not None and entry.name not in _FUNCTION:
        yield "method", partial(_method, entry.name), entry.method_variant
    if entry.inplace_variant is not None and not entry.name.endswith("_"):
        yield "in place", partial(_in_place, entry), partial(_on_a_copy, entry.inplace_variant)
    for alias in entry.aliases:
        name = alias.name.rpartition(".")[2]
        yield "alias", partial(_function, f"torch.{alias.name}"), alias.op
        if alias.method_variant is not None:
            yield "alias", partial(_method, name), alias.method_variant
        if alias.inplace_variant is not None:
            in_place = partial(_on_a_copy, alias.inplace_variant)
            yield "alias", partial(_method, f"{name}_", copy=".clone()"), in_place


def _function(path: str, written: Written) -> str:
    return f"{path}({written.operands})"


def _method(name: str, written: Written, copy: str = "") -> str:
    first = written.words[0] if written.words[0][:1].isalpha() else f"torch.tensor({written.words[0]})"
    return f"{first}{copy}.{name}({written.but_first()})"


def _in_place(entry: Any, written: Written) -> str:
    if entry.inplace_variant is getattr(torch.Tensor, f"{entry.name}_", None):
        return _method(f"{entry.name}_", written, copy=".clone()")
    if not entry.name.startswith("nn."):
        return _method(f"{entry.name}_", written, copy=".clone()")
    operands = [f"{written.words[0]}.clone()", written.but_first(), "inplace=True"]
    return f"torch.{entry.name}({', '.join(filter(None, operands))})"


def _on_a_copy(function: Call, input: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
    return function(input.clone(), *args, **kwargs)


def _second_first(path: str, written: Written) -> str:
    first, second, *rest = written.words
    return f"{path}({Written([second, first, *rest], written.keywords).operands})"


def _of_product(path: str, written: Written) -> str:
    """torch's suite makes a matrix of low rank of two factors."""
    return f"{path}({', '.join(filter(None, (f'{written.words[0]} @ {written.words[1]}.mT', written.but_first(2))))})"


def _attribute(name: str, written: Written) -> str:
    return f"{written.words[0]}.{name}"


def _slice(written: Written) -> str:
    given = dict(zip(("dim", "start", "end", "step"), written.words[1:], strict=False)) | written.keywords
    full = ":, " * int(given.get("dim", "0"))
    bounds = [given.get(name, "") for name in ("start", "end", "step")]
    return f"{written.words[0]}[{full}{':'.join(bounds)}]"


# Entries whose operands the suite gives in another order than the function takes them.
_ORDER: dict[str, Callable[[str, Written], str]] = {
    "where": _second_first, "polygamma": _second_first, "special.polygamma": _second_first, "einsum": _second_first,
    "nn.functional.embedding": _second_first, "nn.functional.embedding_bag": _second_first,
    "svd_lowrank": _of_product, "pca_lowrank": _of_product,
}  # fmt: skip
# Entries without a function of their name: methods and attributes of a tensor, and Python's own syntax.
_FUNCTION: dict[str, Callable[[Written], str]] = {
    **{name: partial(_attribute, name) for name in ("T", "H", "mT", "mH")},
    **{
        name: partial(_method, name)
        for name in (
            "contiguous sum_to_size expand expand_as to reshape_as view view_as bfloat16 double float half chalf "
            "unfold repeat cfloat cdouble".split()
        )
    },
    "slice": _slice,
    "zero_": lambda written: f"torch.zero_({written.words[0]}.clone())",
}
_VARIANT: dict[str, Callable[[Written], str]] = {
    "number_mean": partial(_second_first, "torch.normal"),
    "singular": partial(_of_product, "torch.linalg.pinv"),
    "grad_oriented": lambda written: f"torch.linalg.lstsq({written.operands})[:2]",
}
