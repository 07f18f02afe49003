"""Scripts of whole derivatives: Jacobian, Hessian, directional derivative."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.render.scene import Scene, listed, written


def jacobian(result: Any, scene: Scene) -> Iterator[str]:
    """Every row of the Jacobian as one backward pass."""
    derivative = scene.fresh("derivative")
    yield from _derivative(derivative)
    yield from scene.body
    yield from _shown_results(scene)
    for index, blocks in enumerate(result.jacobians):
        place = f"_{index + 1}" if len(result.jacobians) > 1 else ""
        for name in blocks:
            held = scene.fresh(f"jacobian{place}_{name}")
            yield f"{held} = {derivative}({scene.results[index]}, {scene.inputs[name]})"
            yield f'print("{scene.results[index]} by {name}", {held})'


def hessian(result: Any, scene: Scene) -> Iterator[str]:
    """The gradient of the sum, recorded, and the Jacobian of that."""
    derivative, gradient = scene.fresh("derivative"), scene.fresh("gradient")
    yield from _derivative(derivative)
    yield from scene.body
    yield from _shown_results(scene)
    sums = listed([f"{name}.sum()" for name in scene.going()])
    for name, blocks in result.hessian.items():
        alias = scene.inputs[name]
        if scene.going():
            yield f"({gradient},) = torch.autograd.grad({sums}, {alias}, create_graph=True, materialize_grads=True)"
        else:
            yield f"{gradient} = torch.zeros_like({alias}).detach()"
        if name in result.flat:
            yield f"{gradient} = {gradient}.detach()  # torch has no second derivative; the first is constant"
        for other in blocks:
            held = scene.fresh(f"hessian_{name}_{other}")
            yield f"{held} = {derivative}({gradient}, {scene.inputs[other]})"
            yield f'print("{name} by {other}", {held})'


def _derivative(name: str) -> Iterator[str]:
    """The definition of a function of the script."""
    yield ""
    yield ""
    yield f"def {name}(y, x):"
    yield '    """The gradient of every element of y by x, in the shape of y followed by that of x."""'
    yield "    if not y.requires_grad or not y.numel():"
    yield "        return torch.zeros(y.shape + x.shape, dtype=x.dtype)"
    yield "    rows = ["
    yield "        torch.autograd.grad(one, x, torch.ones_like(one), retain_graph=True, materialize_grads=True)[0]"
    yield "        for one in y.reshape(-1)"
    yield "    ]"
    yield "    return torch.stack(rows).reshape(y.shape + x.shape)"
    yield ""
    yield ""


def _shown_results(scene: Scene) -> Iterator[str]:
    yield ""
    yield from (f'print("{name}", {name}.detach())' for name in scene.results)


def jvp(result: Any, scene: Scene) -> Iterator[str]:
    """The text with dual inputs in forward mode, or the gradient differentiated by the vector that it starts with."""
    along = {name: scene.fresh(f"tangent_{name}") for name in result.given}
    yield from (f"{held} = {written(result.given[name])}" for name, held in along.items())
    yield from _doubled(result, scene, along) if result.doubled else _carried(scene, along)
    for name, tangent in zip(scene.results, _tangents(scene), strict=True):
        yield f'print("{name}", {name}.detach(), {tangent})'


def _tangents(scene: Scene) -> list[str]:
    several = len(scene.results) > 1
    return [scene.fresh(f"tangent_{index + 1}" if several else "tangent") for index in range(len(scene.results))]


def _carried(scene: Scene, along: dict[str, str]) -> Iterator[str]:
    yield "with torch.autograd.forward_ad.dual_level():"
    yield from (f"    {name} = torch.autograd.forward_ad.make_dual({name}, {held})" for name, held in along.items())
    yield from (f"    {line}" for line in scene.body)
    for name, tangent in zip(scene.results, _tangents(scene), strict=True):
        yield f"    {tangent} = torch.autograd.forward_ad.unpack_dual({name}).tangent"
        yield f"    {tangent} = torch.zeros_like({name}) if {tangent} is None else {tangent}.detach()"


def _doubled(result: Any, scene: Scene, along: dict[str, str]) -> Iterator[str]:
    yield from scene.body
    vector, pulled = scene.fresh("vector"), scene.fresh("pulled")
    inputs, held = listed([scene.inputs[name] for name in along]), listed([*along.values()])
    for name, tangent in zip(scene.results, _tangents(scene), strict=True):
        if name not in scene.going():
            yield f"{tangent} = torch.zeros_like({name})"
            continue
        yield f"{vector} = torch.zeros_like({name}, requires_grad=True)"
        yield f"{pulled} = torch.autograd.grad({name}, {inputs}, {vector}, create_graph=True, materialize_grads=True)"
        yield f"{pulled} = [pair for pair in zip({pulled}, {held}) if pair[0].requires_grad]"
        yield f"{tangent} = torch.zeros_like({name})"
        yield f"if {pulled}:"
        yield f"    ({tangent},) = torch.autograd.grad("
        yield f"        [one for one, _ in {pulled}], {vector}, [one for _, one in {pulled}], materialize_grads=True"
        yield "    )"
