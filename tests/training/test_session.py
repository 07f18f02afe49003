"""What watching may never do: change, keep, register, raise, or stand in a traceback."""

from __future__ import annotations

import gc
import logging
import pickle
import sys
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.autograd.graph
import torch.fx.traceback
from torch import nn
from torch.nn.modules import module
from torch.nn.utils import clip_grad
from torch.optim import optimizer as optimizers
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import gradcli
from gradcli.errors import GradcliError
from gradcli.report import Table
from gradcli.training.watching.events import Events
from gradcli.training.watching.passing import Passing
from gradcli.training.watching.session import Session
from gradcli.training.watching.stepping import Stepping
from tests.training.sick import mlp, trained


def registered() -> list[Any]:
    """Everything of torch that watching could leave something in."""
    graph: Any = torch.autograd.graph
    return [
        graph.log, graph._register_logging_hooks_on_whole_graph, graph.saved_tensors_hooks.__enter__,
        torch.fx.traceback.format_stack, torch.is_anomaly_enabled(), torch._amp_update_scale_,
        torch.amp.GradScaler._lazy_init_scale_growth_tracker, torch.optim.Optimizer._patch_step_function,
        clip_grad._group_tensors_by_device_and_dtype, len(optimizers._global_optimizer_pre_hooks),  # type: ignore[attr-defined]
        len(optimizers._global_optimizer_post_hooks), len(module._global_parameter_registration_hooks),
        len(module._global_module_registration_hooks),
        module._has_any_global_hook(),
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def _nothing_stays_registered() -> Iterator[None]:
    before = registered()
    yield
    after = registered()
    assert [a is b or a == b for a, b in zip(before, after, strict=True)] == [True] * len(before)


def test_hooks_are_there_inside_and_gone_after() -> None:
    before = registered()
    with gradcli.watch():
        assert registered() != before
        assert not module._has_any_global_hook()  # no hook on forward or backward of any module
        model = mlp(8, 8, 1)
        trained(model)
        assert all(not one._backward_hooks for one in model.parameters())  # type: ignore[attr-defined]


def test_a_block_that_raises_leaves_nothing_either() -> None:
    with pytest.raises(ZeroDivisionError), gradcli.watch():
        1 / 0  # noqa: B018


def test_watches_can_be_nested_and_repeated() -> None:
    with gradcli.watch() as outer:
        with gradcli.watch() as inner:
            trained(mlp(8, 8, 1))
        trained(mlp(8, 8, 1))
    assert inner.health.seen.steps == outer.health.seen.steps == 6
    assert len(outer.rows()) == 8


def test_random_numbers_versions_and_gradients_are_left_alone() -> None:
    model = mlp(8, 8, 1)
    model(torch.randn(4, 8)).mean().backward()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    state, versions = torch.get_rng_state(), [one._version for one in model.parameters()]
    gradients = [one.grad for one in model.parameters()]
    with gradcli.watch(model, optimizer, thorough=True):
        optimizer.step()
    assert torch.equal(state, torch.get_rng_state())
    assert [one._version - old for one, old in zip(model.parameters(), versions, strict=True)] == [1] * 4
    assert all(one.grad is old for one, old in zip(model.parameters(), gradients, strict=True))
    assert [one._version for one in gradients] == [0] * 4  # type: ignore[union-attr]


def test_no_tensor_is_kept_alive_beyond_the_step() -> None:
    refs: list[weakref.ref[torch.Tensor]] = []
    model = mlp(8, 8, 1)
    optimizer = torch.optim.Adam(model.parameters())

    def step(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        x = torch.randn(4, 8)
        hidden = model(x)
        loss = (hidden.exp() + 1).sqrt().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        gradients = [one.grad for one in model.parameters() if one.grad is not None]
        refs.extend(map(weakref.ref, (x, hidden, loss, *gradients)))
        optimizer.zero_grad()

    with gradcli.watch(thorough=True) as health:
        for _ in range(4):
            step(model, optimizer)
            assert [ref() for ref in refs] == [None] * len(refs)
        kept = weakref.ref(model)
        del model, optimizer
        gc.collect()
        assert kept() is None
    assert health.health.seen.steps == 4


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        (Passing, "entered"), (Passing, "_began"), (Stepping, "before"), (Stepping, "after"), (Stepping, "_look"),
        (Stepping, "clipped"), (Events, "finish"),
    ],
)  # fmt: skip
def test_a_mistake_of_gradclis_own_ends_the_watching_and_not_the_training(
    kind: type, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*_: object, **__: object) -> None:
        raise RuntimeError("made up")

    monkeypatch.setattr(kind, place, wrong)
    torch.manual_seed(0)
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with gradcli.watch(model, optimizer) as health:
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(4, 8)).mean().backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    told = [note.message for note in health.health.notes if "gradcli's own" in note.message]
    assert len(told) == 1
    assert "made up" in told[0]


