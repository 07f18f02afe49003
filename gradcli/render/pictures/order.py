"""The order of items within their layers: as few crossings of edges as sweeps up and down come to.

Each sweep sorts a layer by the mean place of the neighbours in the layer before: the barycentre method of Sugiyama,
Tagawa and Toda (1981).
"""

from __future__ import annotations

from gradcli.render.pictures.layers import Layered

SWEEPS = 12
PATIENCE = 4  # sweeps that may bring nothing


def order(made: Layered) -> None:
    """Sort the layers where they are; the order with the fewest crossings stays."""
    best, fewest, last = [list(layer) for layer in made.layers], crossings(made), 0
    for sweep in range(SWEEPS):
        if not fewest or sweep - last > PATIENCE:
            break
        _sweep(made, downwards=sweep % 2 == 0)
        if (count := crossings(made)) < fewest:
            best, fewest, last = [list(layer) for layer in made.layers], count, sweep
    made.layers[:] = best


def _sweep(made: Layered, downwards: bool) -> None:
    neighbours = made.up if downwards else made.down
    places = _places(made)
    for layer in made.layers if downwards else reversed(made.layers):

        def wished(item: int) -> float:
            near = neighbours[item]
            return sum(places[one] for one in near) / len(near) if near else places[item]

        layer.sort(key=wished)
        places.update((item, place) for place, item in enumerate(layer))


def _places(made: Layered) -> dict[int, float]:
    return {item: float(place) for layer in made.layers for place, item in enumerate(layer)}


def crossings(made: Layered) -> int:
    """How often pieces of edges cross each other between their layers."""
    places = _places(made)
    total = 0
    for layer, below in zip(made.layers, made.layers[1:], strict=False):
        ends = [place for item in layer for place in sorted(int(places[one]) for one in made.down[item])]
        total += _inversions(ends, len(below))
    return total


def _inversions(ends: list[int], size: int) -> int:
    """Pairs in the wrong order, counted with sums over a binary indexed tree."""
    sums = [0] * (size + 1)
    total = 0
    for seen, end in enumerate(ends):
        at, before = end + 1, 0
        while at:
            before += sums[at]
            at &= at - 1
        total += seen - before
        at = end + 1
        while at <= size:
            sums[at] += 1
            at += at & -at
    return total
