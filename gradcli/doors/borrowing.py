"""Values that are names of tensors around the question: `--at A=weights`, or an input that is called like one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from gradcli.commands.command import Command
from gradcli.errors import GradcliError

Pairs = list[tuple[str | None, Any]]


def filled(names: Mapping[str, Any], command: Command, subject: Any, keywords: dict[str, Any]) -> dict[str, Any]:
    """The keywords of a command with the tensors put in that its values name, and those of inputs without a value.

    Floating tensors become inputs, of whole numbers and booleans constants. Raises GradcliError of kind usage where a
    tensor does not say which input it is for.
    """
    options = [option for option in command.options if option.value]
    if not options:
        return keywords
    read = {one.keyword: _pairs(names, keywords.get(one.keyword)) for one in options if one.many}
    single = {one.keyword: _meant(names, keywords.get(one.keyword)) for one in options if not one.many}
    free = _free(subject, command, read)
    taken = {name: names[name] for name in free if _is_tensor(names.get(name))}
    _place(read, [name for name in free if name not in taken] or free, taken)
    found = {**keywords, **{name: value for name, value in single.items() if value is not None}}
    for name, value in taken.items():
        read["at" if value.is_floating_point() or value.is_complex() else "const"].append((name, value))
    for keyword, pairs in read.items():
        if any(not isinstance(value, str) for _, value in pairs):
            found[keyword] = _mapping(keyword, pairs)
    return found


def _pairs(names: Mapping[str, Any], texts: Any) -> Pairs:
    """Each value with its name, as it is written or as the tensor that it names."""
    from gradcli.language.values import split_name

    return [(name, _meant(names, value)) for name, value in map(split_name, texts or ())]


def _meant(names: Mapping[str, Any], text: Any) -> Any:
    """The tensor, number or list of a name; any other text is what it says."""
    from gradcli.language.numbers import CONSTANTS

    name = text.strip() if isinstance(text, str) else ""
    value = names.get(name)
    if _is_tensor(value) or (isinstance(value, (int, float, complex, list, tuple)) and name not in CONSTANTS):
        return value
    return text


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
