"""Every JSON answer keeps to docs/reference/schema.json, and the schema refuses what is none."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from gradcli import commands
from gradcli.errors import KINDS
from tests.documentation import REFERENCE, answers, pages, print_of

SCHEMA = json.loads((REFERENCE / "schema.json").read_text(encoding="utf-8"))

ASKED = (
    'gradcli grad "A*5" --at 5.0 --json',
    'gradcli grad "A, A*2" --at "[1, 2]" --json',
    'gradcli grad "sort(A)" --at "[3, 1, 2]" --json',
    'gradcli grad "loss = A*B" --at A=2 --const B=3 --json',
    'gradcli grad "A = torch.tensor([5.0], requires_grad=True); (A*5).backward()" --json',
    'gradcli grad "A.detach()*2" --json',
    'gradcli grad "abs(z)" --at z=1+2j --json',
    'gradcli eval "A/0" --at "[1, -1, 0]" --json',
    'gradcli eval "A > B" --at "A=[1, 2]" --const "B=[True, False]" --json',
    'gradcli eval "zeros(0, 3)*A" --json',
    'gradcli eval --inference "A" --at "ones(2, 0)" --json',
    'gradcli grad "A**3" --order 3 --at "[1, 2]" --json',
    'gradcli grad "A*5" --repeat 2 --at "[1, 2]" --json',
    'gradcli grad "A*5" --repeat 2 --zero-grad --json',
    'gradcli grad "A*1e-8" --loss-scale 1024 --dtype float16 --json',
    'gradcli grad "A*1e-8" --loss-scale auto --dtype float16 --json',
    'gradcli trace "sin(A)*A" --at 2 --json',
    'gradcli trace "B = A**2; (B @ B).log()" --at "[1, 2]" --json',
    'gradcli graph "sin(A)*A*5" --at 2 --values --json',
    'gradcli graph "A*2, A > 1" --at "[1, 2]" --json',
    'gradcli graph "A.detach()" --json',
    'gradcli graph "z*(1+2j)" --at z=1+2j --json',
    'gradcli compare "A*B" --at "A=[1, 2]" --const B=3 --rounds 5 --json',
    'gradcli compare "A += 1; A, A*2" --at "[1, 2]" --rounds 0 --json',
    'gradcli compare "A*exp(A)" --at "[12, 1]" --dtypes float64,float16,float8_e5m2 --json',
    'gradcli compare "randn(3)*A, A > 0" --dtypes bfloat16 --json',
    'gradcli compare "log(1+exp(A))" "F.softplus(A)" --at 1000 --json',
    'gradcli compare "A*B" "A" "linalg.inv(A)" --at A=1 --at B=2 --json',
    'gradcli compare "A > 1" "A >= 1" --at "[1, 2]" --json',
    'gradcli check "softmax(x, 0)[0]" --at "[1, 2, 3]" --json',
    'gradcli check "torch.tanh(A)" --at 20 --json',
    'gradcli jacobian "A**2" --at "[1, 2, 3]" --json',
    'gradcli jacobian "A*B, A" --at "A=[1, 2]" --at B=3 --json',
    'gradcli hessian "A**2*B" --at "A=[1, 2]" --at B=3 --json',
    'gradcli jvp "A**2" --at "[1, 2]" --tangent "[1, 0]" --json',
    'gradcli jvp "A*2, A" --at "[1, 2]" --tangent "[1, 0]" --json',
    'gradcli sweep "x**3 - 3*x" --at x=-2:2:9 --json',
    'gradcli sweep "A*B + c" --at A=0:1:2 --at B=log:1:3:3 --at c=10 --json',
    'gradcli sweep "(A**2).sum()" --at "A=[[1, 2], [3, 4]]" --over A --json',
    'gradcli sweep "A.detach()/A" --at A=-1:1:3 --no-grad --json',
    "gradcli functions --json",
    "gradcli functions nosuchfunction --json",
    "gradcli explain --json",
    "gradcli explain G209 --json",
    "gradcli explain PowBackward0 --json",
    "gradcli explain AccumulateGrad --json",
    'gradcli explain "grad can be implicitly created only for scalar outputs" --json',
    'gradcli explain "train.py:3: UserWarning: Anomaly Detection has been enabled" --json',
    "gradcli explain nosuchthing --json",
    'gradcli grad "A^2" --json',
    'gradcli grad "A*B" --json',
    'gradcli grad "A*5" --at "[[1, 2], [3]]" --json',
    'gradcli grad "A.item()" --json',
    'gradcli grad "A @ A" --at "[[1, 2, 3]]" --json',
    "gradcli grad @nosuchfile --json",
    'gradcli grad "9**9**9" --json',
    "gradcli grad --nosuchoption --json",
)


def complaint(document: Any) -> str | None:
    """Where an object breaks the schema, and how; None where it does not."""
    checker = jsonschema.Draft202012Validator(SCHEMA)
    worst = jsonschema.exceptions.best_match(checker.iter_errors(document))
    return None if worst is None else f"{worst.json_path}: {worst.message}"


def strict(text: str) -> Any:
    """JSON without the words that Python's reader takes beyond the standard."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("text", ASKED)
def test_answers_keep_to_the_schema(text: str) -> None:
    assert complaint(strict(print_of(text))) is None


def test_json_answers_on_the_pages_keep_to_the_schema() -> None:
    shown = [
        one
        for path in pages.paths()
        for one in answers(path).values()
        if one.command.stages[-1][0] == "gradcli" and "--json" in one.command.text
    ]
    assert shown
    for one in shown:
        assert complaint(strict(one.printed[0])) is None, one.command.text


def test_the_schema_knows_every_command_and_kind() -> None:
    known = {one["$ref"].rpartition("/")[2] for one in SCHEMA["oneOf"]}
    assert known == {"error", *commands.NAMES}
    assert set(SCHEMA["$defs"]["error"]["properties"]["error"]["properties"]["kind"]["enum"]) == set(KINDS)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda document: document.update(extra=1),
        lambda document: document.pop("mode"),
        lambda document: document["output"].update(value="nan"),
        lambda document: document["output"].update(outside=1),
        lambda document: document["inputs"][0].pop("origin"),
        lambda document: document.update(outputs=[document["output"]] * 2),
        lambda document: document.update(command="nosuchcommand"),
        lambda document: document.update(status="error"),
    ],
)
def test_the_schema_refuses_what_is_wrong(spoil: Any) -> None:
    document = strict(print_of(ASKED[0]))
    spoil(document)
    assert complaint(document)