def in_backward() -> None:
    w = torch.ones(3, requires_grad=True)
    y = w.exp()
    y += 1
    y.sum().backward()


def in_optimizer() -> None:
    torch.optim.SGD([torch.ones(3, requires_grad=True) * 2], lr=0.1)


def in_clipping() -> None:
    w = nn.Parameter(torch.ones(3))
    (w * float("inf")).sum().backward()
    nn.utils.clip_grad_norm_([w], 1.0, error_if_nonfinite=True)


def in_scaler() -> None:
    w = nn.Parameter(torch.ones(3))
    torch.amp.GradScaler("cpu").step(torch.optim.SGD([w], lr=0.1))


def in_step() -> None:
    def closure() -> float:
        raise ValueError("the script's own")

    torch.optim.SGD([nn.Parameter(torch.ones(3))], lr=0.1).step(closure)  # type: ignore[arg-type]


@pytest.mark.parametrize("fail", [in_backward, in_optimizer, in_clipping, in_scaler, in_step])
def test_no_frame_of_gradcli_stands_in_the_scripts_traceback(fail: Callable[[], None]) -> None:
    def frames() -> list[str]:
        try:
            fail()
        except Exception as error:
            return [f"{one.filename}:{one.name}" for one in traceback.extract_tb(error.__traceback__)]
        raise AssertionError("it did not fail")

    plain = frames()
    with gradcli.watch():
        watched = frames()
    assert watched == plain


def test_warnings_name_the_scripts_line() -> None:
    def warned() -> list[tuple[str, int]]:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            w = nn.Parameter(torch.ones(3))
            torch.optim.SGD([w, w], lr=0.1)
            nn.utils.clip_grad_norm_((one for one in ()), 1.0)
        return [(one.filename, one.lineno) for one in found]

    plain = warned()
    assert len(plain) >= 2
    with gradcli.watch():
        assert warned() == plain


def test_the_scripts_own_debug_logging_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="torch.autograd.graph"):
        with gradcli.watch():
            torch.ones(1, requires_grad=True).exp().backward()
        assert "ExpBackward0" in caplog.text


