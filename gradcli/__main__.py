"""The process: start-up, the exit codes, and the fast way out."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

from gradcli import confinement


def main() -> NoReturn:
    """Answer the command line and leave: tearing the interpreter down would cost a tenth of a cold answer."""
    gc.disable()  # a short life: what torch's import makes is all kept anyway
    confinement.claim()
    try:
        code = answer(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    leave(code)


def answer(words: list[str]) -> int:
    """The exit code of a command line, everything written and flushed."""
    from gradcli.doors.environment import Environment
    from gradcli.doors.show import OutputError
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


def flush(stream: object) -> None:
    """Write out what is buffered; OutputError where that fails."""
    from gradcli.doors.show import OutputError

    try:
        stream.flush()  # type: ignore[attr-defined]
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror or str(error)) from None


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
