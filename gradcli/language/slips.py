"""Common slips of the hand and what was probably meant: rows, for characters, for syntax and for names."""

from __future__ import annotations

import re
import unicodedata

# Characters that look like Python's, or that mathematics writes: what to type instead.
CHARACTERS: dict[str, str] = {
    "×": "multiply with *", "·": "multiply with *", "⋅": "multiply with *", "∙": "multiply with *",
    "✕": "multiply with *", "•": "multiply with *",
    "∗": "multiply with *", "÷": "divide with /", "∕": "divide with /", "⁄": "divide with /",
    "−": "write the minus sign as -", "–": "write the minus sign as -", "—": "write the minus sign as -",
    "‐": "write the minus sign as -", "‑": "write the minus sign as -",
    "²": "write a square as **2", "³": "write a cube as **3", "√": "write sqrt(...)",
    "≤": "write <=", "≥": "write >=", "≠": "write !=", "≈": "write isclose(a, b)", "∞": "write inf",
    "“": "use plain quotes", "”": "use plain quotes", "‘": "use plain quotes", "’": "use plain quotes",
    "„": "use plain quotes", "«": "use plain quotes", "»": "use plain quotes", "`": "leave the backquote out",
    "（": "use plain brackets", "）": "use plain brackets", "，": "use a plain comma", "、": "use a plain comma",
    "；": "use a plain semicolon", "：": "use a plain colon", "＝": "use a plain =", "＋": "use a plain +",
    "＊": "use a plain *", "／": "use a plain /", "。": "use a plain full stop", "٫": "use a plain full stop",
    "￼": "leave it out", "$": "leave it out", "?": "leave it out",
    "!": "not is ~ on booleans; a factorial is exp(lgamma(n + 1))",
}  # fmt: skip

# Where Python's parser gives up: a pattern of the text that ends or begins there, and what was probably meant.
SYNTAX: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern), message, hint)
    for pattern, message, hint in (
        (r"^\s*>>>", "this is a Python prompt", "leave the >>> out"),
        (r"(?<![\w.])(\d[\d_.]*)([A-Za-z_]\w*)", "a number and a name stand side by side", r"multiply with *: \1*\2"),
        (r"\)\s*\(|\)\s*\w", "an operator is missing after the bracket", "multiply with *"),
        (r"\blambda\b.*", "'lambda' is a word of Python and cannot be a name", "call it lam"),
        (r"&&", "Python has no &&", "join masks with &"),
        (r"\|\|", "Python has no ||", "join masks with |"),
        (r"\+\+|--$", "Python has no ++ or --", "write B += 1"),
        (r"\*\*\*", "Python has no ***", "write **"),
        (r";\s*with\b", "a with block begins on a line of its own", "break the line before 'with'"),
        (r"=\s*$", "nothing stands after the =", "write a value"),
        (r"\b\w+[ \t]+\w+", "two names stand side by side", "put an operator between them"),
    )
)

# Parts of Python that the language leaves out: the syntax tree's name -> what it is, what to write instead.
REFUSED: dict[str, tuple[str, str | None]] = {
    "Lambda": ("lambda is not part of the language", "write the expression itself"),
    "IfExp": ("'x if condition else y' decides once, not element by element", "write where(condition, x, y)"),
    "BoolOp": ("'and' and 'or' do not work on tensors", "join masks with & and |, in brackets: (A > 0) & (A < 1)"),
    "ListComp": ("comprehensions are not part of the language", "write the elements, or use a vocabulary function"),
    "SetComp": ("comprehensions are not part of the language", None),
    "DictComp": ("comprehensions are not part of the language", None),
    "GeneratorExp": ("comprehensions are not part of the language", None),
    "JoinedStr": ("f-strings are not part of the language", None),
    "FormattedValue": ("f-strings are not part of the language", None),
    "NamedExpr": ("':=' is not part of the language", "write an assignment: B = A*2; B + 1"),
    "Dict": ("dictionaries are not part of the language", None),
    "Set": ("sets are not part of the language", "write a list"),
    "Starred": ("'*' unpacking is not part of the language", "write the operands out"),
    "Await": ("'await' is not part of the language", None),
    "Yield": ("'yield' is not part of the language", None),
    "YieldFrom": ("'yield' is not part of the language", None),
    "Delete": ("'del' is not part of the language", None),
    "Global": ("'global' is not part of the language", None),
    "Nonlocal": ("'nonlocal' is not part of the language", None),
    "Assert": ("'assert' is not part of the language", None),
    "Raise": ("'raise' is not part of the language", None),
    "For": ("loops are not part of the language", "write the steps out, or use a tensor operation"),
    "AsyncFor": ("loops are not part of the language", None),
    "While": ("loops are not part of the language", "write the steps out, or use a tensor operation"),
    "If": ("'if' decides once, not element by element", "write where(condition, x, y)"),
    "FunctionDef": ("functions cannot be defined here", "write the expression itself"),
    "AsyncFunctionDef": ("functions cannot be defined here", None),
    "ClassDef": ("classes cannot be defined here", None),
    "Return": ("'return' has no function to leave", "write the expression itself"),
    "Try": ("'try' is not part of the language", None),
    "TryStar": ("'try' is not part of the language", None),
    "Match": ("'match' is not part of the language", None),
    "Pass": ("'pass' does nothing", "leave it out"),
    "Break": ("loops are not part of the language", None),
    "Continue": ("loops are not part of the language", None),
    "AnnAssign": ("type annotations are not part of the language", "write B = ... without the annotation"),
    "AsyncWith": ("'async with' is not part of the language", None),
}

# Operators of Python that mean something else here.
OPERATORS: dict[str, tuple[str, str]] = {
    "BitXor": ("'^' is exclusive or in Python, not a power", "write {left}**{right}"),
    "LShift": ("'<<' shifts bits", "multiply by a power of two: A * 2**3"),
    "RShift": ("'>>' shifts bits", "divide by a power of two: A / 2**3"),
    "Is": ("'is' compares identity", "compare with =="),
    "IsNot": ("'is not' compares identity", "compare with !="),
    "In": ("'in' is not part of the language", "write isin(A, values)"),
    "NotIn": ("'not in' is not part of the language", "write ~isin(A, values)"),
    "Not": ("'not' does not work on tensors", "write ~ before a mask: ~(A > 0)"),
}

# Methods that hand out plain numbers, so that autograd loses sight of them.
LEAVES_AUTOGRAD = {"item": "a Python number", "numpy": "a numpy array", "tolist": "a Python list"}
CASTS_OUT = {
    "float": "a Python number",
    "int": "a Python number",
    "bool": "a Python bool",
    "complex": "a Python number",
}


def look_alike(name: str) -> str | None:
    """The plain Latin name that `name` is drawn like, where it has look-alike letters of another script."""
    plain = "".join(_CONFUSABLE.get(letter, letter) for letter in name)
    return plain if plain != name else None


def scripts_of(name: str) -> str:
    """The scripts of a name's letters that are not Latin: 'Cyrillic', 'Greek'."""
    found = {unicodedata.name(letter, "?").split()[0].capitalize() for letter in name if letter in _CONFUSABLE}
    return " and ".join(sorted(found))


_CONFUSABLE = dict(
    zip(
        "АВЕЅІЈКМНОРСТУХаеіјорсухѕԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανυѵ",
        "ABESIJKMHOPCTYXaeijopcyxsdqwhABEZHIKMNOPTYXoavuv",
        strict=True,
    )
)