class Counting(TorchFunctionMode):
    """A function mode of the script's, which counts what is called of torch."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        self.calls.append(getattr(function, "__name__", str(function)))
        return function(*arguments, **(keywords or {}))


def test_function_modes_of_the_script_see_nothing_of_it() -> None:
    def called() -> list[str]:
        model = mlp(8, 8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with Counting() as mode:
            trained(model, 3, optimizer)
        return mode.calls

    alone = called()
    with gradcli.watch() as health:
        assert called() == alone
    assert health.health.seen.steps == 3


def test_what_could_not_be_looked_at_is_said() -> None:
    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
            return function(*arguments, **(keywords or {}))

    with gradcli.watch() as health:
        for _ in range(2):
            torch.func.grad(lambda x: x**2)(torch.ones(()))
        with Mode():
            torch.ones(1, requires_grad=True).exp().backward()
    assert [note.message for note in health.health.notes] == [
        "torch.func took gradients twice: they do not pass through .grad, and are not watched.",
        "backward() ran once under a dispatch mode of the script's, where tensors cannot be looked at.",
    ]


def test_a_birth_under_the_scripts_own_anomaly_mode_has_its_line() -> None:
    with gradcli.watch() as health, pytest.raises(RuntimeError), torch.autograd.detect_anomaly():
        (torch.zeros(2, requires_grad=True) / 0).mul(0).sum().backward()
    line = test_a_birth_under_the_scripts_own_anomaly_mode_has_its_line.__code__.co_firstlineno + 2
    assert health.health.notes[0].message.endswith(f"at test_session.py:{line}.")


def test_the_scripts_own_anomaly_mode_stays_on() -> None:
    with gradcli.watch():
        with torch.autograd.detect_anomaly():
            torch.ones(1, requires_grad=True).exp().backward()
            assert torch.is_anomaly_enabled()
            assert torch.is_anomaly_check_nan_enabled()
        torch.ones(1, requires_grad=True).exp().backward()
        assert not torch.is_anomaly_enabled()
    with gradcli.watch():
        torch.autograd.set_detect_anomaly(True)
    assert torch.is_anomaly_enabled()
    torch.autograd.set_detect_anomaly(False)


def test_models_and_optimizers_can_be_pickled_while_watched() -> None:
    with gradcli.watch():
        model = mlp(8, 8, 1)
        optimizer = torch.optim.Adam(model.parameters())
        model(torch.ones(4, 8)).mean().backward()
        optimizer.step()
        again = pickle.loads(pickle.dumps((model, optimizer)))
    assert len(list(again[0].parameters())) == 4


def test_steps_are_told_as_they_happen() -> None:
    told: list[dict[str, Any]] = []
    with gradcli.watch(on_step=told.append, every=2):
        trained(mlp(8, 8, 1), steps=4)
    assert [one["step"] for one in told] == [1, 2, 3, 4]
    assert [one["norm"] is None for one in told] == [False, True, False, True]
    assert all(one["optimizer"] == "SGD" and one["lr"] == 0.05 and one["none"] == 0 for one in told)
    assert all(isinstance(one["loss"], float) for one in told)


def test_gradients_of_a_scaler_are_shown_unscaled() -> None:
    def norms(fused: bool | None, scale: float | None) -> list[float]:
        torch.manual_seed(0)
        model = nn.Linear(8, 1)
        optimizer = torch.optim.AdamW(model.parameters(), fused=fused)
        scaler = torch.amp.GradScaler("cpu", init_scale=scale or 1.0, enabled=scale is not None)
        with gradcli.watch(every=1) as health:
            for _ in range(3):
                optimizer.zero_grad()
                scaler.scale(model(torch.ones(2, 8)).mean()).backward()  # type: ignore[no-untyped-call]
                scaler.step(optimizer)
                scaler.update()
        return [row["norm_last"] for row in health.rows()]

    plain = norms(None, None)
    assert norms(None, 1024.0) == pytest.approx(plain)
    assert norms(True, 1024.0) == pytest.approx(plain)


def test_where_a_nan_was_born() -> None:
    with gradcli.watch() as health:
        w = nn.Parameter(torch.tensor([-1.0, 2.0]))
        optimizer = torch.optim.SGD([w], lr=0.0)
        for step in range(3):
            optimizer.zero_grad()
            shifted = w + (1 if step == 2 else 4)
            root = shifted.sqrt()
            torch.where(w > 0, root, torch.zeros(())).sum().backward()
            optimizer.step()
    (note,) = health.health.notes
    assert (note.code, note.subject) == ("G708", "w")
    assert "from step 3 on" in note.message
    assert "the derivative of sqrt is not finite at a result of 0 (1 of 2 elements)" in note.message
    line = test_where_a_nan_was_born.__code__.co_firstlineno + 7
    assert f"test_session.py:{line}" in note.message


def test_where_a_nan_was_born_in_forward() -> None:
    with gradcli.watch() as health:
        w = nn.Parameter(torch.tensor([-1.0, 2.0]))
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            product = (w - 1) * 2
            (product.sqrt() * product).sum().backward()
            optimizer.step()
    note = health.health.notes[0]
    assert note.code == "G708"
    assert "born in forward: sqrt gave NaN" in note.message
    line = test_where_a_nan_was_born_in_forward.__code__.co_firstlineno + 7
    assert f"test_session.py:{line}" in note.message


@pytest.mark.parametrize(("made", "says"), [
    (lambda w: (w + torch.inf).exp().mean(), "exp gave Inf of operands that backward does not keep"),
    (lambda w: ((w + torch.inf) - (w + torch.inf)).mean(),
     "not known, as no operation that leads to it keeps its operands: the last is mean"),
])  # fmt: skip
def test_a_birth_whose_operands_were_not_kept_says_so(made: Callable[[Any], torch.Tensor], says: str) -> None:
    with gradcli.watch() as health:
        w = nn.Parameter(torch.ones(2))
        made(w).backward()
    assert says in health.health.notes[0].message
    assert health.codes == {"G708"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"every": 0}, "every is 0: it counts steps, and must be at least 1"),
        ({"thresholds": {"dread": 1}}, "there is no threshold 'dread'"),
        ({"thresholds": {"dead": -1}}, "threshold dead is -1: it must be above 0"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(GradcliError, match=says):
        gradcli.watch(**options)
    with pytest.raises(GradcliError, match="takes models and optimizers, not int"):
        gradcli.watch(5)


def test_thresholds_decide() -> None:
    def codes(**thresholds: float) -> frozenset[str]:
        torch.manual_seed(0)
        with gradcli.watch(thresholds=thresholds) as health:
            trained(mlp(8, 16, 16, 16, 16, 1, act=nn.Sigmoid))
        return health.codes

    assert codes() == {"G705"}
    assert codes(fall=1e9) == set()


def test_a_session_without_a_training_says_so() -> None:
    session = Session()
    assert session.health().verdict == "nothing was watched"
    with gradcli.watch() as health:
        pass
    assert health.verdict == "no backward pass and no step of an optimizer was seen"
    assert health.to_dict()["parameters"] == []


def test_a_sparse_leaf_without_an_optimizer_does_not_end_the_watching() -> None:
    w = torch.eye(3).to_sparse().requires_grad_()
    with gradcli.watch() as health:
        for _ in range(3):
            torch.sparse.mm(w, torch.ones(3, 1)).sum().backward()
    assert not [note for note in health.health.notes if note.code is None]


MASK = torch.tensor([[True, True], [True, False]])


@pytest.mark.parametrize(("made", "start", "says"), [
    (lambda w: w.masked_fill(MASK, -torch.inf).softmax(-1).sum(), [[1.0, 2.0], [3.0, 4.0]],
     "softmax gave NaN of a row that is masked throughout"),
    (lambda w: (w * 100).cosh().sum(), [0.5, 1.0], "cosh gave Inf"),
    (lambda w: (w * 2).erfinv().sum(), [0.25, 0.5], "erfinv gave Inf of 1"),
    (lambda w: torch.special.xlog1py(w, w - 1).sum(), [0.5, -1.0], "xlog1py gave NaN of"),
])  # fmt: skip
def test_a_birth_is_found_for_any_operation(made: Callable[[Any], torch.Tensor], start: Any, says: str) -> None:
    with gradcli.watch() as health:
        w = nn.Parameter(torch.tensor(start))
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            made(w).backward()
            optimizer.step()
    assert any(says in note.message for note in health.health.notes), health.health.notes


NEEDED = ("_set_grad_enabled", "_are_functorch_transforms_active")  # torch itself asks for them in every step
PRIVATE = [
    (torch._C, "_len_torch_dispatch_stack"), (torch._C, "_are_functorch_transforms_active"),
    (torch._C, "_set_grad_enabled"), (torch._C, "_current_autograd_node"), (torch, "_foreach_norm"),
    (torch.autograd.graph, "_register_logging_hooks_on_whole_graph"), (torch.fx.traceback, "format_stack"),
    (clip_grad, "_group_tensors_by_device_and_dtype"), (torch.amp.GradScaler, "_lazy_init_scale_growth_tracker"),
    (torch, "_amp_update_scale_"), (torch.optim.Optimizer, "_patch_step_function"),
]  # fmt: skip


@pytest.mark.parametrize(("where", "name"), PRIVATE, ids=[name for _, name in PRIVATE])
def test_without_a_private_name_of_torch_less_is_seen_and_the_training_goes_on(
    where: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = mlp(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    monkeypatch.delattr(where, name)
    with gradcli.watch(model, optimizer) as health:
        if name in NEEDED:
            monkeypatch.undo()
        trained(model, 3, optimizer)
    monkeypatch.undo()
    assert health.health.seen.steps == 3
    assert all(note.message.startswith("this torch does not show") for note in health.health.notes)
    assert all(one["none"] == 0 and one["measured"] == 3 for one in health.rows())


def test_trainings_in_several_threads_do_not_touch_each_other() -> None:
    def trains(seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(16, 4, generator=generator)
        model, plain = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)), torch.ones(32, requires_grad=True)
        with torch.no_grad():
            for one in model.parameters():
                one.copy_(torch.randn(one.shape, generator=generator))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(60):
            optimizer.zero_grad()
            (model(x) * plain.exp().mean()).pow(2).mean().backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        left[seed] = [one.detach().clone() for one in model.parameters()]

    def together() -> dict[int, list[torch.Tensor]]:
        left.clear()
        threads = [threading.Thread(target=trains, args=(seed,)) for seed in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        return dict(left)

    left: dict[int, list[torch.Tensor]] = {}
    pace = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    told: list[dict[str, Any]] = []
    try:
        alone = together()
        with gradcli.watch(on_step=told.append, every=1) as health:
            watched = together()
    finally:
        sys.setswitchinterval(pace)
    assert [note.message for note in health.health.notes] == []
    rows = [one for one in health.rows() if one["optimizer"]]
    assert [(one["steps"], one["measured"], one["none"]) for one in rows] == [(60, 60, 0)] * 16
    assert sorted(one["step"] for one in told) == sorted([*range(1, 61)] * 4)
    assert all(one["norm"] > 0 and one["loss"] > 0 for one in told)
    assert all(torch.equal(a, b) for seed in alone for a, b in zip(alone[seed], watched[seed], strict=True))


def test_a_row_of_a_layer_lies_between_its_own_smallest_and_largest_norm() -> None:
    with gradcli.watch() as health:
        trained(mlp(*[8] * 16, 1), 4)
    (table,) = [part for part in health.report().sections if isinstance(part, Table)]
    for _, first, last, low, high, *_ in table.rows():
        assert low <= min(first, last) <= max(first, last) <= high


def test_a_layer_that_is_dead_as_a_whole_is_named_and_not_those_before_it() -> None:
    model = mlp(8, 16, 16, 1, act=nn.ReLU)
    with torch.no_grad():
        model[2].bias.fill_(-20.0)  # type: ignore[operator]
    with gradcli.watch(model) as health:
        trained(model)
    (note,) = health.health.notes
    assert (note.code, note.subject) == ("G707", "2.weight")
    assert note.message.startswith("16 of 16 units of 2.weight are dead")


def test_weights_that_are_tied_after_the_optimizer_was_made_are_trained_all_the_same() -> None:
    with gradcli.watch() as health:
        model = nn.Sequential(nn.Embedding(8, 4), nn.Linear(4, 8, bias=False))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model[1].weight = model[0].weight
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.arange(8)).pow(2).mean().backward()
            optimizer.step()
    (note,) = health.health.notes
    assert note.code == "G703"
    assert note.message.endswith("What took its place is held by it, too, so the old one can be left out.")


@pytest.mark.parametrize(("skips", "says"), [
    (True, "and no optimizer stepped with its gradients"), (False, "though the gradients were"),
])  # fmt: skip
def test_a_bad_loss_is_told_apart_from_bad_gradients(skips: bool, says: str) -> None:
    with gradcli.watch() as health:
        model = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(4):
            optimizer.zero_grad()
            loss = model(torch.ones(2, 2)).mean() + (torch.nan if step == 1 else 0)
            loss.backward()
            if not (skips and loss.isnan()):
                optimizer.step()
    (note,) = health.health.notes
    assert (note.code, note.subject) == ("G708", "the loss")
    assert f"not finite at step 2, {says}." in note.message


def test_a_loss_that_is_a_leaf_itself_is_said_to_be_one() -> None:
    def told(made: Callable[[torch.Tensor], torch.Tensor]) -> str:
        with gradcli.watch() as health:
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            made(model(torch.ones(2, 2)).mean()).backward()
            optimizer.step()
        (note,) = health.health.notes
        return note.message

    assert "The loss is a leaf itself" in told(lambda loss: loss.detach().requires_grad_())
    other = torch.ones((), requires_grad=True)
    assert "The loss is not connected to the model." in told(lambda loss: loss.detach() * other)
