"""A PyTorch script that gives the same answer when it is run: no gradcli in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.language import spelling
from gradcli.language.program import Bind, Program
from gradcli.language.values import Given
from gradcli.render import Style
from gradcli.render.endings import ending
from gradcli.render.scene import Scene, fresh, literal, plain
from gradcli.results import Answer


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The script, line by line."""
    del style
    for line in script(result):
        yield f"{line}\n"


def script(result: Any) -> Iterator[str]:
    """The lines of a script that makes the inputs, evaluates, differentiates, and prints what the answer tells."""
    answer: Answer = getattr(result, "answer", result)
    results = _results(answer)
    inputs = {name: alias for alias, name in _kept(answer.program, answer)}
    yield from _head(answer, inputs)
    scene = Scene(answer, inputs, results, list(_body(answer, results)))
    yield from ending(result)(result, scene)


def _head(answer: Answer, inputs: dict[str, str]) -> Iterator[str]:
    """Settings, seed, inputs, and a second name for those that the text binds anew."""
    program, asked = answer.program, answer.asked
    drawn = (*answer.given, *([asked.upstream] if asked.upstream else []))
    yield from sorted({"import torch", *(line for one in drawn if one.loading for line in one.loading.imports)})
    yield ""
    if asked.dtype:
        default = {"complex64": "float32", "complex128": "float64", "complex32": "float16"}.get(
            asked.dtype, asked.dtype
        )
        if not default.startswith("float8"):
            yield f"torch.set_default_dtype(torch.{default})"
    if asked.device:
        yield f"torch.set_default_device({asked.device!r})"
    if program.random or any(isinstance(one.data, Program) and one.data.random for one in drawn):
        yield f"torch.manual_seed({asked.seed})"
    for given in answer.given:
        yield f"{given.name} = {_input(given, answer)}"
    for name, alias in inputs.items():
        if alias != name:
            yield f"{alias} = {name}"
    if asked.upstream is not None and isinstance(asked.upstream.data, Program):
        yield f"{fresh('upstream', answer)} = {spelling.lines(asked.upstream.data)[-1]}"
    if asked.upstream is not None and asked.upstream.loading:
        yield f"{fresh('upstream', answer)} = {asked.upstream.loading.code}{_moved(answer)}"


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
    if given.loading:
        cast = f".to(torch.{view.dtype})" if given.loading.dtype != view.dtype else ""
        return f"{given.loading.code}{cast}{_moved(answer)}{grad}"
    value = given.data if answer.program.writes else view.value  # the text may have written into the input since
    return f"torch.tensor({literal(plain(value))}, dtype=torch.{view.dtype}){grad}"


def _moved(answer: Answer) -> str:
    """What brings a file's tensor to the device that was asked for: torch's default is only for what it makes."""
    return f".to({answer.asked.device!r})" if answer.asked.device else ""


def _results(answer: Answer) -> list[str]:
    if len(answer.outputs) == 1:
        name = answer.program.outputs[0].name
        return [name or fresh("result", answer)]
    return [fresh(f"result_{index}", answer) for index in range(1, len(answer.outputs) + 1)]


def _body(answer: Answer, results: list[str]) -> Iterator[str]:
    """The text, its answer bound to names."""
    program = answer.program
    lines = spelling.lines(program)
    named = len(answer.outputs) == 1 and program.outputs[0].name
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
