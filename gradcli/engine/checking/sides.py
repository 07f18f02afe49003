"""What the slopes on both sides of a point tell: a kink, where they differ however small the step, or a jump."""

from __future__ import annotations

import math

# Twice the step, quotients at the centre, on the right and on the left, and what rounding does to the first.
Column = list[tuple[float, ...]]

VISIBLE = 1e-5  # of the slopes: a difference between both sides that counts
STAYS = (0.5, 2.0)  # a kink's jump is the same at every step; that of curvature shrinks with it


def suspect(column: Column) -> bool:
    """Whether a few steps look as if there might be a kink."""
    (_, first, _), (_, second, least) = map(_jump, column[-2:])
    return second > least and first < STAYS[1] * second


def kink_of(column: Column) -> tuple[float, float] | None:
    """The slopes on the left and on the right of a kink, or None where there is none.

    Their difference must stay the same down to the narrowest steps at which rounding would let it be seen.
    """
    jumps = [_jump(row) for row in column if all(map(math.isfinite, row[2:4]))]
    seen = [jump for _, jump, least in jumps if jump > least]
    if not seen:
        return None
    expected = seen[-1]
    fine = [(row, jump) for row, jump, least in jumps if least < 0.3 * expected][-3:]
    if len(fine) < 3 or not all(STAYS[0] < jump / expected < STAYS[1] for _, jump in fine):
        return None
    middle = fine[1][0]
    return middle[3], middle[2]


def jump_of(column: Column) -> float | None:
    """The height of a jump of the function itself at the point: what it moves by, however small the step."""
    heights = [centre * width for width, centre, *_ in column[-6:]]
    if not all(map(math.isfinite, heights)) or not heights or heights[-1] == 0:
        return None
    return heights[-1] if all(abs(one - heights[-1]) <= 1e-3 * abs(heights[-1]) for one in heights) else None


def _jump(row: tuple[float, ...]) -> tuple[tuple[float, ...], float, float]:
    """The difference between both sides, and what rounding and the size of the slopes hide of it."""
    _, _, right, left, noise = row
    return row, abs(right - left), 20 * noise + VISIBLE * max(abs(right), abs(left))
