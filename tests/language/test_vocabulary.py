"""The vocabulary's rows: every place exists in torch, every signature reads, every fact is one of those known."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import torch

from gradcli.errors import GradcliError
from gradcli.language import vocabulary
from gradcli.language.parser import parse
from gradcli.language.program import Call
from gradcli.language.signature import Parameters, alternatives, lists_at
from gradcli.language.vocabulary import FAMILIES, FIELDS, NAMESPACES, Function, find_bare, find_method, functions
from gradcli.language.vocabulary.operators import AUGMENTED, BINARY, COMPARISON, UNARY

ROWS = functions()
PLACES = [(path, row) for row in ROWS for path in row.paths]


def resolve(path: str) -> Any:
    return reduce(getattr, path.split(".")[1:], torch)


def test_the_vocabulary_is_large_and_has_every_kind() -> None:
    assert len(ROWS) >= 400
    assert {row.family for row in ROWS} == set(FAMILIES)
    assert sum(row.pointwise for row in ROWS) >= 100
    files = {path.stem for path in Path(vocabulary.__file__).parent.glob("*.py")}
    assert files - {"__init__", "exclusions", "function", "operators"} == set(FAMILIES)


def test_every_place_exists_in_torch() -> None:
    missing = []
    for path, _ in PLACES:
        try:
            resolve(path)
        except AttributeError:
            missing.append(path)
    assert not missing


def test_no_place_is_in_two_rows() -> None:
    assert [path for path, count in Counter(path for path, _ in PLACES).items() if count > 1] == []


def test_no_place_shows_raw_memory_files_or_hooks() -> None:
    words = ("empty", "resize", "set_", "hook", "save", "load", "from_file", "storage", "data_ptr", "as_strided")
    last = [path.rpartition(".")[2] for path, _ in PLACES]
    assert [name for name in last for word in words if name == word or name.startswith(f"{word}_")] == []
    assert [name for name in last if name.startswith("_")] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_facts_of_a_family_are_known_ones(family: str) -> None:
    for row in (row for row in ROWS if row.family == family):
        assert row.summary.endswith("."), row.name
        assert "\n" not in row.summary, row.name
        assert len(row.summary) < 110, row.name
        assert row.paths, row.name
        assert all(any(path.startswith(place) for place in NAMESPACES.values()) for path in row.paths), row.name
        assert row.name.rpartition(".")[2] in {path.rpartition(".")[2] for path in row.paths}, row.name
        assert row.writes == row.name.endswith("_"), row.name
        assert row.differentiable or row.smooth == "nowhere", row.name
        assert all(_kink(word) for word in row.kinks.split()), row.name
        assert not row.kinks or row.at_kinks or not row.differentiable, row.name
        assert row.makes in {"", "float", "numbers", "like", "facts"}, row.name
        assert not row.attribute or row.paths == (f"torch.Tensor.{row.name}",), row.name


def _kink(word: str) -> bool:
    return word in {"ties", "bounds", "integers", "zero"} or word.lstrip("-").replace(".", "", 1).isdigit()


def test_strings_and_limits_name_parameters_of_the_signature() -> None:
    for row in ROWS:
        lists = alternatives(row.signature)
        names = {name for one in lists for name in (*one.positional, *one.keyword_only)}
        assert set(row.strings) <= names, row.name
        assert set(row.limits) <= names, row.name
        assert all(limit > 0 for limit in row.limits.values()), row.name
        assert all(one.required <= {*one.positional, *one.keyword_only} for one in lists), row.name


def _call(path: str, row: Function, one: Parameters) -> str:
    """A call that gives each required parameter by position, or by keyword where it has to."""

    def operand(name: str) -> str:
        if name in row.strings:
            choices = row.strings[name]
            return repr("i->i" if choices == "*" else choices.split()[0])
        if name in getattr(row, "named", {}):
            return str(row.named[name].split()[0])
        return "2" if name in row.limits else "A"

    words = [operand(name) for name in one.positional if name in one.required]
    words += ["A"] if one.star and not row.makes else []
    words += [f"{name}={operand(name)}" for name in one.keyword_only if name in one.required]
    if path.startswith("torch.Tensor."):
        name = path.rpartition(".")[2]
        return f"A.{name}" if row.attribute else f"A.{name}({', '.join(words[1:])})"
    return f"{path}({', '.join(words)})"


@pytest.mark.parametrize("family", FAMILIES)
def test_every_place_is_reached_by_the_language(family: str) -> None:
    for path, row in PLACES:
        if row.family != family:
            continue
        written = [_call(path, row, one) for one in lists_at(row, path)]
        assert written, path
        for text in written:
            steps = [step for step in parse(text).steps if isinstance(step, Call)]
            assert (steps[-1].function, steps[-1].path) == (row, path), text


def test_an_operand_too_many_is_refused_for_every_place_that_does_not_take_any_number() -> None:
    for path, row in PLACES:
        lists = lists_at(row, path)
        if row.attribute or any(one.star for one in lists):
            continue
        count = max(len(one.positional) for one in lists) + 1
        method = path.startswith("torch.Tensor.")
        words = ", ".join(["A"] * (count - method))
        with pytest.raises(GradcliError) as caught:
            parse(f"A.{path.rpartition('.')[2]}({words})" if method else f"{path}({words})")
        assert caught.value.kind == "argument", path


def test_a_bare_name_means_the_first_namespace_that_has_it() -> None:
    assert [find_bare(name)[0] for name in ("sin", "relu", "gelu", "erfcx", "det", "rfft", "add_")] == [  # type: ignore[index]
        "torch.sin",
        "torch.relu",
        "torch.nn.functional.gelu",
        "torch.special.erfcx",
        "torch.det",
        "torch.fft.rfft",
        "torch.Tensor.add_",
    ]
    assert find_bare("nothing") is None
    assert find_method("nothing") is None


def test_fields_are_those_of_torchs_named_tuples() -> None:
    A = torch.eye(2) + 0.1
    tuples = [
        torch.linalg.svd(A), torch.linalg.qr(A), torch.linalg.eigh(A), torch.linalg.eig(A), torch.linalg.lu(A),
        torch.linalg.slogdet(A), torch.linalg.lstsq(A, A), torch.topk(A, 1), torch.sort(A), torch.max(A, 0),
        torch.aminmax(A), torch.linalg.inv_ex(A), torch.linalg.lu_factor(A), torch.cummax(A, 0), torch.mode(A),
        torch.frexp(A),
    ]  # fmt: skip
    for one in tuples:
        names = {name for name in dir(type(one)) if not name.startswith(("_", "n_")) and name not in {"count", "index"}}
        assert names <= FIELDS, names


def test_operators_are_rows_too() -> None:
    for row in (*BINARY.values(), *COMPARISON.values(), *UNARY.values(), *AUGMENTED.values()):
        assert row.family == "operators"
        assert row.summary.endswith(".")
        assert row.differentiable or row.smooth == "nowhere"
    assert set(AUGMENTED) == set(BINARY)
