"""G2: what backward is asked to do, and what is in its way."""

from __future__ import annotations

from gradcli.diagnosis.pages.page import Page

_PRODUCTS = """\
import torch


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y


class Right(Wrong):
    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y, grad * x
"""

PAGES = (
    Page(
        "G201",
        "The output has several elements, and was made one number before backward.",
        "A gradient is of one number. torch refuses to begin at several without weights for them; gradcli adds them "
        "up, as backward(gradient=ones) would, and says so.",
        'gradcli grad "A*5" --at "[1, 2, 3]"',
        "Say what is meant: sum, mean, an upstream gradient, or gradcli jacobian for every element by itself.",
        'gradcli grad "(A*5).sum()" --at "[1, 2, 3]"',
        "grad can be implicitly created only for scalar outputs (torch.autograd.backward)",
    ),
    Page(
        "G202",
        "A tensor that backward needs was overwritten after it had been saved.",
        "Operations save inputs or results for their derivative: exp saves its result, a product its factors. Each "
        "in-place write raises the tensor's version, and backward refuses to compute with other numbers than those of "
        "the forward pass.",
        'gradcli grad "B = exp(A); B += 1; B" --at 5',
        "Write the change out of place, so that the saved tensor stays as it is.",
        'gradcli grad "B = exp(A); C = B + 1; C" --at 5',
        "in-place correctness checks, saved tensors (Autograd mechanics)",
    ),
    Page(
        "G203",
        "A leaf that requires grad, or a view of it, is written in place.",
        "Its .grad would be the gradient of values that are gone, and the leaf itself would become a result. torch "
        "allows it only where nothing is recorded, as optimizers do it.",
        'gradcli grad "A += 1; A*2" --at 5',
        "Compute a new tensor, or write to a clone(). To set values, write inside with torch.no_grad():.",
        'gradcli grad "B = A + 1; B*2" --at 5',
        "in-place operations with autograd (Autograd mechanics)",
    ),
    Page(
        "G204",
        "Backward was called a second time on a graph that the first call had freed.",
        "The tensors saved for backward are given back while it runs. A second pass would need them again.",
        'gradcli grad "loss = A*5; loss.backward(); loss.backward()" --at 5',
        "Call it once, on the sum of the losses; or keep the graph by retain_graph=True in the first call. In a "
        "training loop detach() what is carried to the next step.",
        'gradcli grad "loss = A*5; loss.backward()" --at 5',
        "retain_graph (torch.autograd.backward), saved tensors (Autograd mechanics)",
    ),
    Page(
        "G205",
        "Backward was to begin at a complex number.",
        "A gradient is the direction in which a real number grows; complex numbers have no order. torch takes an "
        "upstream gradient for them, and assumes none.",
        'gradcli grad "A*5" --at 1+2j',
        "Make it real first: abs(), .real, or the square of the absolute value.",
        'gradcli grad "abs(A*5)" --at 1+2j',
        "Autograd for complex numbers (Autograd mechanics)",
    ),
    Page(
        "G206",
        "This operation has no second derivative in torch.",
        "The second derivative needs a recorded first one. For some operations the formula of the first is itself an "
        "operation without a derivative, and a custom Function may be marked @once_differentiable.",
        'gradcli hessian "F.hardsigmoid(A)*A" --at 1',
        "Write it with operations that are differentiable twice.",
        'gradcli hessian "sigmoid(A)*A" --at 1',
        "double backward: create_graph (torch.autograd.grad), once_differentiable (Extending PyTorch)",
    ),
    Page(
        "G207",
        "A tensor made in inference mode was to take part in a recorded computation.",
        "Inference mode leaves out the version counter, by which autograd notices later changes. Such a tensor can "
        "never be saved for backward.",
        'gradcli grad "with torch.inference_mode(): B = A*2\nB*A" --at 5',
        "Use torch.no_grad() instead, whose results are ordinary tensors; or clone() it outside the block.",
        'gradcli grad "with torch.no_grad(): B = A*2\nB*A" --at 5',
        "inference tensors (torch.inference_mode, Autograd mechanics)",
    ),
    Page(
        "G208",
        "A tensor whose elements share memory was written in place.",
        "expand() and broadcasting repeat elements without a copy: one write would change several, and the answer "
        "would depend on their order.",
        'gradcli grad "B = (A*2).expand(3); B.add_(1)" --at 5',
        "Make a copy first.",
        'gradcli grad "B = (A*2).expand(3).clone(); B.add_(1)" --at 5',
        "more than one element may refer to a single memory location (torch.Tensor.expand)",
    ),
    Page(
        "G209",
        "A custom autograd.Function does not keep to its protocol.",
        "torch does not look into forward() of a Function. It takes what backward() returns, one value for each "
        "argument of forward(), and can check only their number, kind and shape.",
        "gradcli check products.py:Wrong --at x=2 --at y=3",
        "Return one gradient for each argument of forward(), of its shape, and None for those that are no tensors.",
        "gradcli check products.py:Right --at x=2 --at y=3",
        "Extending torch.autograd (Extending PyTorch)",
        {"products.py": _PRODUCTS},
    ),
    Page(
        "G210",
        "torch has no derivative for this operation.",
        "It is recorded, and backward refuses to pass it. Floor division, heaviside and others are flat almost "
        "everywhere and jump between; for some operations nobody has written a formula yet.",
        'gradcli grad "A//2" --at 5',
        "Use an operation that has one, or detach() this part where its gradient does not matter.",
        'gradcli grad "A/2" --at 5',
        "gradients for non-differentiable functions (Autograd mechanics)",
    ),
)  # fmt: skip
