"""Which steps give views, that take no memory of their own, and how many tensors a step gives."""

from __future__ import annotations

import math
import re

import torch

from gradcli.engine.bounds.operands import Operands

# Rows of these families give views of their operand, unless their name says that they copy.
_VIEWS = frozenset({"shape", "attributes"})


_VIEWING = frozenset(
    "detach requires_grad cpu real imag conj resolve_conj view_as_real view_as_complex broadcast_tensors "
    "meshgrid store field len".split()
)


_COPYING = re.compile(r"repeat|tile|flip|roll|rot90|tril|triu|diag_embed|diagflat|^diag$|_copy$")


_FLAT = frozenset({"reshape", "reshape_as", "flatten", "ravel", "contiguous"})


def gives_view(given: Operands) -> bool:
    """Whether a step allocates nothing for its result: a view, or its operand itself."""
    function = given.step.function
    if function.writes or function.family == "inspection":
        return True
    if given.name in _FLAT:
        return given.first.is_contiguous()
    if given.name == "index":
        index = given.args[1] if isinstance(given.args[1], tuple) else (given.args[1],)
        return not any(isinstance(one, (list, tuple, torch.Tensor)) for one in index)
    return given.name in _VIEWING or (function.family in _VIEWS and not _COPYING.search(given.name))


# Rows that give many tensors, and how many.
def pieces(given: Operands) -> int:
    """How many tensors a step gives, where its operands tell."""
    count = _PIECES.get(given.name)
    return count(given) if count else 1


def _one_each(given: Operands) -> int:
    return given.first.shape[given.whole("dim", default=0)] if given.first.dim() else 1


def _split(given: Operands) -> int:
    size = given.get("split_size", "split_size_or_sections", "split_sizes", "split_size", default=1)
    return math.ceil(_one_each(given) / max(size, 1)) if isinstance(size, int) else len(size)


def _sections(given: Operands) -> int:
    where = given.get("chunks", "sections", "indices", "tensor_indices_or_sections", default=1)
    where = where[0] if isinstance(where, list) and len(where) == 1 else where
    if isinstance(where, torch.Tensor):
        return where.numel() + 1 if where.dim() else int(where)
    return where if isinstance(where, int) else len(where) + 1


_PIECES = {
    **dict.fromkeys(("unbind", "unbind_copy"), _one_each),
    **dict.fromkeys(("split", "unsafe_split", "split_copy", "split_with_sizes", "unsafe_split_with_sizes",
                     "split_with_sizes_copy"), _split),
    **dict.fromkeys(("chunk", "unsafe_chunk", "tensor_split", "hsplit", "vsplit", "dsplit"), _sections),
}  # fmt: skip
