"""Watching from inside the process of a script: from the import of torch to the report after its last line."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from gradcli.ran import Run


class Watched:
    """What sitecustomize begins and ends; whatever fails in it fails alone."""

    def __init__(self, settings: Mapping[str, Any], process: int) -> None:
        self.settings = settings
        self.process = process
        self.begun = False
        self.ended = False

    def begin(self) -> None:
        """torch has been imported: look from now on."""
        self.begun = hasattr(sys.modules["torch"], "Tensor")  # a file of the script's own may have that name
        if not self.begun:
            return
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._terminated)

    def end(self) -> None:
        """Report, once."""
        if not self.ended:
            self.ended = True
            from gradcli.doors.delivering import deliver

            deliver(self._found(), self.settings)

    def _found(self) -> Run:
        if not self.begun:
            return Run(self._script(), self._arguments(), "torch was not imported: there is nothing to tell", (), ())
        from gradcli.training.looking import look

        return look(self._script(), self._arguments(), vars(sys.modules["__main__"]), error())

    def _script(self) -> str:
        return str(self.settings["script"])

    def _arguments(self) -> tuple[str, ...]:
        return tuple(self.settings["arguments"])

    def _terminated(self, number: int, frame: FrameType | None) -> None:
        """SIGTERM ends a process at once: say what was seen, and end by the same signal."""
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if os.getpid() == self.process:
            try:
                self.end()
            except BaseException as failure:
                print(f"gradcli: the report failed: {type(failure).__name__}: {failure}", file=sys.stderr)
        os.kill(os.getpid(), number)


def error() -> BaseException | None:
    """The exception that ended the script, where one did."""
    return getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
