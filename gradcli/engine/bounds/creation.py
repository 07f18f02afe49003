"""How many elements a new tensor has: as many as its text says."""

from __future__ import annotations

import math

from gradcli.engine.bounds.operands import Operands, Rule, integers, largest, product, spread


def _written(given: Operands) -> int:
    """zeros(3, 4), full((3, 4), 0.5), new_ones(2), normal(0, 1, (3,)): the sizes are written."""
    return math.prod(max(one, 0) for one in integers([given.get("size", default=())]))


def _drawn(given: Operands) -> int:
    """normal(): of a size, or one for each mean and deviation."""
    return _written(given) if given.get("size") is not None else spread(given)


def _range(given: Operands) -> int:
    start, end, step = given.get("start", default=0), given.get("end", default=0), given.get("step", default=1)
    return max(math.ceil((end - start) / step), 0) + 1 if step else 1


def _steps(given: Operands) -> int:
    return given.whole("steps", default=1) * max(largest(given), 1)


def _eye(given: Operands) -> int:
    n = given.whole("n", default=1)
    return n * given.whole("m", default=n)


def _triangle(given: Operands) -> int:
    """A pair of indices for each place of a triangle, at most of the whole matrix."""
    return 2 * max(given.whole("row", default=1), 1) * max(given.whole("col", default=1), 1)


def _numbers(given: Operands) -> int:
    """tensor([[1, 2], [3, 4]]): a list has as many elements as its lists have at each depth."""
    found, count = given.get("data", "obj", "s", default=0), 1
    while isinstance(found, (list, tuple)) and found:
        count *= len(found)
        found = found[0]
    return count * product([found]) if given.tensors else count


def _length(given: Operands) -> int:
    """A window, a permutation, frequencies: of one length."""
    return max(integers([given.get("window_length", "M", "n", default=1)]), default=1)


NAMES: dict[str, Rule] = {
    **dict.fromkeys(("zeros", "ones", "full", "rand", "randn", "randint"), _written),
    **dict.fromkeys(("new_zeros", "new_ones", "new_full"), _written),
    **dict.fromkeys(("arange", "range"), _range),
    **dict.fromkeys(("linspace", "logspace"), _steps),
    **dict.fromkeys(("tril_indices", "triu_indices"), _triangle),
    **dict.fromkeys(("tensor", "as_tensor", "asarray", "scalar_tensor", "new_tensor"), _numbers),
    **dict.fromkeys(("randperm", "fftfreq", "rfftfreq"), _length),
    "eye": _eye, "normal": _drawn,
}  # fmt: skip
FAMILIES: dict[str, Rule] = {"creation": largest, "windows": _length, "random": spread}
