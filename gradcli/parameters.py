"""A parameter of a training that was watched: plain facts and numbers, so that they outlive its process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gradcli.numerals import read_number

# The fields that JSON has under their own names.
_PLAIN = (
    "name", "dtype", "device", "requires_grad", "optimizer", "steps", "measured", "none", "zero", "nonfinite",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, named as `named_parameters()` has it, and its gradients over the steps.

    A step counts in `none` where the gradient was None, in `zero` where it was exactly 0, in `nonfinite` where it
    held NaN or Inf. Norms (`first`, `last`, `low`, `high`) are of finite gradients at the `measured` steps, unscaled.
    `mean` is the mean of |g|, `zeros` the share of exact zeros, `update` the size of an update relative to the weight,
    `trend` the ratio of late to early norms; None where it was not measured.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool
    optimizer: str | None
    steps: int = 0
    measured: int = 0
    none: int = 0
    zero: int = 0
    nonfinite: int = 0
    first: float | None = None
    last: float | None = None
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    zeros: float | None = None
    update: float | None = None
    trend: float | None = None
    codes: tuple[str, ...] = ()

    @property
    def layer(self) -> str:
        """The module that holds it."""
        return self.name.rpartition(".")[0] or self.name

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "name": self.name, "shape": list(self.shape), "dtype": self.dtype, "device": self.device,
            "requires_grad": self.requires_grad, "optimizer": self.optimizer, "steps": self.steps,
            "measured": self.measured, "none": self.none, "zero": self.zero, "nonfinite": self.nonfinite,
            "norm": {"first": self.first, "last": self.last, "min": self.low, "max": self.high},
            "mean_abs": self.mean, "zeros": self.zeros, "update": self.update, "trend": self.trend,
            "codes": list(self.codes),
        }  # fmt: skip

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Parameter:
        """The parameter of an object of the JSON format."""
        norm = {name: read_number(one) for name, one in facts["norm"].items()}
        return cls(
            **{name: facts[name] for name in _PLAIN}, shape=tuple(facts["shape"]), codes=tuple(facts["codes"]),
            first=norm["first"], last=norm["last"], low=norm["min"], high=norm["max"],
            mean=read_number(facts["mean_abs"]), zeros=facts["zeros"], update=read_number(facts["update"]),
            trend=read_number(facts["trend"]),
        )  # fmt: skip

    def row(self) -> dict[str, Any]:
        """The same, flat: a row of a data frame."""
        facts = self.facts()
        norm = {f"norm_{key}": value for key, value in facts.pop("norm").items()}
        return {**facts, "shape": "x".join(map(str, self.shape)), "codes": " ".join(self.codes), **norm}
