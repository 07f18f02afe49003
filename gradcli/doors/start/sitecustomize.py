"""The first code of a watched process: it puts everything back as it was, and waits until the script imports torch.

Python imports a module of this name before it runs a script. `gradcli run` puts its folder on PYTHONPATH, so that the
interpreter itself runs the script, and nothing of the script's world is imitated. torch is never imported early: the
script may set variables first that torch reads once.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

_SETTINGS = "GRADCLI_RUN"  # the variable that holds what the launcher asks for
_IMPORTING = "<frozen importlib._bootstrap_external>"  # frames of this file stand in no traceback and no warning


class _Waiting:
    """Finds torch as the others would, once, and begins to watch when it has been executed."""

    def __init__(self, run: _Run) -> None:
        self.run = run

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != "torch":
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next((found for one in others if (found := one.find_spec(name, path, target)) is not None), None)
        if spec is not None and spec.loader is not None:
            sys.meta_path.remove(self)
            self._follow(spec.loader)
        return spec

    def _follow(self, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module  # that of its class again
            execute(module)
            self.run.begin()

        exec_module.__code__ = exec_module.__code__.replace(co_filename=_IMPORTING)
        loader.exec_module = exec_module


class _Run:
    """What is to be done when torch is there, and when the process ends; never in a process that was forked."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.path = list(
            sys.path
        )  # as it is before the script's folder comes first: what gradcli imports is found here
        self.process = os.getpid()
        self.watch: Any = None

    def begin(self) -> None:
        if os.getpid() == self.process:
            self._do("begin")

    def end(self) -> None:
        if os.getpid() == self.process:
            self._do("end")

    def _do(self, what: str) -> None:
        path, sys.path = sys.path, list(self.path)
        try:
            if self.watch is None:
                self.watch = self._made()
            getattr(self.watch, what)()
        except BaseException as error:  # ours alone: the script goes on, and ends, as it would
            print(f"gradcli: watching failed, the script did not: {type(error).__name__}: {error}", file=sys.stderr)
            if self.settings.get("debug"):
                sys.excepthook(type(error), error, error.__traceback__)
        finally:
            sys.path = path
            _interrupted()

    def _made(self) -> Any:
        if "gradcli" not in sys.modules:
            _load("gradcli", [self.settings["root"]])
        from gradcli.doors.inside import Watched

        return Watched(self.settings, self.process)


def _interrupted() -> None:
    """Let Python end by SIGINT where Ctrl-C ended the script: it forgets that when text is executed."""
    if isinstance(getattr(sys, "last_value", None), KeyboardInterrupt):
        try:
            exec("raise KeyboardInterrupt")
        except KeyboardInterrupt:
            return


def _load(name: str, path: list[str] | None) -> bool:
    """Import a module from a path; whether there is one."""
    spec = PathFinder.find_spec(name, path)
    if spec is None or spec.loader is None:
        return False
    sys.modules[name] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return True


def _restored() -> dict[str, Any] | None:
    """The settings of the launcher, the environment and the path as they were before it; None where it is not there."""
    settings = os.environ.pop(_SETTINGS, None)
    if settings is None:
        return None
    found: dict[str, Any] = json.loads(settings)
    if found["pythonpath"] is None:
        os.environ.pop("PYTHONPATH", None)
    else:
        os.environ["PYTHONPATH"] = found["pythonpath"]
    folder = os.path.realpath(os.path.dirname(__file__))
    sys.path[:] = [one for one in sys.path if os.path.realpath(one) != folder]
    return found


def _start() -> None:
    settings = _restored()
    if settings is not None:
        run = _Run(settings)
        atexit.register(run.end)  # the first is called last
        sys.meta_path.insert(0, _Waiting(run))
    if not _load("sitecustomize", None):
        raise ImportError("there is no other module of this name", name="sitecustomize")  # what site expects then


_start()
