"""Scripts of `grad` and `eval`: the text, one call of backward, and the tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.language import spelling
from gradcli.language.program import Program
from gradcli.render.scene import Scene, listed, literal, plain


def evaluated(result: Any, scene: Scene) -> Iterator[str]:
    """The text alone."""
    del result
    yield from scene.body
    yield from printed(scene)


def differentiated(result: Any, scene: Scene) -> Iterator[str]:
    """The text, and backward from its outputs."""
    del result
    yield from scene.body
    yield from call(scene)
    yield from printed(scene)


def printed(scene: Scene) -> Iterator[str]:
    """What is printed of inputs and outputs."""
    yield ""
    for name, alias in scene.inputs.items():
        yield f'print("{name}", {alias}.detach(), {alias}.grad, {alias}.requires_grad)'
    for name in scene.results:
        yield f'print("{name}", {name}.detach(), {name}.requires_grad)'


def call(scene: Scene, *further: str) -> Iterator[str]:
    """The call of backward from every output that requires grad, with further arguments."""
    if scene.answer.mode != "grad" or not (going := scene.going()):
        return
    if start := vector(scene, going[0]):
        yield f"{going[0]}.backward({', '.join([f'gradient={start}', *further])})"
    elif len(starts := sums(scene)) == 1:
        yield f"{starts[0]}.backward({', '.join(further)})"
    else:
        yield f"torch.autograd.backward({', '.join([listed(starts), *further])})"


def sums(scene: Scene) -> list[str]:
    """The outputs to go back from, each one number."""
    pairs = zip(scene.results, scene.answer.outputs, strict=True)
    reduce = scene.answer.asked.reduce
    return [name if view.value.numel() == 1 else f"{name}.{reduce}()" for name, view in pairs if view.requires_grad]


def vector(scene: Scene, result: str) -> str | None:
    """The gradient to start with, where one was given in the text or beside it."""
    answer = scene.answer
    if answer.program.upstream is not None:
        return spelling.operand_text(answer.program, answer.program.upstream)
    if answer.asked.upstream is None:
        return None
    data = answer.asked.upstream.data
    if isinstance(data, Program) or answer.asked.upstream.loading:
        return f"{scene.fresh('upstream')}.to({result}.dtype).expand_as({result})"
    return f"torch.tensor({literal(plain(data))}, dtype={result}.dtype).expand_as({result})"
