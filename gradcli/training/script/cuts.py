"""What cuts the path from a value to what it was computed from: calls, attributes and other text, a row each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gradcli.training.script.expressions import last_name, root_name, sets, text_of
from gradcli.training.script.modes import Off

# What tells a fact of a tensor, and none of its numbers.
FACTS = frozenset({"shape", "dtype", "device", "ndim", "requires_grad", "is_leaf", "size", "dim", "numel", "grad_fn"})

_TEXT = 60  # characters of a cut that a sentence repeats
_WHOLE = ("long", "int", "bool", "uint8", "Long", "Int", "Bool")  # dtypes that have no gradient
_MODULES_OF_NUMBERS = frozenset({"np", "numpy", "math", "random"})
_COPIES = frozenset({"tensor", "Tensor", "FloatTensor", "DoubleTensor", "new_tensor", "array", "asarray", "from_numpy"})


@dataclass(frozen=True, slots=True)
class Cut:
    """A place where the path ends: the code that it is called by, its text and line; a mode has no text."""

    code: str
    text: str
    line: int
    mode: str | None = None


def cut_at(code: str, node: ast.expr) -> Cut:
    """The cut that an expression is."""
    return Cut(code, text_of(node, _TEXT), node.lineno)


def cut_by(off: Off | None) -> Cut | None:
    """The cut that a mode is."""
    return None if off is None else Cut("G101", "", off.line, off.mode)


# Calls


def _is_method(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute)


def _is_bare(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name)


def _to_whole(call: ast.Call) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr.startswith(_WHOLE) for one in call.args)


@dataclass(frozen=True, slots=True)
class _Ending:
    """Calls at which the path ends: their code, their names (any where there are none), and what else must hold."""

    code: str
    names: frozenset[str] = frozenset()
    where: Callable[[ast.Call], bool] | None = None

    def holds(self, call: ast.Call) -> bool:
        named = not self.names or last_name(call) in self.names
        return named and (self.where is None or self.where(call))


# The first that holds counts.
_CALLS = (
    # A leaf of their own.
    _Ending("G107", frozenset({"Parameter", "requires_grad_"})),
    _Ending("G107", _COPIES | {"Variable"}, lambda call: sets(call, "requires_grad")),
    # Numbers without the graph.
    _Ending("G102", _COPIES),
    _Ending("G102", frozenset({"detach", "detach_", "numpy", "tolist", "item"}), _is_method),
    _Ending("G102", frozenset({"float", "int", "bool", "complex"}), _is_bare),
    _Ending("G102", frozenset({"grad"}), lambda call: not sets(call, "create_graph")),
    _Ending("G102", where=lambda call: _is_method(call) and root_name(call.func) in _MODULES_OF_NUMBERS),
    # No derivative.
    _Ending("G103", frozenset({
        "argmax", "argmin", "argsort", "argwhere", "nonzero", "long", "int", "bool", "byte", "short", "eq", "ne", "gt",
        "lt", "ge", "le", "isnan", "isinf", "isfinite", "bucketize", "searchsorted", "multinomial", "one_hot",
        "bincount", "logical_and", "logical_or", "logical_not", "greater", "less", "count_nonzero", "any", "all",
        "equal", "allclose",
    })),
    _Ending("G103", frozenset({"to", "type"}), _to_whole),
)  # fmt: skip


def cut_of_call(call: ast.Call) -> Cut | None:
    """The cut that a call of torch's or of another library is, by its name."""
    return next((cut_at(one.code, call) for one in _CALLS if one.holds(call)), None)


# Everything else

_ATTRIBUTES = {"data": "G102", "grad": "G102", "indices": "G103"}
_PAIRS = frozenset({"max", "min", "topk", "sort", "kthvalue"})  # they give values and indices

Operands = Iterator[tuple[ast.AST, Cut | None]]


def operands(node: ast.AST) -> Operands:
    """The parts of an expression that its value depends on, each with the cut that stands before it."""
    read = _READ.get(type(node))
    return read(node) if read else ((one, None) for one in ast.iter_child_nodes(node))


def _of_attribute(node: ast.Attribute) -> Operands:
    if node.attr not in FACTS:
        code = _ATTRIBUTES.get(node.attr)
        yield node.value, cut_at(code, node) if code else None


def _of_comparison(node: ast.Compare) -> Operands:
    for operand in (node.left, *node.comparators):
        yield operand, cut_at("G103", node)


def _of_choice(node: ast.IfExp) -> Operands:
    yield node.body, None
    yield node.orelse, None


def _of_subscript(node: ast.Subscript) -> Operands:
    """The index has no derivative; neither have the indices that x.max(1)[1] takes."""
    second = isinstance(node.slice, ast.Constant) and node.slice.value == 1
    picks = isinstance(node.value, ast.Call) and last_name(node.value) in _PAIRS
    yield node.value, cut_at("G103", node) if second and picks else None
    yield node.slice, cut_at("G103", node)


_READ: dict[type[ast.AST], Callable[..., Operands]] = {
    ast.Attribute: _of_attribute,
    ast.Compare: _of_comparison,
    ast.IfExp: _of_choice,
    ast.Subscript: _of_subscript,
}
