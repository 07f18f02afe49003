"""What a GradScaler does: its scale, the steps it skips, and whether an optimizer's gradients are still scaled."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.amp import grad_scaler as module

READY = "READY"


class Scalers:
    """The scalers of a training. On a GPU their numbers stay there until they are asked for."""

    def __init__(self) -> None:
        self._known: list[weakref.ref[Any]] = []
        self.updates = 0
        self.first: float | None = None
        self.last: float | None = None
        self._skipped: torch.Tensor | None = None
        self._count = 0
        self._scale: torch.Tensor | None = None
        self.skips: list[tuple[int, float]] = []  # on the CPU: which update, at which scale

    def install(self) -> Callable[[], None]:
        """Learn of scalers when they make their scale, and of each update; returns the undoing."""
        kind = module.GradScaler
        lazy = getattr(kind, "_lazy_init_scale_growth_tracker", None)
        update = getattr(torch, "_amp_update_scale_", None)

        def made(self_: Any, device: Any) -> None:
            lazy(self_, device)  # type: ignore[misc]
            self.made(self_)

        def updated(scale: Any, tracker: Any, found: Any, *rest: Any) -> Any:
            self.updating(scale, found)
            return update(scale, tracker, found, *rest)  # type: ignore[misc]

        if lazy is not None:
            kind._lazy_init_scale_growth_tracker = made  # type: ignore[method-assign,assignment]
        if update is not None:
            torch._amp_update_scale_ = updated  # type: ignore[assignment]

        def remove() -> None:
            if lazy is not None and kind._lazy_init_scale_growth_tracker is made:
                kind._lazy_init_scale_growth_tracker = lazy  # type: ignore[method-assign]
            if update is not None and torch._amp_update_scale_ is updated:
                torch._amp_update_scale_ = update

        return remove

    def made(self, scaler: Any) -> None:
        """A scaler made its scale."""
        self._known.append(weakref.ref(scaler))

    def updating(self, scale: torch.Tensor, found: torch.Tensor) -> None:
        """A scaler is about to update: at this scale, with this many infinities found."""
        with torch.no_grad():
            self.updates += 1
            if scale.device.type == "cpu":
                number = float(scale)
                self.first = number if self.first is None else self.first
                self.last = number
                self._scale = scale
                if float(found) > 0:
                    self._count += 1
                    self.skips.append((self.updates, number))
                    del self.skips[1000:]
                return
            hit = (found > 0).float()
            self._skipped = hit if self._skipped is None else self._skipped + hit
            self._scale = scale

    def read(self) -> None:
        """Fetch what is on a GPU."""
        if self._scale is not None:
            self.last = float(self._scale)
            self.first = self.last if self.first is None else self.first

    @property
    def skipped(self) -> int:
        """The updates before which the step was skipped."""
        return self._count + (0 if self._skipped is None else int(self._skipped))

    @property
    def known(self) -> bool:
        """Whether there is a scaler."""
        return any(one() is not None for one in self._known) or self.updates > 0

    def scaled(self, optimizer: Any) -> bool | None:
        """Whether the gradients of an optimizer are still scaled; None where no scaler has anything to do with it."""
        for ref in self._known:
            scaler = ref()
            states = getattr(scaler, "_per_optimizer_states", None)
            if states is None or getattr(scaler, "_scale", None) is None:
                continue
            state = states.get(id(optimizer))
            return state is None or getattr(state.get("stage"), "name", READY) == READY
        return None

    def unscales(self, optimizer: Any) -> bool:
        """Whether a scaler is taking care of the step of this optimizer at this moment."""
        if getattr(optimizer, "grad_scale", None) is not None:
            return True
        for ref in self._known:
            states = getattr(ref(), "_per_optimizer_states", None)
            if states is not None and id(optimizer) in states:
                return True
        return False

    def scale(self) -> float | None:
        """The scale where it is on the CPU."""
        for ref in self._known:
            scale = getattr(ref(), "_scale", None)
            if scale is not None and scale.device.type == "cpu":
                return float(scale)
        return None


def divisor(optimizer: Any) -> tuple[float, bool]:
    """What the gradients of a fused optimizer are to be divided by, and whether its kernel will skip this step."""
    scale, found = getattr(optimizer, "grad_scale", None), getattr(optimizer, "found_inf", None)
    return (1.0 if scale is None else float(scale)), found is not None and float(found) > 0
