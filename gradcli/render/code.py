"""A PyTorch script that gives the same answer when it is run: no gradcli in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli import numerals
from gradcli.language import spelling
from gradcli.language.program import Bind, Program
from gradcli.language.values import Given
from gradcli.render import Style
from gradcli.results import Answer


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The script, line by line."""
    del style
    for line in script(result):
        yield f"{line}\n"


def script(answer: Answer) -> Iterator[str]:
    """The lines of a script that prints value, .grad and requires_grad of each input and output."""
    program, asked = answer.program, answer.asked
    yield "import torch"
    yield ""
    if asked.dtype:
        default = {"complex64": "float32", "complex128": "float64", "complex32": "float16"}.get(
            asked.dtype, asked.dtype
        )
        if not default.startswith("float8"):
            yield f"torch.set_default_dtype(torch.{default})"
    if asked.device:
        yield f"torch.set_default_device({asked.device!r})"
    drawn = (*answer.given, *([asked.upstream] if asked.upstream else []))
    if program.random or any(isinstance(one.data, Program) and one.data.random for one in drawn):
        yield f"torch.manual_seed({asked.seed})"
    for given in answer.given:
        yield f"{given.name} = {_input(given, answer)}"
    inputs = dict(_kept(program, answer))
    for alias, name in inputs.items():
        if alias != name:
            yield f"{alias} = {name}"
    if asked.upstream is not None and isinstance(asked.upstream.data, Program):
        yield f"{_fresh('upstream', answer)} = {spelling.lines(asked.upstream.data)[-1]}"
    yield from _body(answer)
    yield ""
    for alias, name in inputs.items():
        yield f'print("{name}", {alias}.detach(), {alias}.grad, {alias}.requires_grad)'
    for label in _results(answer):
        yield f'print("{label}", {label}.detach(), {label}.requires_grad)'


def _kept(program: Program, answer: Answer) -> Iterator[tuple[str, str]]:
    """A name that still holds each input at the end: another one where the text binds the input's own anew."""
    bound = {step.name for step in program.steps if isinstance(step, Bind)}
    for view in answer.inputs.values():
        if view.name:
            rebound = view.name in bound and view.origin != "inside"
            yield (f"{view.name}_input" if rebound else view.name), view.name


def _input(given: Given, answer: Answer) -> str:
    view = answer.inputs[given.name]
    grad = ".requires_grad_()" if view.requires_grad else ""
    if isinstance(given.data, Program):
        text = spelling.lines(given.data)[-1]
        cast = f".to(torch.{view.dtype})" if answer.asked.dtype and not given.constant else ""
        return f"{text}{cast}{grad}"
    return f"torch.tensor({_literal(numerals.nested(view.value, _same))}, dtype=torch.{view.dtype}){grad}"


def _same(number: Any) -> Any:
    return number


def _literal(nested: Any) -> str:
    """Numbers, or nested lists of them, as code that reads back to the same values."""
    return f"[{', '.join(map(_literal, nested))}]" if isinstance(nested, (list, tuple)) else spelling.literal(nested)[0]


def _written(data: Any) -> Any:
    """Numbers or nested lists, whether they were given as such or as a tensor or array."""
    if hasattr(data, "detach"):
        return numerals.nested(data, _same)
    return data.tolist() if hasattr(data, "tolist") else data


def _results(answer: Answer) -> list[str]:
    if len(answer.outputs) == 1:
        name = answer.program.outputs[0].name
        return [name or _fresh("result", answer)]
    return [_fresh(f"result_{index}", answer) for index in range(1, len(answer.outputs) + 1)]


def _fresh(name: str, answer: Answer) -> str:
    taken = {step.name for step in answer.program.steps if isinstance(step, Bind)} | set(answer.inputs)
    while name in taken:
        name += "_"
    return name


def _body(answer: Answer) -> Iterator[str]:
    program = answer.program
    lines = spelling.lines(program)
    named = len(answer.outputs) == 1 and program.outputs[0].name
    results = _results(answer)
    if not named:
        *lines, last = lines
        indent = last[: len(last) - len(last.lstrip())]
        lines.append(f"{indent}{', '.join(results)} = {last.strip()}")
    elif lines and lines[-1].strip() == named:
        lines.pop()
    if answer.mode != "grad" and lines:
        yield f"with torch.{ {'no_grad': 'no_grad', 'inference': 'inference_mode'}[answer.mode] }():"
        lines = [f"    {line}" for line in lines]
    yield from lines
    if answer.command == "grad" and answer.mode == "grad":
        yield from _backward(answer, results)


def _backward(answer: Answer, results: list[str]) -> Iterator[str]:
    going = [name for name, view in zip(results, answer.outputs, strict=True) if view.requires_grad]
    if not going:
        return
    asked = answer.asked
    if answer.program.upstream is not None:
        yield f"{going[0]}.backward(gradient={spelling.operand_text(answer.program, answer.program.upstream)})"
    elif asked.upstream is not None:
        data = asked.upstream.data
        text = (
            f"{_fresh('upstream', answer)}.to({going[0]}.dtype)"
            if isinstance(data, Program)
            else f"torch.tensor({_literal(_written(data))}, dtype={going[0]}.dtype)"
        )
        yield f"{going[0]}.backward(gradient={text}.expand_as({going[0]}))"
    else:
        sums = [
            name if view.value.numel() == 1 else f"{name}.{asked.reduce}()"
            for name, view in zip(results, answer.outputs, strict=True)
            if view.requires_grad
        ]
        yield f"{sums[0]}.backward()" if len(sums) == 1 else f"torch.autograd.backward([{', '.join(sums)}])"
