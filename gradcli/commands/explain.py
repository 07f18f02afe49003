"""What a code, an error message or a node of the graph means, why torch does so, and what to do.

Errors are recognised by torch's own words, in a single line or in a whole log with its tracebacks. A log is read a
piece at a time, however long it is. torch is not needed for any of this.

`python train.py 2>&1 | gradcli explain -` explains what went wrong in a script, and names the script's own line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING

from gradcli.commands.command import Command
from gradcli.explained import CodeMatch, Explanation, Match, MessageMatch, NodeMatch, Saved, UserLine
from gradcli.results import Note

if TYPE_CHECKING:
    from gradcli.diagnosis.recognising import Recognised

SHORT = 2_000  # characters of a text that may be a code, a node, or a part of a message
SHOWN = 10_000  # characters of a text that the answer repeats

_CODE = re.compile(r"[Gg]\d{3}")
_NODE = re.compile(
    r"(?:.*\bgrad_fn=)?<?(?:torch::autograd::)?(\w*(?:Backward|Grad|Slices|Root|Function|Error|Implemented)\w*)"
    r"(?: object at \w+)?>?\)?",
    re.DOTALL,
)


def explain(expression: str | Iterable[str] | None = None) -> Explanation:
    """Explain a diagnosis, an error message of torch, a whole log, or a node; without a question list the diagnoses.

    >>> [one.name for one in gradcli.explain("grad can be implicitly created only for scalar outputs").matches]
    ['not-scalar']

    Args:
        expression: a code or its name (`G302`, `masked-branch`), a node (`PowBackward0`), a message or a part of one,
            or a log; the latter may be an open file or any other series of texts.

    Returns an Explanation, whose `matches` tell what, why and what next; there are none where nothing is known.
    """
    if expression is None:
        return Explanation(None, tuple(_page(code) for code in _pages()))
    pieces = iter([expression] if isinstance(expression, str) else expression)
    text, rest = _beginning(pieces)
    if rest is None and len(text) <= SHORT:
        from gradcli.diagnosis.pieces import plain

        asked = " ".join(plain(text).split())
        found = _named(asked)
        if found is not None:
            return Explanation(asked, found)
    return _recognised(text, rest)


def _beginning(pieces: Iterator[str]) -> tuple[str, Iterator[str] | None]:
    """The first characters of a text, and the rest where it is longer."""
    text = ""
    for piece in pieces:
        text += piece
        if len(text) > SHOWN:
            return text, pieces
    return text, None


def _named(asked: str) -> tuple[Match, ...] | None:
    """The code, or the node, of a name; None where it is none of those."""
    from gradcli.diagnosis.catalogue import CATALOGUE

    code = next((code for code, entry in CATALOGUE.items() if asked in (entry.name, code, code.lower())), None)
    if code is not None and code in _pages():
        return (_page(code),)
    node = _NODE.fullmatch(asked)
    return _node(node[1]) if node else None


def _pages() -> Collection[str]:
    from gradcli.diagnosis.pages import PAGES

    return PAGES.keys()


def known() -> dict[str, str]:
    """What can be asked about by name: codes, the names of diagnoses, nodes; and what each is."""
    from gradcli.diagnosis.catalogue import CATALOGUE
    from gradcli.diagnosis.nodes import names as nodes

    codes = {code: CATALOGUE[code].name for code in _pages()}
    return {**codes, **{name: code for code, name in codes.items()}, **dict.fromkeys(nodes(), "node of the graph")}


def _page(code: str) -> CodeMatch:
    from gradcli.diagnosis.catalogue import CATALOGUE
    from gradcli.diagnosis.pages import PAGES, family

    page, entry = PAGES[code], CATALOGUE[code]
    return CodeMatch(
        code, entry.name, entry.level, family(code), page.what, page.why, page.next, page.example, page.repair,
        page.term, page.files,
    )  # fmt: skip


def _node(name: str) -> tuple[Match, ...] | None:
    from gradcli.diagnosis.nodes import node, torch_version

    found = node(name)
    if found is None:
        return None
    saves = tuple(Saved(*one) for one in found.saves)
    version = torch_version() if found.measured else None
    return (NodeMatch(name, found.what, found.why, found.functions, found.within, saves, version),)


def _recognised(text: str, rest: Iterator[str] | None) -> Explanation:
    """The messages of torch in a text, or those that a part of one may be of."""
    from gradcli.diagnosis.pieces import cleaned
    from gradcli.diagnosis.recognising import recognised, resembling

    found, dropped = recognised(cleaned(chain([text], rest or [])))
    if not found and rest is None and len(text) <= SHORT:
        found = resembling(text)
    asked = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    matches = tuple(map(_message, found))
    return Explanation(asked, matches, tuple(_remarks(text.strip(), matches, dropped)))


def _message(found: Recognised) -> MessageMatch:
    from gradcli.diagnosis.pages import PAGES

    one = found.message
    line = UserLine(*found.line) if found.line else None
    what, why, following = (told.format_map(found.facts) for told in (one.what, one.why, one.next))
    code = one.code if one.code in PAGES else None
    see = tuple(each for each in one.see if each in PAGES)
    says = re.sub(r"\{\w*\}", "…", one.says[0])
    text = found.text or None
    return MessageMatch(one.name, one.level, text, what, why, following, code, see, line, found.count, says)


def _remarks(asked: str, matches: tuple[Match, ...], dropped: int) -> Iterator[Note]:
    if dropped:
        yield Note(None, "info", f"{dropped:,} more messages stand at other places and are not shown")
    if matches:
        return
    if _CODE.fullmatch(asked):
        said = f"there is no diagnosis {asked.upper()}: gradcli explain lists them"
    elif " " in asked or not asked:
        said = "no error or warning of torch about gradients was recognised in this text"
    else:
        names = [*known()]
        near = get_close_matches(asked, names, 3) or get_close_matches(asked.upper(), names, 3)
        said = f"nothing is known of '{asked[:80]}'" + (f": did you mean {' or '.join(near)}?" if near else "")
    yield Note(None, "warning", said)


COMMAND = Command(
    "explain", explain, "What a code, an error message or a node means, and what to do.", "expression",
    "A code (G302), torch's message, or a node (PowBackward0); @FILE reads a log, - standard input. All codes "
    "without it.", (),
    ("gradcli explain G203", 'gradcli explain "element 0 of tensors does not require grad"',
     "gradcli explain PowBackward0"),
    subject_required=False, formats=("table", "json", "csv", "markdown"), reads="log",
)  # fmt: skip
