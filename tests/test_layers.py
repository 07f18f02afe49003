"""The rooms of the house and the one way through them: which room may import which, read from the source itself."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import gradcli

ROOT = Path(gradcli.__file__).parent

# Files at the root are facts that several rooms share: errors, results, and the reports made of them.
FACTS = {path.stem for path in ROOT.glob("*.py")} - {"__init__", "__main__"}

# Room -> what its files may import at their head, and inside functions besides. Rooms may import themselves.
HEADS: dict[str, set[str]] = {
    "errors": set(),
    **{fact: {"language", *FACTS} for fact in FACTS - {"errors"}},
    "language": {"errors"},
    "engine": {"language", *FACTS, "torch", "numpy", "sympy", "mpmath"},
    "diagnosis": {"engine", "language", *FACTS, "torch"},
    "training": {"diagnosis", "engine", "language", *FACTS, "torch"},
    "commands": {"language", *FACTS},
    "render": {"language", *FACTS, "rich"},
    "doors": {"commands", "render", *FACTS, "__version__", "typer", "rich", "prompt_toolkit"},
    "__main__": FACTS,
    "__init__": set(),
}
INSIDE: dict[str, set[str]] = {
    **{fact: {"render", "torch"} for fact in FACTS - {"errors"}},
    "commands": {"engine", "diagnosis", "training", "torch", "render"},
    "engine": {"safetensors"},
    "__main__": {"doors"},
    "__init__": {"commands", "doors"},
    "render": {"matplotlib", "plotext", "numpy"},
    "doors": {"language", "engine", "training", "IPython"},
}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def rooms() -> Iterator[tuple[str, Path]]:
    for path in sorted(ROOT.rglob("*.py")):
        yield path.relative_to(ROOT).parts[0].removesuffix(".py"), path


@cache
def imports_of(path: Path) -> tuple[tuple[str, bool], ...]:
    return tuple(imports(tree_of(path)))


def imports(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """What a file imports: a room or file of ours, or a package of others; and whether at its head."""
    typing_only = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for child in ast.walk(node)
    }
    inner = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where an arrow goes"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            yield (rest.partition(".")[0] if first == "gradcli" and rest else first), id(node) not in inner


def standard(name: str) -> bool:
    return name in sys.stdlib_module_names


@pytest.mark.parametrize("room", sorted({room for room, _ in rooms()}))
def test_a_room_imports_only_what_it_may(room: str) -> None:
    assert room in HEADS, f"{room} has no place in the house: say here what it may import"
    heads = HEADS[room] | {room}
    inside = heads | INSIDE.get(room, set())
    wrong = []
    for found, path in rooms():
        if found != room:
            continue
        for name, at_head in imports_of(path):
            if not standard(name) and name not in (heads if at_head else inside):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}{'' if at_head else ' inside a function'}")
    assert wrong == []


@pytest.mark.parametrize("room", ["language", "commands", *sorted(FACTS)])
def test_rooms_that_must_load_without_torch_do_not_import_it_at_their_head(room: str) -> None:
    for found, path in rooms():
        if found == room:
            heads = {name for name, at_head in imports_of(path) if at_head}
            assert not heads & {"torch", "numpy", "rich", "typer"}, path


def test_only_main_opens_the_doors() -> None:
    for room, path in rooms():
        if room not in {"doors", "__main__", "__init__"}:
            assert "doors" not in {name for name, _ in imports_of(path)}, path


def test_the_language_never_evaluates_text() -> None:
    """No eval, exec, compile, __import__, and no getattr with a name that is computed."""
    for room, path in rooms():
        if room != "language":
            continue
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec", "compile", "__import__"}, path


def test_every_file_tells_its_idea_in_its_first_docstring() -> None:
    for _, path in rooms():
        told = ast.get_docstring(tree_of(path))
        assert told, path
        assert told[-1] in ".:", path


def test_no_file_is_called_by_a_word_that_says_nothing() -> None:
    names = {path.stem for _, path in rooms()}
    assert not names & {"utils", "util", "helpers", "helper", "manager", "handler", "common", "misc", "base"}


def test_the_layer_test_reads_imports_as_python_does() -> None:
    source = """
from __future__ import annotations
import torch.nn
from typing import TYPE_CHECKING
from gradcli import numerals
from gradcli.engine.cuts import Cut
if TYPE_CHECKING:
    import rich
def later():
    from gradcli.doors import cli
    import typer
"""
    assert list(imports(ast.parse(source))) == [
        ("__future__", True), ("torch", True), ("typing", True), ("numerals", True), ("engine", True),
        ("doors", False), ("typer", False),
    ]  # fmt: skip
