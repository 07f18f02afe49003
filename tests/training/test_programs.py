"""Programs as users write them, with the trainers that they use, run as they are: told right, and not changed.

Those of other packages are skipped where the package is not installed.
"""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.training.test_endings import STARTED, start

HASH = '''
import hashlib
import torch
def told(model):
    taken = hashlib.sha256()
    for name, one in model.state_dict().items():
        taken.update(name.encode())
        taken.update(one.contiguous().view(torch.uint8).numpy().tobytes() if one.dim() else str(one.item()).encode())
    print("parameters", taken.hexdigest())
torch.manual_seed(0)
'''  # fmt: skip

TRANSFORMERS = '''
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
                    max_position_embeddings=16)
model = BertForSequenceClassification(config)
class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 48
    def __getitem__(self, index):
        words = torch.randint(0, 50, (8,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": words, "attention_mask": torch.ones(8, dtype=torch.long), "labels": words[0] % 2}
arguments = TrainingArguments(output_dir="out", num_train_epochs=2, per_device_train_batch_size=8, report_to=[],
                              save_strategy="no", logging_steps=3, use_cpu=True, disable_tqdm=True, seed=0)
Trainer(model=model, args=arguments, train_dataset=Rows()).train()
told(model)
'''  # fmt: skip

LIGHTNING = '''
import logging, warnings
warnings.filterwarnings("ignore")
import lightning as L
class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    def training_step(self, batch, index):
        x, y = batch
        return torch.nn.functional.mse_loss(self.net(x), y)
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-2)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]
data = torch.utils.data.TensorDataset(torch.randn(48, 8), torch.randn(48, 1))
model = Net()
trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, gradient_clip_val=1.0,
                    enable_progress_bar=False, enable_model_summary=False, accumulate_grad_batches=2)
trainer.fit(model, torch.utils.data.DataLoader(data, batch_size=4))
told(model)
'''  # fmt: skip

SKORCH = """
import numpy as np
from skorch import NeuralNetClassifier
X = np.random.RandomState(0).randn(64, 8).astype(np.float32)
y = (X.sum(1) > 0).astype(np.int64)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = torch.nn.Linear(8, 16), torch.nn.Linear(16, 2)
    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x))).softmax(-1)
net = NeuralNetClassifier(Net, max_epochs=4, lr=0.1, batch_size=16, verbose=0)
net.fit(X, y)
told(net.module_)
"""

ADAMW = """
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 12)
x, y = torch.randn(96, 8), torch.randint(0, 3, (96,))
for epoch in range(3):
    for rows in torch.randperm(96).split(24):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    print(epoch, loss.item())
told(model)
"""

BFLOAT16 = """
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
x = torch.randn(64, 8)
y = x.sum(1, keepdim=True)
for step in range(12):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
told(model)
"""

SCALER = """
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
x = torch.randn(64, 8)
y = x.sum(1, keepdim=True)
for step in range(12):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.mse_loss(model(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
told(model)
"""


class Program(NamedTuple):
    """A program, the package that it needs, and what is to be told of it: steps, some parameters, their number."""

    package: str
    text: str
    steps: int
    parameters: tuple[str, ...]
    many: int


PROGRAMS = {
    "transformers": Program(
        "transformers", TRANSFORMERS, 12,
        ("bert.embeddings.word_embeddings.weight", "bert.encoder.layer.1.output.dense.weight", "classifier.bias"), 41,
    ),
    "lightning": Program("lightning", LIGHTNING, 12, ("net.0.weight", "net.2.bias"), 4),
    "skorch": Program("skorch", SKORCH, 16, ("hidden.weight", "out.bias"), 4),
    "adamw": Program("torch", ADAMW, 12, ("0.weight", "3.bias"), 6),
    "bfloat16": Program("torch", BFLOAT16, 12, ("0.weight", "2.bias"), 4),
    "scaler": Program("torch", SCALER, 12, ("0.weight", "2.bias"), 4),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_told_right_and_not_changed(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    if find_spec(program.package) is None:
        pytest.skip(f"{program.package} is not installed")
    if program.package == "torch" and name != "adamw" and not os.environ.get("GRADCLI_PROGRAMS"):
        pytest.skip("its kind is watched in test_healthy.py; GRADCLI_PROGRAMS=all asks for a process of its own")
    (tmp_path / "train.py").write_text(HASH + program.text)
    command = tmp_path / "gradcli"
    command.write_text(STARTED)
    alone = start(["train.py"], tmp_path)
    assert alone.returncode == 0, alone.stderr
    watched = start([str(command), "run", "--all", "--report", "report.json", "train.py"], tmp_path)
    assert watched.returncode == 0, watched.stderr
    assert _parameters(watched.stdout) == _parameters(alone.stdout)
    assert "watching failed" not in watched.stderr
    told = json.loads((tmp_path / "report.json").read_text())
    _right(told, program)


def _parameters(printed: str) -> list[str]:
    """The sum over the parameters after training; what trainers print of time differs from run to run."""
    found = [line for line in printed.splitlines() if line.startswith("parameters ")]
    assert len(found) == 1, printed
    return found


def _right(told: dict[str, Any], program: Program) -> None:
    assert told["verdict"].startswith("healthy"), (told["verdict"], told["notes"])
    assert not [note for note in told["notes"] if note["code"]], told["notes"]
    rows = {row["name"]: row for row in told["parameters"]}
    assert len(rows) == program.many, sorted(rows)
    for one in program.parameters:
        assert one in rows, sorted(rows)
    for row in rows.values():
        assert (row["steps"], row["none"], row["nonfinite"]) == (program.steps, 0, 0), row
        assert row["requires_grad"] is True
        assert row["norm"]["first"] > 0
