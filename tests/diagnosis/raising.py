"""Code that makes the installed torch raise or warn: one function a message, each as a user would come upon it."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.autograd.forward_ad as forward_ad
import torch.nn.functional as F
from torch import func
from torch.autograd import Function, functional, gradcheck
from torch.utils.checkpoint import checkpoint

RAISED: dict[str, Callable[[], Any]] = {}


def raises(name: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Say which message a function makes torch give; several functions may give the same."""

    def add(function: Callable[[], Any]) -> Callable[[], Any]:
        RAISED[f"{name}/{function.__name__}"] = function
        return function

    return add


def said(function: Callable[[], Any]) -> list[str]:
    """Everything torch said while a function ran: its warnings, then its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.set_warn_always(True)
        try:
            function()
        except Exception as error:
            failed = [str(error)]
        else:
            failed = []
        finally:
            torch.set_warn_always(False)
    return [*failed, *(str(one.message) for one in caught)]


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)


# Roots: where backward begins.


@raises("no-graph")
def plain_loss() -> None:
    torch.ones(()).backward()


@raises("no-graph")
def under_no_grad() -> None:
    x = leaf()
    with torch.no_grad():
        loss = x.sum()
    loss.backward()


@raises("no-graph")
def detached_loss() -> None:
    torch.autograd.grad(leaf().detach().sum(), leaf())


@raises("not-scalar")
def vector_loss() -> None:
    (leaf() * 2).backward()


@raises("not-real")
def complex_loss() -> None:
    torch.tensor(1 + 2j, requires_grad=True).mul(2).backward()


@raises("upstream-shape")
def wrong_upstream() -> None:
    (leaf() * 2).backward(torch.ones(3))


@raises("upstream-shape")
def wrong_batched_upstream() -> None:
    x = leaf()
    torch.autograd.grad(x * 2, x, torch.ones(3), is_grads_batched=True)


@raises("upstream-dtype")
def real_upstream_of_a_complex_output() -> None:
    (torch.tensor([1 + 2j], requires_grad=True) * 2).backward(torch.ones(1))


@raises("no-inputs")
def no_inputs_of_backward() -> None:
    leaf().sum().backward(inputs=[])


@raises("no-inputs")
def no_inputs_of_grad() -> None:
    torch.autograd.grad(leaf().sum(), [])


@raises("unused-input")
def unused() -> None:
    torch.autograd.grad(leaf().sum(), leaf())


@raises("input-without-grad")
def input_without_grad() -> None:
    torch.autograd.grad(leaf().sum(), torch.ones(2))


@raises("materialize")
def contradicting_options() -> None:
    x = leaf()
    torch.autograd.grad(x.sum(), x, allow_unused=False, materialize_grads=True)


@raises("second-backward")
def twice() -> None:
    loss = leaf().exp().sum()
    loss.backward()
    loss.backward()


@raises("second-backward")
def hidden_state_kept() -> None:
    x, h = leaf(), torch.zeros(2)
    for _ in range(2):
        h = torch.tanh(h + x)
        h.sum().backward()


@raises("create-graph")
def graph_of_backward() -> None:
    leaf().exp().sum().backward(create_graph=True)


@raises("version-of-result")
def saved_then_changed() -> None:
    y = leaf().exp()
    y.add_(1)
    y.sum().backward()


@raises("version")
def weights_stepped_before_backward() -> None:
    w = leaf()
    optimizer = torch.optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    loss.backward()


@raises("leaf-in-place")
def changed_leaf() -> None:
    leaf().add_(1)


@raises("leaf-view-in-place")
def changed_view_of_a_leaf() -> None:
    leaf()[0].add_(1)


@raises("leaf-view-in-place")
def moved_leaf() -> None:
    x = leaf()
    y = x.view(-1)
    with torch.no_grad():
        x.set_(torch.ones(2))
    y.mul_(2)


@raises("multi-view-in-place")
def changed_unbound_view() -> None:
    first, _ = (leaf() * 1).unbind()
    first.mul_(2)


@raises("mode-view-in-place")
def view_made_under_no_grad() -> None:
    x = leaf() * 1
    with torch.no_grad():
        y = x[:1]
    y.mul_(2)


@raises("mode-view-in-place")
def view_made_in_inference_mode() -> None:
    x = leaf() * 1
    with torch.inference_mode():
        y = x[:1]
    y.mul_(2)


@raises("function-view-in-place")
def view_from_a_custom_function() -> None:
    class View(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad

    View.apply(leaf() * 1).mul_(2)


@raises("shared-memory")
def changed_expanded_tensor() -> None:
    torch.ones(1).expand(3).add_(1)


@raises("overlap")
def overlapping_copy() -> None:
    x = torch.arange(6.0)
    x[:-1].add_(x[1:])


@raises("out-with-grad")
def out_argument() -> None:
    torch.add(leaf(), 1, out=torch.empty(2))


@raises("detach-view")
def detached_view_in_place() -> None:
    (leaf() * 1)[:1].detach_()


@raises("data-assigned")
def data_of_integers() -> None:
    x = leaf()
    x.data = torch.tensor([1, 2])


@raises("data-assigned")
def data_of_another_type() -> None:
    leaf().data = torch.ones(2, dtype=torch.float64).to_sparse()


@raises("resize-with-grad")
def resized() -> None:
    leaf().resize_(3)


# Leaves and flags.


@raises("integer-leaf")
def integer_leaf() -> None:
    torch.tensor([1, 2], requires_grad=True)


@raises("integer-leaf")
def integer_leaf_later() -> None:
    torch.tensor([1, 2]).requires_grad_()


@raises("integer-leaf")
def integer_parameter() -> None:
    torch.nn.Parameter(torch.tensor([1, 2]))


@raises("flag-of-non-leaf")
def flag_of_a_result() -> None:
    (leaf() * 2).requires_grad = False


@raises("retain-without-grad")
def retained_plain() -> None:
    torch.ones(2).retain_grad()


@raises("grad-of-non-leaf")
def grad_of_a_result() -> None:
    y = leaf() * 2
    y.sum().backward()
    print(end=str(y.grad)[:0])


@raises("grad-assigned")
def grad_of_another_shape() -> None:
    leaf().grad = torch.ones(3)


@raises("grad-assigned-dtype")
def grad_of_another_dtype() -> None:
    leaf().grad = torch.ones(2, dtype=torch.float64)


@raises("grad-assigned-type")
def grad_of_no_tensor() -> None:
    leaf().grad = 0


@raises("deepcopy")
def copied() -> None:
    copy.deepcopy(leaf() * 2)


@raises("parameter-of-tensor")
def parameter_of_a_result() -> None:
    module = torch.nn.Module()
    module.weight = torch.nn.Parameter(torch.ones(2))
    module.weight = leaf() * 2


@raises("parameter-of-result")
def registered_result() -> None:
    class Bound(torch.Tensor):
        pass

    module = torch.nn.Module()
    result = leaf() * 2
    result.__class__ = torch.nn.Parameter
    module.register_parameter("weight", result)


@raises("tensor-of-tensor")
def tensor_of_a_tensor() -> None:
    torch.tensor(leaf())


@raises("scalar-of-grad")
def float_of_a_result() -> None:
    float((leaf() * 2).sum())


@raises("to-numpy")
def to_numpy() -> None:
    leaf().numpy()


@raises("to-others")
def to_dlpack() -> None:
    leaf().__dlpack__()


@raises("python-loop")
def applied() -> None:
    leaf().apply_(lambda value: value)


@raises("python-loop")
def mapped() -> None:
    leaf().map_(torch.ones(2), lambda one, other: one)


@raises("hook-without-grad")
def hook_of_a_plain_tensor() -> None:
    torch.ones(2).register_hook(print)


@raises("hook-of-non-leaf")
def late_hook() -> None:
    (leaf() * 2).register_post_accumulate_grad_hook(print)


@raises("hooks-of-two-kinds")
def both_kinds_of_hooks() -> None:
    module = torch.nn.Linear(1, 1)
    module.register_backward_hook(print)
    module.register_full_backward_hook(print)


@raises("module-hook-in-place")
def in_place_after_a_full_hook() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(inplace=True))
    model[0].register_full_backward_hook(lambda *_: None)
    model(leaf()).sum().backward()


@raises("hook-result")
def hook_that_changes_the_shape() -> None:
    y = leaf() * 2
    y.register_hook(lambda grad: grad[:1])
    y.sum().backward()


@raises("edge-without-grad")
def edge_of_a_plain_tensor() -> None:
    torch.autograd.graph.get_gradient_edge(torch.ones(2))


# Inference mode.


@raises("inference-saved")
def inference_saved() -> None:
    with torch.inference_mode():
        y = torch.ones(2)
    (leaf() * y).sum().backward()


@raises("inference-in-place")
def inference_in_place() -> None:
    with torch.inference_mode():
        y = torch.ones(2)
    y.add_(1)


@raises("inference-flag")
def inference_flag() -> None:
    with torch.inference_mode():
        y = torch.ones(2)
    y.requires_grad_()


@raises("inference-flag")
def inference_version() -> None:
    with torch.inference_mode():
        y = torch.ones(2)
    print(end=str(y._version)[:0])


# Derivatives that do not exist.


@raises("no-derivative")
def floor_division() -> None:
    (leaf() // 2).sum().backward()


@raises("no-derivative")
def second_of_a_loss() -> None:
    x = leaf()
    torch.heaviside(x, torch.zeros(2)).sum().backward()


@raises("no-derivative-argument")
def derivative_by_a_fixed_argument() -> None:
    torch.nn.functional.nll_loss(torch.ones(1, 2).log_softmax(1), torch.tensor([0]), weight=leaf())


@raises("qr-mode")
def qr_without_q() -> None:
    torch.linalg.qr(torch.eye(2, requires_grad=True), mode="r").R.sum().backward()


@raises("qr-mode")
def complete_qr() -> None:
    torch.linalg.qr(torch.ones(3, 2, requires_grad=True), mode="complete").Q.sum().backward()


@raises("phase")
def gauge_of_svd() -> None:
    x = torch.randn(2, 2, dtype=torch.complex128, requires_grad=True)
    torch.linalg.svd(x).U.sum().abs().backward()


@raises("once-differentiable")
def once() -> None:
    from torch.autograd.function import once_differentiable

    class Once(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * 2

    x = leaf()
    (gradient,) = torch.autograd.grad((Once.apply(x) ** 2).sum(), x, create_graph=True)
    gradient.sum().backward()


@raises("second-unique")
def scatter_twice() -> None:
    x = torch.zeros(2, requires_grad=True)
    y = torch.ones(2).scatter_reduce(0, torch.tensor([0, 0]), x, "prod")
    (gradient,) = torch.autograd.grad((y**2).sum(), x, create_graph=True)
    gradient.sum().backward()


# NaN found by anomaly detection.


@raises("anomaly-nan")
def nan_in_backward() -> None:
    with torch.autograd.detect_anomaly():
        x = leaf(0.0)
        (torch.sqrt(x) * 0).sum().backward()


@raises("anomaly-forward")
def anomaly_traceback() -> None:
    nan_in_backward()


@raises("anomaly-on")
def anomaly_on() -> None:
    with torch.autograd.detect_anomaly():
        pass


# Custom functions.


def function(**members: Any) -> Any:
    """A custom Function that doubles, with members of a test's own."""

    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2

    made = {"forward": forward, "backward": backward, **members}
    methods = {name: staticmethod(one) if callable(one) else one for name, one in made.items()}
    return type("Doubled", (Function,), methods)


