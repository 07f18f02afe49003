"""The user's own function: where it is found, what it is called with."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from gradcli.engine.failures import torch_message
from gradcli.errors import GradcliError


def load(where: str, name: str) -> Callable[..., Any]:
    """The function NAME of FILE.py or package.module; this runs the user's code.

    Raises GradcliError of kind file where the file or module cannot be loaded, name where it has no such function.
    """
    with printing_to_stderr():
        module = _module(where)
    try:
        found = getattr(module, name)
    except AttributeError:
        known = [one for one, value in vars(module).items() if _own(value, module) and not one.startswith("_")]
        hint = f"it has {', '.join(known) or 'no functions'}"
        raise GradcliError("name", f"{where} has no '{name}'", hint=hint) from None
    if not callable(found):
        raise GradcliError("name", f"'{name}' of {where} is not a function")
    return found  # type: ignore[no-any-return]


def _own(value: Any, module: ModuleType) -> bool:
    return callable(value) and getattr(value, "__module__", module.__name__) == module.__name__


def _module(where: str) -> ModuleType:
    try:
        return _from_file(Path(where)) if where.endswith(".py") else _from_path(where)
    except (Exception, SystemExit) as error:
        raise GradcliError("file", f"cannot load {where}: {type(error).__name__}: {torch_message(error)}") from error


def _from_path(where: str) -> ModuleType:
    with _beside(Path.cwd()):
        return importlib.import_module(where)


def _from_file(path: Path) -> ModuleType:
    """A file as a module of its own name, or of another one where that is taken."""
    name = path.stem if path.stem not in sys.modules and path.stem not in sys.stdlib_module_names else f"_{path.stem}_"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module  # dataclasses and pickling look for it there
    try:
        with _beside(path.resolve().parent):
            spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name)
        if before is not None:
            sys.modules[name] = before
        raise
    return module


@contextlib.contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Imports find what lies in a folder, as they do for a script there."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(str(folder))


@contextlib.contextmanager
def printing_to_stderr() -> Iterator[None]:
    """What the user's code prints must not mix with the answer."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def is_function_class(function: Any) -> bool:
    """Whether it is an autograd.Function, which is called by its apply."""
    return inspect.isclass(function) and issubclass(function, torch.autograd.Function)


def parameters(function: Callable[..., Any], given: Sequence[str]) -> list[str]:
    """The names of the inputs that a function takes; of an autograd.Function or a module those of its forward.

    `given`: the names that have a value. A parameter with a default needs none; a function that does not tell its
    parameters, as those of torch do not, takes what is given in that order.
    """
    custom = is_function_class(function)
    target = function.forward if custom or isinstance(function, torch.nn.Module) else function  # type: ignore[attr-defined]
    try:
        found = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return list(given)
    found = [one for one in found if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    found = found[1:] if custom and not _separate(function) else found
    wanted = [one.name for one in found if one.default is one.empty or one.name in given]
    return wanted or [one.name for one in found[:1]]


def by_keyword(function: Callable[..., Any], names: Sequence[str]) -> bool:
    """Whether a function has to be called by names, because a parameter between these is left out."""
    try:
        found = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return found[: len(names)] != list(names) and set(names) <= set(found)


def _separate(function: Any) -> bool:
    """Whether forward takes no context, because setup_context does."""
    return function.setup_context is not torch.autograd.Function.setup_context
