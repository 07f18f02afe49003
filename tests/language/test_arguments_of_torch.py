"""Every argument that torch's own functions take is in their row: torch's schemas and signatures are the witness."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import torch

from gradcli.engine.operations import resolve
from gradcli.language.signature import STORAGE, lists_at
from gradcli.language.vocabulary import functions

# torch's operators are kept under these prefixes.
PREFIXES = {"torch.linalg.": "linalg_", "torch.special.": "special_", "torch.fft.": "fft_"}
# Names of dimensions are a prototype; out= is no part of the language.
UNNAMED = STORAGE | {"out", "names"}
# What a row leaves out on purpose, or what Python itself cannot write as a keyword.
LEFT_OUT = {
    "torch.lobpcg": {"tracker"} | {f"ortho_{kind}params" for kind in "ifb"},  # a callback, and switches of its inside
    "torch.segment_reduce": {"unsafe"},
    "torch.layer_norm": {"cudnn_enable"},
    "torch.group_norm": {"cudnn_enabled"},
    "torch.expand_copy": {"implicit"},
    "torch.Tensor.expand": {"implicit"},
    "torch.Tensor.uniform_": {"from"},
    "torch.Tensor.random_": {"from"},
    "torch.einsum": {"tensors", "path", "a"},  # written as operands, one by one; torch's Python function takes no path
    "torch.nn.functional.elu_": {"scale", "input_scale"},
    "torch.nn.functional.rrelu_": {"generator"},  # there is none but the one that --seed seeds
    "torch.tensor": {"t"},  # torch's Python function calls it data
    "torch.as_tensor": {"t"},
    "torch.Tensor.copy_": {"src"},  # torch's Python method calls it other
    "torch.Tensor.to": {"other"},  # and here it says tensor
}


def overloads(path: str) -> Iterator[set[str]]:
    """The names of the arguments that torch's function takes, one set an overload that works on tensors."""
    function = resolve(path)
    if "_max_pool" in path and path.startswith("torch.nn.functional."):
        function = getattr(
            torch.nn.functional, f"{path.rpartition('.')[2]}_with_indices", function
        )  # what it dispatches to
    try:
        parameters = inspect.signature(function).parameters.values()
        if not any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters):
            yield {one.name for one in parameters}
            return
    except (ValueError, TypeError):
        pass  # a built-in: its schemas tell
    place, _, name = path.rpartition(".")
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{PREFIXES.get(f'{place}.', '')}{name}"):
        takes = [str(one.type) for one in schema.arguments]
        out = any(one.is_out for one in schema.arguments)
        scripted = out or schema.overload_name == "Tensor_list" or not schema.returns
        makes = not any("Tensor" in kind for kind in takes) and "Device? device" in str(schema)
        if not scripted and ((takes and "Tensor" in takes[0]) or makes):
            yield {one.name for one in schema.arguments}


def unknown(path: str, names: set[str], lists: tuple[object, ...]) -> set[str]:
    """The arguments of one overload that no parameter list of the row takes, for the list that takes most."""
    given = {"input" if name == "self" else name for name in names if not name.startswith("_")} - UNNAMED
    left = [{name for name in given if one.known(name) is None} for one in lists]  # type: ignore[attr-defined]
    return min(left, key=len) - LEFT_OUT.get(path, set()) - {"input"}


def test_every_argument_of_torchs_functions_is_in_the_row() -> None:
    missing = []
    checked = 0
    for row in functions():
        for path in () if row.attribute else row.paths:
            for names in overloads(path):
                checked += 1
                wrong = unknown(path, names, lists_at(row, path))
                missing += [f"{path}: {', '.join(sorted(wrong))}"] if wrong else []
    assert missing == [], "\n".join(missing)
    assert checked > 1_500, checked
