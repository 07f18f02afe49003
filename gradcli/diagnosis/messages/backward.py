"""Where a backward pass begins and what it is given: roots, upstream gradients, inputs, and the life of a graph."""

from __future__ import annotations

from gradcli.diagnosis.messages.message import Message

MESSAGES = (
    Message(
        "no-graph",
        ("element {} of tensors does not require grad and does not have a grad_fn",
         "element {} of variables does not require grad and does not have a grad_fn",
         "element {} of variables tuple is volatile"),
        "backward() or grad() was asked to begin at a tensor that autograd recorded nothing for.",
        "Its grad_fn is None: nothing that it was computed from requires grad, it was computed under no_grad or "
        "inference mode, or the path was cut by detach(), .data, .item(), a comparison, argmax or a cast to integers.",
        "Print requires_grad of the loss and of what it is made of, one after the other: the cut is between the last "
        "True and the first False. Remove it, or set requires_grad=True on the leaf before it is used.",
        see=("G101", "G102", "G103", "G104"),
    ),
    Message(
        "not-scalar",
        ("grad can be implicitly created only for scalar outputs",),
        "backward() without an argument began at a tensor of several elements.",
        "The gradient of one number is a tensor like the input; that of several numbers is a whole Jacobian. torch "
        "asks which combination of its rows is meant, and assumes 1 only for a single number.",
        "Make one number of it, such as loss.mean() or loss.sum(), or give the weights of the elements: "
        "loss.backward(gradient=torch.ones_like(loss)) is the same as loss.sum().backward().",
        see=("G201",),
        hint="--reduce sum makes one number of it; or give --upstream V",
    ),
    Message(
        "not-real",
        ("grad can be implicitly created only for real scalar outputs but got {dtype}",),
        "backward() without an argument began at a tensor of {dtype}, which is not a real number.",
        "A gradient says in which direction a real number grows. Complex numbers have no order, and integers no slope, "
        "so torch does not assume an upstream gradient for them.",
        "Take a real number of it before backward(): .real, .abs(), or .abs()**2 summed; or pass gradient= yourself.",
        code="G205",
        hint="take a real number of it: .real, abs(...), or give --upstream",
    ),
    Message(
        "upstream-shape",
        (
            "Mismatch in shape: grad_output[{}] has a shape of {given} and output[{}] has a shape of {wanted}.",
            "a mismatch was detected: grad_output[{}] has a shape of {given} and output[{}] has a shape of {wanted}.",
        ),
        "The gradient given to backward() or grad() has the shape {given}; the output has {wanted}.",
        "It holds one number for each element of the output: the weight of that element in the sum that is "
        "differentiated.",
        "Give a tensor of the output's shape, such as torch.ones_like(output). With is_grads_batched=True one more "
        "dimension stands in front of it.",
        hint="the upstream gradient needs the shape of the output",
    ),
    Message(
        "upstream-dtype",
        (
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            "grad_output[{}] has a dtype of {given} and output[{}] has a dtype of {wanted}.",
        ),
        "The gradient given to backward() or grad() is {given}; the output is {wanted}.",
        "For complex outputs torch converts nothing: a real gradient would say nothing about the imaginary part.",
        "Convert it: gradient.to(output.dtype).",
    ),
    Message(
        "upstream-type",
        ("gradients can be either Tensors or None, but got {type}",),
        "The gradient given to backward() or grad() is a {type}, not a tensor.",
        "It holds one number for each element of the output, so it has a shape and a dtype.",
        "Write torch.tensor(...) around it, or torch.full_like(output, 2.0) for the same number everywhere.",
    ),
    Message(
        "no-inputs",
        ("`inputs` argument to `{}()` cannot be empty.",),
        "The list of tensors to differentiate by is empty.",
        "torch was asked for gradients of nothing: often a filter on requires_grad left no parameter over.",
        "Look at what makes the list: [p for p in model.parameters() if p.requires_grad] is empty for a frozen model.",
    ),
    Message(
        "unused-input",
        (
            "The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior.",
            "One of the differentiated Tensors appears to not have been used in the graph.",
        ),
        "The output does not depend on one of the tensors that grad() was asked for.",
        "No recorded path leads from the output to it: it was not used, only a copy of it was used, or the path was "
        "cut. torch does not call this 0, because it is more often a mistake.",
        "Use the very tensor that the output was computed from (a new view or a .to(...) copy is another tensor). "
        "Where it is meant, allow_unused=True gives None for it, and materialize_grads=True gives zeros.",
        see=("G104", "G102"),
    ),
    Message(
        "input-without-grad",
        ("One of the differentiated Tensors does not require grad",),
        "grad() was asked for the gradient of a tensor that does not require grad.",
        "Autograd records paths only to tensors that require grad when they are used.",
        "Call requires_grad_() on it before the forward pass.",
    ),
    Message(
        "materialize",
        ("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.",),
        "grad() was given materialize_grads=True and allow_unused=False.",
        "The first asks for zeros where a tensor was not used; the second forbids that case.",
        "Leave allow_unused out.",
    ),
    Message(
        "second-backward",
        ("Trying to backward through the graph a second time",),
        "A backward pass came to a part of the graph that an earlier one had already freed.",
        "backward() and grad() give back the tensors that were saved for them as soon as they have run. Either the "
        "same loss was differentiated twice, or two losses share a part of the graph; in a loop it is often a tensor "
        "from an earlier step, such as a hidden state, whose old graph hangs on the new one.",
        "Add the losses and call backward() once; or detach() what is carried from step to step; or, where both passes "
        "are meant, pass retain_graph=True to the first.",
        code="G204",
        hint="keep the graph with retain_graph=True, or evaluate again",
    ),
    Message(
        "saved-freed",
        ("Calling register_hooks on a saved tensor after it has been freed.",),
        "A saved tensor was touched after its graph had been freed.",
        "backward() and grad() give back the tensors that were saved for them as soon as they have run.",
        "Register the hooks before backward(), or pass retain_graph=True to it.",
        code="G204",
    ),
    Message(
        "create-graph",
        ("Using backward() with create_graph=True will create a reference cycle",),
        "backward(create_graph=True) left gradients in .grad that hold their own graph.",
        "The parameter holds .grad, .grad holds its graph, and the graph holds the parameter: nothing of it is freed "
        "until the cycle is found.",
        "Use torch.autograd.grad(loss, parameters, create_graph=True), which returns the gradients instead; or set "
        ".grad to None after use.",
        level="warning",
    ),
    Message(
        "grad-of-non-leaf",
        ("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.",),
        ".grad was read of a tensor that is the result of an operation.",
        "backward() leaves gradients in leaves only: tensors that were made directly, not computed. Those of results "
        "pass through and are dropped. x = torch.ones(2, requires_grad=True).to('cuda') is such a result.",
        "Call retain_grad() on it before backward(), or read .grad of the leaf; make the leaf where it shall live: "
        "torch.ones(2, device='cuda', requires_grad=True).",
        code="G105",
        level="warning",
    ),
    Message(
        "none-gradient-used",
        (
            "'NoneType' object has no attribute 'zero_'",
            "'NoneType' object has no attribute 'norm'",
            "'NoneType' object has no attribute 'data'",
        ),
        "Something that is None was used as a tensor; for parameters it is .grad.",
        ".grad is None until a backward pass reaches the tensor, after zero_grad() (which sets None), and for ever if "
        "no path leads to the tensor or it is not a leaf.",
        "Skip parameters whose .grad is None, or find out why it is: gradcli explain G104 and G105 tell the two usual "
        "reasons. optimizer.zero_grad() needs no check.",
        see=("G104", "G105"),
    ),
    Message(
        "number-has-no-graph",
        (
            "'float' object has no attribute 'backward'",
            "'int' object has no attribute 'backward'",
            "'numpy.float32' object has no attribute 'backward'",
            "'numpy.float64' object has no attribute 'backward'",
            "'numpy.ndarray' object has no attribute 'backward'",
        ),
        "backward() was called on a plain number or array, not on a tensor.",
        ".item(), float() and .numpy() give numbers that know nothing of where they came from: the graph ends there.",
        "Keep the loss a tensor until backward() has run, and take .item() of it afterwards, for the log.",
        code="G108",
    ),
    Message(
        "fork",
        ("Unable to handle autograd's threading in combination with fork-based multiprocessing.",),
        "A backward pass ran in a process that was forked after autograd had started its threads.",
        "A forked process has the memory of its parent, but not the threads that autograd keeps for the backward pass.",
        "Start processes with torch.multiprocessing.set_start_method('spawn'), or fork before the first backward().",
    ),
)  # fmt: skip
