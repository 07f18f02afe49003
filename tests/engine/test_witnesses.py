"""Gradients against a witness that knows nothing of autograd: central differences of the value, in float64."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gradcli

STEP = 1e-6

# text, and a point inside the domain where it is smooth
TABLE: list[tuple[str, dict[str, Any]]] = [
    ("A*5", {"A": 5.0}),
    ("A**2 + 16", {"A": 5.0}),
    ("A**3 - 3*A*B + B**2", {"A": [1.2, -0.7], "B": [0.4, 2.1]}),
    ("(A + B)/(A - 2*B)", {"A": [3.0, -1.0], "B": [0.4, 2.1]}),
    ("A**B", {"A": [1.5, 0.3], "B": [2.5, -1.2]}),
    ("sqrt(A)*rsqrt(B)", {"A": [0.4, 9.0], "B": [2.0, 0.1]}),
    ("exp(-A**2/2)/sqrt(2*pi)", {"A": [-1.0, 0.0, 2.0]}),
    ("log1p(A) + expm1(B)", {"A": [0.1, 3.0], "B": [0.1, -0.3]}),
    ("sin(A)*cos(B) + tan(A)", {"A": [0.2, 1.1], "B": [-0.4, 2.0]}),
    ("asin(A) + acos(B) + atan(A*B)", {"A": [0.2, -0.6], "B": [0.5, 0.9]}),
    ("sinh(A) - cosh(A)*tanh(A)", {"A": [0.3, -1.4]}),
    ("atan2(A, B)", {"A": [1.0, -2.0], "B": [0.5, -0.3]}),
    ("hypot(A, B)", {"A": [3.0, -1.0], "B": [4.0, 2.0]}),
    ("sigmoid(A)*F.softplus(B)", {"A": [-2.0, 0.4], "B": [1.0, -3.0]}),
    ("F.gelu(A) + F.silu(A) + F.mish(A)", {"A": [-1.3, 0.2, 2.2]}),
    ("F.elu(A) + F.selu(A)", {"A": [-1.3, 0.2, 2.2]}),
    ("softmax(A, 0)*arange(3)", {"A": [0.1, -0.4, 1.7]}),
    ("log_softmax(A, dim=0)[1]", {"A": [0.1, -0.4, 1.7]}),
    ("logsumexp(A, 0)", {"A": [0.1, -0.4, 1.7]}),
    ("special.erf(A) + special.erfc(2*A)", {"A": [0.3, -0.8]}),
    ("lgamma(A) + digamma(A)", {"A": [0.7, 3.4]}),
    ("special.i0(A) + special.i1e(A)", {"A": [0.7, 2.0]}),
    ("special.logit(A) + xlogy(A, B)", {"A": [0.2, 0.8], "B": [1.5, 0.3]}),
    ("A.mean() + A.var() + A.std()", {"A": [1.0, 4.0, 2.5]}),
    ("prod(A)*cumprod(A, 0)", {"A": [1.2, -0.7, 2.0]}),
    ("cumsum(A, 0)**2", {"A": [1.2, -0.7, 2.0]}),
    ("norm(A)*A", {"A": [1.2, -0.7, 2.0]}),
    ("A @ B", {"A": [[1.0, 2.0], [3.0, -1.0]], "B": [[0.5, 1.5], [-2.0, 0.3]]}),
    ("linalg.det(A) + trace(A)", {"A": [[1.0, 2.0], [3.0, -1.0]]}),
    ("linalg.inv(A)", {"A": [[1.0, 2.0], [3.0, -1.0]]}),
    ("linalg.solve(A, B)", {"A": [[1.0, 2.0], [3.0, -1.0]], "B": [0.5, 2.0]}),
    ("linalg.eigvalsh(A @ A.T + eye(2))", {"A": [[1.0, 2.0], [3.0, -1.0]]}),
    ("linalg.svdvals(A)", {"A": [[1.0, 2.0], [3.0, -1.0]]}),
    ("linalg.matrix_exp(A/4)", {"A": [[1.0, 2.0], [3.0, -1.0]]}),
    ("outer(A, B).sum(0)", {"A": [1.0, 2.0], "B": [0.5, -1.5, 2.5]}),
    ("einsum('i,ij,j->', A, B, A)", {"A": [1.0, 2.0], "B": [[0.5, 1.5], [-2.0, 0.3]]}),
    ("F.mse_loss(A, B) + F.smooth_l1_loss(A, B)", {"A": [1.0, 2.0], "B": [0.5, 4.0]}),
    ("F.binary_cross_entropy(A, B)", {"A": [0.2, 0.9], "B": [0.4, 0.7]}),
    ("F.kl_div(A, B, reduction='sum')", {"A": [-0.2, -0.9], "B": [0.4, 0.7]}),
    ("F.layer_norm(A, (3,))*A", {"A": [1.0, 4.0, 2.5]}),
    ("F.conv1d(A, B)", {"A": [[[1.0, 4.0, 2.5, -1.0]]], "B": [[[0.4, -0.6]]]}),
    ("F.avg_pool1d(A, 2)**2", {"A": [[1.0, 4.0, 2.5, -1.0]]}),
    ("F.pad(A, (1, 2))*F.pad(A, (2, 1))", {"A": [1.0, 4.0]}),
    ("F.interpolate(A, scale_factor=2.0, mode='linear')**2", {"A": [[[1.0, 4.0, 2.5]]]}),
    ("fft.fft(A).abs()", {"A": [1.0, 4.0, 2.5]}),
    ("where(A > 0, A**2, -A)", {"A": [1.0, -4.0]}),
    ("clamp(A, -1, 1)*A", {"A": [0.5, -4.0, 3.0]}),
    ("max(A, B)*min(A, B)", {"A": [0.5, -4.0], "B": [1.0, 2.0]}),
    ("sort(A).values*arange(3)", {"A": [0.5, -4.0, 3.0]}),
    ("A[[0, 0, 1]]**2", {"A": [0.5, -4.0]}),
    ("gather(A, 1, tensor([[0, 0], [1, 0]]))**2", {"A": [[0.5, -4.0], [1.0, 2.0]]}),
    ("y = A*2\ny += sin(A)\ny[0] = B\ny**2", {"A": [0.5, -4.0], "B": 3.0}),
    ("A.T.reshape(-1).flip(0).roll(1)*arange(4)", {"A": [[0.5, -4.0], [1.0, 2.0]]}),
]


def sum_of(text: str, at: dict[str, torch.Tensor]) -> float:
    return float(gradcli.evaluate(text, at=at, dtype="float64", notes=False).output.value.sum())


@pytest.mark.parametrize(("text", "at"), TABLE, ids=[text for text, _ in TABLE])
def test_gradients_are_the_slopes_of_the_value(text: str, at: dict[str, Any]) -> None:
    point = {name: torch.tensor(value, dtype=torch.float64) for name, value in at.items()}
    answer = gradcli.grad(text, at=point, dtype="float64")
    for name, value in point.items():
        slopes = []
        for index in range(value.numel()):
            ends = []
            for side in (STEP, -STEP):
                moved = value.clone()
                moved.view(-1)[index] += side
                ends.append(sum_of(text, {**point, name: moved}))
            slopes.append((ends[0] - ends[1]) / (2 * STEP))
        numeric = torch.tensor(slopes, dtype=torch.float64).reshape(value.shape)
        torch.testing.assert_close(answer.inputs[name].grad, numeric, rtol=2e-6, atol=2e-7)


def test_the_witness_sees_a_wrong_gradient() -> None:
    """A detached factor has the value and not the slope: the comparison above has to fail for it."""
    with pytest.raises(AssertionError, match="not close"):
        test_gradients_are_the_slopes_of_the_value("A*A.detach()", {"A": 3.0})
