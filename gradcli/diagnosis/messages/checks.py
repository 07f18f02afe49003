"""Forward mode, torch.autograd.functional and gradcheck: derivatives asked for, or held against one another."""

from __future__ import annotations

from gradcli.diagnosis.messages.message import Message

MESSAGES = (
    Message(
        "forward-formula",
        ("Trying to use forward AD with {operation} that does not support it because",),
        "torch has no forward-mode formula for {operation}.",
        "Forward mode needs a formula of its own, which some operations do not have though backward works.",
        "Use reverse mode: jacrev instead of jacfwd, vjp instead of jvp; for a jvp, double backward.",
    ),
    Message(
        "forward-level",
        ("Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first.",
         "Entering a new forward AD level but the current level is not valid.",
         "Trying to exit a forward AD level that was not the last one that was created.",
         "Trying to access a forward AD level with an invalid index."),
        "Forward mode was used outside its level, or levels were not left in order.",
        "Tangents live only inside one with block.",
        "Put make_dual, the computation and unpack_dual inside one with torch.autograd.forward_ad.dual_level():.",
    ),
    Message(
        "forward-integer",
        ("Expected primal to be floating point or complex, but got: {dtype}",
         "Expected tangent to be floating point or complex, but got: {dtype}"),
        "A tensor of {dtype} was given to forward mode.",
        "Integers and booleans have no derivative.",
        "Convert it: x.float().",
        see=("G106",),
    ),
    Message(
        "forward-tangent",
        ("Trying to set a forward gradient that has a different size than that of the original Tensor",
         "Making a dual Tensor based on a Tensor that already has a forward gradient",
         "Cannot set a value of a forward grad if it already exists.",
         "Only inplace operations can re-set the forward grad of a Tensor that already has one."),
        "A tangent does not fit the tensor that it was given to.",
        "A tangent has the shape of its tensor, and a tensor has one tangent at a level.",
        "Give torch.ones_like(x), once.",
    ),
    Message(
        "functional-strict",
        ("The outputs must be computed in a differentiable manner from the input when running in strict mode.",
         "of the user-provided function is independent of input {}. This is not allowed in strict mode.",
         "The output of the user-provided function is independent of input {}. This is not allowed in strict mode.",
         "The output of f is independent of the inputs. This is not allowed with strict=True."),
        "The function's output does not depend on one of its inputs in a way that autograd records.",
        "strict=True refuses this; without it the derivative would be zeros, which can hide a mistake.",
        "Look for the cut in the function (detach, .item(), a comparison), or leave strict=True out.",
        see=("G102", "G103", "G104"),
    ),
    Message(
        "functional-vector",
        ("The vector v can only be None if", "v is a tuple of invalid length: should be {} but got",
         "v has invalid size: should be {} but got", "The given v should contain a single Tensor."),
        "The vector given to vjp, jvp, vhp or hvp is missing or does not fit.",
        "For vjp it has the shape of the output, for the others that of the input.",
        "Give v of that shape.",
    ),
    Message(
        "functional-output",
        ("The Tensor returned by the function given to {} should contain a single element",
         "The function given to {} should return a single Tensor",
         "must be either a Tensor or a tuple of Tensors but the given {} has type",
         "must be either a Tensor or a tuple of Tensors but the value at index {} has type"),
        "What the function returned, or was given, is not what torch.autograd.functional takes.",
        "A Hessian is of one number; all results and inputs must be tensors.",
        "Return one tensor; sum it for a Hessian. Pass numbers by a closure: lambda x: f(x, 2.0).",
    ),
    Message(
        "functional-strategy",
        ("Computing Jacobian using forward-AD or forward-over-reverse Hessian is",
         '`strict=True` and `strategy="forward-mode"` are not supported together',
         '`create_graph=True` and `strategy="forward-mode"` are not supported together'),
        'jacobian(strategy="forward-mode") was asked for together with an option that it does not have.',
        "torch has forward mode there only with vectorize=True, and without strict and create_graph.",
        "Use torch.func.jacfwd, or the reverse strategy.",
    ),
    Message(
        "gradcheck-failed",
        ("Jacobian mismatch for output {output} with respect to input {input},",
         "Jacobian computed with forward mode mismatch for output {output} with respect to input {input},"),
        "gradcheck found a wrong derivative: of output {output} by input {input}.",
        "Finite differences (numerical) and the derivative that torch computed (analytical) differ by more than the "
        "tolerances. The derivative is wrong, or the check cannot judge: float32 inputs, a kink, a random function.",
        "Check in float64 and away from kinks first. gradcli check tells which of the two is right, and for a Function "
        "of your own which argument.",
    ),
    Message(
        "gradcheck-reentrant",
        ("Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
         "different values",),
        "gradcheck ran the same backward pass twice and got two answers.",
        "Something in it is random or depends on earlier calls.",
        "Make backward a function of its inputs alone; for operations that add in any order on the GPU allow it with "
        "nondet_tol.",
    ),
    Message(
        "gradcheck-precision",
        ("requires gradient and is not a double precision floating point or complex.",),
        "gradcheck was given an input that is not float64.",
        "Finite differences lose half of the digits, which leaves float32 too few to compare.",
        "Convert the inputs: x.double().requires_grad_().",
        level="warning",
    ),
    Message(
        "gradcheck-no-input",
        ("expects at least one input tensor to require gradient, but none of them have requires_grad=True.",),
        "gradcheck was given no input that requires grad.",
        "There is nothing to check.",
        "Call requires_grad_() on the inputs to check.",
    ),
    Message(
        "gradcheck-stride",
        ("th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping",),
        "gradcheck was given an expanded tensor.",
        "Its elements share memory, so they cannot be moved one by one.",
        "Call contiguous() on it before requires_grad_().",
        see=("G208",),
    ),
    Message(
        "gradcheck-undefined",
        ("Expected backward function to handle undefined output grads.",
         "Expected all input grads to be undefined or zero when all output grads are undefined or zero."),
        "A backward() does not cope with a missing upstream gradient.",
        "Where an output is not used, its gradient is None.",
        "Treat None as zeros, or call ctx.set_materialize_grads(True), which is the default.",
        code="G209",
    ),
)  # fmt: skip
