"""Training loops with one illness each, and the same loop without it: `loop(sick)` gives what it trained."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import nn

Loop = Callable[[bool], list[torch.Tensor]]
ROWS: list[tuple[str, Loop]] = []


def row(code: str) -> Callable[[Loop], Loop]:
    def put(loop: Loop) -> Loop:
        ROWS.append((code, loop))
        return loop

    return put


def mlp(*sizes: int, act: Callable[[], nn.Module] = nn.Tanh) -> nn.Sequential:
    layers: list[nn.Module] = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), act()]
    return nn.Sequential(*layers[:-1])


def trained(model: nn.Module, steps: int = 6, optimizer: torch.optim.Optimizer | None = None) -> list[torch.Tensor]:
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        F.mse_loss(model(torch.randn(32, 8)), torch.randn(32, 1)).backward()
        optimizer.step()
    return list(model.parameters())


def normal(model: nn.Sequential, std: float) -> nn.Sequential:
    for layer in model:
        if isinstance(layer, nn.Linear):
            nn.init.normal_(layer.weight, std=std)
    return model


class TwoHeads(nn.Module):
    def __init__(self, both: bool) -> None:
        super().__init__()
        self.stem, self.main, self.aux, self.both = nn.Linear(8, 8), nn.Linear(8, 1), nn.Linear(8, 1), both

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x).tanh()
        aux = self.aux(h)
        return self.main(h) + aux if self.both else self.main(h)


@row("G701")
def unused_head(sick: bool) -> list[torch.Tensor]:
    return trained(TwoHeads(both=not sick))


@row("G701")
def detached_trunk(sick: bool) -> list[torch.Tensor]:
    trunk, head = nn.Linear(8, 8), nn.Linear(8, 1)
    optimizer = torch.optim.Adam([*trunk.parameters(), *head.parameters()])
    for _ in range(4):
        optimizer.zero_grad()
        h = trunk(torch.randn(16, 8)).tanh()
        head(h.detach() if sick else h).pow(2).mean().backward()
        optimizer.step()
    return [*trunk.parameters(), *head.parameters()]


@row("G701")
def trunk_under_no_grad(sick: bool) -> list[torch.Tensor]:
    trunk, head = nn.Linear(8, 8), nn.Linear(8, 1)
    optimizer = torch.optim.AdamW([{"params": trunk.parameters()}, {"params": head.parameters(), "lr": 1e-2}])
    for _ in range(4):
        optimizer.zero_grad()
        with torch.set_grad_enabled(not sick):
            h = trunk(torch.randn(16, 8)).tanh()
        head(h).pow(2).mean().backward()
        optimizer.step()
    return [*trunk.parameters(), *head.parameters()]


@row("G701")
def loss_made_a_leaf(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(8, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        score = model(torch.randn(8, 8))
        loss = torch.tensor(score.mean().item(), requires_grad=True) if sick else score.mean()
        loss.backward()
        optimizer.step()
    return list(model.parameters())


@row("G702")
def layers_in_a_list(sick: bool) -> list[torch.Tensor]:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            layers = [nn.Linear(8, 8) for _ in range(2)]
            self.hidden = layers if sick else nn.ModuleList(layers)
            self.out = nn.Linear(8, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for layer in self.hidden:
                x = layer(x).tanh()
            return self.out(x)  # type: ignore[no-any-return]

    return trained(Net())


@row("G702")
def head_forgotten(sick: bool) -> list[torch.Tensor]:
    trunk, head = nn.Linear(8, 8), nn.Linear(8, 1)
    held = [*trunk.parameters()] if sick else [*trunk.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD(held, lr=0.05)
    for _ in range(4):
        optimizer.zero_grad()
        head(trunk(torch.randn(16, 8)).tanh()).pow(2).mean().backward()
        optimizer.step()
    return [*trunk.parameters(), *head.parameters()]


@row("G702")
def made_in_forward(sick: bool) -> list[torch.Tensor]:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.out = nn.Linear(8, 8), nn.Linear(8, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            layer = nn.Linear(8, 8) if sick else self.first
            return self.out(layer(x).tanh())  # type: ignore[no-any-return]

    model = Net()
    if sick:
        del model.first
    return trained(model)


@row("G703")
def head_replaced(sick: bool) -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    if not sick:
        model[2] = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    if sick:
        model[2] = nn.Linear(8, 1)
    return trained(model, optimizer=optimizer)


@row("G703")
def model_made_again(sick: bool) -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    if sick:
        model = mlp(8, 8, 1)
    return trained(model, optimizer=optimizer)


@row("G704")
def never_zeroed(sick: bool) -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(5):
        if not sick:
            optimizer.zero_grad()
        F.mse_loss(model(torch.randn(32, 8)), torch.randn(32, 1)).backward()
        optimizer.step()
    return list(model.parameters())


@row("G704")
def zeroed_too_early(sick: bool) -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.Adam(model.parameters())
    optimizer.zero_grad()
    for step in range(6):
        for _ in range(2):  # micro-batches
            (F.mse_loss(model(torch.randn(16, 8)), torch.randn(16, 1)) / 2).backward()
        optimizer.step()
        if not sick or step == 3:
            optimizer.zero_grad(set_to_none=False)
    return list(model.parameters())


@row("G704")
def closure_adds_up(sick: bool) -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=5)
    x, y = torch.randn(32, 8), torch.randn(32, 1)
    for _ in range(3):
        optimizer.zero_grad()

        def closure() -> float:
            if not sick:
                optimizer.zero_grad()
            total = 0.0
            for a, b in zip(x.split(16), y.split(16), strict=True):
                loss = F.mse_loss(model(a), b) / 2
                loss.backward()
                total += loss.item()
            return total

        optimizer.step(closure)
    return list(model.parameters())


@row("G704")
def by_hand_never_zeroed(sick: bool) -> list[torch.Tensor]:
    w = torch.zeros(4, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.01)
    for _ in range(5):
        (w - 1).pow(2).sum().backward()
        optimizer.step()
        if not sick:
            w.grad.data.zero_()  # type: ignore[union-attr]
    return [w]


@row("G704")
def stepped_by_hand(sick: bool) -> list[torch.Tensor]:
    w, b = torch.zeros(8, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(5):
        (torch.randn(16, 8) @ w + b - 1).pow(2).mean().backward()
        for one in (w, b):
            one.data -= 0.01 * one.grad  # type: ignore[operator]
            if not sick:
                one.grad = None
    return [w, b]


@row("G705")
def sigmoids(sick: bool) -> list[torch.Tensor]:
    return trained(normal(mlp(8, *[16] * 10, 1, act=nn.Sigmoid if sick else nn.LeakyReLU), std=0.35))


@row("G705")
def small_weights(sick: bool) -> list[torch.Tensor]:
    return trained(normal(mlp(8, *[16] * 8, 1), std=0.05 if sick else 0.3))


@row("G706")
def large_weights(sick: bool) -> list[torch.Tensor]:
    model = normal(mlp(8, *[16] * 8, 1, act=nn.LeakyReLU), std=4.0 if sick else 0.35)
    for _ in range(3):
        model.zero_grad()
        (model(torch.randn(32, 8)).mean() * 1e-6).backward()
        with torch.no_grad():
            for one in model.parameters():
                one -= 1e-9 * one.grad  # type: ignore[operator]
    return list(model.parameters())


@row("G706")
def diverges(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0 if sick else 0.1)
    for _ in range(25):
        optimizer.zero_grad()
        F.mse_loss(model(torch.randn(64, 8)), torch.randn(64, 1)).backward()
        optimizer.step()
    return list(model.parameters())


@row("G707")
def dead_relus(sick: bool) -> list[torch.Tensor]:
    model = mlp(8, 32, 1, act=nn.ReLU)
    if sick:
        with torch.no_grad():
            model[0].bias[:12] = -50.0  # type: ignore[index,operator]
    return trained(model)


@row("G707")
def dead_channels(sick: bool) -> list[torch.Tensor]:
    model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 1))
    if sick:
        with torch.no_grad():
            model[1].bias[:4] = -20.0  # type: ignore[index,operator]
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(5):
        optimizer.zero_grad()
        model(torch.randn(8, 1, 8, 8)).pow(2).mean().backward()
        optimizer.step()
    return list(model.parameters())


@row("G708")
def sqrt_of_zero(sick: bool) -> list[torch.Tensor]:
    w = nn.Parameter(torch.tensor([0.0, 1.0, 4.0]))
    optimizer = torch.optim.SGD([w], lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        (w * 2 + (0.0 if sick else 1.0)).sqrt().sum().backward()
        optimizer.step()
    return [w]


@row("G708")
def stops_at_a_bad_loss(sick: bool) -> list[torch.Tensor]:
    w = nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer = torch.optim.SGD([w], lr=0.01)
    for step in range(4):
        optimizer.zero_grad()
        loss = (w - (step if sick else 0)).log().sum()
        loss.backward()
        if not loss.isfinite():
            break
        optimizer.step()
    return [w]


@row("G708")
def sqrt_of_negative(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(5):
        optimizer.zero_grad()
        score = model(torch.ones(2, 4)).sigmoid()
        (score - (1.0 if sick and step == 3 else 0.0)).sqrt().mean().backward()
        optimizer.step()
    return list(model.parameters())


@row("G708")
def masked_by_where(sick: bool) -> list[torch.Tensor]:
    w = nn.Parameter(torch.tensor([-1.0, 2.0, 3.0]))
    optimizer = torch.optim.SGD([w], lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        root = (w + (1 if sick else 2)).sqrt()
        torch.where(w > 0, root, torch.zeros(())).sum().backward()
        optimizer.step()
    return [w]


@row("G708")
def data_with_nan(sick: bool) -> list[torch.Tensor]:
    model = mlp(4, 4, 1)
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(4):
        x = torch.randn(8, 4)
        if sick and step == 2:
            x[3, 1] = torch.nan
        optimizer.zero_grad()
        model(x).pow(2).mean().backward()
        optimizer.step()
    return list(model.parameters())


@row("G709")
def scale_too_large(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127 if sick else 2.0**10)
    for _ in range(5):
        optimizer.zero_grad()
        scaler.scale(model(torch.randn(8, 8) * 10).pow(2).mean()).backward()  # type: ignore[no-untyped-call]
        scaler.step(optimizer)
        scaler.update()
    return list(model.parameters())


@row("G710")
def total_of_losses(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    total = torch.zeros(())
    for _ in range(12):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 8)).pow(2).mean()
        loss.backward()
        optimizer.step()
        total = total + (loss if sick else loss.detach())
    return list(model.parameters())


@row("G710")
def list_of_losses(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    history = []
    for _ in range(12):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 8)).pow(2).mean()
        loss.backward()
        optimizer.step()
        history.append({"loss": loss if sick else loss.item()})
    return list(model.parameters())


@row("G710")
def total_in_an_attribute(sick: bool) -> list[torch.Tensor]:
    class Trainer:
        def __init__(self) -> None:
            self.model, self.total = nn.Linear(8, 1), torch.zeros(())
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

        def fit(self) -> None:
            for _ in range(12):
                self.optimizer.zero_grad()
                loss = self.model(torch.randn(8, 8)).pow(2).mean()
                loss.backward()
                self.optimizer.step()
                self.total = self.total + (loss if sick else loss.detach())

    trainer = Trainer()
    trainer.fit()
    return list(trainer.model.parameters())


@row("G711")
def clipped_before_unscale(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for _ in range(4):
        optimizer.zero_grad()
        scaler.scale(model(torch.randn(8, 8)).pow(2).mean()).backward()  # type: ignore[no-untyped-call]
        if not sick:
            scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return list(model.parameters())


@row("G711")
def clipped_before_fused(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for _ in range(4):
        optimizer.zero_grad()
        scaler.scale(model(torch.randn(8, 8)).pow(2).mean()).backward()  # type: ignore[no-untyped-call]
        if not sick:
            scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return list(model.parameters())


@row("G711")
def clipped_by_value(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for _ in range(4):
        optimizer.zero_grad()
        scaler.scale(model(torch.randn(8, 8)).pow(2).mean()).backward()  # type: ignore[no-untyped-call]
        if not sick:
            scaler.unscale_(optimizer)
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        scaler.step(optimizer)
        scaler.update()
    return list(model.parameters())


@row("G712")
def bfloat16_steps(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(8, 1, dtype=torch.bfloat16 if sick else torch.float32)
    with torch.no_grad():
        model.weight.fill_(1.0)
        model.bias.fill_(1.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for _ in range(4):
        optimizer.zero_grad()
        model(torch.ones(8, 8, dtype=model.weight.dtype)).mean().backward()
        optimizer.step()
    return list(model.parameters())


@row("G713")
def frozen_with_decay(sick: bool) -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.1)
    for step in range(5):
        optimizer.zero_grad(set_to_none=not sick)
        F.mse_loss(model(torch.randn(8, 8)), torch.randn(8, 1)).backward()
        optimizer.step()
        if step == 1:
            model[0].requires_grad_(False)
    return list(model.parameters())


@row("G713")
def frozen_in_the_middle(sick: bool) -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(12):
        if step == 6:
            model[0].requires_grad_(False)
        optimizer.zero_grad(set_to_none=not sick)
        F.mse_loss(model(torch.randn(16, 8)), torch.randn(16, 1)).backward()
        optimizer.step()
    return list(model.parameters())


@row("G714")
def alternating_experts(sick: bool) -> list[torch.Tensor]:
    one, two, head = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 1)
    optimizer = torch.optim.SGD([*one.parameters(), *two.parameters(), *head.parameters()], lr=0.05)
    for step in range(6):
        optimizer.zero_grad()
        x = torch.randn(8, 8)
        h = (one(x) if step % 2 else two(x)) if sick else one(x) + two(x)
        head(h.tanh()).pow(2).mean().backward()
        optimizer.step()
    return [*one.parameters(), *two.parameters(), *head.parameters()]


@row("G715")
def clipped_infinity(sick: bool) -> list[torch.Tensor]:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(4):
        optimizer.zero_grad()
        x = torch.randn(8, 8)
        scale = 1e38 if sick and step == 2 else 1.0
        ((model(x) * 1e3).mean() * scale).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return list(model.parameters())
