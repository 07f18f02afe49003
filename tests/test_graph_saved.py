"""What nodes keep: the bytes that saved-tensor hooks see, shared memory once, and what became of it since."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gradcli

KEEPING: list[tuple[str, Any]] = [
    ("A*5", [1.0, 2.0]),
    ("A/3 + A**2", [1.0, 2.0]),
    ("A*A*A", [1.0, 2.0]),
    ("sin(A)*A", [[1.0, 2.0, 3.0]]),
    ("A @ A.T", [[1.0, 2.0], [3.0, 4.0]]),  # views of one memory
    ("A[:-1]*A[1:]", [1.0, 2.0, 3.0, 4.0]),  # that overlap
    ("A[:, 0]*A[:, 1]", [[1.0, 2.0], [3.0, 4.0]]),  # that lie between each other
    ("A.expand(4, 2)*A", [1.0, 2.0]),  # elements that are repeated
    ("F.normalize(A, dim=1).sum()", [[1.0, 2.0], [3.0, 4.0]]),
    ("A[tensor([1, 0, 1])].exp()", [1.0, 2.0]),
    ("where(A > 0, sqrt(A), 0)", [1.0, 4.0]),
    ("softmax(A, 0)[0].log()", [1.0, 2.0, 3.0]),
    ("linalg.det(A) + linalg.eigvalsh(A @ A.T).sum()", [[1.0, 2.0], [3.0, 5.0]]),
    ("F.cross_entropy(A, tensor([0, 1]))", [[1.0, 2.0], [3.0, 4.0]]),
    ("F.conv1d(A, A[:, :, :2])", [[[1.0, 2.0, 3.0]]]),
    ("(A*zeros(0, 2)).sum()", [1.0, 2.0]),
    ("A.unfold(0, 2, 1).prod()", [1.0, 2.0, 3.0]),
    ("A.double().exp().half()*A", [1.0, 2.0]),
]


def distinct(tensors: list[torch.Tensor]) -> int:
    """Bytes of the elements of tensors, each address once: what the hooks were shown, counted one by one."""
    held: set[int] = set()
    for one in tensors:
        size = one.element_size()
        offsets = [0]
        for count, stride in zip(one.shape, one.stride(), strict=True):
            offsets = [at + place * stride for at in offsets for place in range(count)]
        start = one.data_ptr()
        held |= {start + at * size + byte for at in offsets for byte in range(size)}
    return len(held)


COMPLEX = 8  # the first ones have a complex form
CASES = [
    *[
        pytest.param(*case, dtype, id=f"{case[0]} {dtype}")
        for case in KEEPING
        for dtype in (torch.float32, torch.float64)
    ],
    *[pytest.param(*case, torch.complex64, id=f"{case[0]} complex") for case in KEEPING[:COMPLEX]],
]


@pytest.mark.parametrize(("expression", "at", "dtype"), CASES)
def test_bytes_are_those_that_saved_tensor_hooks_are_shown(expression: str, at: Any, dtype: torch.dtype) -> None:
    given = torch.tensor(at, dtype=dtype)
    shown: list[torch.Tensor] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        shown.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        gradcli.evaluate(expression, at=given, notes=False)
    found = gradcli.graph(expression, at=given)
    assert found.saved_bytes == distinct(shown)
    assert found.saved_bytes == sum(one.counted for node in found.nodes for one in node.saved)


def kept(expression: str, at: Any) -> dict[str, Any]:
    """What the nodes keep, by node and name."""
    found = gradcli.graph(expression, at=at)
    return {f"{node.name}.{one.name}": one for node in found.nodes for one in node.saved}


def test_a_saved_tensor_tells_its_shape_dtype_bytes_and_whose_it_is() -> None:
    found = kept("W @ x", {"W": [[1.0, 2.0], [3.0, 4.0]], "x": [5.0, 6.0]})
    assert [(one.name, one.shape, one.dtype, one.bytes, one.of) for one in found.values()] == [
        ("self", (2, 2), "float32", 16, "W"), ("vec", (2,), "float32", 8, "x"),
    ]  # fmt: skip


def test_memory_that_was_counted_says_where() -> None:
    found = kept("sin(A)*A", [1.0, 2.0])
    assert found["SinBackward0.self"].same == (0, "other")
    assert (found["SinBackward0.self"].bytes, found["SinBackward0.self"].counted) == (8, 0)


def test_memory_that_was_counted_in_part_counts_the_rest() -> None:
    found = kept("softmax(A, 0)[0].log()", [1.0, 2.0, 3.0])
    result = found["SoftmaxBackward0.result"]
    assert (found["LogBackward0.self"].counted, result.bytes, result.counted, result.same) == (4, 12, 8, None)


@pytest.mark.parametrize(("text", "number"), [("A*5", 5), ("A*2.5", 2.5), ("A/3", 3), ("A*(1+2j)", 1 + 2j)])
def test_a_number_of_the_text_is_no_tensor(text: str, number: Any) -> None:
    (saved,) = [one for node in gradcli.graph(text, at=1.0).nodes for one in node.saved]
    assert (saved.state, saved.number, saved.bytes) == ("number", number, 0)


@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
def test_a_tensor_of_one_number_is_one(dtype: str) -> None:
    (saved,) = [one for node in gradcli.graph(f"A*tensor(5, dtype=torch.{dtype})", at=1.0).nodes for one in node.saved]
    assert (saved.state, saved.bytes) == ("kept", getattr(torch, dtype).itemsize)


def states(tensor: torch.Tensor) -> set[str]:
    return {one.state for node in gradcli.graph(tensor).nodes for one in node.saved if one.state != "number"}


def test_what_backward_freed_is_said_to_be() -> None:
    a = torch.ones(3, requires_grad=True)
    loss = (a * a).exp().sum()
    assert states(loss) == {"kept"}
    loss.backward(retain_graph=True)
    assert states(loss) == {"kept"}
    loss.backward()
    assert states(loss) == {"freed"}
    assert gradcli.graph(loss).saved_tensors == gradcli.graph(loss).saved_bytes == 0
    with pytest.raises(gradcli.GradcliError, match="a second time") as caught:
        gradcli.graph(loss, values=True)
    assert (caught.value.code, caught.value.exit_code) == ("G204", 3)


def test_what_was_written_to_since_is_said_to_be_changed() -> None:
    text = "B = A*2; C = B*B; B.add_(1); C"
    found = gradcli.graph(text, at=1.0)
    assert {one.state for one in found.nodes[0].saved} == {"changed"}
    assert [(note.code, note.level) for note in found.notes] == [("G202", "warning")]
    with pytest.raises(gradcli.GradcliError, match=r"B.add_\(1\) writes over what B\*B read"):
        gradcli.graph(text, at=1.0, values=True)
    healthy = gradcli.graph("B = A*2; C = B*B; D = B + 1; C", at=1.0)
    assert {one.state for one in healthy.nodes[0].saved} == {"kept"}
    assert healthy.notes == ()


def test_of_several_saved_under_one_name_only_the_changed_one_is() -> None:
    a, first, second = torch.ones(3, 3, requires_grad=True), torch.tensor([0, 1]), torch.tensor([1, 2])
    picked = a[first, second]
    second.zero_()
    assert [one.state for one in gradcli.graph(picked).nodes[0].saved] == ["kept", "changed"]


def test_hooks_of_the_caller_are_not_called() -> None:
    a = torch.ones(3, requires_grad=True)

    def unpack(_: Any) -> torch.Tensor:
        raise AssertionError("unpacked")

    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: ("packed", tensor), unpack):
        product = (a * a).exp()
    assert states(product) == {"packed"}


def test_sparse_tensors_are_counted_by_their_parts() -> None:
    sparse = torch.eye(3).to_sparse().requires_grad_()
    product = torch.sparse.mm(sparse, torch.ones(3, 1))
    indices, values = sparse.detach()._indices(), sparse.detach()._values()
    saved = {one.name: one.bytes for one in gradcli.graph(product).nodes[0].saved}
    assert saved["mat2"] == 12
    assert saved.get("mat1", indices.nbytes + values.nbytes) == indices.nbytes + values.nbytes


def test_tensors_without_memory_or_shape_are_drawn_all_the_same() -> None:
    meta = torch.ones(3, device="meta", requires_grad=True)
    assert gradcli.graph(meta.exp() * 2).saved_bytes == 12
    nested = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)], requires_grad=True)
    assert "AccumulateGrad" in str(gradcli.graph(torch.nested.to_padded_tensor(nested * 2, 0.0).sum()))
    with pytest.raises(gradcli.GradcliError, match="nested"):
        gradcli.graph(nested * 2)
