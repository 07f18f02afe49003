"""What operations should compute: one row a name of the vocabulary, a file a family.

A row of ELEMENTWISE is a function of numbers; one of COUPLED is a formula over arrays. Both take the parameters of the
vocabulary's signature under their names, with torch's defaults, as far as they bear on real numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.checking.exact.rows import (
    elementary,
    layers,
    linear_algebra,
    losses,
    norms,
    products,
    reductions,
    special,
)

Row = Callable[..., Any]

ELEMENTWISE: dict[str, Row] = elementary.ROWS | special.ROWS
COUPLED: dict[str, Row] = reductions.ROWS | norms.ROWS | products.ROWS | linear_algebra.ROWS | layers.ROWS | losses.ROWS
