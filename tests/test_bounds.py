"""Bombs of memory and of time are refused before they run, by rules in plain Python; their healthy neighbours run."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch

import gradcli
from gradcli.engine import sizing
from gradcli.engine.memory import Budget, Room
from gradcli.engine.operations import operand_value
from gradcli.errors import GradcliError
from gradcli.language.parser import parse
from gradcli.language.program import Call, Input
from tests import cases
from tests.command_line import python

MEMORY = "1GB"


# A text that would take more than 1 GB or hours, and a text of the same kind that takes neither.
BOMBS = cases.rows("bombs")


@pytest.fixture
def unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The meta device is not asked: its first use takes seconds."""

    def refuse(*_: Any) -> Any:
        raise AssertionError("the meta device was asked")

    monkeypatch.setattr(sizing, "_exact", refuse)


def shown(text: str) -> str:
    return text.split("\n")[0][:40] + f"…{text.count(chr(10))}" * ("\n" in text)


@pytest.mark.usefixtures("unasked")
@pytest.mark.parametrize("text", [row["bomb"] for row in BOMBS], ids=shown)
def test_a_bomb_is_refused(text: str) -> None:
    with pytest.raises(GradcliError) as caught:
        gradcli.grad(text, at={"A": 2.0}, max_memory=MEMORY)
    assert caught.value.kind == "bounds", caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.end <= len(text)
    assert len(caught.value.message) < 200


@pytest.mark.usefixtures("unasked")
@pytest.mark.parametrize("text", [row["neighbour"] for row in BOMBS], ids=shown)
def test_its_neighbour_is_answered(text: str) -> None:
    gradcli.grad(text, at={"A": 2.0}, max_memory=MEMORY)


# What is no tensor cannot be made to grow, whatever its operators would do in Python.
GROWING = [
    ("B = (A, A)\nB * 10**9", "'*' does not work on a tuple"),
    ("B = [A, A]\nB + B", "'+' does not work on a list"),
    ("B = [A, A]\nB += B\nB", "'+=' does not work on a list"),
    ("B = ('a', A)\nB[0] * 10**9", "'*' does not work on text"),
    ("B = ('%1000000000d', A)\nB[0] % 5", "'%' does not work on text"),
    ("A.shape * 10**9", "'*' does not work on a shape"),
    ("B = [A, A]\nB[0] = B\ntorch.stack(B)", "only a tensor can be written into"),
    ("2 @ 3", "'@' multiplies matrices, not numbers"),
    ("len(A[None]) @ 3", "'@' multiplies matrices, not numbers"),
]


@pytest.mark.parametrize(("text", "message"), GROWING, ids=[text for text, _ in GROWING])
def test_operators_work_on_tensors_and_numbers(text: str, message: str) -> None:
    with pytest.raises(GradcliError) as caught:
        gradcli.grad(text, at={"A": 2.0})
    assert (caught.value.kind, caught.value.message) == ("value", message)


def test_shapes_may_be_added_and_compared() -> None:
    assert gradcli.grad("zeros(A.shape + A.shape).sum() * A.sum()", at=[1.0, 2.0]).output.value == 0
    assert gradcli.grad("S = A.shape == A.shape\nA * S", at=2.0).output.value == 2


def test_rounding_to_any_number_of_digits_takes_no_time() -> None:
    assert gradcli.grad("round(5, -10**9) * A", at=2.0).output.value == 0
    assert gradcli.grad("round(2.345, 2) * A", at=2.0, dtype="float64").output.value == (2.345).__round__(2) * 2


VALUES = [
    "randn(10**11)", "zeros(1).expand(10**12)", "zeros(1).expand(5 * 10**8)", "eye(10**6)", "[" * 900 + "]" * 900,
    "[" * 10_000, "[" + "1," * 1_000_000 + "1]", "9**9**9", "9" * 5000, "1e9999", "-" * 10_000 + "1",
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value[:30])
def test_a_value_is_held_to_the_same_bounds(value: str) -> None:
    with pytest.raises(GradcliError) as caught:
        gradcli.grad("A.sum()", at={"A": value}, max_memory=MEMORY)
    assert caught.value.kind in {"bounds", "syntax"}, caught.value.message


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(GradcliError, match="nested more than 64 deep"):
        gradcli.grad("A.sum()", at={"A": endless})


