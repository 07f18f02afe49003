"""Graphs: the nodes and edges of a plain walk over next_functions, where they come from, and what flows in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

import gradcli
from tests.command_line import ask

EXPRESSIONS: list[tuple[str, dict[str, Any]]] = [
    ("A*5", {"A": 2.0}),
    ("sin(A)*A", {"A": [0.5, 2.0]}),
    ("A*A", {"A": 3.0}),
    ("A", {"A": 1.0}),
    ("A > 1", {"A": 1.0}),
    ("A.detach()*2", {"A": 1.0}),
    ("(W @ x).relu().sum()", {"W": [[1.0, 2.0], [3.0, 4.0]], "x": [5.0, 6.0]}),
    ("softmax(x, 0)[0].log()", {"x": [1.0, 2.0, 3.0]}),
    ("A*2, A*B, B > 1", {"A": 1.0, "B": 2.0}),
    ("U, S, Vh = torch.linalg.svd(A); S.sum() + U[0, 0]", {"A": [[1.0, 2.0], [3.0, 4.5]]}),
    ("B = A*2; B.mul_(A); B.sum()", {"A": [1.0, 2.0]}),
    ("with torch.no_grad():\n    B = A*2\nA*B", {"A": 3.0}),
    ("A = torch.tensor([5.0], requires_grad=True); (A*5).backward()", {}),
    ("stack([A, A*2, A*3]).prod()", {"A": [1.0, 2.0]}),
    ("cat([A, zeros(0)]).sum()", {"A": [1.0]}),
    ("abs(z*(1+2j)).sum()", {"z": 1 + 2j}),
    ("F.layer_norm(A @ A.T, [2]).std() + A.max()", {"A": [[1.0, 2.0], [3.0, 5.0]]}),
]


def walked(*results: torch.Tensor) -> tuple[int, int]:
    """How many nodes and edges a plain walk finds."""
    seen: set[Any] = set()
    waiting: list[Any] = [one.grad_fn for one in results if one.grad_fn is not None]
    edges = 0
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        following = [one for one, _ in node.next_functions if one is not None]
        edges += len(following)
        waiting += following
    return len(seen), edges


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> list[torch.Tensor]:
    """The live tensors of the evaluation that a graph was made of."""
    from gradcli.engine import graph as engine

    kept: list[torch.Tensor] = []
    walk = engine.walk

    def spy(found: tuple[torch.Tensor, ...], *rest: Any) -> Any:
        kept.extend(found)
        return walk(found, *rest)

    monkeypatch.setattr(engine, "walk", spy)
    return kept


@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize(("expression", "at"), EXPRESSIONS, ids=[one for one, _ in EXPRESSIONS])
def test_nodes_and_edges_are_those_of_a_plain_walk(
    expression: str, at: dict[str, Any], values: bool, results: list[torch.Tensor]
) -> None:
    found = gradcli.graph(expression, at=at or None, values=values)
    assert (len(found.nodes), len(found.edges)) == walked(*results)
    assert [root is None for root in found.roots] == [one.grad_fn is None for one in results]
    for root, one in zip(found.roots, results, strict=True):
        assert root is None or found.nodes[root].name == one.grad_fn.name()  # type: ignore[union-attr]


def test_a_node_tells_its_name_its_text_its_result_and_its_depth() -> None:
    found = gradcli.graph("B = sin(A)\n(B*A).sum()", at=[0.5, 2.0, 1.0])
    assert [(one.name, one.source, one.input, one.shape, one.dtype, one.depth) for one in found.nodes] == [
        ("SumBackward0", "(B*A).sum()", None, (), "float32", 1),
        ("MulBackward0", "B*A", None, (3,), "float32", 2),
        ("SinBackward0", "B = sin(A)", None, (3,), "float32", 3),
        ("AccumulateGrad", None, "A", (3,), "float32", 4),
    ]
    assert [(one.start, one.end, one.argument) for one in found.edges] == [(0, 1, 0), (1, 2, 0), (1, 3, 1), (2, 3, 0)]
    assert found.depth == 4
    assert [found.expression[slice(*one.span)] for one in found.nodes if one.span] == ["(B*A).sum()", "B*A", "sin(A)"]


def test_an_operand_that_is_used_twice_has_two_edges() -> None:
    found = gradcli.graph("A*A", at=3.0)
    assert [(one.start, one.end, one.argument) for one in found.edges] == [(0, 1, 0), (0, 1, 1)]


def test_an_edge_says_which_result_it_goes_to() -> None:
    found = gradcli.graph("U, S, Vh = torch.linalg.svd(A); S.sum() + U[0, 0]", at=[[1.0, 2.0], [3.0, 4.5]])
    svd = next(one.number for one in found.nodes if one.name == "LinalgSvdBackward0")
    assert sorted((one.result, one.shape) for one in found.edges if one.end == svd) == [(0, (2, 2)), (1, (2,))]
    assert found.nodes[svd].shape is None  # it has several results


@pytest.mark.parametrize(("expression", "at"), EXPRESSIONS, ids=[one for one, _ in EXPRESSIONS])
def test_what_flows_into_a_leaf_adds_up_to_its_gradient(expression: str, at: dict[str, Any]) -> None:
    found = gradcli.graph(expression, at=at or None, values=True)
    gradients = {name: one.grad for name, one in gradcli.grad(expression, at=at or None).inputs.items()}
    for node in found.nodes:
        flows = [one.gradient for one in found.edges if one.end == node.number and one.gradient is not None]
        if node.input is not None:
            torch.testing.assert_close(sum(flows), gradients[node.input])


def test_what_flows_into_a_node_is_what_retain_grad_keeps() -> None:
    found = gradcli.graph("B = A**2; C = B*B; (C + B).sum()", at=[1.0, -2.0], values=True)
    a = torch.tensor([1.0, -2.0], requires_grad=True)
    b = a**2
    b.retain_grad()
    (b * b + b).sum().backward()
    power = next(one.number for one in found.nodes if one.name == "PowBackward0")
    flows = [one.gradient for one in found.edges if one.end == power and one.gradient is not None]
    assert len(flows) == 3
    torch.testing.assert_close(sum(flows), b.grad)


def test_upstream_and_mean_are_how_backward_begins() -> None:
    def flow(**options: Any) -> list[float]:
        gradient = gradcli.graph("A*2", at=[1.0, 2.0], values=True, **options).edges[0].gradient
        assert gradient is not None
        return list(gradient.tolist())

    assert flow() == [2.0, 2.0]
    assert flow(reduce="mean") == [1.0, 1.0]
    assert flow(upstream=[1.0, 3.0]) == [2.0, 6.0]
    with pytest.raises(gradcli.GradcliError, match="which --values asks for"):
        gradcli.graph("A*2", at=[1.0, 2.0], upstream=[1.0, 3.0])
    with pytest.raises(gradcli.GradcliError, match="implicitly created only for scalar outputs") as caught:
        gradcli.graph("A*2", at=[1.0, 2.0], values=True, reduce="none")
    assert caught.value.exit_code == 3


def test_gradients_that_do_not_fit_are_refused_before_the_pass() -> None:
    deep = torch.ones(1 << 20, requires_grad=True)
    for _ in range(20):
        deep = -deep
    with pytest.raises(gradcli.GradcliError, match=r"the gradients of 20 edges take 80\.0 MB") as caught:
        gradcli.graph(deep, values=True, max_memory="16MB")
    assert caught.value.kind == "bounds"
    assert len(gradcli.graph(deep, max_memory="16MB").edges) == 20


@pytest.mark.parametrize(
    ("expression", "options", "code"),
    [("A**2", {"mode": "no_grad"}, "G101"), ("A.detach()*2", {}, "G102"), ("A > 1", {}, "G103")],
)
def test_where_nothing_was_recorded_a_note_says_why(expression: str, options: dict[str, Any], code: str) -> None:
    found = gradcli.graph(expression, at=2.0, **options)
    assert (found.nodes, found.edges, found.roots, found.depth) == ((), (), (None,), 0)
    assert [note.code for note in found.notes] == [code]


def test_a_leaf_is_said_to_be_one() -> None:
    assert [note.message for note in gradcli.graph("A", at=1.0).notes] == [
        "A is a leaf: it begins a graph, and no operation was recorded for it."
    ]


def test_long_programs_are_walked_without_recursion() -> None:
    total = gradcli.graph("+".join(["A"] * 2400), at=1.0, values=True)
    assert (len(total.nodes), len(total.edges), total.depth) == (2400, 4798, 2400)
    steps = gradcli.graph("\n".join(["B = A", *["B = sin(B)*A"] * 600]), at=1.0)
    assert (len(steps.nodes), steps.depth) == (1201, 1201)
    assert all(len(one.source or "") <= 80 for one in (*total.nodes, *steps.nodes))


# A tensor of one's own.


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, None, x * 2)
        return x * 2

    @staticmethod
    def backward(_: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


def model() -> tuple[torch.nn.Module, torch.Tensor]:
    torch.manual_seed(0)
    made = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    return made, made(torch.ones(2, 3)).pow(2).mean()


def test_a_tensor_is_named_after_its_parameters_and_left_as_it_is() -> None:
    made, loss = model()
    found = gradcli.graph(loss, at=dict(made.named_parameters()), values=True)
    assert (len(found.nodes), len(found.edges)) == walked(loss)
    assert {one.input for one in found.nodes if one.input} == {"0.weight", "0.bias", "2.weight", "2.bias"}
    assert all(one.grad is None for one in made.parameters())
    hooks = [one.end for one in found.edges]
    assert hooks
    loss.backward()  # what the graph keeps is still there
    for name, parameter in made.named_parameters():
        (node,) = [one.number for one in found.nodes if one.input == name]
        flows = [one.gradient for one in found.edges if one.end == node and one.gradient is not None]
        torch.testing.assert_close(sum(flows), parameter.grad)


def test_leaves_without_a_name_are_numbered_and_results_can_have_one() -> None:
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    product = a * b
    found = gradcli.graph(product + a, at={"b": b, "product": product})
    assert [(one.name, one.source, one.input) for one in found.nodes] == [
        ("AddBackward0", None, None), ("MulBackward0", "product", None), ("AccumulateGrad", None, "leaf 1"),
        ("AccumulateGrad", None, "b"),
    ]  # fmt: skip


@pytest.mark.parametrize("around", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_the_grad_mode_of_the_caller_does_not_matter(around: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    product = a * a
    with around():
        found = gradcli.graph(product, values=True)
    assert [one.gradient.tolist() for one in found.edges] == [[1.0, 1.0]] * 2  # type: ignore[union-attr]


def test_a_function_of_ones_own_is_a_node_with_its_name() -> None:
    a = torch.ones(2, requires_grad=True)
    found = gradcli.graph(Doubled.apply(a), values=True)  # type: ignore[no-untyped-call]
    assert found.nodes[0].name == "DoubledBackward"
    assert [one.name for one in found.nodes[0].saved] == ["saved_tensors[0]", "saved_tensors[2]"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: torch.ones(2, requires_grad=True), "this tensor is a leaf: it has no grad_fn"),
        (lambda: torch.ones(2), "this tensor does not require grad: it has no grad_fn"),
        (lambda: [1.0], "graph takes an expression or a tensor, not list"),
        (lambda: None, "graph takes an expression or a tensor, not NoneType"),
    ],
)
def test_what_has_no_graph_is_refused(make: Any, message: str) -> None:
    with pytest.raises(gradcli.GradcliError, match=message) as caught:
        gradcli.graph(make())
    assert caught.value.exit_code == 2


def test_options_of_expressions_are_refused_beside_a_tensor() -> None:
    product = torch.ones(2, requires_grad=True) * 2
    for options in ({"mode": "no_grad"}, {"dtype": "float64"}, {"const": {"A": 1}}, {"device": "cpu"}):
        with pytest.raises(gradcli.GradcliError, match="is for expressions"):
            gradcli.graph(product, **options)  # type: ignore[arg-type]
    with pytest.raises(gradcli.GradcliError, match="a mapping of names to tensors"):
        gradcli.graph(product, at=5.0)


def test_json_is_the_same_in_python_and_on_the_command_line() -> None:
    said = json.loads(ask("graph", "sin(A)*A", "--at", "2", "--values", "--json").out)
    assert said == gradcli.graph("sin(A)*A", at=2.0, values=True).to_dict()
    assert said["totals"] == {"nodes": 3, "edges": 3, "depth": 3, "saved_tensors": 2, "saved_bytes": 8}
    assert said["roots"] == [0]
    assert said["edges"][0] == {
        "from": 0, "to": 1, "argument": 0, "result": 0, "shape": [], "dtype": "float32", "gradient": 2.0,
    }  # fmt: skip
    assert "gradient" not in gradcli.graph("A*5", at=1.0).to_dict()["edges"][0]
