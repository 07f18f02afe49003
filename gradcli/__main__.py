"""The process: start-up, the exit codes, and the fast way out."""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

from gradcli import confinement


def main() -> NoReturn:
    """Answer the command line and leave: tearing the interpreter down would cost a tenth of a cold answer."""
    gc.disable()  # a short life: what torch's import makes is all kept anyway
    confinement.claim()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        code = answer(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    leave(code)


def answer(words: list[str]) -> int:
    """The exit code of a command line, everything written and flushed."""
    from gradcli.doors.environment import Environment
    from gradcli.doors.show import OutputError, flush
    from gradcli.errors import ExitCode

    environment = Environment()
    code: int = ExitCode.OK
    try:
        from gradcli.doors import cli

        code = cli.run(words, environment)
        flush(environment.stdout)
    except BrokenPipeError:
        pass
    except OutputError as error:
        return complain(f"the output could not be written: {error}", ExitCode.OUTPUT)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Exception as error:
        if "--debug" in words:
            raise
        return complain(f"a bug in gradcli: {type(error).__name__}: {error} (--debug shows more)", ExitCode.INTERNAL)
    return code


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; amid an import, end at once: torch takes what is raised there for a missing numpy."""
    asked = frame
    while asked is not None:
        if asked.f_code.co_filename.startswith("<frozen importlib"):
            leave(130)
        asked = asked.f_back
    signal.default_int_handler(number, frame)


def complain(message: str, code: int) -> int:
    """One line on standard error."""
    from gradcli.doors.failures import visible

    print(f"error: {visible(' '.join(message.split()))}", file=sys.stderr)
    return code


def leave(code: int) -> NoReturn:
    """End the process without teardown."""
    try:
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
