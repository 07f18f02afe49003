"""Steps at which nothing is due cost little, and lose nothing: what happens at one of them is seen at once."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import torch
from torch import nn

import gradcli
from gradcli.training.watching.details import details
from gradcli.training.watching.stepping import Stepping
from tests.command_line import python
from tests.training.sick import mlp, trained
from tests.training.test_session import Counting

ODD = 44  # a step that no schedule names
STEPS = 50

NaN = float("nan")


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The steps that were not quiet."""
    found: list[int] = []
    before = Stepping.before

    def counted(self: Stepping, *arguments: object) -> None:
        before(self, *arguments)
        found.append(self.now[0].told["step"] if self.now is not None else 0)

    monkeypatch.setattr(Stepping, "before", counted)
    monkeypatch.setattr("gradcli.training.watching.schedule.SHARE", 1e-9)  # whatever this machine could afford
    return found


def watched(model: nn.Module, spoil: Callable[[nn.Module], None]) -> gradcli.watch:
    """A training of 50 steps; before the step 44 something happens to the gradients."""
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with gradcli.watch(model, optimizer) as health:
        for step in range(1, STEPS + 1):
            optimizer.zero_grad()
            model(torch.randn(16, 8)).pow(2).mean().backward()
            if step == ODD:
                spoil(model)
            optimizer.step()
    return health


def test_most_steps_are_quiet_and_all_are_counted(whole: list[int]) -> None:
    health = watched(mlp(8, 8, 8, 1), lambda _: None)
    assert ODD not in whole
    assert len(whole) < STEPS / 2
    assert health.health.seen.steps == health.health.seen.backwards == STEPS
    assert health.codes == set()


def test_what_is_not_finite_at_a_quiet_step_is_found_at_that_step(whole: list[int]) -> None:
    def spoil(model: nn.Module) -> None:
        for one in model.parameters():
            if one.grad is not None:
                one.grad.fill_(NaN)

    health = watched(mlp(8, 8, 8, 1), spoil)
    (note,) = [note for note in health.health.notes if note.code == "G708"]
    assert f"step {ODD}" in note.message
    assert note.subject == "4.bias"
    assert ODD in whole


def test_a_gradient_that_is_none_at_a_quiet_step_is_counted(whole: list[int]) -> None:
    def spoil(model: nn.Module) -> None:
        model.get_parameter("2.weight").grad = None

    rows = {row["name"]: row for row in watched(mlp(8, 8, 8, 1), spoil).rows()}
    assert {name: row["none"] for name, row in rows.items() if row["none"]} == {"2.weight": 1}
    assert ODD in whole


def test_a_thorough_look_has_no_quiet_steps(whole: list[int]) -> None:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with gradcli.watch(model, optimizer, thorough=True) as health:
        for _ in range(12):
            optimizer.zero_grad()
            model(torch.randn(16, 8)).pow(2).mean().backward()
            optimizer.step()
    assert whole == list(range(1, 13))
    assert (health.health.seen.measured, health.health.seen.detailed) == (12, 12)


def test_details_are_those_of_each_gradient_alone() -> None:
    torch.manual_seed(0)
    gradients = [
        torch.randn(4, 3), torch.randn(4, 3), torch.randn(5), torch.tensor(2.0), torch.zeros(3, 3), torch.randn(0, 3),
        torch.randn(600, 512), torch.randn(1100, 1000), torch.randn(4, 3).double(), torch.randn(4, 3).bfloat16(),
        torch.randn(3, 2, 3, 3), torch.randn(4, 2, dtype=torch.complex64), torch.full((2, 2), 1e30),
        torch.full((2, 2), 1e-30), torch.tensor([NaN, 0.0, 1.0]), torch.randn(3, 4).t(),
    ]  # fmt: skip
    gradients[0][1] = gradients[6][5] = gradients[10][1] = 0
    gradients[6][:, :128] = 0
    found = details(gradients, [one.numel() for one in gradients])
    for one, seen in zip(gradients, found, strict=True):
        wide = one.to(torch.complex128 if one.is_complex() else torch.float64)
        parts = torch.view_as_real(wide) if one.is_complex() else wide
        size = max(one.numel(), 1)
        assert seen.norm == pytest.approx(float(parts.square().sum().sqrt()), rel=1e-3, nan_ok=True)
        assert seen.mean == pytest.approx(float(parts.abs().sum()) / size, rel=1e-3, nan_ok=True)
        assert seen.filled == pytest.approx(float((one != 0).sum()) / size, abs=1e-2)
        if one.dim() > 1:
            assert torch.equal(seen.living, (one != 0).flatten(1).any(1))


def test_a_script_that_ends_well_does_not_wait_for_what_tells_of_deaths() -> None:
    rooms = "{'gradcli.training.death.cause', 'gradcli.diagnosis.notes', 'gradcli.language'}"
    done = python(f"import sys, gradcli.training.looking, gradcli.render; print({rooms} & set(sys.modules))")
    assert done.stdout.strip() == "set()", done.stderr


def test_a_loss_that_is_not_finite_at_a_quiet_step_is_told_with_what_became_of_it(whole: list[int]) -> None:
    torch.manual_seed(0)
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with gradcli.watch(model, optimizer) as health:
        for step in range(1, STEPS + 1):
            optimizer.zero_grad()
            (model(torch.randn(16, 8)).pow(2).mean() + (NaN if step == ODD else 0)).backward()
            optimizer.step()
    (note,) = health.health.notes
    assert f"the loss was not finite at step {ODD}, though the gradients were." in note.message
    assert ODD in whole
    assert len(whole) < STEPS / 2


def test_what_is_frozen_at_a_quiet_step_and_still_moves_is_found(whole: list[int]) -> None:
    torch.manual_seed(0)
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    with gradcli.watch(model, optimizer) as health:
        for step in range(1, 2 * STEPS):
            if step == ODD:
                model[0].requires_grad_(False)
            optimizer.zero_grad(set_to_none=False)
            model(torch.randn(16, 8)).pow(2).mean().backward()
            optimizer.step()
    assert health.codes == {"G713"}
    assert len(whole) < STEPS


def test_function_modes_of_the_script_see_nothing_at_quiet_steps_either() -> None:
    def called() -> list[str]:
        model = mlp(8, 8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        trained(model, STEPS, optimizer)
        with Counting() as mode:
            trained(model, 3, optimizer)
        return mode.calls

    alone = called()
    with gradcli.watch():
        assert called() == alone


def test_a_step_by_a_closure_between_quiet_steps_is_a_step_like_another(whole: list[int]) -> None:
    torch.manual_seed(0)
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def closure() -> float:
        optimizer.zero_grad()
        loss = model(torch.randn(16, 8)).pow(2).mean()
        loss.backward()
        return loss.item()

    with gradcli.watch(model, optimizer) as health:
        for step in range(1, STEPS + 1):
            if step == ODD:
                optimizer.step(closure)
            else:
                closure()
                optimizer.step()
    assert (health.codes, health.health.seen.steps, health.health.seen.backwards) == (set(), STEPS, STEPS)
    assert {row["none"] for row in health.rows()} == {0}
    assert len(whole) < STEPS / 2


def test_a_training_in_another_thread_is_quiet_too(whole: list[int]) -> None:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with gradcli.watch(model, optimizer) as health:
        thread = threading.Thread(target=trained, args=(model, STEPS, optimizer))
        thread.start()
        thread.join()
    assert (health.codes, health.health.seen.steps) == (set(), STEPS)
    assert len(whole) < STEPS / 2