@raises("function-gradient-count")
def too_few_gradients() -> None:
    wrong = function(forward=lambda ctx, x, y: x * y, backward=lambda ctx, grad: grad)
    wrong.apply(leaf(), leaf()).sum().backward()


@raises("function-gradient-shape")
def gradient_of_another_shape() -> None:
    function(backward=lambda ctx, grad: grad[:1].repeat(3)).apply(leaf()).sum().backward()


@raises("function-no-backward")
def no_backward() -> None:
    class Forward(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

    Forward.apply(leaf()).sum().backward()


@raises("function-no-forward")
def no_forward() -> None:
    Function.apply(leaf())


@raises("function-no-jvp")
def no_jvp() -> None:
    with forward_ad.dual_level():
        function().apply(forward_ad.make_dual(torch.ones(2), torch.ones(2)))


@raises("function-both")
def backward_and_vjp() -> None:
    function(vjp=lambda ctx, grad: grad).apply(leaf()).sum().backward()


@raises("function-legacy")
def called() -> None:
    function()()(leaf())


@raises("function-saves-no-tensor")
def saves_a_number() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, 2)
        return x * 2

    function(forward=forward).apply(leaf())


@raises("function-dirty")
def dirty_that_is_not_returned() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        return x * 2

    function(forward=forward).apply(leaf() * 1)


