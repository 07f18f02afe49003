"""Watching from inside the process of a script: from the import of torch to the report after its last line."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

from gradcli.health import Health
from gradcli.ran import Run
from gradcli.results import Note

if TYPE_CHECKING:
    from gradcli.doors.live import Live
    from gradcli.training.log import Log
    from gradcli.training.script.passes import Passes
    from gradcli.training.watching.session import Session


class Watched:
    """What sitecustomize begins and ends; whatever fails in it fails alone."""

    def __init__(self, settings: Mapping[str, Any], process: int) -> None:
        self.settings = settings
        self.process = process
        self.session: Session | None = None
        self.passes: Passes | None = None
        self.file: str | None = None
        self.log: Log | None = None
        self.live: Live | None = None
        self.ended = False

    def begin(self) -> None:
        """torch has been imported: look from now on."""
        if not hasattr(sys.modules["torch"], "Tensor"):
            return  # a file of the script's own that has this name
        from gradcli.training.script.passes import Passes
        from gradcli.training.watching.session import Session

        file = getattr(sys.modules["__main__"], "__file__", None)  # Python takes it away when the script has run
        self.file = os.path.abspath(file) if isinstance(file, str) else None
        self.passes = Passes()
        self.session = Session(
            every=self.settings["every"], thorough=self.settings["thorough"], all=self.settings["all"],
            on_backward=self.passes.saw, on_step=self._stepped if self._open() else None,
        )  # fmt: skip
        self.session.begin(_variables)
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._terminated)

    def end(self) -> None:
        """Report, once."""
        if self.ended:
            return
        self.ended = True
        if self.live is not None:
            self.live.end()
        from gradcli.doors.delivering import deliver

        found = self._found()
        self._write()
        if self.log is not None:
            self.log.end(found.verdict, [one.to_dict() for one in found.notes])
        deliver(found, self.settings)

    def _open(self) -> bool:
        """Open the log and the line on the terminal, where there are to be such; whether there are."""
        self._write()
        own = sys.stderr is sys.__stderr__  # elsewhere the script has put another stream there
        if self.settings["width"] and not self.settings["quiet"] and sys.stderr is not None and own:
            from gradcli.doors.live import Live

            self.live = Live(sys.stderr, (sys.stdout, sys.stderr), self.settings["width"])
        return bool(self.log or self.live)

    def _write(self) -> None:
        """Begin the log, once."""
        if self.settings["log"] and self.log is None:
            from gradcli.training.log import Log

            self.log = Log(self.settings["log"], self.settings["every"] or 1)
            self.log.start(str(self.settings["script"]), list(self.settings["arguments"]))

    def _stepped(self, record: dict[str, Any]) -> None:
        for one in (self.log, self.live):
            if one is not None and os.getpid() == self.process:
                one.step(record)

    def _found(self) -> Run:
        script, arguments = str(self.settings["script"]), tuple(self.settings["arguments"])
        from gradcli.training.own import died

        health = Health("; ".join(filter(None, (died(error()), "torch was not imported: there is nothing to tell"))))
        if self.session is not None and self.passes is not None:
            from gradcli.training.looking import look
            from gradcli.training.own import still

            health = look(self.session, self.passes, still(_main()), self.file, error(), self.settings["notes"])
        if self.settings["notes"] and not (health.seen.steps or health.seen.backwards) and _has_children():
            remark = Note(None, "info", "the script started other processes, which are not watched.")
            health = replace(health, notes=(*health.notes, remark))
        return Run(script, arguments, health, None, self.settings["all"])

    def _terminated(self, number: int, _: FrameType | None) -> None:
        """SIGTERM ends a process at once: say what was seen, and end by the same signal."""
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if os.getpid() == self.process:
            try:
                self.end()
            except BaseException as failure:
                print(f"gradcli: the report failed: {type(failure).__name__}: {failure}", file=sys.stderr)
        os.kill(os.getpid(), number)


def _has_children() -> bool:
    """Whether processes that the script started have ended; on Windows that is not known."""
    try:
        import resource
    except ImportError:
        return False
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime > 0


def _variables() -> Mapping[str, object]:
    """The variables of the script, and of its functions that are at work."""
    from gradcli.training.own import still
    from gradcli.training.watching.variables import stack

    return {**stack(), **still({name: value for name, value in _main().items() if not name.startswith("__")})}


def _main() -> dict[str, object]:
    """The variables of the script; none where it has put its own module away."""
    return vars(sys.modules["__main__"]) if "__main__" in sys.modules else {}


def error() -> BaseException | None:
    """The exception that ended the script, where one did."""
    return getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
