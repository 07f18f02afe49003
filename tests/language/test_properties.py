"""What holds for every text: it is read or refused with a span inside it, and a program spelled out reads the same."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import assume, given
from hypothesis import strategies as st

from gradcli.errors import KINDS, GradcliError
from gradcli.language import spelling
from gradcli.language.parser import parse
from gradcli.language.program import Items, Program, Ref, operands, references
from gradcli.language.values import read_value
from tests.strategies import any_text, expressions, snippets, soups, spaced_soups


def refusal(read: Callable[[str], object], text: str) -> GradcliError | None:
    """The refusal of a text, or None where it is read."""
    try:
        read(text)
    except GradcliError as error:
        return error
    return None


def reads_or_refuses(text: str) -> Program | None:
    error = refusal(parse, text)
    if error is None:
        return parse(text)
    assert error.kind in KINDS
    assert error.message.strip()
    assert error.exit_code == 2
    if error.span is not None:
        assert error.source == text
        assert 0 <= error.span.start <= error.span.end <= len(text)
    return None


def exact(program: Program) -> str:
    """The steps without their columns; unlike `==`, it tells 5 from 5.0 and 0.0 from -0.0."""
    return re.sub(r"span=Span\(start=\d+, end=\d+\)", "", repr((program.inputs, program.steps, program.outputs)))


@given(any_text)
def test_any_text_is_read_or_refused(text: str) -> None:
    reads_or_refuses(text)


@given(st.one_of(soups, spaced_soups))
def test_any_soup_of_tokens_is_read_or_refused(text: str) -> None:
    program = reads_or_refuses(text)
    if program is not None:
        spans = [step.span for step in program.steps] + [remark.span for remark in program.remarks]
        assert all(0 <= span.start <= span.end <= len(text) for span in spans)


@given(snippets(), st.data())
def test_a_text_with_a_slip_is_read_or_refused(text: str, data: st.DataObject) -> None:
    """One character of a text that belongs to the language is left out, doubled, or replaced."""
    place = data.draw(st.integers(0, len(text)))
    slip = data.draw(st.one_of(st.just(""), st.characters(), st.sampled_from("()[],;:=*.'\"\n ²×")))
    reads_or_refuses(text[:place] + slip + text[place + 1 :])


@given(any_text)
def test_any_value_is_read_or_refused(text: str) -> None:
    error = refusal(read_value, text)
    if error is not None:
        assert error.exit_code == 2
        assert error.span is None or error.span.end <= len(text)


@given(st.one_of(expressions, snippets()))
def test_a_program_spelled_out_is_the_same_program(text: str) -> None:
    program = reads_or_refuses(text)
    assume(program is not None and all(isinstance(output.operand, Ref | Items) for output in program.outputs))
    assert program is not None
    spelled = "\n".join(spelling.lines(program))
    again = parse(spelled)
    assert again == program or "nan" in spelled, spelled
    assert exact(again) == exact(program), spelled
    assert "\n".join(spelling.lines(again)) == spelled


@given(st.one_of(expressions, snippets()))
def test_steps_refer_to_earlier_steps_only(text: str) -> None:
    program = reads_or_refuses(text)
    assume(program is not None)
    assert program is not None
    for index, step in enumerate(program.steps):
        assert all(reference < index for operand in operands(step) for reference in references(operand))
    freed = [done for group in program.frees for done in group]
    assert len(freed) == len(set(freed))
    assert not set(freed) & {index for output in program.outputs for index in references(output.operand)}
