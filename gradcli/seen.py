"""A tensor of a script as it was at the end: plain facts and numbers, so that they outlive its process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gradcli.numerals import json_number, read_number
from gradcli.summary import Summary

WHOLE = 32  # elements: of a larger tensor a table shows the summary
MOST = 1_024  # elements: of a larger tensor the summary alone is kept


@dataclass(frozen=True, slots=True)
class Numbers:
    """The elements of a tensor as nested lists, None where it has more than 1,024; of more than 32, their summary."""

    elements: Any
    summary: Summary | None = None

    def shown(self) -> Any:
        """What a table shows."""
        return self.summary or self.elements


@dataclass(frozen=True, slots=True)
class SeenTensor:
    """One tensor among the script's variables, with the flags that torch recorded on it; `grad` is None without one."""

    name: str
    value: Numbers
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool
    is_leaf: bool
    grad_fn: str | None
    grad: Numbers | None

    @property
    def origin(self) -> str:
        """What a table says of where it came from: its grad_fn, `leaf`, or `none`."""
        return self.grad_fn or ("leaf" if self.requires_grad else "none")

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "name": self.name, **_facts("value", "summary", self.value), "shape": list(self.shape),
            "dtype": self.dtype, "device": self.device, "requires_grad": self.requires_grad, "is_leaf": self.is_leaf,
            "grad_fn": self.grad_fn, **_facts("grad", "grad_summary", self.grad),
        }  # fmt: skip

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> SeenTensor:
        """The tensor of an object of the JSON format."""
        absent = facts["grad"] is None and facts["grad_summary"] is None
        return cls(
            facts["name"], _numbers(facts["value"], facts["summary"]), tuple(facts["shape"]), facts["dtype"],
            facts["device"], facts["requires_grad"], facts["is_leaf"], facts["grad_fn"],
            None if absent else _numbers(facts["grad"], facts["grad_summary"]),
        )  # fmt: skip


def _facts(elements: str, summary: str, numbers: Numbers | None) -> dict[str, Any]:
    if numbers is None:
        return {elements: None, summary: None}
    told = None
    if numbers.summary is not None:
        told = {name: json_number(one) for name, one in asdict(numbers.summary).items() if name != "shape"}
        told = {"shape": list(numbers.summary.shape), **told}
    return {elements: _each(numbers.elements, json_number), summary: told}


def _numbers(elements: Any, summary: Mapping[str, Any] | None) -> Numbers:
    made = None
    if summary is not None:
        facts: dict[str, Any] = {name: read_number(one) for name, one in summary.items() if name != "shape"}
        made = Summary(tuple(summary["shape"]), **facts)
    return Numbers(_each(elements, read_number), made)


def _each(nested: Any, convert: Any) -> Any:
    return [_each(one, convert) for one in nested] if isinstance(nested, list) else convert(nested)
