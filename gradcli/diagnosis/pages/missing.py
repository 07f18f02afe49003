"""G1: gradients that are missing, and tensors that leave autograd."""

from __future__ import annotations

from gradcli.diagnosis.pages.page import Page

PAGES = (
    Page(
        "G101",
        "It was computed where gradients are off, so autograd recorded nothing.",
        "Under no_grad and inference mode torch saves the memory and the time of the graph. A result there has no "
        "grad_fn and requires_grad=False, whatever it was computed from; the inputs keep their flag, and their .grad "
        "stays None.",
        'gradcli grad "with torch.no_grad(): B = A**2 + 16" --at "[5.0]"',
        "Take the computation out of the block where its gradient is wanted.",
        'gradcli grad "B = A**2 + 16" --at "[5.0]"',
        "locally disabling gradient computation: no-grad mode and inference mode (Autograd mechanics)",
    ),
    Page(
        "G102",
        "The numbers were handed on and the graph was not: the path to the input ends here.",
        "detach(), .data and a copy by torch.tensor(A) give a new tensor with the same numbers that no operation leads "
        "to. Backward goes along recorded operations, so it cannot get past it.",
        'gradcli grad "A.detach()*2" --at 5',
        "Use the tensor itself, or clone() it where a copy is needed: clone() is recorded.",
        'gradcli grad "A.clone()*2" --at 5',
        "a tensor detached from the current graph (torch.Tensor.detach)",
    ),
    Page(
        "G103",
        "The path goes through an operation that has no derivative.",
        "Comparisons, argmax, sorting indices and casts to integers or booleans give values that jump. torch does not "
        "record them, and their results do not require grad.",
        'gradcli grad "(A > 0)*1.0" --at 5',
        "Use a smooth form of the same idea: sigmoid for a comparison, softmax for argmax. Where the choice itself "
        "needs no gradient, use it only to pick: where(A > 0, A, 0).",
        'gradcli grad "sigmoid(A)*1.0" --at 5',
        "gradients for non-differentiable functions (Autograd mechanics)",
    ),
    Page(
        "G104",
        "The result does not depend on this input.",
        "No recorded operation leads from the result to it. torch leaves .grad None and does not call that 0: an input "
        "that was forgotten is more often a mistake than an input without influence.",
        'gradcli grad "A*5" --at A=5 --at B=6',
        "Use it, or do not ask for its gradient. torch.autograd.grad takes allow_unused=True, and "
        "materialize_grads=True for zeros.",
        'gradcli grad "A*5 + 0*B" --at A=5 --at B=6',
        "allow_unused, materialize_grads (torch.autograd.grad)",
    ),
    Page(
        "G105",
        "The .grad of a computed tensor was asked for.",
        "Backward leaves gradients in leaves: tensors that were made directly and require grad. Those of results pass "
        "through and are dropped, to save memory.",
        'gradcli grad "B = A*2; C = B*3; B.grad" --at 5',
        "Call retain_grad() on it before backward(). gradcli trace shows the gradient of every step without it.",
        'gradcli grad "B = A*2; B.retain_grad(); C = B*3; B.grad" --at 5',
        "leaf tensors (torch.Tensor.is_leaf) and torch.Tensor.retain_grad",
    ),
    Page(
        "G106",
        "An integer or boolean tensor was to require grad.",
        "A slope is about moving a little, and these cannot. torch lets only floating and complex tensors require "
        "grad.",
        'gradcli grad "A*5" --at "arange(3)"',
        "Make it floating, or give it as a constant, if it is an index, a mask or a label.",
        'gradcli grad "A*5" --at "arange(3.0)"',
        "only tensors of floating point and complex dtype can require gradients (torch.Tensor.requires_grad_)",
    ),
    Page(
        "G107",
        "A new leaf was made of computed numbers, and backward ended there.",
        "torch.tensor(B, requires_grad=True) and requires_grad_() on a detached result begin a graph of their own. "
        "Backward runs without complaint, leaves the gradient in the new leaf, and nothing comes back to the input or "
        "the parameter behind it.",
        'gradcli grad "B = torch.tensor(A*2, requires_grad=True); B*3" --at 5',
        "Leave the copy out. That the loss does not require grad is a message, and requires_grad_() only silences it.",
        'gradcli grad "B = A*2; B*3" --at 5',
        "leaf tensors (torch.Tensor.is_leaf)",
    ),
    Page(
        "G108",
        "A plain number or array was taken out of a tensor.",
        ".item(), .tolist(), .numpy() and float() give values that know nothing of where they came from; what is "
        "computed with them is not recorded.",
        'gradcli grad "A.item()*2" --at 5',
        "Stay with tensors until backward() has run. Take .item() for the log only.",
        'gradcli grad "A*2" --at 5',
        "torch.Tensor.item: this operation is not differentiable",
    ),
    Page(
        "G109",
        "Some paths to the input are cut and others live: the gradient is that of the live ones alone.",
        "Gradients of several paths add up, and a detached path adds nothing. The number looks like any other. It is "
        "often meant: target networks and straight-through estimators are made so.",
        'gradcli grad "A.detach()*2 + A" --at 5',
        "Nothing, where it is meant; otherwise use the tensor itself in both places.",
        'gradcli grad "A*2 + A" --at 5',
        "a tensor detached from the current graph (torch.Tensor.detach)",
    ),
)  # fmt: skip
