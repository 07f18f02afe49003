"""The user's own function on trial: loading it, calling it, and what its backward breaks."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import io
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from gradcli.engine.checking import modes
from gradcli.engine.checking.check import Checked, judge
from gradcli.engine.checking.probe import Probe
from gradcli.engine.checking.second import ONCE, second_order
from gradcli.engine.checking.subject import Leaves, Subject, even, uneven
from gradcli.engine.checking.verdict import Verdict
from gradcli.engine.checking.witnesses import hear
from gradcli.engine.failures import torch_message
from gradcli.engine.recording import quiet
from gradcli.errors import GradcliError

# What torch says of a custom Function that breaks its protocol, and of one without a second derivative.
_PROTOCOL = re.compile(
    r"incorrect number of gradients|invalid gradient at index|returned an incorrect|expected a? ?Variable|"
    r"must be a tensor|did not return|needs to return|None for output|forward\(\) |save_for_backward",
    re.IGNORECASE,
)


def load(where: str, name: str) -> Callable[..., Any]:
    """The function NAME of FILE.py or package.module; this runs the user's code.

    Raises GradcliError of kind file where the file or module cannot be loaded, name where it has no such function.
    """
    with _printing_to_stderr():
        module = _module(where)
    try:
        found = getattr(module, name)
    except AttributeError:
        known = [one for one, value in vars(module).items() if callable(value) and not one.startswith("_")]
        raise GradcliError(
            "name", f"{where} has no '{name}'", hint=f"it has {', '.join(known) or 'no functions'}"
        ) from None
    if not callable(found):
        raise GradcliError("name", f"'{name}' of {where} is not a function")
    return found  # type: ignore[no-any-return]


def _module(where: str) -> Any:
    try:
        if where.endswith(".py"):
            path = Path(where)
            sys.path.insert(0, str(path.resolve().parent))
            spec = importlib.util.spec_from_file_location(path.stem, path)
            if spec is None or spec.loader is None:
                raise FileNotFoundError(where)
            module = importlib.util.module_from_spec(spec)
            sys.modules[path.stem] = module
            spec.loader.exec_module(module)
            return module
        sys.path.insert(0, "")
        return importlib.import_module(where)
    except GradcliError:
        raise
    except Exception as error:
        raise GradcliError("file", f"cannot load {where}: {type(error).__name__}: {torch_message(error)}") from error


def parameters(function: Callable[..., Any]) -> list[str]:
    """The names of the inputs that a function takes; of an autograd.Function those of its forward."""
    target = function.forward if _is_function(function) else function  # type: ignore[attr-defined]
    try:
        names = [
            one.name
            for one in inspect.signature(target).parameters.values()
            if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
            and (one.default is one.empty or not _is_function(function))
        ]
    except (TypeError, ValueError):
        return []
    separate = _is_function(function) and function.setup_context is not torch.autograd.Function.setup_context  # type: ignore[attr-defined]
    return (
        names[1:]
        if _is_function(function) and not separate and names[:1] in (["ctx"], ["context"], ["self"])
        else names
    )


def _is_function(function: Any) -> bool:
    return inspect.isclass(function) and issubclass(function, torch.autograd.Function)


def check_function(
    function: Callable[..., Any], point: Leaves, by: tuple[str, ...], tolerance: float, second: bool
) -> Checked:
    """Judge the derivative of a function at a point: inputs by the names of its parameters, in float64."""
    call = function.apply if _is_function(function) else function  # type: ignore[attr-defined]

    heard: list[bool] = []

    def evaluate(leaves: Leaves) -> tuple[torch.Tensor, ...]:
        with _printing_to_stderr() if not heard else contextlib.redirect_stdout(io.StringIO()):
            heard.append(True)
            found = call(*(leaves[name] for name in point))
        found = found if isinstance(found, (tuple, list)) else (found,)
        wrong = next((one for one in found if not isinstance(one, torch.Tensor)), None)
        if wrong is not None:
            raise GradcliError("value", f"the function returns a {type(wrong).__name__}, and a tensor is needed")
        return tuple(found)

    subject = Subject(evaluate, point, by)
    with quiet():
        refused = _steady(subject)
        if refused is not None:
            return Checked(refused, (), point)
        try:
            checked = _weighed(subject, tolerance)
            if checked.verdict.passed and second:
                checked = second_order(subject, tolerance, checked)
        except GradcliError:
            raise
        except Exception as error:
            return Checked(_broken(error), (), point)
    return _named(checked, function)


def _steady(subject: Subject) -> Verdict | None:
    """Two evaluations of the same inputs give the same outputs."""
    try:
        first, second = subject.outputs(subject.point), subject.outputs(subject.point)
    except GradcliError:
        raise
    except Exception as error:
        raise GradcliError("torch", f"the function raises {type(error).__name__}: {torch_message(error)}") from error
    if len(first) != len(second) or not all(
        torch.equal(a, b) or _both_nan(a, b) for a, b in zip(first, second, strict=False)
    ):
        return Verdict(
            False,
            "not deterministic: two evaluations at the same inputs differ, so no difference quotient can judge it",
        )
    return None


def _both_nan(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and torch.equal(a.nan_to_num(), b.nan_to_num())


def _weighed(subject: Subject, tolerance: float) -> Checked:
    """The sum of the outputs, then a sum with unequal weights: errors that cancel in one show in the other."""
    outputs = subject.outputs(subject.point)
    weights = [even(outputs), uneven(outputs)]
    reverse = [modes.reverse(subject, one)[1] for one in weights]
    probe = Probe(subject)
    verdicts = []
    heard = hear(subject, probe, reverse, weights)
    for witnesses, weighting in zip(heard, weights, strict=True):
        verdict = judge(witnesses, tolerance, probe, weighting)
        if verdict.passed is not True:
            return Checked(verdict, witnesses, subject.point)
        verdicts.append(verdict)
    return Checked(verdicts[0], heard[0], subject.point)


def _broken(error: Exception) -> Verdict:
    """A backward that torch refused, or that raised."""
    text = torch_message(error)
    if ONCE.search(text):
        return Verdict(False, f"it has no second derivative: {text}", "G206")
    code = "G209" if _PROTOCOL.search(text) else None
    return Verdict(False, f"its backward fails: {text}", code)


def _named(checked: Checked, function: Any) -> Checked:
    """A custom Function whose backward gave None where the value does depend on the input breaks its protocol."""
    verdict = checked.verdict
    if verdict.passed is False and verdict.code is None and _is_function(function):
        silent = [one.name for one in checked.witnesses if one.reverse is None]
        if silent:
            verdict = Verdict(
                False, f"its backward returns None for {silent[0]}, and {verdict.reason}", "G209", silent[0]
            )
    return Checked(verdict, checked.witnesses, checked.point)


@contextlib.contextmanager
def _printing_to_stderr() -> Iterator[None]:
    """What the user's code prints must not mix with the answer."""
    with contextlib.redirect_stdout(sys.stderr):
        yield
