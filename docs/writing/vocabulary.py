"""The functions of the vocabulary, a table for each family."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from gradcli.language.signature import alternatives
from gradcli.language.vocabulary import FAMILIES, Function
from writing.markdown import code, plain, table


def function_tables() -> Iterator[str]:
    """A section for each family: what it holds, its functions, and their in-place twins."""
    for name in FAMILIES:
        family = import_module(f"gradcli.language.vocabulary.{name}")
        yield f"## {name}"
        yield ""
        yield (family.__doc__ or "").split("\n")[0]
        yield ""
        rows = [one for one in family.FUNCTIONS if not one.writes]
        yield from table(("function", "written as", "derivative", "what it gives"), map(_row, rows))
        yield ""
        writing = sorted(code(written(one, one.paths[0])) for one in family.FUNCTIONS if one.writes)
        if writing:
            yield f"In place: {', '.join(writing)}."
            yield ""


def written(one: Function, path: str) -> str:
    """A dotted name as users write it: A.sin() for a method, F.relu for a function of torch.nn.functional."""
    name = path.rpartition(".")[2]
    if path.startswith("torch.Tensor."):
        return f"A.{name}" if one.attribute else f"A.{name}()"
    return path.replace("torch.nn.functional.", "F.")


def _row(one: Function) -> tuple[str, str, str, str]:
    calls = [f".{one.name}"] if one.attribute else list(_calls(one))
    ways = [code(written(one, path)) for path in one.paths]
    summary = plain(one.summary) + (" Draws from `--seed`." if one.random else "")
    return " or ".join(map(code, calls)), ", ".join(ways), _derivative(one), summary


def _calls(one: Function) -> Iterator[str]:
    """Each parameter list, behind the place that it holds for where the others have another."""
    for parameters in alternatives(one.signature):
        place = parameters.place.replace("torch.nn.functional.", "F.").replace("torch.Tensor.", "Tensor.")
        yield f"{place}{one.name}{parameters.text}"


def _derivative(one: Function) -> str:
    if not one.differentiable:
        return "none"
    where = "" if one.smooth.startswith(("everywhere", "nowhere")) else "where "
    stop = "" if one.smooth.endswith(".") or not one.at_kinks else "."
    return plain(f"{where}{one.smooth}{stop} {one.at_kinks}".rstrip())
