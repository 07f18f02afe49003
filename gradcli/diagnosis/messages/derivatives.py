"""Derivatives that torch does not have, or that do not exist, and what anomaly detection finds."""

from __future__ import annotations

from gradcli.diagnosis.messages.message import Message

MESSAGES = (
    Message(
        "no-derivative",
        ("derivative for {operation} is not implemented",),
        "torch has no derivative formula for {operation}.",
        "Backward came to it and could not go on. For some operations nobody has written a formula; for others, such "
        "as // and heaviside, it would be 0 almost everywhere.",
        "Write it with operations that have a derivative; put the part inside torch.no_grad() or detach() it where its "
        "gradient does not matter; or give a formula with torch.autograd.Function.",
        code="G210",
        hint="write it with differentiable operations",
    ),
    Message(
        "no-derivative-argument",
        ("The function '{function}' is not differentiable with respect to argument '{argument}'. This input cannot "
         "have requires_grad True.",),
        "{function} has no derivative by its argument '{argument}', and the tensor given there requires grad.",
        "torch has formulas for the other arguments only.",
        "Give {argument}.detach() there, or write the function with basic operations.",
        code="G210",
    ),
    Message(
        "complex-outputs",
        ("does not support automatic differentiation for outputs with complex dtype.",),
        "An operation whose complex results cannot be differentiated was recorded.",
        "torch has its formula for real numbers only.",
        "Work on the real and the imaginary part, with torch.view_as_real, or use another operation.",
        code="G210",
    ),
    Message(
        "qr-mode",
        ("The derivative of linalg.qr depends on Q, which is not computed when mode='r'.",
         "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."),
        "torch.linalg.qr cannot be differentiated in this mode.",
        "mode='r' does not compute Q, which the formula needs; mode='complete' adds columns to Q that are not "
        "determined by the matrix.",
        "Use mode='reduced'.",
        code="G210",
        hint="use mode='reduced'",
    ),
    Message(
        "phase",
        ("The singular vectors in the complex case are specified up to multiplication by",
         "The specified loss function depends on this quantity, so it is ill-defined.",),
        "The loss depends on the phase of complex singular or eigenvectors, which is arbitrary.",
        "Each vector may be multiplied by any number of absolute value 1 and is still right, so such a loss has no one "
        "value.",
        "Use only what does not depend on the phase: absolute values, or products such as U @ Vh.",
        see=("G305",),
    ),
    Message(
        "second-unique",
        ("Double backward is unsupported for {argument} when >1 zeros in {} are scattered to the same position",),
        "The second derivative of a product with several zeros in one place was asked for.",
        "torch's formula for it divides by the factors.",
        "Use reduce='sum', or take the second derivative of the product written out.",
        code="G206",
    ),
    Message(
        "second-of-rnn",
        ("Double backwards is not supported for CuDNN RNNs",),
        "The second derivative of a recurrent layer was asked for on the GPU.",
        "cuDNN, which computes the layer, has no formula for it.",
        "Run its forward pass inside with torch.backends.cudnn.flags(enabled=False):.",
        code="G206",
    ),
    Message(
        "second-of-pool",
        ("max_pool2d with `return_indices=False` is not infinitely differentiable.",),
        "A higher derivative of max_pool2d was asked for.",
        "Without the indices of the maxima torch has no formula for it.",
        "Call it with return_indices=True.",
        code="G206",
    ),
    Message(
        "second-of-sampler",
        ("grid_sampler_2d_double_backward does not support interpolation mode",
         "double backward not implemented for interpolation_mode="),
        "The second derivative of grid_sample was asked for.",
        "torch has no formula for it in this interpolation mode.",
        "Use mode='bilinear', or write the interpolation with basic operations.",
        code="G206",
    ),
    Message(
        "once-differentiable",
        ("trying to differentiate twice a function that was marked with @once_differentiable",),
        "The gradient of a gradient passes through a custom Function that allows only one.",
        "Its backward is marked @once_differentiable, so nothing that happens in it is recorded.",
        "Take the mark away and write backward() with differentiable operations, or avoid create_graph=True there.",
        code="G206",
        hint="write it with operations that are differentiable twice",
    ),
    Message(
        "anomaly-nan",
        ("Function '{node}' returned nan values in its {index}th output.",),
        "Anomaly detection found the first NaN of the backward pass: {node} made it.",
        "The derivative of that operation is infinite or undefined at the values of the forward pass, often times a 0 "
        "from behind (0 × inf). The traceback that torch prints before it, after 'Error detected in {node}', shows the "
        "line of the forward pass.",
        "Evaluate that line with gradcli at the values in question: gradcli grad names the cause. The usual repairs "
        "are a clamp or an eps inside the function, and, under torch.where, a safe value in the branch that is not "
        "taken.",
        see=("G302", "G303", "G304"),
    ),
    Message(
        "anomaly-forward",
        ("Error detected in {node}. Traceback of forward call that caused the error:",),
        "The backward pass failed in {node}; the traceback that follows is of the line that recorded it.",
        "With anomaly detection each node remembers where in the forward pass it was made.",
        "Look at that line, and at the error that comes after it.",
        level="warning",
        frames="after",
    ),
    Message(
        "anomaly-unknown",
        ("Error detected in {node}. No forward pass information available. Enable detect anomaly during forward pass",),
        "The backward pass failed in {node}, and torch does not know which line recorded it.",
        "Anomaly detection was switched on after the forward pass.",
        "Put the forward pass inside with torch.autograd.detect_anomaly(): too.",
        level="warning",
    ),
    Message(
        "anomaly-on",
        ("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
         "debugging.",),
        "Anomaly detection is on.",
        "It checks every gradient for NaN and keeps a traceback for every operation, which takes time.",
        "Nothing is wrong; take it away when the error is found.",
        level="warning",
    ),
)  # fmt: skip