# Texts on which Python's own recursion would end, or that are as long as a text may be.
SUM = "+".join(["A"] * 2400)
LONG = [
    f"max({SUM}, 0)", f"({SUM}).foo()", "np" + ".a" * 800 + "(A)", f"B = {SUM}\nB += 1\nB",
    f"B = A[None] * 1\nB[({SUM} > 0)[None]] += 1\nB",
    "A" + "[0]" * 3300, "A" + ".T" * 4900, "-" * 9999, "(" * 9999, "A < " * 2400 + "A", "a" * 9990 + " \0",
    "= " * 4999, "A\n" * 4999,
]  # fmt: skip


@pytest.mark.parametrize("text", LONG, ids=lambda text: text[:20])
def test_a_long_text_is_read_or_refused(text: str) -> None:
    refused = None
    try:
        gradcli.grad(text, at={"A": 2.0})
    except GradcliError as error:
        refused = error
    assert refused is None or refused.span is None or refused.span.end <= len(text)


# Large and healthy: a call, and the shapes of its operands. None of it is computed here.
LARGE: list[tuple[str, dict[str, tuple[int, ...]]]] = [
    ("A * B", {"A": (10**8,), "B": (10**8,)}),
    ("sin(A)", {"A": (3 * 10**8,)}),
    ("A.sum()", {"A": (10**9,)}),
    ("A @ B", {"A": (10_000, 10_000), "B": (10_000, 10_000)}),
    ("A @ B", {"A": (64, 1, 512, 512), "B": (1, 8, 512, 512)}),
    ("F.conv2d(A, B, stride=2, padding=3)", {"A": (64, 3, 224, 224), "B": (64, 3, 7, 7)}),
    ("F.conv2d(A, B, padding=1)", {"A": (32, 256, 56, 56), "B": (256, 256, 3, 3)}),
    ("F.conv_transpose2d(A, B, stride=2)", {"A": (16, 256, 32, 32), "B": (256, 128, 4, 4)}),
    ("F.max_pool2d(A, 3, 2, 1)", {"A": (64, 64, 112, 112)}),
    ("F.adaptive_avg_pool2d(A, 1)", {"A": (256, 2048, 7, 7)}),
    ("F.layer_norm(A, (1024,))", {"A": (64, 1024, 1024)}),
    ("F.softmax(A, -1)", {"A": (32, 16, 512, 512)}),
    ("F.scaled_dot_product_attention(A, A, A)", {"A": (16, 16, 2048, 64)}),
    ("F.cross_entropy(A, A)", {"A": (8192, 32_000)}),
    ("F.interpolate(A, scale_factor=2)", {"A": (16, 64, 256, 256)}),
    ("F.pad(A, (1, 1, 1, 1))", {"A": (64, 64, 224, 224)}),
    ("cat([" + ", ".join(["A"] * 1000) + "])", {"A": (10**5,)}),
    ("A.sort()", {"A": (10**8,)}),
    ("A.topk(10)", {"A": (10**8,)}),
    ("A.median()", {"A": (10**8,)}),
    ("A.cumsum(0)", {"A": (10**8,)}),
    ("A[::2]", {"A": (10**9,)}),
    ("A.T.reshape(-1)", {"A": (10**4, 10**4)}),
    ("A.unfold(0, 10**4, 10**4)", {"A": (10**8,)}),
    ("A.chunk(8)", {"A": (10**9,)}),
    ("einsum('bhqd,bhkd->bhqk', A, B)", {"A": (16, 16, 512, 64), "B": (16, 16, 512, 64)}),
    ("torch.linalg.svd(A, full_matrices=False)", {"A": (10**6, 10)}),
    ("torch.linalg.qr(A)", {"A": (10**6, 20)}),
    ("torch.linalg.inv(A)", {"A": (5000, 5000)}),
    ("torch.linalg.solve(A, B)", {"A": (5000, 5000), "B": (5000, 5000)}),
    ("torch.fft.fft(A)", {"A": (5 * 10**7,)}),
    ("torch.stft(A, 2048, 512, return_complex=True)", {"A": (10**7,)}),
    ("torch.cdist(A, B)", {"A": (10**4, 512), "B": (10**4, 512)}),
    ("torch.repeat_interleave(A, 4, dim=0)", {"A": (10**4, 10**3)}),
    ("F.gelu(A)", {"A": (2 * 10**8,)}),
    ("F.mse_loss(A, B)", {"A": (10**8,), "B": (10**8,)}),
    ("F.one_hot(A, 1000)", {"A": (10**5,)}),
    ("torch.gather(A, 0, B)", {"A": (10**4, 10**4), "B": (10**4, 10**3)}),
]  # fmt: skip