@raises("function-dirty")
def marks_a_number() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(2)
        return x * 2

    function(forward=forward).apply(leaf() * 1)


@raises("second-backward")
def saved_read_after_backward() -> None:
    kept = []

    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        kept.append(ctx)
        ctx.save_for_backward(x)
        return x * 2

    function(forward=forward).apply(leaf()).sum().backward()
    kept[0].saved_tensors  # noqa: B018


@raises("function-gradient-type")
def gradient_of_no_tensor() -> None:
    function(backward=lambda ctx, grad: 2.0).apply(leaf()).sum().backward()


@raises("function-gradient-of-number")
def gradient_for_a_number() -> None:
    wrong = function(forward=lambda ctx, x, k: x * k, backward=lambda ctx, grad: (grad, grad))
    wrong.apply(leaf(), 2).sum().backward()


@raises("function-setup-context")
def without_setup_context() -> None:
    func.grad(lambda x: function().apply(x).sum())(torch.ones(2))


@raises("function-vmap")
def without_vmap() -> None:
    rule = function(forward=lambda x: x * 2, setup_context=lambda ctx, inputs, output: None)
    func.vmap(rule.apply)(torch.ones(2))


@raises("function-vmap")
def two_vmap_rules() -> None:
    rule = function(
        forward=lambda x: x * 2, setup_context=lambda ctx, inputs, output: None, generate_vmap_rule=True,
        vmap=lambda info, dims, x: (x * 2, 0),
    )  # fmt: skip
    func.vmap(rule.apply)(torch.ones(2))


