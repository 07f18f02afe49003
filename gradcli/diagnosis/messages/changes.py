"""Tensors that are written in place where autograd cannot follow: saved values, leaves, views, shared memory."""

from __future__ import annotations

from gradcli.diagnosis.messages.message import Message

MESSAGES = (
    Message(
        "version-of-result",
        (
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            "[{tensor}], which is output {output} of {node}, is at version {now}; expected version {saved} instead.",
        ),
        "A tensor that backward needs was overwritten: output {output} of {node}, a {tensor}, was saved at version "
        "{saved} and is at version {now} now.",
        "Each in-place operation raises a tensor's version by one. Backward computes with the values of the forward "
        "pass, sees that the version is another one, and refuses to go on with wrong numbers.",
        "Look for what writes into the result of {node} before backward(): +=, a method that ends in _, an assignment "
        "to a slice, inplace=True. Write it out of place (x = x + 1), or clone() the tensor first. "
        "torch.autograd.set_detect_anomaly(True) shows the line where it was computed.",
        code="G202",
        hint="write the operation that changes it out of place",
    ),
    Message(
        "version",
        ("one of the variables needed for gradient computation has been modified by an inplace operation: [{tensor}] "
         "is at version {now}; expected version {saved} instead.",
         "one of the variables needed for gradient computation has been modified by an inplace operation",
         "a variable needed for gradient computation has been modified by an inplace operation"),
        "A tensor that backward needs was overwritten after it had been saved.",
        "Each in-place operation raises a tensor's version by one, and so does optimizer.step() for every parameter. "
        "Backward computes with the values of the forward pass and refuses to go on with other ones.",
        "Where the tensor is a parameter: run backward() before optimizer.step(), also for a second loss, or compute "
        "the second loss anew after the step. Otherwise write the change out of place (x = x + 1).",
        code="G202",
        hint="write the operation that changes it out of place",
    ),
    Message(
        "leaf-in-place",
        ("a leaf Variable that requires grad is being used in an in-place operation.",
         "a leaf Variable that requires grad has been used in an in-place operation."),
        "A leaf that requires grad is written in place.",
        "A leaf is where backward() leaves .grad. After the write it would be the result of an operation, and the "
        "gradient would belong to values that no longer exist.",
        "To change its value, as an optimizer does, write inside with torch.no_grad():. To compute with the change, "
        "write out of place (y = x + 1) or change a copy: x.clone().",
        code="G203",
        hint="write out of place, or change a copy: A.clone()",
    ),
    Message(
        "leaf-view-in-place",
        ("a view of a leaf Variable that requires grad is being used in an in-place operation.",),
        "A part of a leaf that requires grad is written in place.",
        "x[0], x.view(...) and x.T share the leaf's memory, so writing to them writes to the leaf.",
        "To change its value write inside with torch.no_grad():. To compute with the change, work on a copy: "
        "y = x.clone(); y[0] = 0.",
        code="G203",
        hint="write out of place, or change a copy: A.clone()",
    ),
    Message(
        "leaf-moved",
        ("leaf variable has been moved into the graph interior",),
        "A leaf that requires grad was written in place and became the result of an operation.",
        "Its gradient would belong to values that no longer exist.",
        "Change a copy (x.clone()), or write inside with torch.no_grad():.",
        code="G203",
        hint="write out of place, or change a copy: A.clone()",
    ),
    Message(
        "module-hook-in-place",
        ("Output {} of BackwardHookFunction is a view and is being modified inplace. This view was created inside a "
         "custom Function (or because an input was returned as-is)",),
        "A module that has a full backward hook is followed by an operation that writes in place.",
        "The hook hands on a view of the module's output, and autograd allows no in-place write to such a view: "
        "nn.ReLU(inplace=True) after a hooked module is the usual case.",
        "Use inplace=False behind the hooked module, or hook the tensor itself: register_forward_hook, and in it "
        "output.register_hook.",
        see=("G202",),
    ),
    Message(
        "multi-view-in-place",
        ("This view is the output of a function that returns multiple views. Such functions do not allow the output "
         "views to be modified inplace.",),
        "One of several views that a single call returned is written in place.",
        "unbind, split and chunk return views of one tensor together, and autograd keeps no history for writes to one "
        "of them.",
        "Write out of place, or take the part by indexing: x[0] instead of x.unbind()[0].",
        see=("G202",),
    ),
    Message(
        "mode-view-in-place",
        ("A view was created in {mode} mode and is being modified inplace",),
        "A view that was made in {mode} mode is written in place where gradients are recorded.",
        "torch cannot tell whether the write shall be recorded: the view says no, the mode says yes.",
        "Make the view and write to it both inside the block, or both outside.",
        see=("G101",),
    ),
    Message(
        "function-view-in-place",
        ("This view was created inside a custom Function (or because an input was returned as-is)",),
        "A view that a custom autograd.Function returned is written in place.",
        "The write would be recorded on the view's base and would go past the Function's own backward.",
        "Return a copy from forward(), such as x.clone() instead of x or x.view_as(x), or write out of place.",
        code="G209",
    ),
    Message(
        "shared-memory",
        ("more than one element of the written-to tensor refers to a single memory location.",),
        "A tensor whose elements share memory is written in place.",
        "expand() and broadcasting repeat elements without copying them, so one write would change several.",
        "Make a real copy first: x.expand(3).clone(), or x.repeat(3).",
        code="G208",
        hint="clone() the expanded tensor first",
    ),
    Message(
        "overlap",
        ("some elements of the input tensor and the written-to tensor refer to a single memory location.",),
        "An operation reads from and writes to overlapping parts of one tensor.",
        "The answer would depend on the order in which the elements are written.",
        "Copy the part that is read: x[:-1] += x[1:].clone().",
        code="G208",
        hint="clone() the expanded tensor first",
    ),
    Message(
        "out-with-grad",
        ("functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
         "grad.",),
        "A function was called with out= on tensors that require grad.",
        "out= writes the result into a tensor that exists already, and autograd does not record such writes.",
        "Leave out= out and use the result; or call it inside with torch.no_grad(): where no gradient is wanted.",
    ),
    Message(
        "detach-view",
        ("Can't detach views in-place. Use detach() instead.",),
        "detach_() was called on a view.",
        "It would have to cut the base's history too, which others may use.",
        "Use y = x.detach(), which makes a new tensor and leaves x as it is.",
        see=("G102",),
    ),
    Message(
        "data-assigned",
        ("data set to a tensor that requires gradients must be floating point or complex dtype",
         "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."),
        ".data of a tensor was set to a tensor of another kind.",
        "The tensor stays the same one for autograd, so its dtype and layout must remain such that it can require "
        "grad.",
        "Assign values of the same dtype and layout, or make a new tensor.",
        see=("G106",),
    ),
    Message(
        "resize-with-grad",
        ("cannot resize variables that require grad",),
        "resize_() was called on a tensor that requires grad.",
        "It changes the shape behind autograd's back.",
        "Use reshape() or slicing, which are recorded; or x.data.resize_(...) where no gradient is wanted.",
    ),
    Message(
        "metadata-of-detached",
        ("is not allowed on a Tensor created from .data or .detach().",),
        "The shape or memory of a tensor from .data or .detach() was changed.",
        "Such a tensor shares its memory with the original, which would no longer fit it.",
        "Do it inside with torch.no_grad(): on the original, or on a clone().",
        see=("G102",),
    ),
    Message(
        "pack-hook",
        ("A saved tensor pack hook is modifying its input in place.",),
        "A pack hook of saved_tensors_hooks changed the tensor that it was given.",
        "What it gets is the tensor of the forward pass itself, which others use.",
        "Return a new tensor from the hook: x.to('cpu') instead of writing into x.",
    ),
    Message(
        "unpack-hook",
        ("Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type}",),
        "An unpack hook of saved_tensors_hooks returned a {type}.",
        "Backward computes with what it returns, in place of the saved tensor.",
        "Return the tensor that the pack hook was given, or an equal one.",
    ),
)  # fmt: skip
