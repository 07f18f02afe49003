"""Whole derivatives against witnesses: torch.func, finite differences, sympy, and one backward pass a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sympy
import torch
import torch.nn.functional as F

import gradcli
from gradcli import GradcliError
from gradcli.engine import confirming, products

Function = Callable[..., torch.Tensor]

# Expression, the same by hand, and the inputs: smooth everywhere near them.
TABLE: list[tuple[str, Function, dict[str, Any]]] = [
    ("A**2", lambda A: A**2, {"A": [0.5, -1.0, 2.0]}),
    ("A.sum()", lambda A: A.sum(), {"A": [[0.5, -1.0], [2.0, 3.0]]}),
    ("A", lambda A: A * 1, {"A": [0.5, -1.0]}),
    ("sin(A)*B", lambda A, B: torch.sin(A) * B, {"A": [0.5, -1.0, 2.0], "B": 3.0}),
    ("a[:, None]*b + a[:, None]", lambda a, b: a[:, None] * b + a[:, None], {"a": [1.0, 2.0], "b": [0.5, -1.0, 2.0]}),
    ("exp(t)*ones(4)", lambda t: torch.exp(t) * torch.ones(4).double(), {"t": 0.3}),
    ("stack([t, t**2, sin(t)])", lambda t: torch.stack([t, t**2, torch.sin(t)]), {"t": 0.3}),
    ("X @ X", lambda X: X @ X, {"X": [[2.0, -1.0], [0.5, 3.0]]}),
    ("W @ x", lambda W, x: W @ x, {"W": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "x": [0.5, -1.0, 2.0]}),
    ("torch.linalg.inv(X).sum()", lambda X: torch.linalg.inv(X).sum(), {"X": [[2.0, -1.0], [0.5, 3.0]]}),
    ("torch.linalg.solve(X, b)", torch.linalg.solve, {"X": [[2.0, -1.0], [0.5, 3.0]], "b": [1.0, 2.0]}),
    ("softmax(x, 0)", lambda x: torch.softmax(x, 0), {"x": [0.5, -1.0, 2.0]}),
    ("logsumexp(x*y, 0)", lambda x, y: torch.logsumexp(x * y, 0), {"x": [0.5, -1.0], "y": [2.0, 0.1]}),
    ("F.layer_norm(x, (3,))", lambda x: F.layer_norm(x, (3,)), {"x": [1.0, 2.0, -2.0]}),
    ("F.conv1d(x, w)", F.conv1d, {"x": [[[1.0, 2.0, -1.0, 3.0]]], "w": [[[0.5, -1.0]]]}),
    ("cumprod(x, 0)", lambda x: torch.cumprod(x, 0), {"x": [1.5, -2.0, 0.5]}),
    ("x.norm()", lambda x: x.norm(), {"x": [1.0, 2.0, -2.0]}),
    ("y = x*2; z = y.clone(); z.mul_(y); z[0]*x", lambda x: (2 * x[0]) ** 2 * x, {"x": [1.0, -2.0]}),
    ("B = tanh(A); C = B*B; C + A.sum()", lambda A: torch.tanh(A) ** 2 + A.sum(), {"A": [0.5, -1.0]}),
]
NAMES = [expression for expression, _, _ in TABLE]


def tensors(at: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    return tuple(torch.tensor(value, dtype=torch.float64) for value in at.values())


def differences(function: Function, values: tuple[torch.Tensor, ...], index: int) -> torch.Tensor:
    """The Jacobian by one argument from central differences of fourth order: right to about 1e-9."""
    value, step, columns = values[index], 1e-3, []
    for unit in torch.eye(value.numel(), dtype=torch.float64).reshape(-1, *value.shape):
        moved = [
            function(*values[:index], value + factor * step * unit, *values[index + 1 :]) for factor in (-2, -1, 1, 2)
        ]
        columns.append((moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / (12 * step))
    return torch.stack(columns, -1).reshape(columns[0].shape + value.shape)


def close(one: torch.Tensor, other: torch.Tensor, tolerance: float = 1e-12) -> None:
    torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("expression", "function", "at"), TABLE, ids=NAMES)
def test_a_jacobian_is_that_of_torch_func_and_of_differences(
    expression: str, function: Function, at: dict[str, Any]
) -> None:
    values = tensors(at)
    found = {
        way: gradcli.jacobian(expression, at=at, dtype="float64", **({way: True} if way != "auto" else {}))
        for way in ("auto", "forward", "reverse")
    }
    assert (found["forward"].direction, found["reverse"].direction) == ("forward", "reverse")
    for index, name in enumerate(at):
        expected = torch.func.jacrev(function, argnums=index)(*values)
        for result in found.values():
            close(result.jacobian[name], expected)
        close(expected, differences(function, values, index), 1e-8)
        assert found["auto"].jacobian[name].shape == found["auto"].output.value.shape + values[index].shape


@pytest.mark.parametrize(("expression", "function", "at"), TABLE, ids=NAMES)
def test_a_hessian_is_that_of_torch_func_and_symmetric(expression: str, function: Function, at: dict[str, Any]) -> None:
    values = tensors(at)
    found = gradcli.hessian(expression, at=at, dtype="float64").hessian
    every = tuple(range(len(values)))

    def summed(*values: torch.Tensor) -> torch.Tensor:
        return function(*values).sum()

    expected = torch.func.hessian(summed, argnums=every)(*values)
    for i, one in enumerate(at):
        for j, other in enumerate(at):
            close(found[one][other], expected[i][j], 1e-11)
            size = values[i].numel(), values[j].numel()
            close(found[one][other].reshape(size), found[other][one].reshape(size[::-1]).T, 1e-12)
        gradient = torch.func.grad(summed, argnums=i)
        close(found[one][one], differences(lambda *v, g=gradient: g(*v), values, i), 1e-7)


@pytest.mark.parametrize(("expression", "function", "at"), TABLE, ids=NAMES)
def test_a_directional_derivative_is_the_jacobian_times_the_tangent(
    expression: str, function: Function, at: dict[str, Any]
) -> None:
    values = tensors(at)
    along = {name: torch.cos(3 * value + 1) for name, value in zip(at, values, strict=True)}
    found = gradcli.jvp(expression, at=at, tangent=along, dtype="float64")
    close(found.tangent, torch.func.jvp(function, values, tuple(along.values()))[1])
    jacobian = gradcli.jacobian(expression, at=at, dtype="float64").jacobian
    products = [torch.tensordot(jacobian[name], along[name], along[name].dim()) for name in at]
    close(found.tangent, sum(products[1:], products[0]))


@pytest.mark.parametrize("text", ["sin(x)*y**2 + exp(x*y)", "x**3/y + tanh(x - y)", "log(x**2 + y**2)*atan(x)"])
def test_second_derivatives_are_sympys(text: str) -> None:
    x, y = sympy.symbols("x y")
    exact = sympy.hessian(sympy.sympify(text), (x, y)).evalf(
        30, subs={x: sympy.Rational(7, 10), y: sympy.Rational(13, 10)}
    )
    found = gradcli.hessian(text, at={"x": 0.7, "y": 1.3}, dtype="float64").hessian
    for i, one in enumerate("xy"):
        for j, other in enumerate("xy"):
            assert float(found[one][other]) == pytest.approx(float(exact[i, j]), rel=1e-12)


@pytest.mark.parametrize(
    ("expression", "at", "direction"),
    [
        ("A*ones(5)", 2.0, "forward"),
        ("A.sum()", [1.0, 2.0], "reverse"),
        ("A**2", [1.0, 2.0], "reverse"),
        ("A.exp()*ones(3)", 1 + 2j, "reverse"),
        ("with torch.no_grad(): n = A*2\nA*n*ones(3)", 2.0, "reverse"),
        ("A = torch.tensor(2.0, requires_grad=True); A*ones(3)", None, "reverse"),
        ("ones(3)", None, "reverse"),
    ],
)
def test_the_direction_follows_the_shapes_where_forward_mode_answers_the_same(
    expression: str, at: Any, direction: str
) -> None:
    assert gradcli.jacobian(expression, at=at).direction == direction


def test_several_outputs_have_a_jacobian_each() -> None:
    found = gradcli.jacobian("A, B*A", at={"A": 1.0, "B": [2.0, 3.0]})
    assert [sorted(one) for one in found.jacobians] == [["A", "B"], ["A", "B"]]
    assert found.jacobians[0]["B"].tolist() == [0.0, 0.0]
    assert found.jacobians[1]["B"].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert found.jacobian is found.jacobians[0]
    assert "jacobian" not in found.to_dict()
    assert [
        one.tolist() for one in gradcli.jvp("A, B*A", at={"A": 1.0, "B": [2.0, 3.0]}, tangent={"B": 1}).tangents
    ] == [
        0.0,
        [1.0, 1.0],
    ]


@pytest.mark.parametrize(
    ("expression", "at", "code"),
    [
        ("B*2", {"A": [1.0, 2.0], "B": 3.0}, "G104"),
        ("A.detach()*B", {"A": [1.0, 2.0], "B": 3.0}, "G102"),
        ("A.argmax()*B", {"A": [1.0, 2.0], "B": 3.0}, "G103"),
        ("with torch.no_grad(): C = A*2\nC*B", {"A": [1.0, 2.0], "B": 3.0}, "G101"),
        ("zeros_like(A)*B", {"A": [1.0, 2.0], "B": 3.0}, "G104"),
    ],
)
def test_an_input_that_does_not_reach_the_output_gives_zeros_and_a_note(
    expression: str, at: dict[str, Any], code: str
) -> None:
    first, second = gradcli.jacobian(expression, at=at), gradcli.hessian(expression, at=at)
    assert not first.jacobian["A"].any()
    assert first.jacobian["A"].shape == (*first.output.value.shape, 2)
    assert second.hessian["A"]["A"].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    for result in (first, second):
        note = next(note for note in result.notes if note.code == code)
        assert "the derivative by" in note.message
        assert ".grad" not in note.message


@pytest.mark.parametrize("expression", ["A*5", "A + 3", "relu(A)", "abs(A)", "A.sum()", "round(A)", "A[0]*2", "A.T"])
def test_a_constant_first_derivative_has_a_second_of_zeros(expression: str) -> None:
    found = gradcli.hessian(expression, at=[1.0, 2.0]).hessian["A"]["A"]
    assert found.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert gradcli.grad(expression, at=[1.0, 2.0], order=3).to_dict()["derivatives"]["A"][1:] == [[0.0, 0.0]] * 2


def test_zeros_are_answered_where_torch_has_no_second_derivative_and_the_first_is_constant() -> None:
    found = gradcli.hessian("F.hardsigmoid(A)*B", at={"A": [1.0, 2.0]}, const={"B": 3})
    assert not found.hessian["A"]["A"].any()
    assert found.flat == {"A"}
    assert any("is the same at other points nearby" in note.message for note in found.notes)
    higher = gradcli.grad("F.hardsigmoid(A)", at=[1.0, 2.0], order=3)
    assert higher.to_dict()["derivatives"]["A"][1:] == [[0.0, 0.0]] * 2


@pytest.mark.parametrize(
    ("ask", "start", "end"),
    [
        (lambda: gradcli.hessian("A + cdist(sin(A), A)*2", at=[[1.0, 2.0]]), 4, 20),
        (lambda: gradcli.hessian("F.hardsigmoid(A)*A", at=1.0), 0, 16),
        (lambda: gradcli.grad("exp(cdist(A, A*2))", at=[[1.0, 2.0]], order=2), 4, 17),
    ],
)
def test_a_step_without_a_second_derivative_is_named(ask: Callable[[], object], start: int, end: int) -> None:
    with pytest.raises(GradcliError) as caught:
        ask()
    assert (caught.value.code, caught.value.span, int(caught.value.exit_code)) == ("G206", (start, end), 3)


@pytest.mark.parametrize("expression", ["cdist(A, A*2)", "masked_select(A, A > 1)", "A.tensor_split(2)[0]"])
def test_rows_are_made_one_by_one_where_torchs_batches_fail_or_are_wrong(expression: str) -> None:
    confirming.CONFIRMED.clear()
    at = torch.tensor([[1.0, 2.0], [3.0, 5.0]], dtype=torch.float64)
    found = gradcli.jacobian(expression, at=at, reverse=True)
    A = at.clone().requires_grad_()
    output = {
        "cdist(A, A*2)": lambda: torch.cdist(A, A * 2), "masked_select(A, A > 1)": lambda: A[A > 1],
        "A.tensor_split(2)[0]": lambda: A[:1],
    }[expression]()  # fmt: skip
    rows = [torch.autograd.grad(one, A, retain_graph=True)[0] for one in output.reshape(-1)]
    close(found.jacobian["A"], torch.stack(rows).reshape(output.shape + A.shape))


def test_a_batch_that_is_wrong_is_not_believed() -> None:
    rows, weights = torch.randn(5, 3, dtype=torch.float64), confirming.mixed(5)
    assert confirming.agrees(rows, weights @ rows, weights)
    for spoiled in (rows * 2, rows[:1].expand(5, 3), rows.roll(1, 0), rows * torch.tensor([1, 1, float("nan")])):
        assert not confirming.agrees(spoiled, weights @ rows, weights)


@pytest.mark.parametrize("expression", ["sin(A)*A.sum()", "stack([A, A*2, exp(A)])"])
def test_batches_of_any_size_give_the_same(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at, whole = [0.1, 0.2, 0.3, 0.4, 0.5], {}
    for size in (1 << 24, 40, 15):
        monkeypatch.setattr(products, "CHUNK", size)
        confirming.CONFIRMED.clear()
        whole[size] = (
            gradcli.jacobian(expression, at=at, reverse=True).jacobian["A"],
            gradcli.jacobian(expression, at=at, forward=True).jacobian["A"],
            gradcli.hessian(expression, at=at).hessian["A"]["A"],
        )
    for found in whole.values():
        for one, other in zip(found, whole[1 << 24], strict=True):
            close(one, other, 1e-6)


def test_a_matrix_beyond_the_memory_budget_is_refused() -> None:
    for ask in (gradcli.jacobian, gradcli.hessian):
        with pytest.raises(GradcliError, match="numbers") as caught:
            ask("A*2", at=torch.ones(6000), max_memory="100MB")
        assert caught.value.kind == "bounds"
        assert "137 MB" in caught.value.message
        assert "100 MB" in caught.value.message


def test_random_numbers_are_the_same_in_every_pass() -> None:
    for ways in ({"forward": True}, {"reverse": True}):
        found = gradcli.jacobian("B = A*randn(3); B", at="randn(3)", seed=7, **ways)  # type: ignore[arg-type]
        assert torch.equal(found.jacobian["A"].diag(), found.output.value / found.inputs["A"].value)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    gradcli.jvp("F.dropout(A, 0.5)*randn(3)", at=[1.0, 2.0, 3.0], tangent="randn(3)")
    assert torch.equal(torch.get_rng_state(), before)


def test_tensors_that_are_given_are_left_alone() -> None:
    A, t = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([1.0, 0.0])
    for _ in range(2):
        gradcli.jacobian("A*t", at={"A": A}, const={"t": t})
        gradcli.hessian("B = t.clone(); B.add_(1); t.mul_(2); (A*B*t)**2", at={"A": A}, const={"t": t})
        gradcli.jvp("A*3", at=A, tangent=t)
    assert (A.grad, A.requires_grad, A.tolist(), t.tolist()) == (None, True, [1.0, 2.0], [1.0, 0.0])


@pytest.mark.parametrize("expression", ["z**2", "z*z.conj()", "exp(z)*z.sum()", "z.real", "abs(z)"])
def test_a_complex_jacobian_follows_torchs_convention_and_says_so(expression: str) -> None:
    z = torch.tensor([1 + 2j, -0.5 + 0.25j], dtype=torch.complex128)
    by_hand: dict[str, Function] = {
        "z**2": lambda z: z**2,
        "z*z.conj()": lambda z: z * z.conj(),
        "exp(z)*z.sum()": lambda z: torch.exp(z) * z.sum(),
        "z.real": lambda z: z.real,
        "abs(z)": lambda z: z.abs(),
    }
    found = gradcli.jacobian(expression, at={"z": z})
    close(found.jacobian["z"], torch.autograd.functional.jacobian(lambda z: (by_hand[expression](z) + 0j).real, z))
    assert [note.code for note in found.notes] == ["G607"]
    with pytest.raises(GradcliError, match="convention"):
        gradcli.jacobian(expression, at={"z": z}, forward=True)


def test_a_complex_hessian_is_the_jacobian_of_the_real_part_of_the_gradient() -> None:
    z = torch.tensor([1 + 2j, -0.5 + 0.25j], dtype=torch.complex128)
    found = gradcli.hessian("(z*z.conj()).real.sum()**2", at={"z": z})

    def gradient(z: torch.Tensor) -> torch.Tensor:
        return torch.autograd.grad((z * z.conj()).real.sum() ** 2, z, create_graph=True)[0].real

    close(found.hessian["z"]["z"], torch.autograd.functional.jacobian(gradient, z))
    assert [note.code for note in found.notes] == ["G607"]
    with pytest.raises(GradcliError) as caught:
        gradcli.hessian("z**2", at={"z": z})
    assert caught.value.code == "G205"


def test_a_complex_output_of_a_real_input_has_its_whole_derivative() -> None:
    x = torch.tensor([0.5, 2.0], dtype=torch.float64)
    found = gradcli.jacobian("exp(x*1j)", at={"x": x})
    parts = torch.func.jacrev(lambda x: torch.stack([torch.cos(x), torch.sin(x)]))(x)
    close(found.jacobian["x"], torch.complex(*parts))
    assert not found.notes


def test_gradients_by_complex_inputs_are_told_to_be_conjugated() -> None:
    assert "G607" in [note.code for note in gradcli.grad("abs(z)", at=1 + 2j).notes]
    assert "G607" not in [note.code for note in gradcli.evaluate("abs(z)", at=1 + 2j).notes]
    assert "G607" not in [note.code for note in gradcli.grad("abs(z)*A", at=2.0, const={"z": 1 + 2j}).notes]


@pytest.mark.parametrize(
    ("expression", "values", "way"),
    [
        ("A**2", {"at": [1.0, 2.0]}, "forward"),
        ("with torch.no_grad(): c = A*2\nA*c", {"at": [1.0, 2.0]}, "twice"),
        ("A = torch.tensor([1.0, 2.0], requires_grad=True); A**3", {}, "twice"),
        ("F.grid_sample(A[None, None], B, align_corners=False)",
         {"at": [[1.0, 2.0], [3.0, 5.0]], "const": {"B": [[[[0.1, 0.2], [-0.3, 0.4]]]]}}, "twice"),
        ("cdist(A, A*2)", {"at": [[1.0, 2.0], [3.0, 5.0]]}, "rows"),
        ("F.multi_margin_loss(A, t)", {"at": [[1.0, 2.0, 3.0]], "const": {"t": [0]}}, "rows"),
    ],
)  # fmt: skip
def test_a_tangent_without_a_forward_formula_is_answered_another_way_and_told(
    expression: str, values: dict[str, Any], way: str
) -> None:
    jacobian = gradcli.jacobian(expression, reverse=True, **values)
    tangent = torch.cos(torch.arange(jacobian.inputs["A"].value.numel())).reshape(jacobian.inputs["A"].shape)
    found = gradcli.jvp(expression, tangent={"A": tangent}, **values)
    assert found.way == way
    close(found.tangent, torch.tensordot(jacobian.jacobian["A"], tangent, tangent.dim()), 1e-5)
    assert (way == "forward") == (not found.notes or all(note.code for note in found.notes))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: gradcli.jvp("A*B", at={"A": 1, "B": 2}, tangent=1), "does not say which input"),
        (lambda: gradcli.jvp("A*B", at={"A": 1, "B": 2}), "needs a direction"),
        (lambda: gradcli.jvp("A*B", at={"A": 1, "B": 2}, tangent={"C": 1}), "names 'C'"),
        (lambda: gradcli.jvp("A*B", at={"A": 1}, const={"B": 2}, tangent={"B": 1}), "names 'B'"),
        (lambda: gradcli.jvp("A", at=[1, 2], tangent=[1, 2, 3]), "shape"),
        (lambda: gradcli.jvp("A", at=1, tangent=1j), "complex"),
        (lambda: gradcli.jvp("ones(3)", tangent=1), "no input"),
        (lambda: gradcli.jacobian("A", at=1, forward=True, reverse=True), "contradict"),
        (lambda: gradcli.hessian("(z*z.conj()).real", at=1j, eigen=True), "real"),
    ],
)
def test_requests_that_make_no_sense_are_refused(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(GradcliError, match=message) as caught:
        ask()
    assert int(caught.value.exit_code) == 2


@pytest.mark.parametrize(
    ("expression", "at", "eigenvalues", "definiteness"),
    [
        ("x[0]**2 + 3*x[1]**2", {"x": [1, 2]}, [2, 6], "positive definite"),
        ("x[0]**2 - x[1]**2", {"x": [1, 2]}, [-2, 2], "indefinite"),
        ("-(x**4)", {"x": [0, 2]}, [-48, 0], "negative semidefinite"),
        ("a*b", {"a": 1, "b": 2}, [-1, 1], "indefinite"),
        ("a*5", {"a": 1}, [0], "zero"),
        ("sqrt(a)", {"a": 0}, None, None),
    ],
)
def test_eigenvalues_tell_the_definiteness(
    expression: str, at: dict[str, Any], eigenvalues: list[float] | None, definiteness: str | None
) -> None:
    found = gradcli.hessian(expression, at=at, eigen=True, dtype="float64")
    assert found.definiteness == definiteness
    got = found.eigenvalues.tolist() if found.eigenvalues is not None else None
    assert got == (eigenvalues if eigenvalues is None else pytest.approx(eigenvalues, abs=1e-12))


def test_a_hessian_of_no_elements_has_no_eigenvalues() -> None:
    found = gradcli.hessian("x.sum()", at={"x": torch.zeros(0)}, eigen=True)
    assert found.to_dict()["eigenvalues"] == []


def test_no_derivatives_where_nothing_is_an_input() -> None:
    answer = gradcli.grad("ones(2).requires_grad_()", order=2)
    assert answer.to_dict()["derivatives"] == {}


@pytest.mark.parametrize("scale", ["auto", 1024])
def test_no_scale_is_needed_where_nothing_is_an_input(scale: Any) -> None:
    assert gradcli.grad("ones(2).requires_grad_()", loss_scale=scale).inputs == {}
