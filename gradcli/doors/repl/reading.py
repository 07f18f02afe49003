"""Where lines come from: a pipe, a terminal as it is, or a terminal with prompt-toolkit."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterator

from gradcli.doors.environment import Environment
from gradcli.doors.repl.lines import Read, texts
from gradcli.errors import GradcliError

PROMPT, CONTINUED = ">>> ", "... "
_WITHOUT_EXTRA = (
    "note: history and completion need prompt-toolkit: pip install 'gradcli[repl]'. Ctrl-D leaves, :help tells more."
)


def lines_of(environment: Environment) -> Read:
    """The lines of a pipe or a file. What is not UTF-8 reads as characters that no expression has."""
    lines = environment.stdin
    if lines is None:
        raise GradcliError("file", "cannot read standard input: it is closed")
    stream = getattr(lines, "buffer", None)

    def read(continued: bool) -> str:
        del continued
        line = stream.readline().decode("utf-8", "replace") if stream else lines.readline()
        if not line:
            raise EOFError
        return str(line).removeprefix("\ufeff").rstrip("\r\n")

    return read


@contextlib.contextmanager
def terminal_lines(environment: Environment, begin: Callable[[], None]) -> Iterator[Iterator[str]]:
    """The texts that a person types; `begin` is called once the first prompt stands there."""
    able = environment.terminal(environment.stdout) and environment.variables.get("TERM", "") not in {"", "dumb"}
    if able and importlib.util.find_spec("prompt_toolkit") is not None:
        from gradcli.doors.repl.prompting import prompted

        yield prompted(environment, begin)
        return
    if able:
        environment.stderr.write(f"{_WITHOUT_EXTRA}\n")
    yield _plain(environment, begin)


def _plain(environment: Environment, begin: Callable[[], None]) -> Iterator[str]:
    """Lines from the terminal itself; Ctrl-C gives up what was begun."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  # arrow keys, where the system has it

    def read(continued: bool) -> str:
        begin()
        stream = environment.stdout if environment.terminal(environment.stdout) else environment.stderr
        stream.flush()
        if stream is sys.stdout and environment.stdin is sys.stdin:
            return input(CONTINUED if continued else PROMPT)
        stream.write(CONTINUED if continued else PROMPT)
        stream.flush()
        line = environment.stdin.readline() if environment.stdin else ""
        if not line:
            raise EOFError
        return line.rstrip("\r\n")

    while True:
        try:
            yield from texts(read)
        except KeyboardInterrupt:
            environment.stderr.write("\n")
            continue
        environment.stderr.write("\n")
        return
