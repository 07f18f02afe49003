"""Where items stand: the layers below each other, and each item near its neighbours with nothing on top of it."""

from __future__ import annotations

from gradcli.render.pictures.boxes import Box
from gradcli.render.pictures.layers import Layered

BESIDE = 24.0  # pixels between neighbours of a layer
ROUNDS = 8
STRAIGHT = 8.0  # how much more a bend pulls than a node does


def levels(made: Layered, shown: list[Box], start: float, labels: float, gap: float) -> list[tuple[float, float]]:
    """For each item where its layer begins and ends, downwards, the room for labels below its boxes counted in."""
    sides = [(0.0, 0.0)] * made.items
    for layer in made.layers:
        height = max(shown[item].height for item in layer if item < len(shown)) + labels
        for item in layer:
            sides[item] = start, start + height
        start += height + gap
    return sides


def middles_of(made: Layered, widths: list[float], nodes: int) -> list[float]:
    """The middle of each item: near the middles of its neighbours, in order, apart from each other."""
    middles = [0.0] * made.items
    for layer in made.layers:
        _apart(layer, [0.0] * len(layer), [1.0] * len(layer), widths, middles)
    for step in range(ROUNDS):
        neighbours = made.up if step % 2 == 0 else made.down
        for layer in made.layers if step % 2 == 0 else reversed(made.layers):
            wishes, weights = [], []
            for item in layer:
                pulls = [(middles[one], STRAIGHT if min(one, item) >= nodes else 1.0) for one in neighbours[item]]
                weight = sum(pull for _, pull in pulls)
                wishes.append(sum(at * pull for at, pull in pulls) / weight if pulls else middles[item])
                weights.append(weight or 0.1)
            _apart(layer, wishes, weights, widths, middles)
    return middles


def _apart(
    layer: list[int], wishes: list[float], weights: list[float], widths: list[float], middles: list[float]
) -> None:
    """The places nearest to the wishes, by weighted squares, at which neighbours keep their distance.

    With the distances taken off this is a rising sequence nearest to another: pools of neighbours at their mean.
    """
    offsets, offset = [], 0.0
    for place, item in enumerate(layer):
        offset += (widths[layer[place - 1]] + widths[item]) / 2 + BESIDE if place else 0.0
        offsets.append(offset)
    pools: list[list[float]] = []  # sum of weights, weighted mean, count
    for wish, weight, offset in zip(wishes, weights, offsets, strict=True):
        pools.append([weight, wish - offset, 1])
        while len(pools) > 1 and pools[-2][1] > pools[-1][1]:
            own, mean, count = pools.pop()
            total = pools[-1][0] + own
            pools[-1] = [total, (pools[-1][1] * pools[-1][0] + mean * own) / total, pools[-1][2] + count]
    places = [mean for _, mean, count in pools for _ in range(int(count))]
    for item, middle, offset in zip(layer, places, offsets, strict=True):
        middles[item] = middle + offset