@raises("function-vmap")
def wrong_vmap_result() -> None:
    rule = function(
        forward=lambda x: x * 2, setup_context=lambda ctx, inputs, output: None, vmap=lambda info, dims, x: x * 2
    )
    func.vmap(rule.apply)(torch.ones(2))


# functorch: vmap, grad, jvp.


@raises("vmap-item")
def item_in_vmap() -> None:
    func.vmap(lambda x: x * x.item())(torch.ones(2))


@raises("vmap-condition")
def condition_in_vmap() -> None:
    func.vmap(lambda x: x if x > 0 else -x)(torch.ones(2))


@raises("vmap-random")
def random_in_vmap() -> None:
    func.vmap(lambda x: x + torch.rand(()))(torch.ones(2))


@raises("vmap-dynamic")
def mask_in_vmap() -> None:
    func.vmap(lambda x: x[x > 0])(torch.ones(2, 2))


@raises("vmap-dynamic")
def nonzero_in_vmap() -> None:
    func.vmap(lambda x: torch.nonzero(x))(torch.ones(2, 2))


@raises("vmap-dynamic")
def masked_select_in_vmap() -> None:
    func.vmap(lambda x: torch.masked_select(x, x > 0))(torch.ones(2, 2))


@raises("vmap-sizes")
def sizes_in_vmap() -> None:
    func.vmap(torch.add)(torch.ones(2), torch.ones(3))


@raises("vmap-in-dims")
def number_in_vmap() -> None:
    func.vmap(torch.add)(torch.ones(2), 3.0)


@raises("vmap-no-tensor")
def nothing_in_vmap() -> None:
    func.vmap(lambda: 1)()


@raises("vmap-in-dims")
def dimension_in_vmap() -> None:
    func.vmap(torch.sin, in_dims=3)(torch.ones(2))


@raises("vmap-in-dims")
def dimensions_in_vmap() -> None:
    func.vmap(torch.sin, in_dims=(0, 0))(torch.ones(2))


@raises("vmap-no-tensor")
def nothing_mapped() -> None:
    func.vmap(torch.sin, in_dims=(None,))(torch.ones(2))


@raises("vmap-output")
def number_out_of_vmap() -> None:
    func.vmap(lambda x: 1)(torch.ones(2))


