"""Healthy training loops of many kinds: none may be called ill. Each gives what it trained."""

from __future__ import annotations

import copy
import warnings
from collections import deque
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from tests.training.sick import mlp, normal

Loop = Callable[[], list[torch.Tensor]]
LOOPS: list[Loop] = []


def loop(one: Loop) -> Loop:
    LOOPS.append(one)
    return one


def data(count: int = 32, width: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(count, width), torch.randn(count, 1)


@loop
def accumulation_over_micro_batches() -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(6):
        for _ in range(4):
            x, y = data()
            (F.mse_loss(model(x), y) / 4).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return list(model.parameters())


@loop
def several_optimizers_with_schedulers() -> list[torch.Tensor]:
    trunk, head = nn.Linear(8, 8), nn.Linear(8, 1)
    first = torch.optim.SGD(trunk.parameters(), lr=0.05, momentum=0.9)
    second = torch.optim.Adam(head.parameters())
    schedules = [torch.optim.lr_scheduler.CosineAnnealingLR(one, 10) for one in (first, second)]
    for _ in range(6):
        x, y = data()
        first.zero_grad(set_to_none=False)
        second.zero_grad()
        F.mse_loss(head(trunk(x).tanh()), y).backward()
        first.step()
        second.step()
        for schedule in schedules:
            schedule.step()
    return [*trunk.parameters(), *head.parameters()]


@loop
def lbfgs() -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)
    x, y = data()

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        return loss

    for _ in range(5):
        optimizer.step(closure)  # type: ignore[arg-type]
    return list(model.parameters())


@loop
def lbfgs_with_gradients_set_by_hand() -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=5)
    x, y = data()

    def closure() -> float:
        loss = F.mse_loss(model(x), y)
        for one, gradient in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters())), strict=True):
            one.grad = gradient
        return loss.item()

    for _ in range(3):
        optimizer.step(closure)
    return list(model.parameters())


@loop
def frozen_trunk() -> list[torch.Tensor]:
    trunk, head = mlp(8, 8, 8), nn.Linear(8, 1)
    trunk.requires_grad_(False)
    optimizer = torch.optim.AdamW([*trunk.parameters(), *head.parameters()], weight_decay=0.1)
    for _ in range(5):
        x, y = data()
        optimizer.zero_grad()
        F.mse_loss(head(trunk(x)), y).backward()
        optimizer.step()
    return [*trunk.parameters(), *head.parameters()]


@loop
def unfrozen_later() -> list[torch.Tensor]:
    trunk, head = nn.Linear(8, 8), nn.Linear(8, 1)
    trunk.requires_grad_(False)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.05)
    for step in range(6):
        if step == 3:
            trunk.requires_grad_(True)
            optimizer.add_param_group({"params": list(trunk.parameters()), "lr": 0.01})
        x, y = data()
        optimizer.zero_grad()
        F.mse_loss(head(trunk(x).tanh()), y).backward()
        optimizer.step()
    return [*trunk.parameters(), *head.parameters()]


@loop
def tied_weights() -> list[torch.Tensor]:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table, self.out = nn.Embedding(16, 8), nn.Linear(8, 16, bias=False)
            self.out.weight = self.table.weight

        def forward(self, words: torch.Tensor) -> torch.Tensor:
            return self.out(self.table(words).tanh())  # type: ignore[no-any-return]

    model = Tied()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(5):
        words = torch.randint(0, 16, (32,))
        optimizer.zero_grad()
        F.cross_entropy(model(words), words.roll(1)).backward()
        optimizer.step()
    return list(model.parameters())


@loop
def exponential_average() -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    average = copy.deepcopy(model)
    averaged = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(6):
        x, y = data()
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        averaged.update_parameters(model)
        with torch.no_grad():
            for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
                slow.lerp_(fast, 0.1)
    return [*model.parameters(), *average.parameters(), *averaged.parameters()]


@loop
def teacher_and_student() -> list[torch.Tensor]:
    teacher, student = mlp(8, 16, 1), mlp(8, 8, 1)
    optimizer = torch.optim.Adam(student.parameters())
    for _ in range(5):
        x, _ = data()
        with torch.no_grad():
            wanted = teacher(x)
        optimizer.zero_grad()
        F.mse_loss(student(x), wanted).backward()
        optimizer.step()
    return list(student.parameters())


@loop
def compiled() -> list[torch.Tensor]:
    torch.compiler.reset()
    model = mlp(8, 8, 1)
    fast = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(4):
        x, y = data()
        optimizer.zero_grad()
        F.mse_loss(fast(x), y).backward()
        optimizer.step()
    return list(model.parameters())


@loop
def checkpointed() -> list[torch.Tensor]:
    from torch.utils.checkpoint import checkpoint

    trunk, head = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.2), nn.Tanh()), nn.Linear(8, 1)
    optimizer = torch.optim.SGD([*trunk.parameters(), *head.parameters()], lr=0.05)
    for step in range(4):
        x, y = data()
        optimizer.zero_grad()
        h = checkpoint(trunk, x.requires_grad_(), use_reentrant=step % 2 == 0)
        F.mse_loss(head(h), y).sqrt().backward()
        optimizer.step()
    return [*trunk.parameters(), *head.parameters()]


