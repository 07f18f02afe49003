"""`%gradcli` in a notebook: a command line whose inputs may be the notebook's own tensors, its answer a table in HTML.

`%%gradcli` answers each line of its cell; a quotation may go on over several lines.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from gradcli import render
from gradcli.doors import cli
from gradcli.doors.borrowing import filled
from gradcli.doors.environment import Environment, write
from gradcli.doors.show import Screen, Showing, fail, style_of
from gradcli.errors import ExitCode, GradcliError
from gradcli.render import table

IN_HTML = frozenset({"table", "tree"})  # formats for readers; others are text for programs, and stay that


def load(shell: Any) -> None:
    """Make `%gradcli` and `%%gradcli` known to IPython."""
    from IPython.core.magic import no_var_expand

    @no_var_expand  # type: ignore[untyped-decorator, unused-ignore]
    def gradcli(line: str, cell: str | None = None) -> None:
        """gradcli on the notebook's own tensors: %gradcli grad "A*5" --at 5, or a line each below %%gradcli."""
        answer(shell.user_ns, line, cell)

    shell.register_magic_function(gradcli, "line_cell", "gradcli")


def answer(names: Mapping[str, Any], line: str, cell: str | None) -> None:
    """Answer a line, or each line of a cell; what stands beside %%gradcli are options of all of them."""
    environment = Environment(stdin=None)
    screen = Screen(_shown, partial(filled, names))
    try:
        if cell is None:
            _run(_words(line), environment, screen)
            return
        every = _words(line)
        for first, *rest in lines(cell):
            _run([first, *every, *rest], environment, screen)
    except GradcliError as error:
        fail(error, Showing(), environment)


def _run(words: list[str], environment: Environment, screen: Screen) -> int:
    """The exit code of a command line. Nothing is raised: a notebook would show a traceback of ours."""
    try:
        return cli.run(words, environment, screen)
    except KeyboardInterrupt:
        write(environment.stderr, "interrupted\n")
        return ExitCode.INTERRUPTED
    except Exception as error:
        if "--debug" in words:
            raise
        bug = f"a bug in gradcli: {type(error).__name__}: {error} (--debug shows more)"
        return fail(GradcliError("internal", bug), Showing(), environment)


def lines(cell: str) -> Iterator[list[str]]:
    """The words of each line; empty ones and comments are left out.

    >>> list(lines('# two\\ngrad "A*5"\\neval "B = A*2\\nB + 1"'))
    [['grad', 'A*5'], ['eval', 'B = A*2\\nB + 1']]

    Raises GradcliError where a quotation does not end.
    """
    text = ""
    for line in cell.splitlines():
        if not text and (not line.strip() or line.lstrip().startswith("#")):
            continue
        text = f"{text}\n{line}" if text else line
        if text.endswith("\\"):
            text = text[:-1].rstrip()
            continue
        try:
            words = shlex.split(text)
        except ValueError:
            continue
        yield words
        text = ""
    if text.strip():
        yield _words(text)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        hint = 'put the expression in quotes: grad "A*5"'
        raise GradcliError("usage", "a quotation is not closed", hint=hint) from None


def _shown(result: Any, showing: Showing, environment: Environment) -> None:
    """A table in HTML, and as text where HTML cannot be shown; other formats as the text that they are."""
    style = style_of(showing, environment)
    text = "".join(render.pieces(showing.format, result, style))
    if showing.format not in IN_HTML:
        write(environment.stdout, text)
        return
    from IPython.display import display

    display({"text/html": table.html(result.report(), style), "text/plain": text.rstrip("\n")}, raw=True)  # type: ignore[no-untyped-call, unused-ignore]