@raises("vmap-output")
def out_dims_of_vmap() -> None:
    func.vmap(torch.sin, out_dims=(0, 0))(torch.ones(2))


@raises("vmap-escaped")
def escaped_from_vmap() -> None:
    kept = []

    def keep(x: torch.Tensor) -> torch.Tensor:
        kept.append(x)
        return x

    func.vmap(keep)(torch.ones(2))
    kept[0] + 1


@raises("func-backward")
def backward_in_vmap() -> None:
    def inner(x: torch.Tensor) -> torch.Tensor:
        x = x * leaf().sum()
        x.backward()
        return x

    func.vmap(inner)(torch.ones(2))


@raises("func-backward")
def backward_in_grad() -> None:
    def inner(x: torch.Tensor) -> torch.Tensor:
        (x * 2).backward()
        return x * 2

    func.grad(inner)(torch.ones(()))


@raises("func-flag")
def flag_in_grad() -> None:
    func.grad(lambda x: x.requires_grad_().sum())(torch.ones(2))


@raises("func-flag")
def functional_in_grad() -> None:
    func.grad(lambda x: functional.jacobian(torch.sin, x).sum())(torch.ones(2))


@raises("func-retain")
def retained_in_grad() -> None:
    def inner(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        y.retain_grad()
        return y.sum()

    func.grad(inner)(torch.ones(2))


@raises("func-data")
def data_in_grad() -> None:
    def inner(x: torch.Tensor) -> torch.Tensor:
        x.data = torch.ones(2)
        return x.sum()

    func.grad(inner)(torch.ones(2))


@raises("func-data")
def data_in_vmap() -> None:
    func.vmap(lambda x: torch.ones_like(x.data))(torch.ones(2))


@raises("func-scalar")
def vector_of_grad() -> None:
    func.grad(lambda x: x * 2)(torch.ones(2))


@raises("func-scalar")
def number_of_grad() -> None:
    func.grad(lambda x: 1.0)(torch.ones(2))


@raises("func-aux")
def aux_of_grad() -> None:
    func.grad(lambda x: x.sum(), has_aux=True)(torch.ones(2))


@raises("func-aux")
def aux_of_vjp() -> None:
    func.vjp(lambda x: x.sum(), torch.ones(2), has_aux=True)


@raises("func-cotangents")
def cotangents() -> None:
    _, pull = func.vjp(lambda x: x * 2, torch.ones(2))
    pull((torch.ones(2), torch.ones(2)))


@raises("func-tangents")
def tangents() -> None:
    func.jvp(torch.sin, (torch.ones(2),), (torch.ones(2), torch.ones(2)))


@raises("func-tangents")
def primals_of_jvp() -> None:
    func.jvp(torch.sin, torch.ones(2), torch.ones(2))


@raises("func-integer")
def integers_of_vjp() -> None:
    func.vjp(lambda x: x.argmax(), torch.ones(2))


@raises("func-argnums")
def argnums_of_grad() -> None:
    func.grad(lambda x: x.sum(), argnums=2)(torch.ones(2))


@raises("func-in-place")
def captured_in_place() -> None:
    captured = torch.ones(2)

    def inner(x: torch.Tensor) -> torch.Tensor:
        return captured.mul_(x).sum()

    func.grad(inner)(torch.ones(2))


@raises("func-models")
def models_with_different_flags() -> None:
    first, second = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    first.weight.requires_grad_(False)
    func.stack_module_state([first, second])


@raises("func-models")
def no_models() -> None:
    func.stack_module_state([])


# Forward mode.


@raises("forward-formula")
def no_forward_formula() -> None:
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.rand(2, 2, 2, dtype=torch.float64), torch.ones(2, 2, 2, dtype=torch.float64))
        F.embedding_bag(torch.tensor([[0]]), x[0])
        F.ctc_loss(x.log_softmax(2), torch.ones(2, 1, dtype=torch.long), torch.tensor([2, 2]), torch.tensor([1, 1]))


@raises("forward-level")
def no_level() -> None:
    forward_ad.make_dual(torch.ones(2), torch.ones(2))


@raises("forward-integer")
def integer_primal() -> None:
    with forward_ad.dual_level():
        forward_ad.make_dual(torch.tensor([1]), torch.ones(1))


