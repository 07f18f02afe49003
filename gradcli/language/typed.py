"""What a typed text is: a question, imports, a look at gradients; and an indented line that belongs to no block."""

from __future__ import annotations

import ast

from gradcli.errors import GradcliError, Span
from gradcli.language.parser import NothingToCompute, parse
from gradcli.language.source import Source


def ends_in_question(text: str) -> bool:
    """Whether the last statement of a text is an expression, also inside a block: it is then asked for its value."""
    last = Source(text).statements[-1]
    while isinstance(last, ast.With):
        last = last.body[-1]
    return isinstance(last, ast.Expr)


def only_imports(text: str) -> bool:
    """Whether a text only imports modules: their functions are known here."""
    return all(isinstance(one, (ast.Import, ast.ImportFrom)) for one in Source(text).statements)


def only_reads_grad(text: str) -> bool:
    """Whether a text only looks at gradients: `A.grad`, `print(A.grad)`."""
    try:
        parse(text)
    except GradcliError as error:
        return isinstance(error, NothingToCompute) and error.instead == "grad"
    return False


def refuse_indented(line: str) -> None:
    """Refuse an assignment that stands indented on its own: the block that it belongs to was ended by an empty line."""
    if any(isinstance(one, (ast.Assign, ast.AugAssign)) for one in Source(line).statements):
        hint = "begin it in the first column; an empty line ends a block"
        raise GradcliError(
            "syntax", "this line is indented, and no block is open", source=line, span=Span(0, len(line)), hint=hint
        )
