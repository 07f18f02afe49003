"""Scripts of `grad` with --order, --repeat or --loss-scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.extras import Higher, History, Scaling
from gradcli.render.endings.backward import call, printed, sums, vector
from gradcli.render.scene import Scene, listed


def higher(result: Any, scene: Scene) -> Iterator[str]:
    """The first derivative, recorded, and the gradient of the sum of each one again."""
    higher: Higher = result.extra
    yield from scene.body
    yield from call(scene, retain_graph=True)
    reached = [name for name, found in higher.derivatives.items() if found[0] is not None]
    held = {name: scene.fresh(f"derivatives_{name}") for name in reached}
    for name in reached:
        vector = vector(scene, scene.going()[0])
        start = f"{scene.going()[0]}, {scene.inputs[name]}, {vector}" if vector else f"{listed(sums(scene))}, {scene.inputs[name]}"
        yield f"{held[name]} = [*torch.autograd.grad({start}, create_graph=True)]"
        if higher.order > 1:
            yield from _again(scene, held[name], scene.inputs[name], higher.order - 1, name in higher.flat)
    yield from printed(scene)
    for name in reached:
        yield f'print("{name}", [one.detach() for one in {held[name]}])'


def _again(scene: Scene, held: str, alias: str, times: int, flat: bool) -> Iterator[str]:
    if flat:
        yield f"{held} += [torch.zeros_like({alias})] * {times}  # torch has no second derivative; the first is constant"
        return
    latest = scene.fresh("latest")
    yield f"for _ in range({times}):"
    yield f"    {latest} = {held}[-1]"
    yield f"    if {latest}.requires_grad:"
    yield f"        {held} += torch.autograd.grad("
    yield f"            {latest}, {alias}, torch.ones_like({latest}), create_graph=True, materialize_grads=True"
    yield "        )"
    yield "    else:"
    yield f"        {held}.append(torch.zeros_like({alias}))"


def repeated(result: Any, scene: Scene) -> Iterator[str]:
    """The text and backward in a loop, .grad kept after each call."""
    history: History = result.extra
    held = {name: scene.fresh(f"history_{name}") for name in history.grads}
    writes = scene.answer.program.writes
    given = {one.name: scene.inputs[one.name] for one in scene.answer.given}
    if writes:
        yield from (f"{scene.fresh(f'start_{name}')} = {alias}.detach().clone()" for name, alias in given.items())
    yield from (f"{name} = []" for name in held.values())
    yield f"for _ in range({history.calls}):"
    if writes:
        yield "    with torch.no_grad():"
        yield from (f"        {alias}.copy_({scene.fresh(f'start_{name}')})" for name, alias in given.items())
    yield from (f"    {name} = {alias}" for name, alias in given.items() if alias != name)
    yield from (f"    {line}" for line in scene.body)
    if history.kept is not None:
        yield from (f"    {scene.inputs[name]}.grad = None  # zero_grad()" for name in held)
    yield from (f"    {line}" for line in call(scene))
    for name, kept in held.items():
        grad = f"{scene.inputs[name]}.grad"
        yield f"    {kept}.append({grad} if {grad} is None else {grad}.clone())"
    yield from printed(scene)
    yield from (f'print("{name}", {kept})' for name, kept in held.items())


def scaled(result: Any, scene: Scene) -> Iterator[str]:
    """Backward from the scale instead of 1, and the gradients divided by it again."""
    scaling: Scaling = result.extra
    yield from scene.body
    reached = {name: grad for name, grad in scaling.scaled.items() if grad is not None}
    if reached:
        scale = scene.fresh("scale")
        yield f"{scale} = torch.tensor({scaling.scale!r}, dtype=torch.float64)"
        vector = vector(scene, scene.going()[0])
        if vector:
            root = scene.going()[0]
            yield f"{root}.backward(gradient=({vector} * {scale}).to({root}.dtype))"
        else:
            roots = scene.fresh("roots")
            yield f"{roots} = {listed(sums(scene))}"
            yield f"torch.autograd.backward({roots}, [{scale}.to(one.dtype).expand_as(one) for one in {roots}])"
    yield from printed(scene)
    for name in reached:
        unscaled, alias = scene.fresh(f"unscaled_{name}"), scene.inputs[name]
        wide = str(scene.answer.inputs[name].grad.dtype)  # type: ignore[union-attr]  # reached
        yield f"{unscaled} = {alias}.grad.to({wide}) / {scaling.scale!r}"
        yield f'print("{name}", "scaled", {alias}.grad, "unscaled", {unscaled})'
