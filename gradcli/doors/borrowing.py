"""Values that are names of variables around the question: `--at A=weights`, or an input that is called like one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from gradcli.commands.command import Command
from gradcli.errors import GradcliError

Pairs = list[tuple[str | None, Any]]


def filled(names: Mapping[str, Any], command: Command, subject: Any, keywords: dict[str, Any]) -> dict[str, Any]:
    """The keywords of a command with the variables put in that its values name, and those of inputs without a value.

    Tensors, arrays, numbers and lists of them serve. Floating ones become inputs, tensors and arrays of whole numbers
    and booleans constants. Raises GradcliError of kind usage where one does not say which input it is for, and where an
    input is called like something else.
    """
    options = [option for option in command.options if option.value]
    if not options:
        return keywords
    read = {one.keyword: _pairs(names, keywords.get(one.keyword)) for one in options if one.many}
    single = {one.keyword: _meant(names, keywords.get(one.keyword)) for one in options if not one.many}
    free = _free(subject, command, read)
    taken = {name: value for name in free if (value := _usable(names.get(name))) is not None}
    _place(read, [name for name in free if name not in taken] or free, taken)
    found = {**keywords, **{name: value for name, value in single.items() if value is not None}}
    valued = {name for pairs in read.values() for name, _ in pairs}
    for name in free:
        if name in taken:
            read["at" if _differentiable(taken[name]) else "const"].append((name, taken[name]))
        elif name in names and valued.isdisjoint((name, None)):
            message = f"'{name}' is {_kind(names[name])} here, which is no value"
            raise GradcliError("usage", message, hint=f"give one with --at {name}=5.0, or take another name")
    for keyword, pairs in read.items():
        if any(not isinstance(value, str) for _, value in pairs):
            found[keyword] = _mapping(keyword, pairs)
    return found


def _pairs(names: Mapping[str, Any], texts: Any) -> Pairs:
    """Each value with its name, as it is written or as the tensor that it names."""
    from gradcli.language.values import split_name

    return [(name, _meant(names, value)) for name, value in map(split_name, texts or ())]


def _meant(names: Mapping[str, Any], text: Any) -> Any:
    """The variable that a text names; any other text is what it says."""
    from gradcli.language.numbers import CONSTANTS

    name = text.strip() if isinstance(text, str) else ""
    value = _usable(names.get(name))
    return text if value is None or (name in CONSTANTS and not _is_tensor(value)) else value


def _usable(value: Any) -> Any:
    """A tensor, an array, a number or a list as it is; None of anything else."""
    if _is_tensor(value) or isinstance(value, (int, float, complex, list, tuple)):
        return value
    numpy = sys.modules.get("numpy")
    array = numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)) and value.dtype.kind in "biufc"
    return value if array else None


def _differentiable(value: Any) -> bool:
    if _is_tensor(value):
        return bool(value.is_floating_point() or value.is_complex())
    return value.dtype.kind in "fc" if hasattr(value, "dtype") else not isinstance(value, bool)


def _kind(value: Any) -> str:
    """What something is, in words."""
    if isinstance(value, ModuleType):
        return "a module"
    return "a function" if callable(value) else f"of type {type(value).__name__}"


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _free(subject: Any, command: Command, read: Mapping[str, Pairs]) -> list[str]:
    """The inputs that no value was given for; none of what is no expression, which the command itself refuses."""
    from gradcli.language.parser import parse

    given = frozenset([name for option in ("at", "const") for name, _ in read.get(option, ()) if name])
    texts = subject if isinstance(subject, tuple) else (subject,)
    try:
        programs = [parse(text, given) for text in texts if isinstance(text, str) and not command.runs(text)]
    except GradcliError:
        return []
    return list(dict.fromkeys(name for one in programs for name in one.inputs if name not in given))


def _place(read: dict[str, Pairs], open_names: list[str], taken: dict[str, Any]) -> None:
    """Give the one value without a name to the one input that it can be for."""
    pairs = read.get("at", [])
    bare = [index for index, (name, _) in enumerate(pairs) if name is None]
    if len(bare) == 1 and len(open_names) == 1:
        pairs[bare[0]] = (open_names[0], pairs[bare[0]][1])
        taken.pop(open_names[0], None)


def _mapping(keyword: str, pairs: Pairs) -> Any:
    if len(pairs) == 1 and pairs[0][0] is None:
        return pairs[0][1]
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name is None:
            message = f"a value of --{keyword} does not say which input it is for"
            raise GradcliError("usage", message, hint=f"write --{keyword} NAME=VALUE")
        if name in found:
            raise GradcliError("usage", f"{name} was given two values")
        found[name] = value
    return found
