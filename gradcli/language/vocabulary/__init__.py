"""The functions that an expression may call: an explicit list, one row a function, one file a family.

Adding a function is adding a row to its family's file; adding a family is adding its file to FAMILIES.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from gradcli.language.vocabulary.function import NAMESPACES, Function

__all__ = ["BARE", "FAMILIES", "FIELDS", "NAMESPACES", "Function", "by_path", "find_bare", "find_method", "functions"]

FAMILIES = (
    "arithmetic", "exponentials", "trigonometry", "rounding", "comparison", "selection", "special", "polynomials",
    "complex", "reductions", "scans", "sorting", "masked", "products", "linalg", "decompositions", "shape",
    "joining", "indexing", "fft", "creation", "windows", "random", "conversion", "inspection", "attributes",
    "activations", "losses", "normalization", "convolution", "pooling", "vision", "attention", "dropout",
    "similarity", "recurrent",
)  # fmt: skip

# The fields of the named tuples that torch returns, and those of finfo and iinfo.
FIELDS = frozenset(
    (
        "values indices eigenvalues eigenvectors S U V Vh Q R L P LU pivots info sign logabsdet solution "
        "residuals rank singular_values mantissa exponent min max X inverse hist bin_edges a tau LD result "
        "cloned_coefficient eps tiny smallest_normal resolution bits"
    ).split()
)

# A bare name means the first of these places that has it.
BARE = tuple(NAMESPACES[short] for short in ("torch", "F", "special", "linalg", "fft", "masked", "Tensor"))


@cache
def functions() -> tuple[Function, ...]:
    """Every row, family by family."""
    return tuple(one for name in FAMILIES for one in import_module(f"{__name__}.{name}").FUNCTIONS)


@cache
def by_path() -> dict[str, Function]:
    """Dotted torch name -> its row."""
    return {path: one for one in functions() for path in one.paths}


@cache
def find_bare(name: str) -> tuple[str, Function] | None:
    """The dotted name and row that a name without a namespace means, or None.

    Of a row that has the name in several places the first is meant, a method last.
    """
    known = by_path()
    found = next((known[path] for place in BARE if (path := place + name) in known), None)
    if found is None:
        return None
    named = [path for path in found.paths if path.rpartition(".")[2] == name]
    return min(named, key=lambda path: path.startswith(NAMESPACES["Tensor"])), found


@cache
def find_method(name: str) -> tuple[str, Function] | None:
    """The dotted name and row of a tensor's method or attribute, or None."""
    path = NAMESPACES["Tensor"] + name
    found = by_path().get(path)
    return (path, found) if found else None
