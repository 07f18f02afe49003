"""A text and the names that are given values, to a program."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from gradcli.errors import GradcliError, Span
from gradcli.language import slips
from gradcli.language.families import cuts, looked
from gradcli.language.program import Program, Remark, Seed, last_reads
from gradcli.language.reader import Reader
from gradcli.language.scope import Scope
from gradcli.language.source import Source
from gradcli.language.statements import finish, read


class NothingToCompute(GradcliError):
    """A text that holds no expression; `instead`: what it does is to read a `.grad`, or to seed the random numbers."""

    def __init__(self, text: str, instead: Literal["grad", "seed"] | None) -> None:
        hint = 'write an expression, such as "A*5"'
        super().__init__("syntax", "there is nothing to compute", source=text, span=Span(0, len(text)), hint=hint)
        self.instead = instead


@lru_cache(maxsize=1024)
def parse(text: str, given: frozenset[str] = frozenset()) -> Program:
    """Read an expression, or the lines of a snippet.

    >>> parse("A*5").inputs
    ('A',)

    `given` are the names with values: they are inputs even where a constant or a function has that name.
    Raises GradcliError, of kind syntax, name, argument, autograd or bounds, with its span in `text`; NothingToCompute
    where it holds no expression.
    """
    scope = Scope(Source(text), given)
    reader = Reader(scope)
    read(reader, scope.source.statements)
    finish(reader)
    if not reader.outputs:
        seeds = any(isinstance(step, Seed) for step in scope.steps)
        raise NothingToCompute(text, "grad" if reader.grad_reads else "seed" if seeds else None)
    names = tuple(scope.inputs)
    steps = tuple(scope.steps)
    plan = looked(steps)
    return Program(
        source=text,
        steps=steps,
        inputs=names,
        outputs=reader.outputs,
        backward=reader.backward,
        upstream=reader.upstream,
        grad_reads=tuple(reader.grad_reads),
        retained=frozenset(reader.retained),
        remarks=(*scope.remarks, *_look_alikes(scope, names)),
        frees=last_reads(steps, (*(output.operand for output in reader.outputs), reader.upstream)),
        writes=scope.writes,
        random=scope.random,
        grows=scope.grows,
        cuts=cuts(steps),
        looked=plan,
        held=frozenset(ref for one in plan.values() for ref in one.reads),
    )


def _look_alikes(scope: Scope, names: tuple[str, ...]) -> list[Remark]:
    """Remarks on names that are drawn like another name of the text."""
    remarks = []
    for name in names:
        plain = slips.look_alike(name)
        if plain in names:
            span = scope.steps[scope.inputs[name].step].span
            remarks.append(
                Remark(
                    f"'{name}' has {slips.scripts_of(name)} letters and only looks like '{plain}': they are two inputs",
                    span,
                )
            )
    return remarks
