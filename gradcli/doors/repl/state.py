"""What a conversation knows at one moment, frozen: names, settings, the last question; and the values of inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gradcli.doors.environment import Environment
from gradcli.doors.show import Showing

if TYPE_CHECKING:
    from gradcli.language.conversation import Names, Value


@dataclass(frozen=True, slots=True)
class State:
    """`settings`: keywords that every command gets where it has them; `wait` returns when torch is loaded.

    `drawn` keeps the tensors of inputs that random numbers made, so that they are the same in every answer.
    """

    environment: Environment
    names: Names
    settings: Mapping[str, Any]
    wait: Callable[[], None]
    last: str | None = None
    drawn: dict[Any, Any] = field(default_factory=dict)

    def value_of(self, name: str) -> Any:
        """The value of an input as the functions of the API take it: its text, or the tensor that was drawn."""
        value = self.names.values[name]
        return value.text if value.drawn is None else self._drawn(value)

    def _drawn(self, value: Value) -> Any:
        """The n-th random value has the n-th seed: it depends neither on the others, nor on what is asked."""
        from gradcli.commands.evaluate import evaluate

        around: dict[str, Any] = {name: self.settings.get(name) for name in ("dtype", "device", "max_memory")}
        seed = self.settings.get("seed", 0) + (value.drawn or 0)
        key = (value.text, seed, *around.values())
        if key not in self.drawn:
            self.drawn[key] = evaluate(value.text, seed=seed, notes=False, **around).output.value
        return self.drawn[key]


def shown_by(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Of settings those that say how answers are shown: the keywords of Showing."""
    return {name: value for name, value in settings.items() if name in Showing.__slots__}
