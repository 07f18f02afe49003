"""A surface in characters: the darker, the higher; where it is not finite, and what was found on it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gradcli.numerals import numbers
from gradcli.render import Style
from gradcli.render.plots.scales import Scale, along, logarithmic, ticks
from gradcli.swept import Sweep

SHADES, ASCII = " ░▒▓█", " .:-=+*#%@"
STEPS = 10  # heights that are told apart
MARKS = {"minimum": "v", "maximum": "^", "saddle": "x", "stationary": "o", "kink": "+"}
LEAST, MOST = 14, 30  # lines


def lines(result: Sweep, width: int, style: Style) -> Iterator[str]:
    """A line for each row of characters, the second input upwards; axes and what the shades mean."""
    (left, xs), (below, ys) = ((name, [float(one) for one in _places(values)]) for name, values in result.at.items())
    value = result.value.real if result.value.is_complex() else result.value
    grid = [list(map(float, numbers(row))) for row in value]
    steps = levels([one for row in grid for one in row if math.isfinite(one)])
    used = len(result.findings) + len(result.notes) + 6
    height = min(max((style.height or 24) - used, LEAST), MOST)
    up, across = _scale(ys), _scale(xs)
    labels = {round(up.place(number) * (height - 1)): text for number, text in ticks(up, max(height // 4, 2))}
    margin = max(map(len, labels.values()), default=1)
    columns = width - margin - 2
    shades = ASCII if style.ascii else SHADES
    cells = [
        [
            _shade(grid[_nearest(xs, across, column, columns)][_nearest(ys, up, row, height)], steps, shades)
            for column in range(columns)
        ]
        for row in range(height)
    ]
    seen = set()
    for one in result.findings:
        x, y = one.where.get(left), one.where.get(below)
        if isinstance(x, (int, float)) and isinstance(y, (int, float)):
            column, row = round(across.place(x) * (columns - 1)), round(up.place(y) * (height - 1))
            if 0 <= column < columns and 0 <= row < height:
                cells[row][column] = MARKS.get(one.kind, "o")
                seen.add(one.kind)
    bar = "|" if style.ascii else "│"
    yield style.shown(f"value, {below} upwards")
    for row in reversed(range(height)):
        yield f"{labels.get(row, ''):>{margin}} {bar}{''.join(cells[row])}".rstrip()
    yield f"{'':{margin}} {('+' if style.ascii else '└') + ('-' if style.ascii else '─') * columns}"
    yield from _below(across, columns, margin + 2, style.shown(left))
    said = [f"blank <= {steps[-(-len(steps) // (len(shades) - 1)) - 1]:.3g}"] if steps else []
    said += [f"{shade} {text}" for shade, text in _shades(steps, shades)]
    said += [f"{MARKS.get(kind, 'o')} {kind}" for kind in MARKS if kind in seen]
    if any(not math.isfinite(one) for row in grid for one in row):
        said.append("? not finite")
    yield from _filled(said, width)


def levels(heights: list[float]) -> list[float]:
    """Numbers between which heights share a shade: evenly spaced, or where some tower over the others, equally full."""
    if not heights:
        return []
    ordered = sorted(heights)
    low, high = ordered[0], ordered[-1]
    middle = ordered[len(ordered) // 2]
    even = [low + (high - low) * step / STEPS for step in range(1, STEPS)]
    if high > low and math.isfinite(high - low) and 0.3 < (middle - low) / (high - low) < 0.7:
        return even
    full = [ordered[len(ordered) * step // STEPS] for step in range(1, STEPS)]
    return sorted(set(full)) if high > low else []


def _places(values: object) -> list[float]:
    dimensions = values.dim()  # type: ignore[attr-defined]
    return numbers(values) if dimensions == 1 else list(range(len(values)))  # type: ignore[arg-type]


def _scale(places: list[float]) -> Scale:
    low, high = min(places), max(places)
    return along(low, high, logarithmic(sorted(places)))


def _nearest(places: list[float], scale: Scale, step: int, steps: int) -> int:
    wanted = scale.number(step / max(steps - 1, 1))
    return min(range(len(places)), key=lambda index: abs(places[index] - wanted))


def _shade(height: float, steps: list[float], shades: str) -> str:
    if not math.isfinite(height):
        return "?"
    return shades[sum(height > one for one in steps) * (len(shades) - 1) // max(len(steps), 1)]


def _shades(steps: list[float], shades: str) -> Iterator[tuple[str, str]]:
    """Each shade with the least height that has it."""
    for index in range(1, len(shades)):
        place = -(-index * len(steps) // (len(shades) - 1)) - 1
        if 0 <= place < len(steps):
            yield shades[index], f"> {steps[place]:.3g}"


def _below(across: Scale, columns: int, margin: int, name: str) -> Iterator[str]:
    line = [" "] * (margin + columns)
    for number, text in ticks(across, max(columns // 16, 2)):
        start = min(margin + round(across.place(number) * (columns - 1)), len(line) - len(text))
        line[start : start + len(text)] = text
    yield "".join(line).rstrip()
    yield f"{name:^{margin + columns}}".rstrip()


def _filled(said: list[str], width: int) -> Iterator[str]:
    line = ""
    for one in said:
        if line and len(line) + len(one) + 2 > width:
            yield line
            line = ""
        line = f"{line}  {one}" if line else one
    if line:
        yield line
