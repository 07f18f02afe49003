"""Scripts of whole derivatives: Jacobian, Hessian, directional derivative."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.render.scene import Scene, listed, written


def jacobian(result: Any, scene: Scene) -> Iterator[str]:
    """Every row of the Jacobian as one backward pass."""
    derivative = scene.fresh("derivative")
    yield from _definition(derivative)
    yield from scene.body
    yield from _printed(scene)
    several = len(result.jacobians) > 1
    for index, (name, blocks) in enumerate(zip(scene.results, result.jacobians, strict=True)):
        for by in blocks:
            held = scene.fresh(f"jacobian_{index + 1}_{by}" if several else f"jacobian_{by}")
            yield f"{held} = {derivative}({name}, {scene.inputs[by]})"
            yield f'print("{name} by {by}", {held})'


def hessian(result: Any, scene: Scene) -> Iterator[str]:
    """The gradient of the sum, recorded, and the Jacobian of that."""
    derivative, gradient = scene.fresh("derivative"), scene.fresh("gradient")
    yield from _definition(derivative)
    yield from scene.body
    yield from _printed(scene)
    sums = listed([f"{name}.sum()" for name in scene.going()])
    for name, blocks in result.hessian.items():
        alias = scene.inputs[name]
        if scene.going():
            yield f"({gradient},) = torch.autograd.grad({sums}, {alias}, create_graph=True, materialize_grads=True)"
        else:
            yield f"{gradient} = torch.zeros_like({alias}).detach()"
        if name in result.flat:
            yield f"{gradient} = {gradient}.detach()  # torch has no second derivative; the first is constant"
        for by in blocks:
            held = scene.fresh(f"hessian_{name}_{by}")
            yield f"{held} = {derivative}({gradient}, {scene.inputs[by]})"
            yield f'print("{name} by {by}", {held})'


def _definition(name: str) -> Iterator[str]:
    """The function of the script that differentiates every element."""
    yield from ("", "")
    yield f"def {name}(y, x):"
    yield '    """The gradient of every element of y by x, in the shape of y followed by that of x."""'
    yield "    if y.is_complex() and not x.is_complex():"
    yield f"        return torch.complex({name}(y.real, x), {name}(y.imag, x))"
    yield "    if not y.requires_grad or not y.numel():"
    yield "        return torch.zeros(y.shape + x.shape, dtype=x.dtype)"
    yield "    rows = ["
    yield "        torch.autograd.grad(one, x, torch.ones_like(one), retain_graph=True, materialize_grads=True)[0]"
    yield "        for one in y.reshape(-1)"
    yield "    ]"
    yield "    return torch.stack(rows).reshape(y.shape + x.shape)"
    yield from ("", "")


def _printed(scene: Scene) -> Iterator[str]:
    yield ""
    yield from (f'print("{name}", {name}.detach())' for name in scene.results)


def jvp(result: Any, scene: Scene) -> Iterator[str]:
    """The text with dual inputs in forward mode, or the gradient differentiated by the vector that it starts with."""
    along = {name: scene.fresh(f"tangent_{name}") for name in result.given}
    yield from (f"{held} = {written(result.given[name])}" for name, held in along.items())
    several = len(scene.results) > 1
    tangents = [scene.fresh(f"tangent_{index + 1}" if several else "tangent") for index in range(len(scene.results))]
    yield from _WAYS[result.way](scene, along, tangents)
    yield ""
    for name, tangent in zip(scene.results, tangents, strict=True):
        yield f'print("{name}", {name}.detach(), {tangent})'


def _carried(scene: Scene, along: dict[str, str], tangents: list[str]) -> Iterator[str]:
    yield "with torch.autograd.forward_ad.dual_level():"
    yield from (f"    {name} = torch.autograd.forward_ad.make_dual({name}, {held})" for name, held in along.items())
    yield from (f"    {line}" for line in scene.body)
    for name, tangent in zip(scene.results, tangents, strict=True):
        yield f"    {tangent} = torch.autograd.forward_ad.unpack_dual({name}).tangent"
        yield f"    {tangent} = torch.zeros_like({name}) if {tangent} is None else {tangent}.detach()"


def _doubled(scene: Scene, along: dict[str, str], tangents: list[str]) -> Iterator[str]:
    yield from scene.body
    start, pulled = scene.fresh("vector"), scene.fresh("pulled")
    inputs, held = listed([scene.inputs[name] for name in along]), listed([*along.values()])
    for name, tangent in zip(scene.results, tangents, strict=True):
        yield f"{tangent} = torch.zeros_like({name})"
        if name in scene.going():
            yield f"{start} = torch.zeros_like({name}, requires_grad=True)"
            arguments = f"{name}, {inputs}, {start}, create_graph=True, materialize_grads=True"
            yield f"{pulled} = torch.autograd.grad({arguments})"
            yield f"{pulled} = [pair for pair in zip({pulled}, {held}) if pair[0].requires_grad]"
            yield f"if {pulled}:"
            yield f"    ({tangent},) = torch.autograd.grad("
            yield f"        [one for one, _ in {pulled}], {start}, [one for _, one in {pulled}], materialize_grads=True"
            yield "    )"


def _row_by_row(scene: Scene, along: dict[str, str], tangents: list[str]) -> Iterator[str]:
    derivative = scene.fresh("derivative")
    yield from _definition(derivative)
    yield from scene.body
    for name, tangent in zip(scene.results, tangents, strict=True):
        products = [
            f"torch.tensordot({derivative}({name}, {scene.inputs[by]}), {held}, {held}.dim())"
            for by, held in along.items()
        ]
        yield f"{tangent} = {' + '.join(products)}"


_WAYS = {"forward": _carried, "twice": _doubled, "rows": _row_by_row}
