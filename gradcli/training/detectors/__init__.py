"""Rules that read what was seen: one small file a kind of illness."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gradcli.results import LEVELS
from gradcli.training.detectors import (
    clipping,
    frozen,
    layers,
    nonfinite,
    outside,
    rounding,
    scaling,
    units,
    unused,
    variables,
    zeroing,
)
from gradcli.training.detectors.finding import Evidence, Finding
from gradcli.training.watching.events import Events

RULES: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (
    unused.rule, outside.rule, zeroing.rule, layers.rule, units.rule, nonfinite.rule, scaling.rule, variables.rule,
    rounding.rule, frozen.rule, clipping.rule,
)  # fmt: skip


def findings(events: Events, thresholds: Mapping[str, float]) -> list[Finding]:
    """What every rule found, the most serious first."""
    evidence = Evidence(events, thresholds)
    found = [one for rule in RULES for one in rule(evidence)]
    return sorted(found, key=lambda one: LEVELS.index(one.note.level))
