"""A laid-out picture: boxes, paths and labels with their coordinates, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.render.pictures.boxes import Box

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Placed:
    """A box and its upper left corner."""

    box: Box
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Path:
    """Points from above: between two of one x a line, else a curve that leaves and arrives upright.

    `edge` is the edge that it belongs to, None for a bundle of several; `arrow`: whether it ends at a box.
    """

    points: tuple[Point, ...]
    edge: int | None
    end: int
    arrow: bool
    straight: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """The gradient of an edge, below the box that it leaves: the middle of its text, and its width."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """A whole picture. Its boxes are in the order of the nodes."""

    width: float
    height: float
    boxes: tuple[Placed, ...]
    paths: tuple[Path, ...]
    labels: tuple[Label, ...]
