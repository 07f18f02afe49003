"""Golden reports of `gradcli run`: what terminals of 80 and 40 columns and a pipe show behind what a script says.

Each file of runs/ has a report for every script below. `pytest --rewrite` writes what they say now: look at the
difference, then keep it. Scripts take few steps, so that how much is looked at does not depend on the time they take.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from gradcli import render
from gradcli.ran import Run
from tests.training.scripts import watched

HERE = Path(__file__).parent / "runs"
PLACES = {"terminal-80": 80, "terminal-40": 40, "piped": None}

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("one_thread")]

SCRIPTS = {
    "tutorial.py": """
import torch
A = torch.tensor([5.0], requires_grad=True)
with torch.no_grad():
    B = A**2 + 16
""",
    "healthy.py": """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    model(torch.randn(16, 4)).pow(2).mean().backward()
    optimizer.step()
""",
    "spare.py": """
import torch
torch.manual_seed(0)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.spare = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)
    def forward(self, x):
        return self.body(x)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    net(torch.randn(16, 4)).pow(2).mean().backward()
    optimizer.step()
""",
    "deep.py": """
import torch
torch.manual_seed(0)
layers = [part for _ in range(13) for part in (torch.nn.Linear(8, 8), torch.nn.Sigmoid())]
model = torch.nn.Sequential(*layers, torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
for step in range(4):
    optimizer.zero_grad()
    model(torch.randn(16, 8)).pow(2).mean().backward()
    optimizer.step()
""",
    "scaled.py": """
import torch
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
for step in range(4):
    x = torch.randn(16, 4)
    x[0] *= 1e30 if step == 1 else 1
    optimizer.zero_grad()
    scaler.scale(model(x).pow(2).mean()).backward()
    scaler.step(optimizer)
    scaler.update()
""",
    "nan.py": """
import torch
w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
optimizer = torch.optim.SGD([w], lr=0.5)
for step in range(4):
    optimizer.zero_grad()
    (w - step / 2).sqrt().sum().backward()
    optimizer.step()
""",
    "dies.py": """
import torch
w = torch.ones(3, requires_grad=True)
h = w.exp()
h += 1
h.sum().backward()
""",
    "other.py": """
import torch
raise ValueError("nothing of torch's")
""",
}


@cache
def ran(name: str, folder: Path) -> Run:
    health, _ = watched(SCRIPTS[name], folder)
    return Run(name, (), health)


def reported(name: str, folder: Path, width: int | None) -> str:
    pieces = render.pieces("table", ran(name, folder), render.Style(None, width))
    return f"$ gradcli run {name}\n{''.join(pieces).rstrip()}\n\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.mark.parametrize("place", PLACES)
def test_reports_are_what_they_were(place: str, folder: Path, rewrite: bool) -> None:
    file = HERE / f"{place}.txt"
    shown = "".join(reported(name, folder, PLACES[place]) for name in SCRIPTS)
    shown = "\n".join(line.rstrip() for line in shown.splitlines()) + "\n"
    if rewrite:
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("place", ["terminal-80", "terminal-40"])
def test_no_line_is_wider_than_its_terminal(place: str) -> None:
    lines = (HERE / f"{place}.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > (PLACES[place] or 0)] == []