@loop
def hooks_of_the_users_own() -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    seen: list[float] = []
    for one in model.parameters():
        one.register_hook(lambda grad: grad.clamp(-0.1, 0.1))
        one.register_post_accumulate_grad_hook(lambda p: seen.append(float(p.grad.norm())))  # type: ignore[union-attr]
    model[0].register_full_backward_hook(lambda *_: seen.append(0.0))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    optimizer.register_step_post_hook(lambda *_: seen.append(1.0))
    for _ in range(4):
        x, y = data()
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    assert len(seen) == 4 * 6
    return list(model.parameters())


@loop
def adversarial_pair() -> list[torch.Tensor]:
    maker, judge = normal(mlp(4, 16, 8), 0.3), normal(mlp(8, 16, 1), 0.3)
    for_maker = torch.optim.Adam(maker.parameters(), lr=1e-3, betas=(0.5, 0.9))
    for_judge = torch.optim.Adam(judge.parameters(), lr=1e-3, betas=(0.5, 0.9))
    for _ in range(6):
        real, noise = torch.randn(16, 8), torch.randn(16, 4)
        for_judge.zero_grad()
        fake = maker(noise)
        mix = torch.rand(16, 1)
        between = (mix * real + (1 - mix) * fake.detach()).requires_grad_()
        slope = torch.autograd.grad(judge(between).sum(), between, create_graph=True)[0]
        penalty = (slope.norm(dim=1) - 1).pow(2).mean()
        (judge(fake.detach()).mean() - judge(real).mean() + 10 * penalty).backward()
        for_judge.step()
        for_maker.zero_grad()
        (-judge(maker(noise)).mean()).backward()
        for_maker.step()
    return [*maker.parameters(), *judge.parameters()]


@loop
def recurrent() -> list[torch.Tensor]:
    cell, head = nn.LSTM(4, 8, batch_first=True), nn.Linear(8, 1)
    optimizer = torch.optim.RMSprop([*cell.parameters(), *head.parameters()], lr=1e-3)
    state = None
    for _ in range(6):
        out, state = cell(torch.randn(16, 5, 4), state)
        optimizer.zero_grad()
        head(out).pow(2).mean().backward()
        optimizer.step()
        state = tuple(one.detach() for one in state)
    return [*cell.parameters(), *head.parameters()]


@loop
def sparse_embeddings() -> list[torch.Tensor]:
    table, head = nn.Embedding(100, 8, sparse=True), nn.Linear(8, 1)
    sparse, dense = torch.optim.SparseAdam(table.parameters()), torch.optim.Adam(head.parameters())
    for _ in range(5):
        sparse.zero_grad()
        dense.zero_grad()
        head(table(torch.randint(0, 50, (16,))).tanh()).pow(2).mean().backward()
        sparse.step()
        dense.step()
    return [*table.parameters(), *head.parameters()]


@loop
def functional_call() -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    weights = {name: one.detach().clone().requires_grad_() for name, one in model.named_parameters()}
    optimizer = torch.optim.SGD(weights.values(), lr=0.05)
    for _ in range(4):
        x, y = data()
        optimizer.zero_grad()
        F.mse_loss(torch.func.functional_call(model, weights, (x,)), y).backward()
        optimizer.step()
    return list(weights.values())


@loop
def gradients_by_torch_func() -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def loss(weights: dict[str, torch.Tensor], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.mse_loss(torch.func.functional_call(model, weights, (x,)), y)

    for _ in range(4):
        found = torch.func.grad(loss)(dict(model.named_parameters()), *data())
        for name, one in model.named_parameters():
            one.grad = found[name].detach()
        optimizer.step()
    return list(model.parameters())


@loop
def gradients_by_autograd_grad() -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(5):
        x, y = data()
        found = torch.autograd.grad(F.mse_loss(model(x), y), list(model.parameters()))
        for one, grad in zip(model.parameters(), found, strict=True):
            one.grad = grad
        optimizer.step()
    return list(model.parameters())


@loop
def by_hand() -> list[torch.Tensor]:
    w, b = torch.zeros(8, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(6):
        x, y = data()
        F.mse_loss(x @ w + b, y).backward()
        with torch.no_grad():
            for one in (w, b):
                one -= 0.1 * one.grad  # type: ignore[operator]
                one.grad.zero_()  # type: ignore[union-attr]
    return [w, b]


@loop
def physics_informed() -> list[torch.Tensor]:
    model = mlp(1, 16, 16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.linspace(0, 1, 32).unsqueeze(1).requires_grad_()
    for _ in range(6):
        optimizer.zero_grad()
        u = model(x)
        slope = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
        ((slope + u).pow(2).mean() + (u[0] - 1).pow(2).sum()).backward()
        optimizer.step()
    return list(model.parameters())


@loop
def attention() -> list[torch.Tensor]:
    table, layer, head = (
        nn.Embedding(20, 16),
        nn.TransformerEncoderLayer(16, 4, 32, batch_first=True),
        nn.Linear(16, 20),
    )
    parts = nn.ModuleList([table, layer, head])
    optimizer = torch.optim.AdamW(parts.parameters(), lr=1e-3)
    for _ in range(5):
        words = torch.randint(0, 20, (8, 12))
        optimizer.zero_grad()
        F.cross_entropy(head(layer(table(words))).flatten(0, 1), words.roll(-1, 1).flatten()).backward()
        nn.utils.clip_grad_norm_(parts.parameters(), 1.0)
        optimizer.step()
    return list(parts.parameters())


@loop
def convolutions() -> list[torch.Tensor]:
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3),
        nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.1),
        nn.Linear(8, 3),
    ).to(memory_format=torch.channels_last)  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    for _ in range(5):
        optimizer.zero_grad()
        F.cross_entropy(model(torch.randn(16, 1, 12, 12)), torch.randint(0, 3, (16,))).backward()
        optimizer.step()
    return list(model.parameters())


