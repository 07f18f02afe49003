"""Scripts of `grad` with --order, --repeat or --loss-scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.extras import Higher, History, Scaling
from gradcli.render.endings.backward import call, printed, sums, vector
from gradcli.render.scene import Scene, listed


def higher(result: Any, scene: Scene) -> Iterator[str]:
    """The first derivative, recorded, and the gradient of the sum of each one again."""
    extra: Higher = result.extra
    yield from scene.body
    yield from call(scene, "retain_graph=True")
    reached = [name for name, found in extra.derivatives.items() if found[0] is not None]
    held = {name: scene.fresh(f"derivatives_{name}") for name in reached}
    for name in reached:
        alias = scene.inputs[name]
        given = vector(scene, scene.going()[0])
        start = f"{scene.going()[0]}, {alias}, {given}" if given else f"{listed(sums(scene))}, {alias}"
        yield f"{held[name]} = [*torch.autograd.grad({start}, create_graph=True)]"
        if extra.order > 1:
            yield from _again(scene, held[name], alias, extra.order - 1, name in extra.flat)
    yield from printed(scene)
    for name in reached:
        yield f'print("{name}", [one.detach() for one in {held[name]}])'


def _again(scene: Scene, held: str, alias: str, times: int, flat: bool) -> Iterator[str]:
    if flat:
        yield f"{held} += [torch.zeros_like({alias})] * {times}  # torch has no second one; the first is constant"
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
    extra: History = result.extra
    held = {name: scene.fresh(f"history_{name}") for name in extra.grads}
    given = {one.name: scene.inputs[one.name] for one in scene.answer.given}
    start = {name: scene.fresh(f"start_{name}") for name in given} if scene.answer.program.writes else {}
    yield from (f"{start[name]} = {alias}.detach().clone()" for name, alias in given.items() if start)
    yield from (f"{name} = []" for name in held.values())
    yield f"for _ in range({extra.calls}):"
    if start:
        yield "    with torch.no_grad():"
        yield from (f"        {alias}.copy_({start[name]})" for name, alias in given.items())
    yield from (f"    {name} = {alias}" for name, alias in given.items() if alias != name)
    yield from (f"    {line}" for line in scene.body)
    if extra.kept is not None:
        yield from (f"    {scene.inputs[name]}.grad = None  # zero_grad()" for name in held)
    yield from (f"    {line}" for line in call(scene))
    for name, kept in held.items():
        grad = f"{scene.inputs[name]}.grad"
        yield f"    {kept}.append(None if {grad} is None else {grad}.clone())"
    yield from printed(scene)
    yield from (f'print("{name}", {kept})' for name, kept in held.items())


def scaled(result: Any, scene: Scene) -> Iterator[str]:
    """Backward from the scale instead of 1, and the gradients divided by it again."""
    extra: Scaling = result.extra
    yield from scene.body
    reached = [name for name, grad in extra.scaled.items() if grad is not None]
    if reached:
        yield from _from_scale(scene, extra.scale)
    yield from printed(scene)
    for name in reached:
        unscaled, alias = scene.fresh(f"unscaled_{name}"), scene.inputs[name]
        grad = scene.answer.inputs[name].grad
        assert grad is not None
        yield f"{unscaled} = {alias}.grad.to({grad.dtype}) / {extra.scale!r}"
        yield f'print("{name}", "scaled", {alias}.grad, "unscaled", {unscaled})'


def _from_scale(scene: Scene, number: float) -> Iterator[str]:
    scale, roots, root = scene.fresh("scale"), scene.fresh("roots"), scene.going()[0]
    yield f"{scale} = torch.tensor({number!r}, dtype=torch.float64)"
    if given := vector(scene, root):
        yield f"{root}.backward(gradient=({given} * {scale}).to({root}.dtype))"
    else:
        yield f"{roots} = {listed(sums(scene))}"
        yield f"torch.autograd.backward({roots}, [{scale}.to(one.dtype).expand_as(one) for one in {roots}])"
