"""What rules look at: an outcome, and further evidence that is made when a rule first asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gradcli.engine.cuts import Cut, find_cuts, reached
from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.proofs import Proofs
from gradcli.errors import Span
from gradcli.language.program import Bind, Call, Input, Program, Ref, Step

# What a sentence says of an input that nothing reaches: torch leaves None, a whole derivative has zeros.
_GRAD = {"lost": "{grads} {are_none}", "gradient": "{grads}"}
_WHOLE = {
    "lost": "the derivative by {inputs} is 0", "gradient": "the derivative by {inputs}",
    "counts": "counts", "do": "does",
}  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class Finding:
    """One proved finding: a code, which of its sentences, the facts for it, columns, subject, further sentences."""

    code: str
    sentence: str
    facts: Mapping[str, object]
    span: Span | None = None
    subject: str | None = None
    also: tuple[str, ...] = ()


class Evidence:
    """The outcome of an evaluation, and what can be found out about it."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.program: Program = outcome.request.program
        self.facts = outcome.request.notes == "facts"

    @cached_property
    def proofs(self) -> Proofs:
        """What can be proved about the numbers."""
        return Proofs(self.outcome)

    @cached_property
    def wanting(self) -> frozenset[str]:
        """The inputs that require grad; a constant that the text wrote a result into is none of them."""
        return frozenset([name for name, view in self.outcome.inputs.items() if view.requires_grad and view.is_leaf])

    @cached_property
    def missing(self) -> frozenset[str]:
        """The given inputs that require grad and that backward from the output does not reach."""
        if self.outcome.went_back:
            return frozenset([name for name in self.wanting if self.outcome.inputs[name].grad is None])
        if self._led_back():
            return frozenset()
        return self.wanting - reached(self.outcome)

    def _led_back(self) -> bool:
        """Whether a node behind the output is proof enough: there is one leaf that it can lead to."""
        (result, *others), program = self.outcome.results, self.program
        plain = len(self.wanting) == 1 and not self.outcome.made and not others and not program.cuts
        return plain and not program.writes and result.grad_fn is not None

    @property
    def cuts(self) -> list[Cut]:
        """The steps that cut the path of a missing input; none is looked for where the grad mode is what cuts."""
        return self._proved[0]

    @property
    def unconnected(self) -> frozenset[str]:
        """The missing inputs whose values the output does not depend on."""
        return self._proved[1]

    @cached_property
    def _proved(self) -> tuple[list[Cut], frozenset[str]]:
        """Cuts and unconnected inputs, found by evaluating again."""
        used = self.missing & self._named if self.outcome.request.mode == "grad" else None
        return find_cuts(self.outcome, used) if used else ([], frozenset())

    @cached_property
    def side_cuts(self) -> list[Cut]:
        """The steps that detach part of the paths of an input that does have a gradient."""
        cutting = self.program.cuts and not self.facts
        present = (self.wanting - self.missing) & self._named if cutting else None
        cuts = find_cuts(self.outcome, present)[0] if present else []
        unseen = [one.step.span for one in self.proofs.unrecorded] if cuts and self.proofs.hidden else []
        side = [
            cut
            for cut in cuts
            if cut.kind in {"mode", "copy"}
            and not any(span.start <= cut.step.span.start and cut.step.span.end <= span.end for span in unseen)
        ]
        return [cut for cut in side if not any(_within(cut, other) for other in side)]

    @property
    def _named(self) -> frozenset[str]:
        """The inputs that the text uses, or makes."""
        return frozenset(self.program.inputs) | frozenset(self.outcome.made)

    def words(self, names: tuple[str, ...]) -> dict[str, object]:
        """The words of a sentence about inputs and what became of their gradients."""
        said = listed(names)
        outcome = _WHOLE if self.outcome.request.asks != "grad" else _GRAD
        return said | {key: text.format_map(said) for key, text in outcome.items()}

    def source(self, step: Step) -> str:
        """The text of a step, and the name that the text gives its value."""
        text = " ".join(self.program.source[step.span.start : step.span.end].split())
        index = next(at for at, one in enumerate(self.program.steps) if one is step)
        after = self.program.steps[index + 1] if index + 1 < len(self.program.steps) else None
        augmented = isinstance(step, Call) and step.style == "augment"  # its text names the value itself
        plain = isinstance(after, Bind) and after.operand == Ref(index) and after.part is None
        named = plain and after.name and not augmented  # type: ignore[union-attr]
        return f"{after.name} = {text}" if named else text  # type: ignore[union-attr]

    def name_of(self, index: int) -> str:
        """What a sentence calls the value of a step: an input's or a bound name, else the text that makes it."""
        step = self.program.steps[index]
        if isinstance(step, (Input, Bind)) and step.name:
            return step.name
        return " ".join(self.program.source[step.span.start : step.span.end].split())

    def element(self, index: int, at: tuple[int, ...], value: Any, shape: Any) -> str:
        """An element of the value of a step, at a place of the result that it is spread out to."""
        name = self.name_of(index)
        dims = value.dim()
        if not dims:
            return name
        own = at[len(shape) - dims :]
        place = [0 if size == 1 else one for one, size in zip(own, value.shape, strict=True)]
        plain = name.replace("_", "").isalnum()
        return f"{name if plain else f'({name})'}[{', '.join(map(str, place))}]"


def _within(cut: Cut, other: Cut) -> bool:
    """Whether a cut stands inside the text of another that says the same of the same inputs."""
    inner, outer = cut.step.span, other.step.span
    return (
        cut is not other
        and (cut.kind, cut.inputs) == (other.kind, other.inputs)
        and outer.start <= inner.start
        and inner.end <= outer.end
    )


def statement(evidence: Evidence, step: Step) -> str:
    """The statement that a step is part of, as the text names its value: B = A**2 + 16."""
    steps = evidence.program.steps
    index = next(at for at, one in enumerate(steps) if one is step)
    bound = next((one for one in steps[index + 1 :] if isinstance(one, Bind)), None)
    if bound is None or not isinstance(bound.operand, Ref):
        return evidence.source(step)
    return evidence.source(steps[bound.operand.step])


def listed(names: tuple[str, ...] | list[str]) -> dict[str, object]:
    """The words of a sentence about one or several inputs."""
    several = len(names) > 1
    return {
        "inputs": " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}",
        "is": "are" if several else "is",
        "has": "have" if several else "has",
        "requires": "require" if several else "requires",
        "counts": "count" if several else "counts",
        "do": "do" if several else "does",
        "its": "their" if several else "its",
        "grads": " and ".join(f"{name}.grad" for name in names),
        "are_none": "are None" if several else "is None",
        "it": "them" if several else "it",
        "them": "them" if several else "it",
    }
