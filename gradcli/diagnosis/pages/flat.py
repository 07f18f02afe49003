"""G4 and G5: gradients that are zero, and points where the slope is a choice."""

from __future__ import annotations

from gradcli.diagnosis.pages.page import Page

PAGES = (
    Page(
        "G401",
        "This operation's derivative is zero everywhere.",
        "round, floor and sign are flat between their jumps. torch gives 0 there, which is right, and which stops "
        "every gradient behind it.",
        'gradcli grad "round(A)*2" --at 1.3',
        "Use a smooth form, or pass the gradient by on purpose: A + (round(A) - A).detach(), a straight-through "
        "estimator.",
        'gradcli grad "(A + (round(A) - A).detach())*2" --at 1.3',
        "gradients for non-differentiable functions (Autograd mechanics)",
    ),
    Page(
        "G402",
        "The whole gradient of an input is zero, or nearly, because of where the input is.",
        "A sigmoid far from 0, relu below 0 and clamp outside of its bounds are flat. The numbers are right, and "
        "training stands still.",
        'gradcli grad "sigmoid(A)" --at 200',
        "Bring the input back into range: a smaller scale, a normalisation; or use the form that is steep there, such "
        "as logsigmoid or a loss with logits.",
        'gradcli grad "F.logsigmoid(-A)" --at 200',
        "numerical stability of losses with logits (torch.nn.BCEWithLogitsLoss)",
    ),
    Page(
        "G403",
        "The input is connected, and the factor on its way is 0 here.",
        "0 is a computed gradient and not a missing one: .grad is a tensor of zeros, not None.",
        'gradcli grad "A*B" --at A=3 --at B=0',
        "Nothing, where the factor is meant to be 0. An unintended one is often a mask or an initialisation with "
        "zeros.",
        'gradcli grad "A*B" --at A=3 --at B=2',
        "None and zero gradients (torch.autograd.grad: allow_unused, materialize_grads)",
    ),
    Page(
        "G404",
        "Many elements of an input get a gradient of zero, or nearly, because of where they are.",
        "As with G402, for a part of the elements: those outside of the bounds of a clamp, or in the flat tail of a "
        "sigmoid.",
        'gradcli grad "sigmoid(A)" --at "[200, 300, 0, 400]"',
        "Nothing, where few elements are meant to take part; otherwise look at the scale of the input.",
        'gradcli grad "sigmoid(A)" --at "[2, 3, 0, 4]"',
        "numerical stability of losses with logits (torch.nn.BCEWithLogitsLoss)",
    ),
    Page(
        "G501",
        "The function has a kink at this point, and the slope that torch gives is a choice.",
        "On the left the slope is another one than on the right: relu and abs at 0, clamp at its bounds, max where two "
        "elements are equal. torch takes one of them, or one between, and the choice is documented for each function.",
        'gradcli grad "F.relu(A)" --at 0',
        "Nothing in most cases: data hits a kink seldom. Where zeros are common, such as an initialisation with zeros, "
        "move off it or use a smooth function.",
        'gradcli grad "F.softplus(A)" --at 0',
        "gradients for non-differentiable functions: subgradients (Autograd mechanics)",
    ),
)  # fmt: skip