@loop
def autocast_in_bfloat16() -> list[torch.Tensor]:
    model = mlp(8, 16, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(5):
        x, y = data()
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return list(model.parameters())


@loop
def scaled_and_clipped() -> list[torch.Tensor]:
    model = mlp(8, 16, 1)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for _ in range(5):
        x, y = data()
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.mse_loss(model(x), y)
        scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return list(model.parameters())


@loop
def actor_and_critic() -> list[torch.Tensor]:
    policy, value = normal(mlp(4, 16, 3), 0.3), normal(mlp(4, 16, 1), 0.3)
    optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()])
    rewards: deque[float] = deque(maxlen=10)
    for _ in range(6):
        chosen, values = [], []
        for _ in range(5):
            state = torch.randn(4)
            draw = torch.distributions.Categorical(logits=policy(state))
            action = draw.sample()
            chosen.append(draw.log_prob(action))
            values.append(value(state))
            rewards.append(float(action))
        optimizer.zero_grad()
        gain = 1.0 - torch.cat(values)
        (-(torch.stack(chosen) * gain.detach()).sum() + gain.pow(2).sum()).backward()
        optimizer.step()
    return [*policy.parameters(), *value.parameters()]


@loop
def contrastive() -> list[torch.Tensor]:
    model = normal(mlp(8, 16, 8), 0.3)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(5):
        x, _ = data()
        one = F.normalize(model(x), dim=1)
        two = F.normalize(model(x + 0.1 * torch.randn_like(x)), dim=1)
        optimizer.zero_grad()
        F.cross_entropy(one @ two.T / 0.1, torch.arange(32)).backward()
        optimizer.step()
    return list(model.parameters())


@loop
def variational() -> list[torch.Tensor]:
    encoder, decoder = nn.Linear(8, 8), nn.Linear(4, 8)
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
    total = 0.0
    for _ in range(5):
        x, _ = data()
        mean, log_variance = encoder(x).chunk(2, 1)
        code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        spread = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum(1).mean()
        loss = F.mse_loss(decoder(code), x) + 0.1 * spread
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return [*encoder.parameters(), *decoder.parameters()]


@loop
def meta_learning() -> list[torch.Tensor]:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(4):
        optimizer.zero_grad()
        for _ in range(2):
            x, y = data()
            inner = torch.autograd.grad(F.mse_loss(model(x), y), list(model.parameters()), create_graph=True)
            moved = {n: p - 0.1 * g for (n, p), g in zip(model.named_parameters(), inner, strict=True)}
            F.mse_loss(torch.func.functional_call(model, moved, (x,)), y).backward()
        optimizer.step()
    return list(model.parameters())


@loop
def validation_between_epochs() -> list[torch.Tensor]:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    best, scores = float("inf"), []
    for _ in range(3):
        model.train()
        for _ in range(3):
            x, y = data()
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            scores.append(F.mse_loss(model(x), y))
        if scores[-1] < best:
            best, state = float(scores[-1]), copy.deepcopy(model.state_dict())
    model.load_state_dict(state)
    return list(model.parameters())


@loop
def lazy_layers() -> list[torch.Tensor]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = nn.Sequential(nn.LazyLinear(8), nn.Tanh(), nn.LazyLinear(1))
    model(torch.randn(1, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(4):
        x, y = data()
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    return list(model.parameters())


@loop
def weight_normed() -> list[torch.Tensor]:
    model = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(8, 8)), nn.Tanh(),
                          nn.utils.parametrizations.spectral_norm(nn.Linear(8, 1)))  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(5):
        x, y = data()
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    return list(model.parameters())


@loop
def batches_of_one() -> list[torch.Tensor]:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(8):
        x, y = data(1)
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    return list(model.parameters())


@loop
def q_learning() -> list[torch.Tensor]:
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
    target = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(5):
        state = torch.randn(32, 4)
        chosen = model(state).gather(1, torch.randint(0, 2, (32, 1)))  # most actions are never taken
        with torch.no_grad():
            wanted = 1 + 0.9 * target(state).max(1, keepdim=True).values
        optimizer.zero_grad()
        F.smooth_l1_loss(chosen, wanted).backward()
        optimizer.step()
    target.load_state_dict(model.state_dict())
    return list(model.parameters())
