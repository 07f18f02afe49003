"""The ways of edges: where each leaves and arrives, its path between the layers, and the label at its start."""

from __future__ import annotations

from gradcli.graphed import Graph
from gradcli.render.pictures.boxes import LINE, room_of
from gradcli.render.pictures.layers import Layered
from gradcli.render.pictures.shapes import Label, Path, Placed, Point


def routes(
    graph: Graph, made: Layered, placed: tuple[Placed, ...], middles: list[float], sides: list[tuple[float, float]]
) -> tuple[tuple[Path, ...], tuple[Label, ...]]:
    """The path of each edge, then of each bundle; and the labels. `sides`: where the layer of each item lies."""
    starts, labels = _starts(graph, made, placed, middles)
    ends = _ends(graph, made, placed, middles, starts)
    paths = []
    for number, (edge, first) in enumerate(zip(graph.edges, made.first, strict=True)):
        start, bottom = starts[number], sides[edge.start][1]
        fall = ((start[0], bottom),) if bottom > start[1] else ()
        to_box = first is None or first == edge.end
        end = ends[edge.end, number] if to_box else (middles[first or 0], sides[first or 0][0])
        paths.append(Path((start, *fall, end), number, edge.end, to_box, straight=first is None))
    for end_, bends in made.bundles.items():
        points = [(middles[bend], y) for bend in bends for y in sides[bend]]
        paths.append(Path((*points, ends[end_, None]), None, end_, True))
    return tuple(paths), tuple(labels)


def _starts(
    graph: Graph, made: Layered, placed: tuple[Placed, ...], middles: list[float]
) -> tuple[dict[int, Point], list[Label]]:
    """Where each edge leaves its box: side by side, in the order in which they arrive, with room for their labels."""
    leaving: list[list[tuple[float, int, str]]] = [[] for _ in placed]
    for number, (edge, first) in enumerate(zip(graph.edges, made.first, strict=True)):
        text = placed[edge.start].box.labels[len(leaving[edge.start])]
        leaving[edge.start].append((middles[edge.end if first is None else first], number, text))
    starts: dict[int, Point] = {}
    labels: list[Label] = []
    for one, ways in zip(placed, leaving, strict=True):
        bottom = one.y + one.box.height
        x = one.x + (one.box.width - sum(room_of(text) for _, _, text in ways)) / 2
        for _, number, text in sorted(ways):
            middle = x + room_of(text) / 2
            x += room_of(text)
            starts[number] = middle, bottom
            labels += [Label(text, middle, bottom + LINE)] if text else []
    return starts, labels


def _ends(
    graph: Graph, made: Layered, placed: tuple[Placed, ...], middles: list[float], starts: dict[int, Point]
) -> dict[tuple[int, int | None], Point]:
    """Where each edge, and each bundle (None), arrives at a box: side by side along its top."""
    arriving: list[list[tuple[float, int]]] = [[] for _ in placed]
    for number, (edge, first) in enumerate(zip(graph.edges, made.first, strict=True)):
        if first is None or first == edge.end:
            arriving[edge.end].append((starts[number][0], number))
    for end, bends in made.bundles.items():
        arriving[end].append((middles[bends[-1]], -1))
    ends: dict[tuple[int, int | None], Point] = {}
    for index, (one, ways) in enumerate(zip(placed, arriving, strict=True)):
        for place, (_, number) in enumerate(sorted(ways), 1):
            x = one.x + one.box.width * place / (len(ways) + 1)
            ends[index, None if number < 0 else number] = x, one.y
    return ends
