"""What a typed text is: a value, a question, imports, a look at gradients; or a line indented outside of any block."""

from __future__ import annotations

import ast

from gradcli.errors import GradcliError, Span
from gradcli.language.conversation import Names
from gradcli.language.files import is_file
from gradcli.language.parser import NothingToCompute, parse
from gradcli.language.source import Source
from gradcli.language.values import split_name
from gradcli.language.whole import read_in


def value_in(text: str, names: Names) -> tuple[str, str] | None:
    """The name and the value of a text such as `A = 5.0`; None where it is anything else."""
    name, written = split_name(text)
    if name is None:
        return None
    written = written.strip()
    if is_file(written):
        return name, written
    try:
        statements = Source(text).statements
        if len(statements) != 1 or not isinstance(statements[0], ast.Assign) or len(statements[0].targets) != 1:
            return None
        return None if read_in(statements) & names.known or parse(text).inputs else (name, written)
    except GradcliError:
        return None


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
