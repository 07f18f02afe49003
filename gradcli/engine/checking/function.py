"""The user's own function on trial: called twice, gone back through twice, and held against differences."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from gradcli.engine.checking import modes, protocol
from gradcli.engine.checking.check import Checked, bounded, judge
from gradcli.engine.checking.loading import by_keyword, is_function_class, printing_to_stderr
from gradcli.engine.checking.narrow import Narrow, narrowed
from gradcli.engine.checking.patterns import pattern
from gradcli.engine.checking.probe import Probe
from gradcli.engine.checking.second import second_order
from gradcli.engine.checking.subject import Leaves, Subject, Tensors, even, uneven
from gradcli.engine.checking.verdict import Verdict
from gradcli.engine.checking.witnesses import Witnesses, hear
from gradcli.engine.failures import torch_message
from gradcli.engine.recording import quiet
from gradcli.errors import GradcliError

SAME = 1e-12  # relative: two evaluations, or two backward passes, that give the same


def check_function(
    function: Callable[..., Any], point: Leaves, by: tuple[str, ...], tolerance: float, second: bool
) -> Checked:
    """Judge the derivative of a function at a point: inputs by the names of its parameters, in float64.

    Raises GradcliError where the function itself raises, or returns what is no tensor.
    """
    if any(point[name].is_complex() for name in by):
        reason = "complex inputs are not judged: give real ones, and make complex numbers of them inside"
        return Checked(Verdict(None, reason), (), point)
    if not by:
        return Checked(Verdict(None, "no input requires grad, so there is nothing to check"), (), point)
    bounded(point, by)
    call = _Call(function, tuple(point))
    subject = Subject(call, point, by)
    with quiet():
        refused = _steady(call, subject)
        if refused is not None:
            return Checked(refused, (), point)
        try:
            checked = _weighed(call, subject, tolerance)
            if checked.verdict.passed and second:
                checked = second_order(subject, tolerance, checked)
        except GradcliError:
            raise
        except Exception as error:
            return Checked(protocol.broken(error, by), (), point)
    return replace(checked, verdict=protocol.named(checked.verdict, checked.witnesses, call.custom))


class _Call:
    """Calls the function on leaves, in the order of its parameters, and remembers what it saw it do."""

    def __init__(self, function: Callable[..., Any], names: tuple[str, ...]) -> None:
        self.custom = function.__name__ if is_function_class(function) else None
        self._call = _callable(function)
        self._names = names
        self._named = self.custom is None and by_keyword(function, names)
        self._copies = self._heard = False
        self.changed: str | None = None

    def __call__(self, leaves: Leaves) -> tuple[torch.Tensor, ...]:
        given = [leaves[name] for name in self._names]
        with contextlib.redirect_stdout(io.StringIO()) if self._heard else printing_to_stderr():
            self._heard = True
            given = [one * 1 if self._copies and one.is_floating_point() else one for one in given]
            found = self._call(**dict(zip(self._names, given, strict=True))) if self._named else self._call(*given)
        found = tuple(found) if isinstance(found, (tuple, list)) else (found,)
        wrong = next((one for one in found if not isinstance(one, torch.Tensor)), None)
        if wrong is not None or not found:
            what = type(wrong).__name__ if found else "empty tuple"
            raise GradcliError("value", f"the function returns a {what}, and a tensor is needed")
        return found

    def first(self, leaves: Leaves) -> tuple[torch.Tensor, ...]:
        """The first evaluation, with leaves that require grad: whether it writes into them shows here."""
        before = {name: one.detach().clone() for name, one in leaves.items()}
        try:
            found = self(leaves)
        except RuntimeError as error:
            if "leaf Variable that requires grad" not in str(error):
                raise
            self._copies = True  # it says that it writes into its input, which must then be no leaf
            return self({name: one.requires_grad_(leaves[name].requires_grad) for name, one in before.items()})
        self.changed = next((name for name, one in before.items() if not _same([one], [leaves[name].detach()])), None)
        return found


def _callable(function: Callable[..., Any]) -> Callable[..., Any]:
    if is_function_class(function):
        return function.apply  # type: ignore[attr-defined, no-any-return]
    if isinstance(function, torch.nn.Module):
        import copy

        return copy.deepcopy(function).double()
    return function


def _steady(call: _Call, subject: Subject) -> Verdict | None:
    """Two evaluations of the same inputs give the same outputs, and leave the inputs as they were."""
    state = torch.get_rng_state()
    try:
        first = [one.detach() for one in call.first(modes.leaves_of(subject)) if one.is_floating_point()]
        drew = not torch.equal(state, torch.get_rng_state())
        second = subject.outputs(subject.point)
    except GradcliError:
        raise
    except Exception as error:
        raise GradcliError("torch", f"the function raises {type(error).__name__}: {torch_message(error)}") from error
    if call.changed:
        mark = " and does not say so with ctx.mark_dirty" if call.custom else ""
        reason = f"it writes into its input {call.changed}{mark}"
        return Verdict(False, reason, "G209" if call.custom else None, call.changed)
    if not _same(first, second):
        why = "it draws random numbers: seed them inside the function" if drew else "it depends on more than its inputs"
        return Verdict(False, f"not deterministic: two evaluations at the same inputs differ, as {why}")
    return None


def _same(first: Tensors, second: Tensors) -> bool:
    """Whether two answers agree to rounding, NaN with NaN."""
    return len(first) == len(second) and all(
        a.shape == b.shape and torch.allclose(a, b, rtol=SAME, atol=0, equal_nan=True)
        for a, b in zip(first, second, strict=True)
    )


def _weighed(call: _Call, subject: Subject, tolerance: float) -> Checked:
    """The sum of the outputs, then a sum with unequal weights: errors that cancel in one show in the other."""
    with Narrow() as ahead:  # type: ignore[no-untyped-call]
        results = call(modes.leaves_of(subject))
    outputs = [one for one in results if one.is_floating_point()]
    if not outputs:
        raise GradcliError("value", "the function returns no floating numbers, which alone can have a derivative")
    weights = [even(outputs), uneven(outputs)]
    with Narrow() as back:  # type: ignore[no-untyped-call]
        reverse = [modes.reverse(subject, one)[1] for one in weights]
    unsteady = _unsteady(reverse[0], modes.reverse(subject, weights[0])[1])
    if unsteady:
        reason = f"not deterministic: two backward passes at the same inputs give {unsteady} different gradients"
        return Checked(Verdict(False, reason, None, unsteady), (), subject.point)
    if not all(bool(one.isfinite().all()) for one in outputs):
        return Checked(
            Verdict(None, "the value itself is not finite here, so there is no derivative to check"), (), subject.point
        )
    probe = Probe(subject)
    heard = hear(subject, probe, reverse, weights)
    found = [judge(one, tolerance, probe, weighting) for one, weighting in zip(heard, weights, strict=True)]
    chosen = 0 if found[0].passed is not True or found[1].passed is True else 1
    verdict = narrowed(found[chosen], heard[chosen], ahead, back)
    if verdict.passed is False:
        verdict = replace(verdict, reason=f"{verdict.reason}{_clause(heard[chosen], chosen)}")
    return Checked(verdict, heard[chosen], subject.point)


def _clause(witnesses: tuple[Witnesses, ...], weighting: int) -> str:
    said = pattern(witnesses)
    if weighting and not said:
        said = "only gradients of 1 come back right: does backward use all of its grad_output?"
    return f": {said}" if said else ""


def _unsteady(first: dict[str, torch.Tensor | None], second: dict[str, torch.Tensor | None]) -> str | None:
    for name, one in first.items():
        other = second[name]
        if (one is None) is not (other is None) or (
            one is not None and other is not None and not _same([one], [other])
        ):
            return name
    return None
