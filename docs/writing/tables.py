"""The made parts of the pages: one row a name, each made from the tables that the program itself reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from gradcli.errors import EXIT_MEANINGS, KINDS
from gradcli.language import blocks, numbers, slips, snippet, source, values
from gradcli.language.vocabulary import FIELDS, functions
from writing import interfaces, vocabulary
from writing.diagnoses import diagnoses, messages
from writing.markdown import code, plain, table
from writing.rooms import rooms


def exit_codes() -> Iterable[str]:
    return table(("code", "meaning"), ((str(int(one)), meaning) for one, meaning in EXIT_MEANINGS.items()))


def error_kinds() -> Iterable[str]:
    return table(("kind", "exit code"), ((code(kind), str(int(exit_code))) for kind, exit_code in KINDS.items()))


def dtypes() -> Iterable[str]:
    from gradcli.engine.inputs import DTYPES

    yield ", ".join(map(code, DTYPES)) + "."


def characters() -> Iterable[str]:
    """Each hint once, with the characters that it is for."""
    found: dict[str, list[str]] = {}
    for character, hint in slips.CHARACTERS.items():
        found.setdefault(hint, []).append(code(character))
    return table(("characters", "what to write"), ((" ".join(which), plain(hint)) for hint, which in found.items()))


def operators_refused() -> Iterable[str]:
    """Operators of Python that mean something else here."""
    rows = ((plain(message), plain(hint.format(left="A", right="2"))) for message, hint in slips.OPERATORS.values())
    return table(("why it is refused", "what to write"), rows)


def python_refused() -> Iterable[str]:
    """Parts of Python that the language leaves out, each reason once, those with an advice first."""
    rows = dict.fromkeys((message, hint) for message, hint in slips.REFUSED.values() if hint)
    advised = {message for message, _ in rows}
    bare = sorted({message for message, hint in slips.REFUSED.values() if not hint} - advised)
    yield from table(("why it is refused", "what to write"), ((plain(message), plain(hint)) for message, hint in rows))
    yield ""
    yield f"And, without another way to write it: {'; '.join(map(plain, bare))}."


def constants() -> Iterable[str]:
    return table(("constant", "value"), ((code(name), repr(value)) for name, value in numbers.CONSTANTS.items()))


def number_functions() -> Iterable[str]:
    yield ", ".join(map(code, sorted(numbers.FUNCTIONS))) + "."


def attributes() -> Iterable[str]:
    rows = [one for one in functions() if one.attribute]
    return table(("attribute", "what it gives"), ((code(f".{one.name}"), one.summary) for one in rows))


def fields() -> Iterable[str]:
    yield ", ".join(code(f".{name}") for name in sorted(FIELDS, key=str.casefold)) + "."


def grad_modes() -> Iterable[str]:
    yield ", ".join(code(f"with torch.{name}():") for name in blocks.MANAGERS) + "."


def modules() -> Iterable[str]:
    yield ", ".join(map(code, sorted(snippet.MODULES))) + "."


def text_bounds() -> Iterable[str]:
    yield f"- An expression has at most {source.MAX_CHARACTERS:,} characters, a value {values.MAX_CHARACTERS:,}."


def limits() -> Iterable[str]:
    """Whole-number arguments that drive the cost of a call."""
    bounds = [(one, name, most) for one in functions() for name, most in one.limits.items()]
    rows = sorted((code(vocabulary.written(one, one.paths[0])), code(name), f"{most:,}") for one, name, most in bounds)
    return table(("function", "argument", "at most"), rows)


def thresholds() -> Iterable[str]:
    """Where findings on a training begin."""
    from gradcli.training.thresholds import TABLE

    rows = ((code(one.name), _linked(one.code), f"{one.value:g}", plain(one.what), plain(one.reason)) for one in TABLE)
    return table(("name", "code", "value", "what it is", "why"), rows)


def _linked(name: str) -> str:
    from gradcli.diagnosis.catalogue import CATALOGUE

    return f"[{name}](diagnoses.md#{name.lower()}-{CATALOGUE[name].name})"


MADE: Mapping[str, Callable[[], Iterable[str]]] = {
    part.__name__: part
    for part in (
        exit_codes, error_kinds, dtypes, characters, operators_refused, python_refused, constants, number_functions,
        attributes, fields, grad_modes, modules, text_bounds, limits, diagnoses, messages, rooms, thresholds,
        vocabulary.function_tables, interfaces.command_pages, interfaces.shared_options, interfaces.python_functions,
    )
}  # fmt: skip
