"""`python -m benchmarks [NAME…]`: run measures beside their baselines and print the ratios."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator
from importlib.metadata import version

from benchmarks import MEASURES
from benchmarks.fresh import measured
from benchmarks.race import Row

_COLUMNS = ("measure", "against", "gradcli", "baseline", "ratio", "spread", "bound", "holds")


def main() -> int:
    """Print a line for each row; 1 where a bound does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Ratios of speed, measured side by side.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(MEASURES)}; all without it")
    parser.add_argument("--rounds", type=int, help="rounds of every measure; without it, each measure has its own")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in MEASURES]
    if unknown:
        parser.error(f"no measure '{unknown[0]}': {', '.join(MEASURES)}")
    print(f"{machine()}\n")
    missed = 0
    for name in asked.names or MEASURES:
        found = measured(name, asked.rounds)
        missed += sum(row.holds is False for row in found)
        print("\n".join(lines(name, found)) + "\n", flush=True)
    print("every bound holds" if not missed else f"{missed} bound{'s' * (missed > 1)} missed")
    return 1 if missed else 0


def machine() -> str:
    """What the figures were measured on."""
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, torch {version('torch')}"
    )


def lines(name: str, rows: list[Row]) -> Iterator[str]:
    """The table of one measure."""
    cells = [_COLUMNS, *map(_cells, rows)]
    widths = [max(len(row[index]) for row in cells) for index in range(len(_COLUMNS))]
    yield f"# {name}"
    for row in cells:
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        yield "  ".join([*left, *right]).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    low, high = row.spread
    bound, holds = ("", "") if row.bound is None else (f"{row.bound:g}", "yes" if row.holds else "NO")
    shown = (_amount(row.ours, row.unit), _amount(row.baseline, row.unit))
    return (row.what, row.against, *shown, f"{row.ratio:.2f}", f"{low:.2f}-{high:.2f}", bound, holds)


def _amount(value: float, unit: str) -> str:
    if unit == "B":
        return f"{value / 1e6:,.0f} MB"
    scale, name = next((one for one in ((1.0, "s"), (1e-3, "ms")) if value >= one[0]), (1e-6, "µs"))
    return f"{value / scale:.3g} {name}" if value < 100 * scale else f"{value / scale:.0f} {name}"


if __name__ == "__main__":
    raise SystemExit(main())
