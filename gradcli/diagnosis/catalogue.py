"""Every diagnosis as data: its name, its level, and the sentences that rules fill with facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One code: what it is called, how serious it is, and its sentences by situation."""

    code: str
    name: str
    level: Level
    says: dict[str, str]


CATALOGUE: dict[str, Entry] = {
    entry.code: entry
    for entry in (
        Entry("G101", "grad-mode", "info", {
            "no_grad": "no_grad was on: {outputs} {has} no grad_fn, so backward() cannot run from {it}. {inputs} still "
                       "{requires} grad; {its} .grad is None because backward() has not run.",
            "inference": "inference mode was on: {outputs} {has} no grad_fn and can never enter autograd, so backward() "
                         "cannot run from {it}. {inputs} still {requires} grad; {its} .grad is None because backward() "
                         "has not run.",
            "no_input": "{mode} was on: {outputs} {has} no grad_fn, so backward() cannot run from {it}.",
            "block": "{source} was computed where gradients are off, so nothing of it was recorded: it does not require "
                     "grad. {inputs} still {requires} grad; {its} {lost} because no path leads back to {them}.",
            "block_forward": "{source} was computed where gradients are off, so nothing of it was recorded: it does not "
                             "require grad, and backward() cannot run from it. {inputs} still {requires} grad.",
        }),
        Entry("G102", "detached", "warning", {
            "shared": "{source} gives the numbers without the graph: the path from {inputs} to the result is cut here, so "
                      "{its} {lost}.",
        }),
        Entry("G103", "not-differentiable", "warning", {
            "whole": "{source} gives {result} numbers, which have no derivative: the path from {inputs} to the result is cut "
                     "here, so {its} {lost}.",
            "flat": "{source} has no derivative: the path from {inputs} to the result is cut here, so {its} {lost}.",
        }),
        Entry("G104", "unused-input", "warning", {
            "unused": "{inputs} {is} not used: the result does not depend on {them}, so {its} .grad is None, which is not zero.",
            "no_path": "the result does not depend on the values of {inputs}: {its} .grad is None, which is not zero.",
            "unused_zero": "{inputs} {is} not used: the result does not depend on {them}, so {its} derivative is 0.",
            "no_path_zero": "the result does not depend on the values of {inputs}: {its} derivative is 0.",
        }),
        Entry("G105", "non-leaf", "warning", {
            "computed": "{name} is the output of {source}, not a leaf: backward() passes through it and leaves its .grad None "
                        "({name}.retain_grad() before backward() would keep it).",
        }),
        Entry("G106", "integer-input", "error", {}),
        Entry("G107", "fresh-leaf", "warning", {
            "fresh": "{source} makes a new leaf of computed numbers: backward() ends there, so {inputs} got nothing and {its} "
                     "{lost}.",
        }),
        Entry("G108", "left-autograd", "error", {}),
        Entry("G109", "partly-detached", "info", {
            "partly": "{source} is outside the graph: {its} {gradient} counts only the other paths from {inputs} to the result.",
        }),
        Entry("G201", "not-scalar", "info", {
            "sum": "the output has {count} elements, so its sum was differentiated. Other ways: --reduce mean, --upstream V.",
            "mean": "the output has {count} elements, so its mean was differentiated.",
            "several": "there are {count} outputs, so the sum of all their elements was differentiated.",
        }),
        Entry("G202", "saved-then-changed", "error", {}),
        Entry("G203", "leaf-changed", "error", {}),
        Entry("G204", "second-backward", "error", {}),
        Entry("G205", "complex-output", "error", {}),
        Entry("G206", "no-double-backward", "error", {}),
        Entry("G207", "inference-tensor", "error", {}),
        Entry("G208", "shared-memory-write", "error", {}),
        Entry("G210", "no-derivative", "error", {}),
        Entry("G601", "underflow", "warning", {
            "scaled": "{count} of the {of} gradients of {name} that are not 0 in float64 {are} 0 in {dtype} at the loss scale "
                      "{scale}.",
        }),
        Entry("G602", "overflow", "warning", {
            "scaled": "{count} of the gradients of {name} {are} finite in float64 and not in {dtype} at the loss scale {scale}.",
        }),
        Entry("G607", "complex-convention", "info", {
            "grad": "{inputs} {is} complex: {its} .grad is the conjugate Wirtinger derivative, dL/dx + i dL/dy for an input "
                    "x + iy and the real number L that was differentiated.",
            "jacobian": "{inputs} {is} complex: a row of {its} Jacobian is dL/dx + i dL/dy for an input x + iy, with L the real "
                        "part of that element of the output (torch's convention, conjugate Wirtinger).",
            "hessian": "{inputs} {is} complex: a row of {its} Hessian is dL/dx + i dL/dy for an input x + iy, with L the real "
                       "part of that element of the gradient (torch's convention, conjugate Wirtinger).",
            "jvp": "{inputs} {is} complex: the tangent is the plain derivative along the given direction, and nothing in it is "
                   "conjugated, as .grad is.",
        }),
    )
}  # fmt: skip
