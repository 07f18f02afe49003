"""G101: variables that were computed where gradients are off, from tensors that require grad."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnosis.wording import joined
from gradcli.results import Note
from gradcli.training.script.modes import MODES, Off
from gradcli.training.script.source import Binding
from gradcli.training.sentences import agreeing, note
from gradcli.training.tensors import gradient_of
from gradcli.training.tutorial.ended import Ended


def rule(script: Ended) -> Iterator[Note]:
    """By the last binding of their name."""
    for name, tensor in script.tensors.items():
        bindings = script.source.main.bindings.get(name)
        if tensor.requires_grad or tensor.grad_fn is not None or not bindings:
            continue
        off = _off(script, bindings[-1])
        sources = _sources(script, bindings[-1]) if off else []
        if off and sources:
            yield _note(script, name, off, sources)


def _off(script: Ended, binding: Binding) -> Off | None:
    """Where gradients are off for a value: around it, or in a function that it calls."""
    if binding.off is not None:
        return binding.off
    cuts = script.flow.reach(binding.value, script.source.main, until=binding.line).cuts.values()
    cut = next((one for one in cuts if one is not None and one.code == "G101"), None)
    return Off(cut.mode or "no_grad", cut.line) if cut else None


def _sources(script: Ended, binding: Binding) -> list[str]:
    """The leaves that require grad and that a value was computed from."""
    reached = script.flow.reach(binding.value, script.source.main, until=binding.line).cuts
    leaves = [name for name, one in script.tensors.items() if one.requires_grad and one.is_leaf]
    return [name for name in reached if name in leaves]


def _note(script: Ended, name: str, off: Off, sources: list[str]) -> Note:
    without = all(gradient_of(script.tensors[one]) is None for one in sources)
    says = "seen_some" if not without else "seen_none" if script.passes.count else "seen_never"
    return note("G101", says, subject=name, mode=MODES.get(off.mode, off.mode), place=script.at(off.line), name=name,
                inputs=joined(sources), grads=", ".join(f"{one}.grad" for one in sources),
                **agreeing(sources))  # fmt: skip
