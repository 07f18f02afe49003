"""Where a finding begins: each number with its reason. All are ratios between layers or over time, or counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Threshold:
    """One number: the finding it belongs to, what it counts, and why it is what it is."""

    name: str
    code: str
    value: float
    what: str
    reason: str


TABLE = (
    Threshold("unclean", "G704", 0.5, "share of steps after which gradients were still there at the next backward",
              "Healthy loops clear them after every step, so the share is 0; a loop that forgot has 1."),
    Threshold("accumulated", "G704", 3, "steps that are looked at before anything is said",
              "A first step has nothing to clear, and one odd step is no habit."),
    Threshold("fall", "G705", 1e3, "ratio of the gradients (root mean square) of the last and the first layer",
              "Healthy networks, from MLPs to transformers, stay below 60 in total; twelve sigmoid layers reach 1e7."),
    Threshold("growth", "G706", 1e3, "ratio of the gradients (root mean square) of the first and the last layer",
              "As for vanishing: healthy networks stay below 60."),
    Threshold("factor", "G705", 1.5, "factor from one layer to the next, the same for G706",
              "A total of 1e3 over hundreds of layers is 1 % a layer, which normalization and optimizers make up for."),
    Threshold("straight", "G705", 0.7, "share of the variance of log norms that a straight line explains, also G706",
              "Vanishing is a geometric decay. One odd layer, such as an embedding, is none."),
    Threshold("depth", "G705", 4, "layers that a fit needs, the same for G706",
              "A line through three points says nothing."),
    Threshold("burst", "G706", 1e3, "ratio of late gradients to the median of early ones",
              "Gradients shrink or vary tenfold in a healthy run; a thousandfold rise is divergence."),
    Threshold("dead", "G707", 0.1, "share of a layer's units whose gradient was exactly zero at every detailed step, "
              "where their bias or batch normalization tells that no draw of weights made them so",
              "A few dead units in a large layer are common and harmless; a tenth of it is capacity lost."),
    Threshold("draw", "G707", 3, "standard deviations beyond half of a layer's units, which may be dead from the start",
              "Where all inputs of a layer are much alike, as behind one positive number, the sign of what a unit "
              "gives is the toss of a coin; a tenth to a half of such a layer is dead in healthy networks."),
    Threshold("looks", "G707", 3, "detailed steps that are needed before a unit is called dead",
              "A unit may be silent for one batch."),
    Threshold("few", "G707", 3, "dead units that are worth a word where they are not half of the layer",
              "In a small layer one dead unit is a tenth of it, and an ordinary draw of its weights."),
    Threshold("batch", "G707", 32, "samples that must have gone through a layer at its detailed steps together",
              "With batches of one, half of all units are silent in each step by chance."),
    Threshold("held", "G710", 3, "steps whose graphs one variable reaches",
              "Two occur where a hidden state is carried on purpose; more grow without end."),
    Threshold("lost", "G712", 0.5, "share of elements with a gradient that a step left unchanged",
              "In float32 nearly every element moves; where half do not, rounding decides what is learnt."),
    Threshold("samples", "G712", 3, "detailed steps that are needed before updates are called lost",
              "A warm-up begins with tiny steps."),
)  # fmt: skip

DEFAULTS: Mapping[str, float] = {one.name: one.value for one in TABLE}


def chosen(changes: Mapping[str, float] | None) -> dict[str, float]:
    """All thresholds, with those that were given in place of the defaults.

    Raises ValueError for a name that there is none of, and for a number that is not above 0.
    """
    wanted = dict(changes or {})
    unknown = sorted(set(wanted) - set(DEFAULTS))
    if unknown:
        raise ValueError(f"there is no threshold '{unknown[0]}': {', '.join(DEFAULTS)}")
    for name, value in wanted.items():
        if not value > 0:
            raise ValueError(f"threshold {name} is {value}: it must be above 0")
    return {**DEFAULTS, **wanted}
