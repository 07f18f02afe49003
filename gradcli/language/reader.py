"""What reading a text remembers from one statement to the next: its answer so far, backward, lines left out."""

from __future__ import annotations

import ast

from gradcli.errors import Span
from gradcli.language.program import Items, Operand, Output, Remark
from gradcli.language.scope import Scope


class Reader:
    """The state of reading one text; statements.py drives it."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.outputs: tuple[Output, ...] = ()
        self.backward: Span | None = None
        self.upstream: Operand = None
        self.grad_reads: list[tuple[str, Span]] = []
        self.printed: ast.expr | None = None
        self.retained: set[str] = set()
        self.dropped: list[tuple[str, Span]] = []
        self._left_out: list[tuple[str, Span]] = []

    def answer(self, node: ast.expr, operand: Operand) -> None:
        """Remember the value of a statement: the last one is the answer."""
        written = node.elts if isinstance(node, ast.Tuple) else [node]
        operands = operand.elements if isinstance(operand, Items) and isinstance(node, ast.Tuple) else (operand,)
        self.outputs = tuple(
            Output(one, part.id if isinstance(part, ast.Name) else None, self.scope.source.span(part))
            for part, one in zip(written, operands, strict=True)
        )

    def leave_out(self, text: str, span: Span) -> None:
        """Remember a line that needs no step."""
        self._left_out.append((text, span))

    def left_out(self) -> Remark | None:
        """The remark on all lines that were left out, or None."""
        if not self._left_out:
            return None
        lines = list(dict.fromkeys(text for text, _ in self._left_out))
        return Remark(f"not needed here, and left out: {', '.join(lines)}", self._left_out[0][1])

    def replaced(self) -> list[Remark]:
        """Remarks on expressions that are computed and not shown, because a later line is the answer."""
        final = self.outputs[0].span if self.outputs else Span(0, 0)
        return [
            Remark(f"{text} is computed and not shown: the last line is the answer", span)
            for text, span in self.dropped
            if not span.start <= final.start < span.end
        ]

    def text(self, span: Span) -> str:
        """The text of a span, on one line."""
        return " ".join(self.scope.source.text[span.start : span.end].split())
