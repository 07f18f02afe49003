"""Values and gradients are those that torch gives when the same lines are written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

import gradcli

VALUES: dict[str, Any] = {
    "A": [[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]],
    "B": [[2.0, 1.0, 4.0], [0.5, 3.0, 1.25]],
    "v": [0.1, 0.7, 0.2],
    "s": 2.5,
}

# text -> the same by hand, on tensors of the same names
TABLE: list[tuple[str, Callable[..., Any]]] = [
    ("A*5", lambda A: A * 5),
    ("-A**2 + 16", lambda A: -(A**2) + 16),
    ("(A - B)/(A + 10)", lambda A, B: (A - B) / (A + 10)),
    ("A @ B.T", lambda A, B: A @ B.T),
    ("A*v + s", lambda A, v, s: A * v + s),
    ("B**A", lambda B, A: B**A),
    ("2**v", lambda v: 2**v),
    ("B % 1.5", lambda B: B % 1.5),
    ("A[0] * A[-1, ::2].sum()", lambda A: A[0] * A[-1, ::2].sum()),
    ("A[:, None, 1:]*2", lambda A: A[:, None, 1:] * 2),
    ("A[A > 0]", lambda A: A[A > 0]),
    ("A[[0, 0]]", lambda A: A[[0, 0]]),
    ("sin(A)*exp(-A.abs())", lambda A: A.sin() * torch.exp(-A.abs())),
    ("F.softmax(A, dim=-1).log().mean()", lambda A: F.softmax(A, dim=-1).log().mean()),
    ("where(A > 0, A, s)", lambda A, s: torch.where(A > 0, A, s)),
    ("A.clamp(-1, 1)", lambda A: A.clamp(-1, 1)),
    ("relu(A) + F.gelu(B)", lambda A, B: torch.relu(A) + F.gelu(B)),
    ("torch.linalg.norm(A)", lambda A: torch.linalg.norm(A)),
    ("linalg.det(A @ B.T)", lambda A, B: torch.linalg.det(A @ B.T)),
    ("torch.linalg.svd(A).S", lambda A: torch.linalg.svd(A).S),
    ("einsum('ij,kj->ik', A, B)", lambda A, B: torch.einsum("ij,kj->ik", A, B)),
    ("cat([A, B], dim=1).cumsum(1)", lambda A, B: torch.cat([A, B], dim=1).cumsum(1)),
    ("logsumexp(A, 1)", lambda A: torch.logsumexp(A, 1)),
    ("max(A, dim=0).values", lambda A: torch.max(A, dim=0).values),
    ("max(A, B)", lambda A, B: torch.max(A, B)),
    ("sum([A, B, 1])", lambda A, B: A + B + 1),
    ("A.T.reshape(-1)[1:]", lambda A: A.T.reshape(-1)[1:]),
    ("special.erf(A) + special.gammaln(B)", lambda A, B: torch.special.erf(A) + torch.special.gammaln(B)),
    ("fft.rfft(v).abs()", lambda v: torch.fft.rfft(v).abs()),
    ("F.mse_loss(A, B, reduction='sum')", lambda A, B: F.mse_loss(A, B, reduction="sum")),
    ("values, i = topk(A, 2)\nvalues*s", lambda A, s: A.topk(2).values * s),
    ("B = A*2\nB += A\nB *= 3", lambda A: A * 3 * 3),
    ("x = A.clone()\nx[0] = s\nx*x", lambda A, s: torch.cat([(s * torch.ones(1, 3)) ** 2, A[1:] ** 2])),
    ("y = A*2\nwith torch.no_grad():\n    z = y*3\ny*z", lambda A: A * 2 * (A * 6).detach()),
    ("A.detach()*A", lambda A: A.detach() * A),
    ("ones(3)*v + arange(3)", lambda v: torch.ones(3) * v + torch.arange(3)),
    ("len(A)*A", lambda A: 2 * A),
    ("A*A.shape[1]", lambda A: 3 * A),
    ("A.mean() - A.std()", lambda A: A.mean() - A.std()),
    ("loss = (A*B).sum()\nloss.backward()", lambda A, B: (A * B).sum()),
]


def inputs_of(hand: Callable[..., Any], dtype: torch.dtype) -> dict[str, torch.Tensor]:
    names = hand.__code__.co_varnames[: hand.__code__.co_argcount]
    return {name: torch.tensor(VALUES[name], dtype=dtype, requires_grad=True) for name in names}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("text", "hand"), TABLE, ids=[text for text, _ in TABLE])
def test_value_and_gradients_are_torchs(text: str, hand: Callable[..., Any], dtype: str) -> None:
    inputs = inputs_of(hand, getattr(torch, dtype))
    with torch.random.fork_rng():
        expected = hand(**inputs)
    expected.sum().backward()
    answer = gradcli.grad(text, at={name: VALUES[name] for name in inputs}, dtype=dtype)
    torch.testing.assert_close(answer.output.value, expected.detach())
    assert answer.output.requires_grad
    if "\n" not in text:
        assert answer.output.grad_fn == expected.grad_fn.name()
    assert set(answer.inputs) == set(inputs)
    for name, leaf in inputs.items():
        torch.testing.assert_close(answer.inputs[name].grad, leaf.grad)
        assert answer.inputs[name].dtype == dtype


@pytest.mark.parametrize(("text", "hand"), TABLE[:12], ids=[text for text, _ in TABLE[:12]])
def test_reduce_and_upstream_are_backwards_own(text: str, hand: Callable[..., Any]) -> None:
    at = {name: VALUES[name] for name in inputs_of(hand, torch.float64)}
    mean = inputs_of(hand, torch.float64)
    hand(**mean).mean().backward()
    upstream = torch.linspace(-1, 2, hand(**mean).numel(), dtype=torch.float64).reshape(hand(**mean).shape)
    seeded = inputs_of(hand, torch.float64)
    hand(**seeded).backward(gradient=upstream)
    averaged = gradcli.grad(text, at=at, dtype="float64", reduce="mean")
    weighted = gradcli.grad(text, at=at, dtype="float64", upstream=upstream.tolist())
    for name in at:
        torch.testing.assert_close(averaged.inputs[name].grad, mean[name].grad)
        torch.testing.assert_close(weighted.inputs[name].grad, seeded[name].grad)


def test_several_outputs_are_summed_together() -> None:
    answer = gradcli.grad("A, A**2", at=[1.0, 2.0])
    assert [one.value.tolist() for one in answer.outputs] == [[1.0, 2.0], [1.0, 4.0]]
    assert answer.inputs["A"].grad.tolist() == [3.0, 5.0]  # type: ignore[union-attr]
    assert answer.output is answer.outputs[0]


def test_wrt_leaves_the_other_inputs_without_grad() -> None:
    answer = gradcli.grad("A*B", at={"A": 2.0, "B": 3.0}, wrt="B")
    assert answer.inputs["A"].grad is None
    assert not answer.inputs["A"].requires_grad
    assert answer.inputs["B"].grad == 2.0


def test_a_nonfinite_result_is_an_answer() -> None:
    answer = gradcli.grad("log(A)", at=[0.0, -1.0])
    assert str(answer.output.value.tolist()) == "[-inf, nan]"
    assert answer.inputs["A"].grad.tolist()[0] == float("inf")  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", ["no_grad", "inference"])
def test_modes_that_do_not_record(mode: str) -> None:
    for function in (gradcli.grad, gradcli.evaluate):
        answer = function("A**2 + 16", at=5.0, mode=mode)
        output, given = answer.output, answer.inputs["A"]
        assert (output.value.item(), output.requires_grad, output.grad_fn) == (41.0, False, None)
        assert (given.grad, given.requires_grad, given.is_leaf) == (None, True, True)


def test_evaluation_goes_forward_only() -> None:
    answer = gradcli.evaluate("A**2", at=3.0)
    assert (answer.output.grad_fn, answer.output.requires_grad) == ("PowBackward0", True)
    assert answer.inputs["A"].grad is None


def test_results_are_detached_and_frozen() -> None:
    answer = gradcli.grad("A*2", at=[1.0, 2.0])
    assert not answer.output.value.requires_grad
    assert not answer.inputs["A"].value.requires_grad
    assert answer.inputs["A"].grad is not None
    assert not answer.inputs["A"].grad.requires_grad
    with pytest.raises(AttributeError):
        answer.mode = "no_grad"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        answer.output.grad = None  # type: ignore[misc]
