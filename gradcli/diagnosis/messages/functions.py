"""Custom autograd.Functions that break their protocol."""

from __future__ import annotations

from gradcli.diagnosis.messages.message import Message

CODE = "G209"

MESSAGES = (
    Message(
        "function-gradient-count",
        ("unction {node} returned an incorrect number of gradients (expected {expected}, got {given})",),
        "backward() of a custom Function returned {given} values; {expected} were expected.",
        "It must return one value for each argument of forward() after ctx, in the same order.",
        "Return None for arguments that need no gradient: return grad_x, None.",
        code=CODE,
    ),
    Message(
        "function-gradient-shape",
        ("unction {node} returned an invalid gradient at index {index} - got {given} but expected shape compatible "
         "with {wanted}",),
        "backward() of a custom Function returned a gradient of shape {given} for argument {index}, which has the "
        "shape {wanted}.",
        "A gradient holds one number for each element of its argument. Where forward() broadcast the argument, the "
        "gradient must be summed over what was repeated.",
        "Sum it to the argument's shape: grad.sum_to_size(x.shape).",
        code=CODE,
    ),
    Message(
        "function-gradient-kind",
        ("unction {node} returned an invalid gradient at index {index} - expected {} {wanted} but got {given}",),
        "backward() of a custom Function returned a gradient of another kind for argument {index}: {given} instead of "
        "{wanted}.",
        "A gradient has the dtype, layout and device of its argument.",
        "Convert it before returning: grad.to(x).",
        code=CODE,
    ),
    Message(
        "function-gradient-of-number",
        ("unction {node} returned a gradient different than None at position {position}, but the corresponding forward "
         "input was not a Variable",),
        "backward() of a custom Function returned a gradient for argument {position}, which is not a tensor.",
        "Numbers, strings and other arguments that are no tensors have no gradient.",
        "Return None at that place.",
        code=CODE,
    ),
    Message(
        "function-gradient-type",
        ("expected Variable or None (got {type})",),
        "backward() of a custom Function returned a {type}.",
        "Gradients are tensors, or None where there is none.",
        "Return a tensor: grad * 2 instead of 2.0.",
        code=CODE,
    ),
    Message(
        "function-no-backward",
        ("You must implement either the backward or vjp method for your custom autograd.Function",),
        "Backward came to a custom Function that has no backward().",
        "torch does not look into forward() of a Function: it is not recorded.",
        "Write a staticmethod backward(ctx, grad_output); or make it a plain function of torch's operations, which "
        "needs none.",
        code=CODE,
    ),
    Message(
        "function-no-forward",
        ("You must implement the forward function for custom autograd.Function.",),
        "A custom Function without forward() was applied.",
        "forward() computes the result.",
        "Write a staticmethod forward(ctx, ...).",
        code=CODE,
    ),
    Message(
        "function-no-jvp",
        ("You must implement the jvp function for custom autograd.Function to use it with forward mode AD.",),
        "Forward mode came to a custom Function that has no jvp().",
        "backward() says how gradients go back; jvp() would say how tangents go forward.",
        "Write a staticmethod jvp(ctx, *tangents), or use reverse mode.",
        code=CODE,
    ),
    Message(
        "function-both",
        ("Implementing both 'backward' and 'vjp' for a custom Function is not allowed.",),
        "A custom Function has both backward() and vjp().",
        "They are two names for the same method.",
        "Keep one of them.",
        code=CODE,
    ),
    Message(
        "function-legacy",
        ("Legacy autograd function with non-static forward method is deprecated.",
         "Methods on autograd functions are all static, so you should invoke them on the class itself."),
        "A custom Function was used as an object, as in old versions of torch.",
        "Its methods are static, and what backward needs is kept in ctx.",
        "Write forward and backward as staticmethods with ctx as their first argument, and call MyFunction.apply(x).",
        code=CODE,
    ),
    Message(
        "function-saves-no-tensor",
        ("save_for_backward can only save variables, but argument {index} is of type {type}",),
        "save_for_backward() was given a {type}.",
        "It keeps tensors, and watches that they are not changed.",
        "Keep other things as attributes: ctx.scale = 2.",
        code=CODE,
    ),
    Message(
        "function-dirty",
        ("Some elements marked as dirty during the forward method were not returned as output.",
         "mark_dirty can only accept variables, but argument",
         "mark_non_differentiable only accepts variable arguments, but got"),
        "A custom Function marked something that it does not return as a tensor.",
        "mark_dirty() is for inputs that forward() changes in place, and these must be returned; "
        "mark_non_differentiable() is for outputs.",
        "Mark exactly the tensors that were changed, and return them.",
        code=CODE,
    ),
    Message(
        "function-view-and-others",
        ("If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
         "more than one Tensor.",),
        "A custom Function changed a view in place and returned several tensors.",
        "Autograd can follow the write through a view for one output only.",
        "Clone the input first, or return the changed tensor alone.",
        code=CODE,
    ),
    Message(
        "function-returned-input",
        ("An input that has been returned as-is as output is being saved for backward.",),
        "A custom Function with setup_context() returned an input as it is, and saved it.",
        "Output and input would be the same tensor, with two places in the graph.",
        "Return and save a view of it: x.view_as(x).",
        code=CODE,
    ),
    Message(
        "function-setup-context",
        ("In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
         "override the setup_context staticmethod.",),
        "A custom Function without setup_context() was used inside torch.func.",
        "There forward() is called without ctx, so that it can be transformed.",
        "Write forward(x) without ctx, and setup_context(ctx, inputs, output) that saves what backward needs.",
        code=CODE,
    ),
    Message(
        "function-vmap",
        ("You tried to vmap over {function}, but it does not have vmap support.",
         "You tried to vmap over {function}, but it has both generate_vmap_rule=True and an overridden vmap",
         "Expected the {function} staticmethod to have two returns, an output and out_dims"),
        "vmap came to a custom Function that does not say how it is batched, or says it wrongly.",
        "torch does not look into forward() of a Function, so it cannot batch it by itself.",
        "Set generate_vmap_rule = True in the class where its methods are made of torch's operations; or write one "
        "staticmethod vmap(info, in_dims, *args) that returns the output and its dimension.",
        code=CODE,
    ),
    Message(
        "function-clear-saved",
        ("saved_tensors can only be accessed once when clear_saved_tensors_on_access=True",),
        "ctx.saved_tensors was read twice.",
        "With clear_saved_tensors_on_access=True the tensors are given away at the first reading.",
        "Read it once, into variables.",
        code=CODE,
    ),
)  # fmt: skip
