"""Text to Python's syntax tree, and positions in that tree back to code points of the text."""

from __future__ import annotations

import ast
import re
import threading
import unicodedata
import warnings

from gradcli.errors import GradcliError, Span
from gradcli.language import slips

MAX_CHARACTERS = 10_000
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Source:
    """A text, its statements, and where each node of their tree stands in the text."""

    def __init__(self, text: str, what: str = "expression", limit: int = MAX_CHARACTERS) -> None:
        self.text = text
        self._what = what
        if len(text) > limit:
            raise GradcliError(
                "bounds", f"the {what} has {len(text):,} characters, and at most {limit:,} are read", hint="split it up"
            )
        indented = text[:1] in " \t\f" and bool(text.strip())
        self._shift = 1 if indented else 0
        self.statements = self._parse(f"if 1:\n{text}" if indented else text)
        self._lines: list[tuple[int, str]] | None = None

    def span(self, node: ast.AST) -> Span:
        """The code points of a node."""
        start = self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        end = self._offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return Span(start, end)

    def error(
        self, kind: str, message: str, node: ast.AST | Span, hint: str | None = None, code: str | None = None
    ) -> GradcliError:
        """An error under a node of this text."""
        span = node if isinstance(node, Span) else self.span(node)
        return GradcliError(kind, message, source=self.text, span=span, hint=hint, code=code)

    def _offset(self, line: int, column: int) -> int:
        """Line (from 1) and UTF-8 column of the tree to a code point of the text."""
        if self._lines is None:
            self._lines = []
            start = 0
            for one in _lines(self.text):
                self._lines.append((start, one))
                start += len(one)
        index = line - 1 - self._shift
        if not 0 <= index < len(self._lines):
            return len(self.text)
        start, one = self._lines[index]
        return start + (column if one.isascii() else len(one.encode()[:column].decode(errors="ignore")))

    def _parse(self, text: str) -> list[ast.stmt]:
        try:
            module = _tree(text)
        except (RecursionError, MemoryError):
            raise self._whole(
                "bounds", f"the {self._what} is nested more deeply than Python can read", "name its parts: B = ...; ..."
            ) from None
        except SyntaxError as error:
            raise (self._unreadable() if "\0" in self.text else self._syntax_error(error)) from None
        except ValueError:
            raise self._unreadable() from None
        statements = module.body
        if self._shift and statements:
            block = statements[0]
            assert isinstance(block, ast.If)
            if block.orelse or len(statements) > 1:
                raise self._whole("syntax", "the lines are not indented alike", "begin every line in the first column")
            statements = block.body
        if not statements:
            raise self._whole("syntax", f"the {self._what} is empty", 'write one, such as "A*5"')
        return statements

    def _unreadable(self) -> GradcliError:
        """The error under a lone surrogate or a null character, which Python's parser refuses without a place."""
        odd = next((i for i, c in enumerate(self.text) if c == "\0" or "\ud800" <= c <= "\udfff"), 0)
        message = "this character cannot stand in an expression"
        return self.error("syntax", message, Span(odd, odd + 1), "leave it out")

    def _whole(self, kind: str, message: str, hint: str) -> GradcliError:
        return GradcliError(kind, message, source=self.text, span=Span(0, len(self.text)), hint=hint)

    def _syntax_error(self, error: SyntaxError) -> GradcliError:
        """What Python's parser refused, as a slip of the hand where it is a known one."""
        start = self._error_offset(error.lineno, error.offset)
        end = max(self._error_offset(error.end_lineno, error.end_offset), start + 1)
        end = min(end, len(self.text))
        start = min(start, max(end - 1, 0))
        if "integer string conversion" in (error.msg or ""):
            return self.error(
                "bounds", "this whole number is too long to read", Span(start, end), "numbers end near 1.8e308"
            )
        odd = self._odd_character(start)
        if odd is not None:
            character = self.text[odd]
            hint = slips.CHARACTERS.get(character) or _digit_hint(character) or "leave it out"
            return self.error("syntax", f"{_name(character)} is not part of the language", Span(odd, odd + 1), hint)
        line_start = self.text.rfind("\n", 0, start) + 1
        line = self.text[line_start:].split("\n", 1)[0]
        for pattern, message, hint in slips.SYNTAX:
            for match in pattern.finditer(line):
                if line_start + match.start() <= end and line_start + match.end() >= start:
                    span = Span(line_start + match.start(), line_start + match.end())
                    return self.error("syntax", message, span, match.expand(hint))
        message = (error.msg or "this is not Python").split(". Perhaps")[0].split(" (<")[0]
        return self.error("syntax", message[0].lower() + message[1:], Span(start, end))

    def _odd_character(self, start: int) -> int | None:
        """The character at fault where the parser stopped at one that Python does not know."""
        text = self.text
        near = (start, *range(max(0, start - 1), min(len(text), start + 2)))
        return next((index for index in near if index < len(text) and _odd(text, index)), None)

    def _error_offset(self, line: int | None, offset: int | None) -> int:
        """The parser's own positions count characters of a line, from 1."""
        lines = _lines(self.text)
        index = (line or 1) - 1 - self._shift
        if not 0 <= index < len(lines):
            return len(self.text)
        before = sum(map(len, lines[:index]))
        return min(before + max((offset or 1) - 1, 0), len(self.text))


def _lines(text: str) -> list[str]:
    """Lines as Python's tokenizer counts them, with their ends."""
    return _LINE.findall(text)


def _tree(text: str) -> ast.Module:
    """Parse; in a fresh thread where the caller's stack leaves too little room for a long sum."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (RecursionError, MemoryError):
            pass
        outcome: list[ast.Module | BaseException] = []

        def parse() -> None:
            try:
                outcome.append(ast.parse(text))
            except BaseException as error:
                outcome.append(error)

        thread = threading.Thread(target=parse)
        thread.start()
        thread.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def _name(character: str) -> str:
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return f"the character {shown} ({unicodedata.name(character, 'unnamed').lower()})"


def _digit_hint(character: str) -> str | None:
    value = unicodedata.decimal(character, None)
    return f"write the digit {value}" if value is not None else None


def _odd(text: str, index: int) -> bool:
    """Whether the character at an index has no place in the language."""
    character = text[index]
    if character.isascii():
        return character in "$?!`" and text[index + 1 : index + 2] != "="
    if character.isdecimal():  # may stand in a name, and never begins a number
        return not text[:index].isidentifier()
    return not character.isidentifier() and (character in slips.CHARACTERS or not f"a{character}".isidentifier())