@pytest.mark.usefixtures("unasked")
@pytest.mark.parametrize(("text", "shapes"), LARGE, ids=[text[:40] for text, _ in LARGE])
def test_what_is_large_and_healthy_is_admitted(text: str, shapes: dict[str, tuple[int, ...]]) -> None:
    """Within 16 GB: a call on uninitialised tensors, of which the system has given no page yet."""
    room = Room(None)
    room._budget = Budget(16 << 30, 0, True)
    steps = parse(text).steps
    values: list[Any] = [None] * len(steps)
    for index, step in enumerate(steps):
        if isinstance(step, Input):
            values[index] = torch.empty(shapes[step.name], requires_grad=True)
        elif isinstance(step, Call):
            args = [operand_value(one, values) for one in step.args]
            kwargs = {name: operand_value(one, values) for name, one in step.kwargs}
            sizing.admit(step, args, kwargs, room)
            values[index] = args[0].T if step.function.name == "T" else None


NET = """
import sys
from gradcli.engine import evaluate
from gradcli.__main__ import main
evaluate.admit = lambda step, args, kwargs, room: room.budget
sys.argv = ["gradcli", "eval", "--max-memory", "200MB", sys.argv[1]]
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts what a process has written to")
@pytest.mark.parametrize("text", ["ones(10**9).sum()", "ones(10**4)[:, None].expand(10**4, 10**5).contiguous()"])
def test_what_no_rule_foresees_fails_where_it_allocates(text: str) -> None:
    """The rules are left out: the process itself is confined."""
    said = python(NET, text)
    assert (said.returncode, said.stdout) == (2, ""), said.stderr
    assert said.stderr.startswith("error: this needs more memory than there is"), said.stderr


def test_a_process_that_imports_gradcli_is_left_as_it_is() -> None:
    said = python(
        "import resource, gradcli; before = resource.getrlimit(resource.RLIMIT_DATA)\n"
        "gradcli.grad('(ones(10**6) * A).sum()', at=2.0)\n"
        "print(before == resource.getrlimit(resource.RLIMIT_DATA))"
    )
    assert said.stdout == "True\n", said.stderr


def test_the_work_of_all_steps_counts_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizing, "WORK", 5e9)
    product = "ones(1000, 1000) @ ones(1000, 1000)"
    gradcli.evaluate(product, notes=False)
    with pytest.raises(GradcliError, match="multiplications"):
        gradcli.evaluate("\n".join([product] * 9), notes=False)


def test_a_limit_is_looked_for_in_tensors_of_any_dtype() -> None:
    assert gradcli.evaluate("torch.special.hermite_polynomial_h(A, A > 1)", at=2.0).output.value == 4.0
    with pytest.raises(GradcliError, match="n of hermite_polynomial_h"):
        gradcli.evaluate("torch.special.hermite_polynomial_h(A, ones(2)*10**6)", at=2.0)


@pytest.mark.parametrize(("text", "at"), [("zeros(10**9, 0)*A", 2.0), ("A*2", "zeros(10**7, 0, 2)")])
def test_empty_lists_are_counted(text: str, at: Any) -> None:
    with pytest.raises(GradcliError, match="has no elements, and more than 1,000,000 empty lists"):
        gradcli.grad(text, at=at)
    assert (
        gradcli.grad(text.replace("10**9", "10"), at=at if at == 2.0 else "zeros(10, 0, 10**9)").output.value.numel()
        == 0
    )
