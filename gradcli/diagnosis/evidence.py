"""What rules look at: an outcome, and further evidence that is made when a rule first asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gradcli.engine.cuts import Cut, find_cuts, reached
from gradcli.engine.gradient import Outcome
from gradcli.errors import Span
from gradcli.language.program import Call, Enter, Program, Step

# A program without these, whose gradients have all arrived, has no cut path.
_CUTTERS = frozenset({"detach", "detach_", "data", "tensor", "as_tensor", "new_tensor"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One proved finding: a code, which of its sentences, the facts for it, columns, subject."""

    code: str
    sentence: str
    facts: dict[str, object]
    span: Span | None = None
    subject: str | None = None


class Evidence:
    """The outcome of an evaluation, and what can be found out about it."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.program: Program = outcome.request.program
        self.wanting = frozenset(
            name for name, view in outcome.inputs.items() if view.requires_grad and view.origin != "inside"
        )

    @cached_property
    def missing(self) -> frozenset[str]:
        """The given inputs that require grad and that backward from the output does not reach."""
        if self.outcome.went_back:
            return frozenset(name for name in self.wanting if self.outcome.inputs[name].grad is None)
        return self.wanting - reached(self.outcome)

    @cached_property
    def cuts(self) -> list[Cut]:
        """The steps that cut the path of a missing input."""
        return self._found[0]

    @cached_property
    def unconnected(self) -> frozenset[str]:
        """The missing inputs whose values the output does not depend on."""
        return self._found[1]

    @cached_property
    def _found(self) -> tuple[list[Cut], frozenset[str]]:
        used = self.missing & frozenset(self.program.inputs)
        return find_cuts(self.outcome, used) if used else ([], frozenset())

    @cached_property
    def side_cuts(self) -> list[Cut]:
        """The steps that detach part of the paths of an input that does have a gradient."""
        present = (self.wanting - self.missing) & frozenset(self.program.inputs)
        if not present or not any(map(_may_cut, self.program.steps)):
            return []
        return [cut for cut in find_cuts(self.outcome, present)[0] if cut.kind in {"mode", "copy"}]

    def source(self, step: Step) -> str:
        """The text of a step."""
        return " ".join(self.program.source[step.span.start : step.span.end].split())


def _may_cut(step: Step) -> bool:
    return isinstance(step, Enter) or (isinstance(step, Call) and step.function.name in _CUTTERS)


def listed(names: tuple[str, ...] | list[str]) -> dict[str, object]:
    """The words of a sentence about one or several inputs."""
    several = len(names) > 1
    return {
        "inputs": " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}",
        "is": "are" if several else "is",
        "has": "have" if several else "has",
        "requires": "require" if several else "requires",
        "its": "their" if several else "its",
        "it": "them" if several else "it",
        "them": "them" if several else "it",
    }
