"""Lines that come one by one, to whole texts: open brackets and the body of a `with` block go on in the next line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

Read = Callable[[bool], str]
"""The next line, without its end; whether it continues a text is told to it. Raises EOFError after the last."""

_QUOTED = re.compile(r'("""|\'\'\'|"|\')(?:\\.|(?!\1).)*?(?:\1|$)|#[^\n]*', re.DOTALL)

_PROMPT = re.compile(r"(?:>>>|\.\.\.|In \[\d+\]:|\s+\.\.\.:)(?: |$)")
_FIRST = re.compile(r">>> |In \[\d+\]: ")


def unprompted(text: str) -> str:
    """A pasted session of Python without its prompts, and without what Python answered there.

    >>> unprompted(">>> A = 5.0\\n>>> A*2\\ntensor(10.)")
    'A = 5.0\\nA*2'
    """
    if not _FIRST.match(text):
        return text
    prompts = ((line, _PROMPT.match(line)) for line in text.split("\n"))
    return "\n".join(line[found.end() :] for line, found in prompts if found)


def unfinished(text: str) -> bool:
    """Whether a text goes on in the next line; an empty line ends whatever is open."""
    lines = text.split("\n")
    if not lines[-1].strip():
        return False
    bare = _QUOTED.sub(" ", text)
    depth = sum(bare.count(one) for one in "([{") - sum(bare.count(one) for one in ")]}")
    return depth > 0 or bare.rstrip().endswith(("\\", ":")) or in_block(text)


def in_block(text: str) -> bool:
    """Whether the lines of a text are a block that may have more of them."""
    first, *rest = text.split("\n")
    return bool(rest) and not rest[-1][:1].strip() and opens_block(first)


def opens_block(line: str) -> bool:
    """Whether the lines after this one belong to it."""
    return line.startswith("with ") and _QUOTED.sub(" ", line).rstrip().endswith(":")


def texts(read: Read) -> Iterator[str]:
    """Each text, as soon as it is whole; a line that stands in the first column ends a block before it."""
    ahead: str | None = None
    while True:
        text = ahead if ahead is not None else _next(read, False)
        ahead = None
        if text is None:
            return
        while unfinished(text) and not text.startswith(":"):
            line = _next(read, True)
            if line is not None and in_block(text) and line[:1].strip():
                ahead = line
            if line is None or ahead is not None or not line.strip():
                break
            text += f"\n{line}"
        yield text


def _next(read: Read, continued: bool) -> str | None:
    try:
        line = read(continued)
    except EOFError:
        return None
    return _PROMPT.sub("", line, count=1)
