"""What can be proved of an answer, each made when it is first asked for, and once."""

from __future__ import annotations

from functools import cached_property

import torch

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.absorbing import absorbed, absorbing
from gradcli.engine.proving.again import Short
from gradcli.engine.proving.astray import Astray, astray
from gradcli.engine.proving.bending import Bend, bends
from gradcli.engine.proving.births import Birth, births
from gradcli.engine.proving.causes import Cause, causes
from gradcli.engine.proving.corners import Corner, corners
from gradcli.engine.proving.flatness import killers, partly
from gradcli.engine.proving.losing import Lost, lost
from gradcli.engine.proving.overlooked import Overlooked, overlooked
from gradcli.engine.proving.picking import Picked, picked
from gradcli.engine.proving.replay import Replay, replay
from gradcli.engine.proving.resting import resting
from gradcli.engine.proving.rounding import Rounded, rounded, sizes_of
from gradcli.engine.proving.signs import Signs, signs, small
from gradcli.engine.proving.stillness import Flat
from gradcli.engine.proving.stretching import Stretched, stretched
from gradcli.engine.proving.unrecorded import Unrecorded, unrecorded
from gradcli.engine.readable import computable
from gradcli.language import families
from gradcli.language.program import Call


class Proofs:
    """The evidence on one outcome."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self._flat: dict[str, list[Flat]] = {}
        self.short = False  # whether memory was wanting for a proof
        self.signs: Signs = signs(outcome)

    @property
    def thorough(self) -> bool:
        """Whether what nothing points to is proved too."""
        verify = self.outcome.request.verify
        return small(self.outcome) if verify is None else verify

    @property
    def worth(self) -> bool:
        """Whether there is anything to prove."""
        looks = self.outcome.looks
        return self.signs.off or (looks is not None and bool(looks.found)) or self.thorough

    @property
    def hidden(self) -> bool:
        """Whether the text may write where autograd does not see it."""
        return self.outcome.request.program.writes and self.outcome.request.program.cuts

    @property
    def narrow(self) -> bool:
        """Whether float64 is worth comparing with."""
        if self.outcome.retold:
            return False  # what a loss scale keeps is told beside it
        return self.signs.off or self.thorough or bool(self.steps(families.ADDS))

    def steps(self, family: int) -> list[int]:
        """The steps at which something of a family was found."""
        looks = self.outcome.looks
        return [index for index, found in looks.found.items() if found & family] if looks is not None else []

    @cached_property
    def replay(self) -> Replay | None:
        """The evaluation, to be made again."""
        return self._again(wide=False)

    def _again(self, wide: bool) -> Replay | None:
        try:
            return replay(self.outcome, wide)
        except Short:
            self.short = True
            return None

    @cached_property
    def wide(self) -> Replay | None:
        """The same in float64; None where it is the same, or cannot be compared with."""
        if self.replay is None or not _narrow(self.outcome):
            return None
        found = self._again(wide=True)
        if found is None or len(found.calls) != len(self.replay.calls):
            return None
        same = all(one.shape == other.shape for one, other in zip(found.results, self.outcome.results, strict=True))
        return found if same else None

    @cached_property
    def gradients(self) -> dict[str, torch.Tensor]:
        """The gradients of the answer; where it did not go back, those that it would have."""
        if self.outcome.went_back and not self.outcome.retold:
            found = {name: view.grad for name, view in self.outcome.inputs.items()}
            return {name: computable(one) for name, one in found.items() if one is not None}
        return self._of(self.replay)

    @cached_property
    def true_gradients(self) -> dict[str, torch.Tensor]:
        """The gradients in float64."""
        return self._of(self.wide)

    def _of(self, replay: Replay | None) -> dict[str, torch.Tensor]:
        try:
            found = replay.gradients() if replay is not None else {}
            return {name: computable(one) for name, one in found.items()}
        except Short:
            self.short = True
        except Exception:
            pass
        return {}

    @cached_property
    def finite_in_float64(self) -> bool:
        """Whether outputs that are not finite are so only in this dtype."""
        if self.wide is None:
            return False
        pairs = zip(self.outcome.results, self.wide.results, strict=True)
        return any(bool((~one.isfinite() & true.isfinite()).any()) for one, true in pairs)

    @cached_property
    def births(self) -> list[Birth]:
        """The calls that the outputs owe their NaN and Inf to."""
        return births(self.outcome, self.replay) if self.signs.value and self.replay is not None else []

    @cached_property
    def causes(self) -> list[Cause]:
        """The causes of gradients that are not finite; where the value is not either, they are consequences."""
        if not self.signs.gradient or self.replay is None or self.births or self.finite_in_float64:
            return []
        try:
            return causes(self.outcome, self.replay, self.wide, self.true_gradients)
        except RuntimeError:
            return []

    @cached_property
    def bends(self) -> list[Bend]:
        """The calls that derivatives of a higher order owe it to that they are not finite, where the gradient is."""
        fine = self.replay is not None and not self.signs.value and not self.signs.gradient
        if not self.signs.bent or not fine or not all(bool(one.isfinite().all()) for one in self.gradients.values()):
            return []
        return bends(self.replay, self.outcome.bent) if self.replay is not None else []

    @cached_property
    def corners(self) -> list[Corner]:
        """The calls at which the answer has a kink."""
        steps = self.steps(families.KINKED)
        return corners(self.outcome, self.replay, steps) if steps and self.replay is not None else []

    def flat(self, name: str) -> list[Flat]:
        """The calls that keep the gradient of an input at zero, and how."""
        if self.signs.value:
            return []  # gradients of values that are not finite are consequences
        if name not in self._flat:
            self._flat[name] = self._still(name)
        return self._flat[name]

    def _still(self, name: str) -> list[Flat]:
        if self.replay is None:
            return []
        return killers(self.replay, name) or resting(self.outcome, self.replay, name) or []

    @cached_property
    def astray(self) -> list[Astray]:
        """Inputs whose gradient is 0 though the slope of the answer is not, the same on both sides."""
        if self.replay is None or self.signs.value or self.signs.gradient:
            return []
        found = [astray(self.outcome, self.replay, name) for name in self.signs.zero if not self.flat(name)]
        return [one for one in found if one is not None]

    @cached_property
    def partly_flat(self) -> list[tuple[str, Flat]]:
        """Inputs whose gradient is kept at zero for nearly all elements, and the calls that do."""
        if self.replay is None or self.signs.value or self.signs.gradient:
            return []
        return [(name, one) for name in self.signs.partly for one in partly(self.replay, name)]

    @cached_property
    def overlooked(self) -> Overlooked | None:
        """A write over what was saved for backward that torch took no notice of."""
        return overlooked(self.outcome)

    @cached_property
    def unrecorded(self) -> list[Unrecorded]:
        """Inputs whose gradient does not follow a write that was not recorded."""
        return unrecorded(self.outcome, self.gradients)

    @cached_property
    def sizes(self) -> dict[str | None, float]:
        """How large the numbers are that may cancel: of gradients by input, of values under None."""
        return sizes_of(self.wide) if self.wide is not None else {}

    @cached_property
    def rounded(self) -> list[Rounded]:
        """The outputs and gradients that are off by more than the inputs' rounding explains."""
        if self.wide is None or self.signs.value or self.signs.gradient:
            return []
        return rounded(self.outcome, self.wide, self.gradients, self.true_gradients, self.sizes)

    @cached_property
    def absorbed(self) -> list[tuple[str, Call]]:
        """Inputs that an addition absorbed whole, and that addition."""
        if self.wide is None or self.replay is None:
            return []
        adding = absorbing(self.replay)
        return absorbed(self.outcome, self.wide, adding) if adding else []

    @cached_property
    def stretched(self) -> list[Stretched]:
        """Pairs of operands of which neither has the shape of the result."""
        steps = set(self.steps(families.STRETCHES))
        return stretched(self.replay, steps) if steps and self.replay is not None else []

    @cached_property
    def picked(self) -> list[Picked]:
        """Calls whose index names an element more than once."""
        steps = set(self.steps(families.PICKS))
        return picked(self.replay, steps) if steps and self.replay is not None else []

    @cached_property
    def lost(self) -> list[Lost]:
        """The calls that lost numbers to this dtype."""
        if self.wide is None or self.replay is None:
            return []
        return lost(self.replay)


def _narrow(outcome: Outcome) -> bool:
    """Whether anything is computed in fewer bits than float64 has."""
    shown = [*outcome.results, *(one.value for one in outcome.inputs.values())]
    return any(
        (one.is_floating_point() and one.itemsize < 8) or (one.is_complex() and one.itemsize < 16) for one in shown
    )
