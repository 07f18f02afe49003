"""What to say of a name that no row has: the nearest one, why torch's is left out, or what stands in its place."""

from __future__ import annotations

import ast
import difflib

from gradcli.errors import GradcliError
from gradcli.language.scope import Scope
from gradcli.language.vocabulary import BARE, NAMESPACES, by_path, find_bare, functions
from gradcli.language.vocabulary.exclusions import why_excluded


def of_numpy(scope: Scope, node: ast.expr) -> bool:
    """Whether a chain such as `np.linalg.det` begins at numpy, and not at a value of that name."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in {"np", "numpy"} - scope.names.keys() - scope.given


def unknown(scope: Scope, node: ast.expr, name: str, what: str) -> GradcliError:
    """An error for a name that no row has, with the nearest one."""
    shown = scope.text(node)
    left_out = _left_out(scope, node, name)
    if left_out is not None:
        return left_out
    if shown.startswith(("np.", "numpy.")):
        hint = f"write torch.{name}(...)" if find_bare(name) else "use torch's functions"
    elif stands := module_function(scope, node):
        hint = f"a module holds parameters; its function is {stands}"
    else:
        known = sorted({path.rpartition(".")[2] for one in functions() for path in one.paths})
        matches = difflib.get_close_matches(name, known, 1, 0.7)
        hint = f"did you mean '{matches[0]}'?" if matches else "gradcli functions lists what can be called"
    return scope.source.error("name", f"unknown {what}", node, hint)


def module_function(scope: Scope, node: ast.expr) -> str | None:
    """The function that stands in for a module of torch.nn: F.relu for nn.ReLU."""
    shown = scope.text(node)
    name = shown.rpartition(".")[2]
    if not name[:1].isupper() or not shown.startswith(("nn.", "torch.nn.")):
        return None
    return f"F.{near}" if (near := _functional(name)) else None


def _left_out(scope: Scope, node: ast.expr, name: str) -> GradcliError | None:
    """The error for a function of torch that is no part of the language, with the reason."""
    path = scope.dotted(node)
    method = isinstance(node, ast.Attribute) and path is None
    paths = [path] if path else [NAMESPACES["Tensor"] + name] if method else [place + name for place in BARE]
    reason = next((why for one in paths if (why := why_excluded(one))), None)
    if reason is None or of_numpy(scope, node):
        return None
    shown = f".{name}" if method else scope.text(node)
    hint = "gradcli functions lists what can be called"
    return scope.source.error("name", f"{shown}() is left out: {reason}", node, hint)


def _functional(module: str) -> str | None:
    """The function of nn.functional that a module such as MSELoss applies."""
    wanted = module.lower().replace("_", "")
    places = (path for path in by_path() if path.startswith("torch.nn.functional."))
    return next((name for path in places if (name := path.rpartition(".")[2]).replace("_", "") == wanted), None)
