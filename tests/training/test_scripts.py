"""What is said of scripts that die of torch, and of tensors of scripts without a model: code, name and line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.ran import Run
from tests.test_schema import complaint
from tests.training.scripts import watched

CASES = [json.loads(line) for line in (Path(__file__).parents[1] / "cases" / "scripts.jsonl").read_text().splitlines()]

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("one_thread")]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_script_is_told_its_code_and_no_other(case: dict[str, Any], tmp_path: Path) -> None:
    health, _ = watched(case["script"], tmp_path)
    codes = {note.code for note in health.notes if note.code}
    assert codes & set(case["diagnosis"]) or not case["diagnosis"], health.notes
    assert "*" in case["allowed"] or codes <= {*case["diagnosis"], *case["allowed"]}, health.notes
    assert all(note.level == CATALOGUE[note.code].level for note in health.notes if note.code)
    document = Run("script.py", ("--epochs", "3"), health).to_dict()
    assert complaint(json.loads(json.dumps(document, allow_nan=False))) is None
    assert json.dumps(Run.of(document, 0).to_dict()) == json.dumps(document)


# A case, and what its note says: names and lines of the script.
SAYS = {
    "no-grad-loss": "script.py:7 (loss.backward()) cannot go back from loss: what it takes from model was computed "
    "under no_grad (script.py:5)",
    "argmax-loss": "model(x).argmax(1) (script.py:5) has no derivative",
    "item-tensor": "torch.tensor(value, requires_grad=True) (script.py:5) makes a new leaf of computed numbers",
    "exp-inplace": "needs y as it was when Exp saved it (script.py:3), and it was written to in place since, in "
    "script.py:5 (y += 1). Write there y = y + 1.",
    "relu-inplace-then": "Sigmoid saved it (script.py:10), and it was written to in place since, in script.py:11 (h = "
    "self.act(h))",
    "twice": "goes back from loss a second time: its graph was freed by backward() in script.py:4 (loss.backward())",
    "two-losses": "freed: h is part of both",
    "gan-fake": "freed: fake is part of both",
    "lstm-state": "m.state carries it from one round of the loop to the next",
    "once-diff": "@once_differentiable",
    "wrong-count": "Scale breaks the protocol of torch.autograd.Function",
    "inference-weights": "needs autograd for batch, which was made in inference mode in script.py:4 (emb = "
    "torch.randn(5, 3))",
    "unused-grad": "does not depend on 1 of them: b",
    "unused-tutorial": "y.grad is None, which is not zero: z (script.py:5) does not depend on y",
    "copy-tutorial": "x.grad is None: the path from x to y * w is cut by torch.tensor(x.item()) (script.py:3)",
    "w-rebound": "script.py:8 reads w.grad, and w is the output of w - 0.1 * w.grad, not a leaf",
    "decorated": "no_grad was on in script.py:2: y has no grad_fn",
}


@pytest.mark.parametrize("name", SAYS)
def test_a_note_names_the_variable_and_the_line(name: str, tmp_path: Path) -> None:
    case = next(one for one in CASES if one["id"] == name)
    health, _ = watched(case["script"], tmp_path)
    assert any(SAYS[name] in note.message for note in health.notes), health.notes


PARTS = """
import torch
x = torch.ones(3, requires_grad=True)
out, h = torch.zeros(2, 3), x
for t in range(2):
    out[t] = h  # a row
    h = out[t] * out.sum()
out.sum().backward()
"""
WRITES = {
    PARTS: "needs out as it was when Mul saved it (script.py:7), and it was written to in place since, in script.py:6 "
    "(out[t] = h  # a row). Put out = out.clone() before that line, so that it writes to a copy.",
    "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\ny *= x - 1  # why\ny.sum().backward()\n":
    "Write there y = y * (x - 1).",
    "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\ny[0] += 1\ny.sum().backward()\n":
    "Put y = y.clone() before that line, so that it writes to a copy.",
    "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\ny.mul_(2)\ny.sum().backward()\n":
    "Call mul() there, and use what it returns.",
    "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\ntorch.relu_(y)\ny.sum().backward()\n":
    "Call relu() there, and use what it returns.",
}  # fmt: skip


CLASS_OF_CHOICES = """
import torch
class Model(torch.nn.Module):
    def __init__(this):
        super().__init__()
        this.linear = torch.nn.Linear(4, 1)
    def forward(this, x):
        return (this.linear(x).sigmoid() > 0.5).float()
