"""How a generated script ends: the passes that a command makes, and what it prints. One function a kind of result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradcli.extras import Higher, History, Scaling
from gradcli.render.endings import backward, options, steps, whole
from gradcli.render.scene import Scene

Ending = Callable[[Any, Scene], Iterator[str]]

# Adding a command's script is adding its ending here.
_COMMANDS: dict[str, Ending] = {
    "grad": backward.differentiated,
    "eval": backward.evaluated,
    "trace": steps.traced,
    "jacobian": whole.jacobian,
    "hessian": whole.hessian,
    "jvp": whole.jvp,
}
_EXTRAS: dict[type, Ending] = {Higher: options.higher, History: options.repeated, Scaling: options.scaled}


def ending(result: Any) -> Ending:
    """The ending of a result's script."""
    answer = getattr(result, "answer", result)
    return _EXTRAS[type(answer.extra)] if answer.extra is not None else _COMMANDS[answer.command]