@raises("forward-tangent")
def tangent_of_another_shape() -> None:
    with forward_ad.dual_level():
        forward_ad.make_dual(torch.ones(2), torch.ones(3))


@raises("forward-tangent")
def tangent_set_twice() -> None:
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(2), torch.ones(2))
        forward_ad.make_dual(x, torch.ones(2))


@raises("shared-memory")
def in_place_on_a_plain_tensor() -> None:
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(2), torch.ones(2))
        torch.zeros(1).expand(2).copy_(x)


# torch.autograd.functional, gradcheck.


@raises("functional-strict")
def strict() -> None:
    functional.jacobian(lambda x: torch.ones(2), torch.ones(2), strict=True)


@raises("functional-strict")
def strict_jvp() -> None:
    func.jvp(lambda x: torch.ones(2), (torch.ones(2),), (torch.ones(2),), strict=True)


@raises("functional-vector")
def vector_missing() -> None:
    functional.vjp(lambda x: x * 2, torch.ones(2))


@raises("functional-vector")
def vector_of_another_shape() -> None:
    functional.vjp(lambda x: x * 2, torch.ones(2), torch.ones(3))


@raises("functional-output")
def hessian_of_a_vector() -> None:
    functional.hessian(lambda x: x * 2, torch.ones(2))


@raises("functional-output")
def output_of_no_tensor() -> None:
    functional.jacobian(lambda x: 1.0, torch.ones(2))


@raises("functional-strategy")
def forward_strategy() -> None:
    functional.jacobian(torch.sin, torch.ones(2), strategy="forward-mode")


@raises("gradcheck-failed")
def wrong_gradient() -> None:
    gradcheck(function(backward=lambda ctx, grad: grad).apply, torch.ones(2, dtype=torch.float64, requires_grad=True))


@raises("gradcheck-reentrant")
def irregular_gradient() -> None:
    wrong = function(backward=lambda ctx, grad: grad * torch.rand(()))
    gradcheck(wrong.apply, torch.ones(2, dtype=torch.float64, requires_grad=True))


@raises("gradcheck-precision")
def checked_in_float32() -> None:
    gradcheck(torch.sin, leaf())


@raises("gradcheck-no-input")
def nothing_to_check() -> None:
    gradcheck(torch.sin, torch.ones(2))


@raises("gradcheck-stride")
def expanded_to_check() -> None:
    gradcheck(torch.sin, torch.ones(1, dtype=torch.float64).expand(2).requires_grad_())


# Scalers, autocast, optimizers, clipping.


def scaler() -> Any:
    return torch.amp.GradScaler("cpu")


def scaled() -> tuple[Any, Any, torch.Tensor]:
    made = scaler()
    w = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([w], lr=0.1)
    made.scale((w * 2).sum()).backward()
    return made, optimizer, w


@raises("scaler-half")
def half_parameters() -> None:
    made = scaler()
    w = torch.nn.Parameter(torch.ones(2, dtype=torch.float16))
    optimizer = torch.optim.SGD([w], lr=0.1)
    made.scale((w * 2).sum()).backward()
    made.unscale_(optimizer)


@raises("scaler-unscaled-twice")
def unscaled_twice() -> None:
    made, optimizer, _ = scaled()
    made.unscale_(optimizer)
    made.unscale_(optimizer)


@raises("scaler-unscaled-late")
def unscaled_after_step() -> None:
    made, optimizer, _ = scaled()
    made.step(optimizer)
    made.unscale_(optimizer)


@raises("scaler-stepped-twice")
def stepped_twice() -> None:
    made, optimizer, _ = scaled()
    made.step(optimizer)
    made.step(optimizer)


@raises("scaler-no-gradients")
def stepped_without_gradients() -> None:
    made = scaler()
    made.scale(torch.ones(()))
    made.step(torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1))


@raises("scaler-no-gradients")
def updated_without_a_step() -> None:
    made = scaler()
    made.scale(torch.ones(()))
    made.update()


@raises("scaler-unused")
def stepped_before_scaling() -> None:
    scaler().step(torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1))


@raises("scaler-closure")
def with_a_closure() -> None:
    made, optimizer, _ = scaled()
    made.step(optimizer, closure=lambda: None)


@raises("scaler-disabled")
def without_cuda() -> None:
    torch.amp.GradScaler("cuda")


