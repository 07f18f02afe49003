"""Remarks on the tensors of a script that trains no model: why a gradient is None, and what a grad mode did."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping

import torch

from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.health import Health
from gradcli.results import Note
from gradcli.training.script.cuts import Cut
from gradcli.training.script.flow import Flow
from gradcli.training.script.modes import MODES
from gradcli.training.script.passes import Passes
from gradcli.training.script.source import Binding, Source, read
from gradcli.training.tensors import gradient_of, named_tensors
from gradcli.training.watching.graph import kind

_READ = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"


def remarks(
    health: Health, passes: Passes, variables: Mapping[str, object], file: str | None, died: bool
) -> tuple[Note, ...]:
    """Notes on the variables of a script."""
    source = read(file) if file else None
    if source is None or file is None:
        return ()
    name = os.path.basename(file)
    tensors = dict(named_tensors(variables))
    found = [*_read_grads(source, name, variables, tensors)]
    if not any(one.optimizer for one in health.parameters):
        flow = Flow(source, variables)
        if not died:
            found += _missing(source, flow, name, passes, variables, tensors)
        found += _modes(source, flow, name, passes, tensors)
    return tuple({(one.code, one.subject): one for one in found}.values())


def _note(code: str, says: str, subject: str, **facts: object) -> Note:
    entry = CATALOGUE[code]
    return Note(code, entry.level, entry.says[says].format_map(facts), None, subject)


# .grad of what is no leaf


def _read_grads(
    source: Source, file: str, variables: Mapping[str, object], tensors: Mapping[str, torch.Tensor]
) -> Iterator[Note]:
    """Where the script reads .grad of a computed tensor: torch has warned of it, or the name still holds one."""
    warned = {
        key[2] for key in variables.get("__warningregistry__") or ()  # type: ignore[attr-defined]
        if isinstance(key, tuple) and len(key) == 3 and str(key[0]).startswith(_READ)
    }  # fmt: skip
    reads = [one for one in ast.walk(source.tree) if isinstance(one, ast.Attribute) and one.attr == "grad"]
    for node in sorted(reads, key=lambda one: one.lineno):
        text = ast.unparse(node.value)
        tensor = tensors.get(text)
        made = source.bound_before(text, node.lineno)
        if warned:
            no_leaf = node.lineno in warned and (isinstance(tensor, torch.Tensor) or text not in variables)
        else:
            last = source.main.bindings.get(text, [])
            no_leaf = _passes_through(tensor) and bool(last) and made is last[-1]
        no_leaf = no_leaf and isinstance(node.ctx, ast.Load) and (tensor is None or _passes_through(tensor))
        if no_leaf and not _is_function(node.value):
            operation = kind(tensor.grad_fn) if tensor is not None and tensor.grad_fn is not None else "an operation"
            place = f"{file}:{node.lineno}"
            yield _note("G105", "seen", text, place=place, name=text, source=_text_of(made) or operation)


def _is_function(node: ast.expr) -> bool:
    """torch.autograd.grad and torch.func.grad."""
    return ast.unparse(node).rpartition(".")[2] in {"autograd", "func", "functional", "torch"}


def _passes_through(tensor: torch.Tensor | None) -> bool:
    """Whether backward passes through a tensor and leaves it no gradient."""
    return tensor is not None and tensor.requires_grad and not tensor.is_leaf and not tensor.retains_grad


def _text_of(made: Binding | None) -> str | None:
    text = " ".join(ast.unparse(made.value).split()) if made is not None else ""
    return text if 0 < len(text) <= 40 else None


# Leaves that backward never came to


def _missing(
    source: Source, flow: Flow, file: str, passes: Passes, variables: Mapping[str, object],
    tensors: Mapping[str, torch.Tensor],
) -> Iterator[Note]:  # fmt: skip
    """Leaves that require grad, got no gradient, and were to get one: a cut path leads to them, or .grad is read."""
    roots = [root for one in passes.all if one.accumulates and one.line for root in _roots(source, one.line.number)]
    if not roots:
        return
    reaches = [(root, flow.reach(root, source.scope_at(root.lineno), until=root.lineno).cuts) for root in roots]
    read = {
        ast.unparse(one.value) for one in ast.walk(source.tree) if isinstance(one, ast.Attribute) and one.attr == "grad"
    }
    wanted = [name for name, one in tensors.items() if one.is_leaf and one.requires_grad and gradient_of(one) is None]
    wanted += [name for name, one in variables.items() if _lost(one)]
    for name in wanted:
        found = [(root, cuts[name]) for root, cuts in reaches if name in cuts]
        cut = next(((root, cut) for root, cut in found if cut is not None), None)
        if any(cut is None for _, cut in found):
            continue
        if cut is not None:
            yield _cut_note(file, name, *cut)
        elif name in read and name in tensors:
            root = reaches[-1][0]
            yield _note(
                "G104",
                "seen",
                name,
                grads=f"{name}.grad",
                name=_shown(root),
                place=f"{file}:{root.lineno}",
                source=name,
            )


def _lost(value: object) -> bool:
    """Whether a model was to get gradients and got none."""
    if not isinstance(value, torch.nn.Module):
        return False
    trained = [one for one in value.parameters() if one.requires_grad]
    return bool(trained) and all(one.grad is None for one in trained)


def _cut_note(file: str, name: str, root: ast.expr, cut: Cut) -> Note:
    place = f"{file}:{cut.line}"
    if cut.code == "G101":
        mode = MODES.get(cut.mode or "", "no_grad")
        return _note(
            "G101", "script", name, line=f"{file}:{root.lineno}", name=_shown(root), source=name, mode=mode, place=place
        )
    return _note(
        cut.code, "seen", name, grads=f"{name}.grad", source=name, name=_shown(root), text=cut.text, place=place
    )


def _roots(source: Source, number: int) -> Iterator[ast.expr]:
    for call in source.calls_at(number):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "backward":
            of_module = isinstance(call.func.value, ast.Attribute) and call.func.value.attr == "autograd"
            yield call.args[0] if of_module and call.args else call.func.value


def _shown(node: ast.expr) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else f"{text[:39]}…"


# Grad modes


def _modes(
    source: Source, flow: Flow, file: str, passes: Passes, tensors: Mapping[str, torch.Tensor]
) -> Iterator[Note]:
    """Variables that were computed where gradients are off, from tensors that require grad."""
    for name, tensor in tensors.items():
        if tensor.requires_grad or tensor.grad_fn is not None:
            continue
        off = _off(source, flow, name)
        if off is None:
            continue
        binding, mode, line = off
        sources = [
            one for one, cut in flow.reach(binding.value, source.main, until=binding.line).cuts.items()
            if one in tensors and tensors[one].requires_grad and tensors[one].is_leaf
        ]  # fmt: skip
        if sources:
            yield _mode_note(file, name, mode, line, sources, passes, tensors)


def _off(source: Source, flow: Flow, name: str) -> tuple[Binding, str, int] | None:
    """The last binding of a name, if gradients are off in it: around it, or in the function that it calls."""
    bindings = source.main.bindings.get(name)
    if not bindings:
        return None
    last = bindings[-1]
    if last.off is not None:
        return last, last.off.mode, last.off.line
    cuts = flow.reach(last.value, source.main, until=last.line).cuts.values()
    cut = next((one for one in cuts if one is not None and one.code == "G101"), None)
    return (last, cut.mode or "no_grad", cut.line) if cut else None


def _mode_note(
    file: str, name: str, mode: str, line: int, sources: list[str], passes: Passes, tensors: Mapping[str, torch.Tensor]
) -> Note:
    several = len(sources) > 1
    inputs = f"{', '.join(sources[:-1])} and {sources[-1]}" if several else sources[0]
    empty = all(gradient_of(tensors[one]) is None for one in sources)
    says = "seen_some" if not empty else "seen_none" if passes.count else "seen_never"
    return _note(
        "G101", says, name, mode=MODES.get(mode, mode), place=f"{file}:{line}", name=name, inputs=inputs,
        requires="require" if several else "requires", grads=", ".join(f"{one}.grad" for one in sources),
        are_none="are None" if several else "is None", hold="hold" if several else "holds",
    )  # fmt: skip
