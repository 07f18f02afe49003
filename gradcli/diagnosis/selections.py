"""A text in which a part is taken before an operation, not of its result: log(A)[1:] as log(A[1:]).

An index, or a function that picks (index_select, gather, narrow), is taken off the result and put on each operand that
has the shape of the result. What triu and tril leave out is masked, for they put 0 there.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnosis.columns import column_of, put
from gradcli.engine.proving.origins import Origin
from gradcli.engine.proving.replay import Known
from gradcli.errors import Span
from gradcli.language.program import Program, Ref


def taken_first(program: Program, origin: Origin, masker: Known) -> Iterator[str]:
    """The texts to try, `masker` being what leaves a part of the operation out."""
    call, source = origin.call.step, program.source
    result = column_of(program, masker.step.args[0] if masker.step.args else None, masker.step)
    if result is None or not call.function.pointwise:
        return
    bare, result = result, _bracketed(source, result, masker.step.span)
    before, after = source[masker.step.span.start : result.start], source[result.end : masker.step.span.end]
    shape = origin.call.value.shape
    wide = [ref for ref, one in origin.call.operands.items() if getattr(one, "shape", None) == shape and one.dim()]
    columns = [column_of(program, Ref(ref), call) for ref in wide]
    places = [place for place in columns if place is not None]
    if not places or len(places) < len(wide):
        return
    ends = [(Span(masker.step.span.start, result.start), ""), (Span(result.end, masker.step.span.end), "")]
    if result != bare and program.outputs[0].span == masker.step.span:  # brackets around all of it say nothing
        ends = [(Span(masker.step.span.start, bare.start), ""), (Span(bare.end, masker.step.span.end), "")]
    yield put(source, [*ends, *((one, f"{before}{_atom(source, one, after)}{after}") for one in places)])
    for one in places:
        x = source[slice(*one)]
        left = f"{before}torch.ones_like({x}){after} != 0"
        yield put(source, [(one, f"where({left}, {x}, 1)")])


def _bracketed(source: str, inner: Span, outer: Span) -> Span:
    """The columns of an operand with the brackets around it that are not those of a call."""
    while inner.start > outer.start and source[inner.start - 1] == "(" and source[inner.end : inner.end + 1] == ")":
        before = source[inner.start - 2 : inner.start - 1] if inner.start - 1 > outer.start else ""
        if before.isalnum() or before in {"_", ")", "]"}:
            break
        inner = Span(inner.start - 1, inner.end + 1)
    return inner


def _atom(source: str, place: Span, after: str) -> str:
    """An operand so that what follows it belongs to all of it."""
    text = source[slice(*place)]
    return text if text.isidentifier() or after.startswith((",", ")")) or not after else f"({text})"