@raises("scaler-old")
def old_scaler() -> None:
    torch.cuda.amp.GradScaler()


@raises("autocast-old")
def old_autocast() -> None:
    torch.cuda.amp.autocast()


@raises("autocast-disabled")
def autocast_without_cuda() -> None:
    torch.autocast("cuda")


@raises("autocast-disabled")
def autocast_in_an_odd_dtype() -> None:
    torch.autocast("cpu", dtype=torch.float64)


@raises("optimizer-non-leaf")
def optimizer_of_a_result() -> None:
    torch.optim.SGD([leaf() * 2], lr=0.1)


@raises("optimizer-empty")
def optimizer_of_nothing() -> None:
    torch.optim.SGD([], lr=0.1)


@raises("optimizer-parameters")
def optimizer_of_a_tensor() -> None:
    torch.optim.SGD(leaf(), lr=0.1)


@raises("optimizer-parameters")
def optimizer_of_names() -> None:
    torch.optim.SGD(["weight"], lr=0.1)


@raises("optimizer-twice")
def optimizer_of_the_same_twice() -> None:
    w = leaf()
    torch.optim.SGD([{"params": [w]}, {"params": [w]}], lr=0.1)


@raises("optimizer-twice")
def duplicate_parameter() -> None:
    w = leaf()
    torch.optim.SGD([w, w], lr=0.1)


@raises("scheduler-order")
def scheduler_first() -> None:
    optimizer = torch.optim.SGD([leaf()], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    scheduler.step()


@raises("clip-non-finite")
def clipped_infinity() -> None:
    w = leaf()
    w.grad = torch.tensor([float("inf"), 1.0])
    torch.nn.utils.clip_grad_norm_([w], 1.0, error_if_nonfinite=True)


# Checkpoints.


@raises("checkpoint-no-grad")
def checkpoint_of_constants() -> None:
    checkpoint(torch.sin, torch.ones(2), use_reentrant=True)


@raises("checkpoint-no-output")
def checkpoint_without_outputs() -> None:
    x = leaf()
    checkpoint(lambda y: y.detach(), x, use_reentrant=True).backward(torch.ones(2))
    y = checkpoint(lambda y: (y * 2, y.detach())[1], x, use_reentrant=True)
    y.sum().backward()


@raises("checkpoint-grad")
def checkpoint_and_grad() -> None:
    x = leaf()
    torch.autograd.grad(checkpoint(torch.sin, x, use_reentrant=True).sum(), x)


@raises("checkpoint-option")
def checkpoint_without_a_choice() -> None:
    checkpoint(torch.sin, leaf())


@raises("checkpoint-differs")
def checkpoint_of_other_shapes() -> None:
    calls = []

    def uneven(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return torch.sin(x if len(calls) == 1 else x[:1])

    checkpoint(uneven, leaf(), use_reentrant=False).sum().backward()


# Losses and shapes that broadcast.


@raises("target-size")
def target_of_another_shape() -> None:
    F.mse_loss(leaf(), torch.ones(2, 1))


@raises("pack-hook")
def pack_hook_in_place() -> None:
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x.mul_(2), lambda x: x):
        y = leaf().exp()
        y.sum().backward()


@raises("unpack-hook")
def unpack_hook_of_no_tensor() -> None:
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: 1):
        y = leaf().exp()
    y.sum().backward()


@raises("upstream-type")
def number_among_upstreams() -> None:
    torch.autograd.backward([leaf().sum()], [1.0])  # type: ignore[list-item]


@raises("saved-freed")
def hooks_on_freed_tensors() -> None:
    y = leaf().exp()
    y.sum().backward()
    y.grad_fn._raw_saved_result.register_hooks(lambda x: x, lambda x: x)  # type: ignore[union-attr]


@raises("none-gradient-used")
def zeroed_before_backward() -> None:
    leaf().grad.zero_()  # type: ignore[union-attr]


@raises("none-gradient-used")
def norm_of_no_gradient() -> None:
    leaf().grad.norm()  # type: ignore[union-attr]


@raises("number-has-no-graph")
def item_before_backward() -> None:
    leaf().sum().item().backward()  # type: ignore[attr-defined]


