"""Around the training loop: loss scaling, autocast, optimizers, clipping, checkpoints, several processes, losses."""

from __future__ import annotations

from gradcli.diagnosis.messages.message import Message

MESSAGES = (
    Message(
        "scaler-half",
        ("Attempting to unscale FP16 gradients.",),
        "GradScaler met float16 gradients.",
        "Unscaled, they would underflow again in float16. The parameters themselves are in half precision, which mixed "
        "precision does not want.",
        "Keep the model in float32 (leave model.half() out) and run the forward pass inside torch.autocast.",
        see=("G601",),
    ),
    Message(
        "scaler-unscaled-twice",
        ("unscale_() has already been called on this optimizer since the last update().",),
        "GradScaler.unscale_() was called twice in one step.",
        "The second call would divide the gradients by the scale once more.",
        "Call it once for each optimizer, after the last backward() and before clipping, and update() at the end of "
        "each step.",
    ),
    Message(
        "scaler-unscaled-late",
        ("unscale_() is being called after step().",),
        "GradScaler.unscale_() was called after step().",
        "step() has unscaled and used the gradients already.",
        "The order is: scale(loss).backward(), unscale_(optimizer), clipping, step(optimizer), update().",
    ),
    Message(
        "scaler-stepped-twice",
        ("step() has already been called since the last update().",),
        "GradScaler.step() was called twice for one optimizer without update().",
        "update() ends a step: it sets the scale for the next one.",
        "Call scaler.update() once at the end of every iteration, after all optimizers have stepped.",
    ),
    Message(
        "scaler-no-gradients",
        ("No inf checks were recorded for this optimizer.", "No inf checks were recorded prior to update."),
        "GradScaler.step() or update() found no gradient at all.",
        "It looks at every .grad of the optimizer's parameters for infinities, and each was None: backward() has not "
        "run, did not reach them, or the optimizer holds other tensors than the model.",
        "Call scaler.scale(loss).backward() before step(). Where it is called: make the optimizer after the model was "
        "moved or changed, and see which parameters have .grad None.",
        see=("G104", "G702", "G703"),
    ),
    Message(
        "scaler-unused",
        ("_scale is None. This may indicate your script did not use scaler.scale(loss or outputs) earlier in the "
         "iteration.",),
        "GradScaler was used before it scaled anything.",
        "It makes its scale at the first scale() call.",
        "Call scaler.scale(loss).backward() in every iteration, before unscale_(), step() and update().",
    ),
    Message(
        "scaler-closure",
        ("Closure use is not currently supported if GradScaler is enabled.",),
        "GradScaler.step() was given a closure.",
        "The closure would run backward again behind the scaler's back. LBFGS works so.",
        "Use an optimizer without a closure, or train in float32 or bfloat16 without a scaler.",
    ),
    Message(
        "scaler-disabled",
        ("GradScaler is enabled, but CUDA is not available. Disabling.",),
        "GradScaler does nothing: there is no GPU.",
        "scale() returns the loss as it is, and step() only calls the optimizer.",
        "On the CPU use torch.amp.GradScaler('cpu'), or none: bfloat16 needs no scaling.",
        level="warning",
    ),
    Message(
        "scaler-old",
        ("GradScaler(args...)` is deprecated. Please use",),
        "GradScaler was made in the old way.",
        "The device is an argument now.",
        "Write torch.amp.GradScaler('cuda').",
        level="warning",
    ),
    Message(
        "scaler-state",
        ("The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.",),
        "GradScaler.load_state_dict() was given an empty state.",
        "It was saved from a scaler that was disabled.",
        "Load it only where the saved scaler was enabled.",
    ),
    Message(
        "autocast-old",
        ("autocast(args...)` is deprecated. Please use",),
        "autocast was entered in the old way.",
        "The device is an argument now.",
        "Write torch.autocast('cuda').",
        level="warning",
    ),
    Message(
        "autocast-disabled",
        ("CUDA is not available or torch_xla is imported. Disabling autocast.",
         "autocast, but the target dtype is not supported. Disabling autocast."),
        "autocast does nothing here: everything is computed in the tensors' own dtypes.",
        "There is no GPU, or this device has no arithmetic of the dtype that was asked for.",
        "Give a device and a dtype that exist: torch.autocast('cpu', dtype=torch.bfloat16).",
        level="warning",
    ),
    Message(
        "optimizer-non-leaf",
        ("can't optimize a non-leaf Tensor",),
        "An optimizer was given a computed tensor.",
        "Only leaves keep a .grad, and only a leaf can be changed from outside. nn.Parameter(x).to('cuda') and "
        "w = w * 2 are results.",
        "Give the leaf itself: move or compute first, then make the parameter: nn.Parameter(x.to('cuda')).",
        code="G105",
    ),
    Message(
        "optimizer-empty",
        ("optimizer got an empty parameter list",),
        "An optimizer was given no parameters.",
        "model.parameters() lists only nn.Parameter attributes and those of modules that are attributes; a plain list "
        "of layers hides them. A generator that was read once is empty, too.",
        "Use nn.ModuleList and nn.ParameterList, call super().__init__() first, and make the list anew.",
        see=("G702",),
    ),
    Message(
        "optimizer-parameters",
        ("params argument given to the optimizer should be an iterable of Tensors or dicts, but got {type}",
         "optimizer can only optimize Tensors, but one of the params is {type}"),
        "An optimizer was given {type} in the place of parameters.",
        "It takes a list or generator of tensors, or dictionaries with 'params'.",
        "Give model.parameters(), or [w] for one tensor.",
    ),
    Message(
        "optimizer-twice",
        ("some parameters appear in more than one parameter group",
         "optimizer contains a parameter group with duplicate parameters"),
        "A parameter was given to an optimizer twice.",
        "It would be changed twice in each step. Layers that share a weight list it once in model.parameters(), but "
        "once each where lists are added by hand.",
        "Remove duplicates: list(dict.fromkeys(parameters)), or split the groups so that each is in one.",
    ),
    Message(
        "scheduler-order",
        ("Detected call of `lr_scheduler.step()` before `optimizer.step()`.",),
        "The learning rate was changed before the first step of the optimizer.",
        "The first value of the schedule is skipped. With GradScaler this also happens when it skipped the first steps "
        "because of infinite gradients.",
        "Call optimizer.step() before scheduler.step().",
        see=("G709",),
        level="warning",
    ),
    Message(
        "clip-non-finite",
        ("for gradients from `parameters` is non-finite, so it cannot be clipped.",),
        "clip_grad_norm_ found an infinite or NaN norm.",
        "At least one gradient holds Inf or NaN; clipping would divide all others by it.",
        "Find where it is born: torch.autograd.detect_anomaly(). With a GradScaler call unscale_() before clipping and "
        "leave error_if_nonfinite out, so that the scaler skips the step.",
        see=("G602", "G302", "G303"),
    ),
    Message(
        "clip-empty",
        ("`parameters` is an empty generator, no gradient clipping will occur.",),
        "clip_grad_norm_ was given a generator that holds nothing.",
        "A generator can be read once: the optimizer may have read it before.",
        "Give model.parameters() anew, or a list.",
        level="warning",
    ),
    Message(
        "zero-grad-of-replica",
        ("Calling .zero_grad() from a module created with nn.DataParallel() has no effect.",),
        "zero_grad() was called on a copy that nn.DataParallel made.",
        "Its parameters are computed from those of the original, so they are no leaves and have no .grad.",
        "Call zero_grad() on the original module, or on the optimizer.",
        see=("G105",),
        level="warning",
    ),
    Message(
        "checkpoint-no-grad",
        ("None of the inputs have requires_grad=True. Gradients will be None",),
        "A checkpointed part has no input that requires grad, so nothing in it gets a gradient.",
        "The reentrant kind of checkpoint looks at the inputs only, not at the parameters inside.",
        "Pass use_reentrant=False.",
        see=("G101",),
        level="warning",
    ),
    Message(
        "checkpoint-no-output",
        ("none of output has requires_grad=True, this checkpoint() is not necessary",),
        "Backward came to a checkpointed part none of whose outputs requires grad.",
        "It was computed anew, and the path is cut inside it.",
        "Remove the cut (detach, .data, no_grad), or the checkpoint.",
        see=("G102",),
    ),
    Message(
        "checkpoint-grad",
        ("torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to .backward().",),
        "torch.autograd.grad() met a reentrant checkpoint.",
        "That kind runs a backward() of its own inside, which leaves gradients in .grad.",
        "Pass use_reentrant=False to checkpoint().",
    ),
    Message(
        "checkpoint-option",
        ("the use_reentrant parameter should be passed explicitly.",
         "please pass in use_reentrant=True or use_reentrant=False explicitly."),
        "checkpoint() was called without use_reentrant.",
        "torch is changing the default.",
        "Pass use_reentrant=False.",
        level="warning",
    ),
    Message(
        "checkpoint-differs",
        ("torch.utils.checkpoint: Recomputed values for the following tensors have different metadata",
         "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
         "recomputation.",
         "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward "
         "pass."),
        "A checkpointed part computed something else the second time.",
        "Checkpoint runs it again during backward and needs the same tensors: something in it depends on a counter, on "
        "a global, on autocast or on random numbers that were not kept.",
        "Make it depend on its inputs alone, leave preserve_rng_state=True, and pass debug=True to see the operations.",
    ),
    Message(
        "ddp-unused",
        ("Expected to have finished reduction in the prior iteration before starting a new one.",),
        "DistributedDataParallel waited for gradients that never came: some parameters were not used in the loss.",
        "Each process waits until every parameter has its gradient, so that all are averaged together.",
        "Use every parameter in forward(), or freeze it; find_unused_parameters=True lets it search for them. "
        "TORCH_DISTRIBUTED_DEBUG=DETAIL names them.",
        see=("G104", "G701"),
    ),
    Message(
        "ddp-twice",
        ("has been marked as ready twice. This means that multiple autograd engine",
         "Expected to mark a variable ready only once."),
        "DistributedDataParallel got the gradient of one parameter twice in one backward pass.",
        "It is used in several reentrant backward passes: shared parameters under checkpoint(use_reentrant=True), or "
        "forward() called twice.",
        "Use checkpoint(use_reentrant=False), or static_graph=True.",
    ),
    Message(
        "target-dtype",
        ("Found dtype {found} but expected {expected}",),
        "A loss, or the way back through one, met numbers of two dtypes: {found} among {expected}.",
        "Targets that come from numpy are float64, a model's outputs float32; not every loss converts them.",
        "Convert the target to the dtype of the prediction: target.to(prediction.dtype), or target.float().",
    ),
    Message(
        "overflow-logged",
        ("Gradient overflow. Skipping step, loss scaler {} reducing loss scale to {scale}",
         "OVERFLOW! Rank {} Skipping step. Attempted loss scale: {}, reducing to {scale}"),
        "A loss scaler found Inf or NaN in the gradients, left this step out, and made its scale smaller: {scale}.",
        "It tries the largest scale that does not overflow: a few such steps at the beginning, and one now and then, "
        "are as intended.",
        "Where every step is left out, or the scale falls towards 0, a gradient is not finite at any scale: find where "
        "it is born with torch.autograd.detect_anomaly().",
        see=("G709", "G602", "G708"),
        level="warning",
    ),
    Message(
        "target-size",
        ("Using a target size ({target}) that is different to the input size ({input}).",),
        "A loss was given a target of size {target} and an input of size {input}.",
        "They are broadcast against each other: every prediction is compared with every target, and the mean of that "
        "is minimised by predicting the mean.",
        "Give both the same shape: prediction.squeeze(-1), or target.unsqueeze(-1).",
        code="G605",
        level="warning",
    ),
)  # fmt: skip