model = Model()
loss = model(torch.ones(2, 4)).mean()
loss.backward()
"""
VARIABLE = """
import torch
w = torch.ones(3, requires_grad=True)
y = torch.autograd.Variable((w * 2).data, requires_grad=True)
y.sum().backward()
print(w.grad)
"""
INFERENCE = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
    @torch.inference_mode()
    def encode(self, x):
        return self.body(x)
    def forward(self, x):
        return self.head(self.encode(x))
Model()(torch.ones(2, 4)).mean().backward()
"""
ATTRIBUTE = """
import torch
class Fit:
    def __init__(self):
        self.logits = torch.zeros(4, requires_grad=True)
        self.weights = self.logits.softmax(0)
        self.optimizer = torch.optim.Adam([self.weights])
Fit()
"""
LOCAL = """
import torch
def attend(x):
    a = x.softmax(-1)
    a[:, 0] = 0
    return a.sum()
attend(torch.ones(2, 2, requires_grad=True)).backward()
"""
TWICE_MARKED = """
import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g
x = torch.ones(3, requires_grad=True)
w = torch.ones(3, requires_grad=True)
y = Square.apply(x * w).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
g.sum().backward()
"""
CAUSES = {
    CLASS_OF_CHOICES: ("G103", "from loss to model: this.linear(x).sigmoid() > 0.5 (script.py:8) has no derivative."),
    VARIABLE: ("G107", "Variable((w * 2).data, requires_grad=True) (script.py:4) makes a new leaf of computed numbers"),
    INFERENCE: ("G207", "needs autograd for self.encode(x), which was made in inference mode in script.py:7 "
                        "(@torch.inference_mode())"),
    ATTRIBUTE: ("G105", "gives an optimizer self.weights, which is no leaf: Softmax computed it in script.py:6"),
    LOCAL: ("G202", "needs a as it was when Softmax saved it (script.py:4)"),
    TWICE_MARKED: ("G206", "passes through torch.autograd.grad(y, x, create_graph=True) (script.py:15)"),
}  # fmt: skip


@pytest.mark.parametrize("text", CAUSES)
def test_a_cause_is_named_as_the_script_calls_it(text: str, tmp_path: Path) -> None:
    health, _ = watched(text, tmp_path)
    code, says = CAUSES[text]
    assert any(note.code == code and says in note.message for note in health.notes), health.notes


@pytest.mark.parametrize("text", WRITES)
def test_a_write_in_place_is_told_with_its_repair(text: str, tmp_path: Path) -> None:
    health, _ = watched(text, tmp_path)
    assert [note.code for note in health.notes] == ["G202"]
    assert health.notes[0].message.endswith(WRITES[text])


NO_GRAD = """
import torch
A = torch.tensor([5.0], requires_grad=True)
with torch.no_grad():
    B = A**2 + 16
print(A.grad, A, B)
"""
UNSCALED = """
import torch
A = torch.tensor([5.0], requires_grad=True)
loss_function = A*5
loss_function.backward()
unscaled_grad = A.grad
print(unscaled_grad)
"""


def test_the_tutorial_of_no_grad(tmp_path: Path) -> None:
    health, printed = watched(NO_GRAD, tmp_path)
    assert printed == "None tensor([5.], requires_grad=True) tensor([41.])\n"
    a, b = health.tensors
    assert (a.name, a.value.elements, a.grad, a.requires_grad, a.is_leaf) == ("A", [5.0], None, True, True)
    assert (b.name, b.value.elements, b.grad, b.requires_grad, b.grad_fn) == ("B", [41.0], None, False, None)
    assert [note.code for note in health.notes] == ["G101"]
    assert health.verdict == "backward() never ran, so no tensor has a gradient"


