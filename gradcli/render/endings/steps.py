"""The script of `trace`: every step keeps its gradient, one call of backward, and what each step holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from gradcli.render.endings.backward import call
from gradcli.render.scene import Scene


def traced(result: Any, scene: Scene) -> Iterator[str]:
    """`retain_grad()` on each step that was recorded, backward, then value and gradient of each step."""
    yield from scene.body
    names = result.names
    steps = [one for one in result.steps if one.index in names or one.source in scene.inputs]
    shown = {
        id(one): f"{names[one.index]}{'' if one.part is None else f'[{one.part}]'}"
        if one.index in names
        else scene.inputs[one.source]
        for one in steps
    }
    going = scene.answer.mode == "grad" and scene.going()
    for one in steps:
        if going and one.grad_fn is not None:
            yield f"{shown[id(one)]}.retain_grad()"
    yield from call(scene)
    yield ""
    for one in steps:
        grad = f"{shown[id(one)]}.grad" if going and (one.grad_fn or one.requires_grad) else None
        yield f"print({json.dumps(one.source, ensure_ascii=False)}, {shown[id(one)]}.detach(), {grad})"