@raises("hooks-old")
def old_hook() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Sigmoid(), torch.nn.Linear(2, 2))
    module.register_backward_hook(lambda *_: None)
    module(leaf().unsqueeze(0))


@raises("hooks-old")
def old_hook_of_a_dictionary() -> None:
    class Many(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return {"y": x * 2}

    module = Many()
    module.register_backward_hook(lambda *_: None)
    module(leaf())


@raises("hooks-without-tensor")
def hook_of_a_number() -> None:
    class Number(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return 1.0

    module = Number()
    module.register_full_backward_hook(lambda *_: None)
    module(leaf())


@raises("anomaly-unknown")
def anomaly_without_forward() -> None:
    loss = (torch.sqrt(leaf(0.0)) * 0).sum()
    with torch.autograd.detect_anomaly():
        loss.backward()


@raises("function-gradient-kind")
def gradient_on_another_device() -> None:
    function(backward=lambda ctx, grad: grad.to("meta")).apply(leaf()).sum().backward()


@raises("function-returned-input")
def returned_and_saved() -> None:
    function(
        forward=lambda x: x, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output)
    ).apply(leaf())  # fmt: skip


@raises("function-clear-saved")
def saved_read_twice() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * 2

    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return ctx.saved_tensors[0] * ctx.saved_tensors[0] * grad

    rule = function(forward=forward, backward=backward)
    rule.clear_saved_tensors_on_access = True
    rule.apply(leaf()).sum().backward()


@raises("function-view-and-others")
def view_changed_and_two_returned() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(2), x.clone()

    function(forward=forward, backward=lambda ctx, one, other: one).apply((leaf() * 1)[:1])


@raises("vmap-in-place")
@raises("vmap-fallback")
def in_place_on_an_unbatched_tensor() -> None:
    func.vmap(lambda x: torch.zeros(3).clamp_(x))(torch.ones(2, 3))


@raises("gradcheck-undefined")
def no_undefined_gradients() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.set_materialize_grads(False)
        return x * 2

    def backward(ctx: Any, grad: torch.Tensor | None) -> torch.Tensor:
        return torch.ones(2, dtype=torch.float64) if grad is None else grad * 2

    wrong = function(forward=forward, backward=backward)
    gradcheck(wrong.apply, torch.ones(2, dtype=torch.float64, requires_grad=True))


@raises("scaler-state")
def empty_state() -> None:
    scaler().load_state_dict({})


@raises("clip-empty")
def clipped_generator() -> None:
    torch.nn.utils.clip_grad_norm_((one for one in []), 1.0)


@raises("zero-grad-of-replica")
def replica() -> None:
    module = torch.nn.Linear(1, 1)
    module._is_replica = True
    module.zero_grad()


@raises("checkpoint-differs")
def checkpoint_with_more() -> None:
    calls = []

    def uneven(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return torch.sin(x) if len(calls) > 1 else torch.sin(torch.cos(torch.exp(x)))

    checkpoint(uneven, leaf(), use_reentrant=False).sum().backward()


@raises("gradcheck-failed")
def wrong_forward() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    wrong = function(forward=forward, jvp=lambda ctx, tangent: tangent)
    gradcheck(wrong.apply, torch.ones(2, dtype=torch.float64, requires_grad=True), check_forward_ad=True)


@raises("function-dirty")
def marks_a_number_non_differentiable() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_non_differentiable(2)
        return x * 2

    function(forward=forward).apply(leaf())


@raises("func-backward")
def batched_backward() -> None:
    func.vmap(lambda x: torch.autograd.backward(x))(leaf())


@raises("vmap-dynamic")
def unique_in_vmap() -> None:
    func.vmap(torch.unique)(torch.ones(2, 2))


@raises("target-size")
def binary_target() -> None:
    F.smooth_l1_loss(leaf(), torch.ones(2, 1))


@raises("target-dtype")
def target_in_float64() -> None:
    F.binary_cross_entropy(leaf(0.5, 0.5), torch.ones(2, dtype=torch.float64))


@raises("overflow-logged")
def logged_by_apex() -> None:
    warnings.warn("Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0", stacklevel=1)


@raises("overflow-logged")
def logged_by_deepspeed() -> None:
    text = "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768.0"
    warnings.warn(text, stacklevel=1)
