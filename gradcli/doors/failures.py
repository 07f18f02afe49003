"""An error as people read it: what, where with a caret, what next. The one place where errors are laid out."""

from __future__ import annotations

import unicodedata

from gradcli.errors import GradcliError, Span
from gradcli.render import fitted
from gradcli.results import SCHEMA


def text(error: GradcliError, color: bool = False, encoding: str = "utf-8") -> str:
    """The lines of an error: message, source line, caret, hint; in characters that the encoding has."""
    code = f" {error.code}" if error.code else ""
    lines = [f"{_paint('error', '1;31', color)}{code}: {fitted(visible(error.message), encoding)}"]
    if error.source is not None and error.span is not None:
        lines += _excerpt(error.source, error.span, color, encoding)
    if error.hint:
        lines.append(f"{_paint('hint', '1;36', color)}: {fitted(visible(error.hint), encoding)}")
    return "\n".join(lines) + "\n"


def document(error: GradcliError, command: str | None) -> dict[str, object]:
    """An error in the JSON format; `command` is None where the command line does not name one."""
    return {"schema": SCHEMA, "command": command, "status": "error", "error": error.to_dict()}


_WINDOW = 76


def _excerpt(source: str, span: Span, color: bool, encoding: str) -> list[str]:
    """The line of the span and carets under it; of a long line only what surrounds the span."""
    start = source.rfind("\n", 0, span.start) + 1
    end = source.find("\n", span.start)
    end = len(source) if end < 0 else end
    if not source[start:end].strip():
        return []
    first, last = span.start, max(min(span.end, end), span.start)
    left, right = start, end
    if right - left > _WINDOW:
        last = min(last, first + _WINDOW // 2)
        left = max(start, first - _WINDOW // 3)
        right = min(end, left + _WINDOW)
    before = fitted(("…" if left > start else "") + visible(source[left:first]), encoding)
    shown = fitted(visible(source[first:last]), encoding)
    after = fitted(visible(source[last:right]) + ("…" if right < end else ""), encoding)
    carets = "^" * max(cells(shown), 1)
    return [f"  {before}{shown}{after}".rstrip(), f"  {' ' * cells(before)}{_paint(carets, '1;31', color)}"]


def cells(text: str) -> int:
    """Columns that a text takes on a terminal: wide characters two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def visible(text: str) -> str:
    """Text with control characters, and what is no character at all, written as escapes."""
    return "".join(
        c if c.isprintable() else " " if c == "\t" else "\\n" if c == "\n" else c.encode("unicode_escape").decode()
        for c in text
    )


def _paint(text: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if color else text
