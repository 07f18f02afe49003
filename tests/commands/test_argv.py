"""Command lines to answers: argv to the facts that the JSON object tells."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.command_line import ask

# argv, then what is told of each input and of the output: value, grad, requires_grad, grad_fn
Facts = tuple[Any, Any, bool, str | None]
TABLE: list[tuple[list[str], dict[str, Facts], Facts]] = [
    (["grad", "A*5", "--at", "5.0"], {"A": (5.0, 5.0, True, None)}, (25.0, None, True, "MulBackward0")),
    (["grad", "A*5", "--at=5.0"], {"A": (5.0, 5.0, True, None)}, (25.0, None, True, "MulBackward0")),
    (["grad", "--at", "A=5.0", "A*5"], {"A": (5.0, 5.0, True, None)}, (25.0, None, True, "MulBackward0")),
    (["grad", "A*5"], {"A": (5.0, 5.0, True, None)}, (25.0, None, True, "MulBackward0")),
    (["grad", "A*5", "--at", "[5.0]"], {"A": ([5.0], [5.0], True, None)}, ([25.0], None, True, "MulBackward0")),
    (["eval", "A**2+16"], {"A": (5.0, None, True, None)}, (41.0, None, True, "AddBackward0")),
    (["eval", "--no-grad", "A**2+16"], {"A": (5.0, None, True, None)}, (41.0, None, False, None)),
    (["eval", "--inference", "A**2+16"], {"A": (5.0, None, True, None)}, (41.0, None, False, None)),
    (["eval", "--mode", "no_grad", "A**2+16"], {"A": (5.0, None, True, None)}, (41.0, None, False, None)),
    (["grad", "--no-grad", "A**2+16"], {"A": (5.0, None, True, None)}, (41.0, None, False, None)),
    (
        ["grad", "A*B+A", "--at", "A=2", "--at", "B=3"],
        {"A": (2.0, 4.0, True, None), "B": (3.0, 2.0, True, None)},
        (8.0, None, True, "AddBackward0"),
    ),
    (
        ["grad", "A*B", "--at", "A=[[1,2],[3,4]]", "--const", "B=2"],
        {"A": ([[1.0, 2.0], [3.0, 4.0]], [[2.0, 2.0], [2.0, 2.0]], True, None), "B": (2, None, False, None)},
        ([[2.0, 4.0], [6.0, 8.0]], None, True, "MulBackward0"),
    ),
    (
        ["grad", "A*B", "--at", "2", "--const", "B=3"],
        {"A": (2.0, 3.0, True, None), "B": (3, None, False, None)},
        (6.0, None, True, "MulBackward0"),
    ),
    (["grad", "-A**2", "--at", "-5.0"], {"A": (-5.0, 10.0, True, None)}, (-25.0, None, True, "NegBackward0")),
    (["grad", "--at", "-5.0", "-A**2"], {"A": (-5.0, 10.0, True, None)}, (-25.0, None, True, "NegBackward0")),
    (["grad", "--at=-5.0", "--", "-A**2"], {"A": (-5.0, 10.0, True, None)}, (-25.0, None, True, "NegBackward0")),
    (["grad", "--at", "A=-1", "--A**3"], {"A": (-1.0, 3.0, True, None)}, (-1.0, None, True, "NegBackward0")),
    (["grad", "A.sum()", "--at", "[-1, -2]"], {"A": ([-1.0, -2.0], [1.0, 1.0], True, None)},
     (-3.0, None, True, "SumBackward0")),
    (
        ["grad", "with torch.no_grad(): B = A**2 + 16", "--at", "[5.0]"],
        {"A": ([5.0], None, True, None)},
        ([41.0], None, False, None),
    ),
    (["grad", "loss = A*5", "--at", "[5.0]"], {"A": ([5.0], [5.0], True, None)}, ([25.0], None, True, "MulBackward0")),
    (["grad", "A*5", "--at", "[1,2]", "--reduce", "mean"], {"A": ([1.0, 2.0], [2.5, 2.5], True, None)},
     ([5.0, 10.0], None, True, "MulBackward0")),
    (["grad", "A*5", "--at", "[1,2]", "--upstream", "[1,0.5]"], {"A": ([1.0, 2.0], [5.0, 2.5], True, None)},
     ([5.0, 10.0], None, True, "MulBackward0")),
    (["grad", "A*5", "--at", "[1,2]", "--upstream", "-1"], {"A": ([1.0, 2.0], [-5.0, -5.0], True, None)},
     ([5.0, 10.0], None, True, "MulBackward0")),
    (["grad", "A*B", "--at", "A=2", "--at", "B=3", "--wrt", "B"],
     {"A": (2.0, None, False, None), "B": (3.0, 2.0, True, None)}, (6.0, None, True, "MulBackward0")),
    (["grad", "(x - mean)/std", "--at", "x=4", "--at", "mean=2", "--const", "std=2.0"],
     {"x": (4.0, 0.5, True, None), "mean": (2.0, -0.5, True, None), "std": (2.0, None, False, None)},
     (1.0, None, True, "DivBackward0")),
    (["grad", "A*1", "--at", "inf"], {"A": ("Infinity", 1.0, True, None)}, ("Infinity", None, True, "MulBackward0")),
    (["grad", "A*1", "--at", "nan"], {"A": ("NaN", 1.0, True, None)}, ("NaN", None, True, "MulBackward0")),
    (["grad", "A", "--at", "3"], {"A": (3.0, 1.0, True, None)}, (3.0, 1.0, True, None)),
]  # fmt: skip


def told(view: dict[str, Any]) -> Facts:
    return view["value"], view["grad"], view["requires_grad"], view["grad_fn"]


@pytest.mark.parametrize(("words", "inputs", "output"), TABLE, ids=[" ".join(words) for words, _, _ in TABLE])
def test_argv_to_answer(words: list[str], inputs: dict[str, Facts], output: Facts) -> None:
    said = ask(words[0], "--json", *words[1:])
    assert (said.code, said.err) == (0, "")
    found = json.loads(said.out)
    assert {one["name"]: told(one) for one in found["inputs"]} == inputs
    assert told(found["output"]) == output


KINDS = [
    (["--dtype", "float64"], "float64", 0.1),
    (["--dtype", "float16"], "float16", 0.1),
    (["--dtype", "bfloat16"], "bfloat16", 0.1),
    (["--dtype", "half"], "float16", 0.1),
    ([], "float32", 0.1),
]


@pytest.mark.parametrize(("words", "dtype", "value"), KINDS)
def test_dtype(words: list[str], dtype: str, value: float) -> None:
    found = json.loads(ask("eval", "A*1", "--at", "0.1", "--json", *words).out)
    assert [(one["dtype"], one["value"]) for one in (*found["inputs"], found["output"])] == [(dtype, value)] * 2


def test_a_seed_is_zero_unless_it_is_given() -> None:
    one, zero, other = (ask("eval", "randn(3)", *words).out for words in ([], ["--seed", "0"], ["--seed", "1"]))
    assert one == zero != other


def test_options_that_say_the_same_and_options_that_contradict() -> None:
    assert ask("grad", "A", "--no-grad", "--mode", "no_grad").code == 0
    assert ask("grad", "A", "--json", "--format", "json").code == 0
    assert ask("grad", "A", "--mode", "grad", "--mode", "no_grad").code == 0
    for words in (
        ["--no-grad", "--inference"], ["--no-grad", "--mode", "inference"], ["--json", "--format", "csv"],
        ["--no-grad", "--mode", "grad"], ["--json", "--format", "table"],
    ):  # fmt: skip
        said = ask("grad", "A", *words)
        assert said.code == 2
        assert "contradicts another option" in said.err + said.out


LOOK_ALIKES = [
    (["А*5", "--at", "A=5"], "no value for 'А', which has Cyrillic letters", "'A' was given"),
    (["A*5", "--at", "А=5"], "'А' was given, which has Cyrillic letters", "in the same letters"),
    (["Α*5", "--at", "A=5"], "no value for 'Α', which has Greek letters", "'A' was given"),
]


@pytest.mark.parametrize(("words", "message", "hint"), LOOK_ALIKES)
def test_a_name_that_only_looks_like_the_one_that_was_given(words: list[str], message: str, hint: str) -> None:
    said = ask("grad", *words)
    assert said.code == 2
    assert message in said.err
    assert hint in said.err