def test_the_tutorial_of_the_unscaled_gradient(tmp_path: Path) -> None:
    health, printed = watched(UNSCALED, tmp_path)
    assert printed == "tensor([5.])\n"
    named = {one.name: one for one in health.tensors}
    assert named["A"].grad is not None
    assert named["A"].grad.elements == named["unscaled_grad"].value.elements == [5.0]
    assert named["loss_function"].grad_fn == "MulBackward0"
    assert (health.verdict, health.notes) == ("backward() ran once: A has a gradient", ())


STRANGE = """
import torch
class Lazy:
    @property
    def __class__(self):
        raise AssertionError("a proxy was evaluated")
class Endless(list):
    def __iter__(self):
        raise AssertionError("a list of the script's own was read")
proxy, endless = Lazy(), Endless([1])
nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
empty = torch.nn.parameter.UninitializedParameter(requires_grad=False)
w = torch.ones(2, requires_grad=True)
(w * 2).sum().backward()
del w
"""


def test_what_can_not_be_read_as_numbers_is_left_alone(tmp_path: Path) -> None:
    health, _ = watched(STRANGE, tmp_path)
    assert health.verdict == "backward() ran once: no leaf among the variables requires grad"
    assert health.notes == ()
    named = {one.name: one for one in health.tensors}
    assert set(named) == {"nested", "empty"}
    assert named["nested"].value.elements is named["empty"].value.elements is None
    assert (named["nested"].shape, named["empty"].shape) == ((2,), ())


def test_a_verdict_where_a_scaler_skipped_every_step_says_that_none_was_taken(tmp_path: Path) -> None:
    text = """
import torch
model = torch.nn.Linear(1, 1)
optimizer, scaler = torch.optim.SGD(model.parameters()), torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(4):
    scaler.scale(model(torch.full((1, 1), torch.nan)).mean()).backward()
    scaler.step(optimizer)
    scaler.update()
"""
    health, _ = watched(text, tmp_path)
    assert health.verdict == "backward() ran 4 times, and no optimizer stepped (G709)"
    assert "any scale down to 128" in health.notes[0].message


def test_of_very_many_tensors_a_table_shows_those_that_require_grad(tmp_path: Path) -> None:
    text = "import torch\nmany = [globals().update({f't{i}': torch.ones(())}) for i in range(100)]\n"
    health, _ = watched(text + "last = torch.ones((), requires_grad=True)\n", tmp_path)
    shown = str(health)
    assert "│ last   │" in shown
    assert "77 more rows" in shown
    assert "│ t22    │" in shown
    assert "t23" not in shown
    assert "t99" in str(replace(health, tensors=health.tensors[-24:]))


ODD = """
import torch
big = torch.arange(2000.0).reshape(2, 1000).requires_grad_()
middle = torch.ones(40)
empty = torch.zeros(0, 3)
whole = torch.tensor([True, False])
bad = torch.tensor([float("nan"), float("inf")])
complex_ = torch.tensor(1 + 2j)
sparse = torch.eye(3).to_sparse()
eight = torch.ones(2).to(torch.float8_e5m2)
meta = torch.ones(2, device="meta")
quantized = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)
with torch.inference_mode():
    inferred = torch.ones(2)
torch.set_default_device("meta")
torch.set_grad_enabled(False)
"""


def test_odd_tensors_are_told_as_far_as_they_can_be_read(tmp_path: Path) -> None:
    import torch

    from gradcli.seen import SeenTensor

    try:
        health, _ = watched(ODD, tmp_path)
    finally:
        torch.set_default_device(None)
    named = {one.name: one for one in health.tensors}
    assert named["big"].value.elements is None
    assert named["big"].value.summary is not None
    assert named["big"].value.summary.most == 1999.0
    assert named["sparse"].value.elements == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert named["eight"].value.elements == [1.0, 1.0]
    assert named["complex_"].value.elements == 1 + 2j
    assert named["meta"].value.elements is None
    assert len(named) == 11
    for one in health.tensors:
        told = json.loads(json.dumps(one.facts(), allow_nan=False))
        assert json.dumps(SeenTensor.of(told).facts()) == json.dumps(one.facts())
