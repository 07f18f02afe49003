"""One function of the vocabulary: plain data, and the two words that write a family of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Short namespace -> where torch keeps it. A row names its places with these; users may write them too.
NAMESPACES: dict[str, str] = {
    "torch": "torch.",
    "F": "torch.nn.functional.",
    "nn": "torch.nn.",
    "linalg": "torch.linalg.",
    "special": "torch.special.",
    "fft": "torch.fft.",
    "masked": "torch.masked.",
    "Tensor": "torch.Tensor.",
}


@dataclass(frozen=True, slots=True)
class Function:
    """A function that an expression may call.

    `paths` are dotted torch names as text, the preferred first. `signature` is one or more parameter lists
    separated by " | "; one that begins with a namespace (`F(input, dim=None)`) holds for the paths there, and the
    others for the rest. `smooth` tells where it has a continuous derivative; `kinks` where it has none (numbers,
    or `ties`, `bounds`, `integers`, `zero`), and `at_kinks` what torch does there. `strings` holds the choices of
    parameters that take a string ("*": any), `named` those of parameters that take a function, by dotted names.
    `limits` bounds integer arguments that drive the cost. `grows` names how the output outgrows its operands where
    numbers do not tell. `divides`: by its second operand. `along` is how it works where it names a dimension: it
    `stacks` or `joins` tensors, `reduces` it, or `keeps` it. `makes` is what it makes without a tensor: tensors of
    `float`s, of the `numbers` given, `like` its operand, or plain `facts`. `silent`: torch warns of no
    call of it in its first form.
    """

    name: str
    paths: tuple[str, ...]
    family: str
    signature: str
    summary: str
    smooth: str = "everywhere"
    kinks: str = ""
    at_kinks: str = ""
    pointwise: bool = False
    divides: bool = False
    along: str = ""
    differentiable: bool = True
    writes: bool = False
    silent: bool = False
    random: bool = False
    makes: str = ""
    attribute: bool = False
    grows: str = ""
    strings: Mapping[str, str] = field(default_factory=dict, hash=False)
    named: Mapping[str, str] = field(default_factory=dict, hash=False)
    limits: Mapping[str, int] = field(default_factory=dict, hash=False)


def row(
    names: str, where: str, signature: str, summary: str, **facts: Any
) -> tuple[str, str, str, str, dict[str, Any]]:
    """One row: names (the first is the main one), places, signature, one line of description, further facts.

    `where` lists namespaces (`torch F Tensor`), `Tensor_` and `torch_` for an in-place twin (`abs_`), or a whole
    dotted name for a place that has it under another one (`special.expit`).
    """
    return names, where, signature, summary, facts


def family(name: str, *rows: tuple[str, str, str, str, dict[str, Any]], **facts: Any) -> tuple[Function, ...]:
    """The functions of one family; `facts` hold for each row that does not say otherwise."""
    made: list[Function] = []
    for names, where, signature, summary, own in rows:
        settings = {**facts, **own}
        main = names.split()[0]
        paths, in_place = _paths(names.split(), where.split())
        if paths:
            made.append(Function(main, paths, name, signature, summary, **settings))
        if in_place:
            settings = {**settings, "writes": True}
            said = f"In place: {summary[0].lower()}{summary[1:]}"
            takes = signature.replace(", inplace=False", "")
            made.append(Function(f"{main}_", in_place, name, takes, said, **settings))
    return tuple(made)


def _paths(names: list[str], places: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    paths: list[str] = []
    in_place: list[str] = []
    for place in places:
        head, dot, rest = place.partition(".")
        if dot:
            target = in_place if rest.endswith("_") else paths
            target.append(NAMESPACES[head] + rest)
        elif place.endswith("_"):
            in_place += [f"{NAMESPACES[place[:-1]]}{name}_" for name in names]
        else:
            paths += [NAMESPACES[place] + name for name in names]
    return tuple(paths), tuple(in_place)
