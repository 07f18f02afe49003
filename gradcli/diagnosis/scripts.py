"""What is said of a script that was run: further sentences of the codes that expressions have, too."""

from __future__ import annotations

SCRIPTS: dict[str, dict[str, str]] = {
    "G101": {
        "script": "{line} cannot go back from {name}: what it takes from {source} was computed under {mode} ({place}), so "
                  "nothing was recorded. Compute it outside of that block.",
        "script_off": "{line} cannot go back from {name}: {mode}, so nothing was recorded.",
        "seen_never": "{mode} was on in {place}: {name} has no grad_fn, so backward() cannot run from it. {inputs} still "
                      "{requires} grad; {grads} {are_none} because backward() has not run.",
        "seen_none": "{mode} was on in {place}: {name} has no grad_fn, so backward() cannot run from it. {inputs} still "
                     "{requires} grad.",
        "seen_some": "{mode} was on in {place}: {name} has no grad_fn, so backward() cannot run from it. {inputs} still "
                     "{requires} grad; what {grads} {hold} was there before, and stays.",
    },
    "G102": {
        "script": "{line} cannot go back from {name} to {source}: {text} ({place}) gives the numbers without the graph. "
                  "Leave it out on the way to the loss.",
        "script_grad": "{line} cannot go back from {name}: {text} ({place}) gives gradients that nothing was recorded of. Pass "
                       "create_graph=True to it.",
        "seen": "{grads} is None: the path from {source} to {name} is cut by {text} ({place}), which gives the numbers "
                "without the graph.",
    },
    "G103": {
        "script": "{line} cannot go back from {name} to {source}: {text} ({place}) has no derivative. Use a function that "
                  "has one there, such as a loss on the raw scores.",
        "seen": "{grads} is None: the path from {source} to {name} ends at {text} ({place}), which has no derivative.",
    },
    "G104": {
        "asked": "{line} asks for the gradients of {of} tensors, and the output does not depend on {count} of them: {names}. "
                 "Leave them out, or pass allow_unused=True, which gives None for them.",
        "asked_unknown": "{line} asks for the gradient of a tensor that the output does not depend on. Pass "
                         "allow_unused=True, which gives None for it, or use the very tensor that was computed with.",
        "seen": "{grads} is None, which is not zero: {name} ({place}) does not depend on {source}.",
    },
    "G105": {
        "optimizer": "{line} gives an optimizer {name}, which is no leaf: {operation} computed it{place}. Compute first and "
                     "make the leaf of the result: {name} = (...).detach().requires_grad_().",
        "optimizer_unknown": "{line} gives an optimizer a computed tensor, which is no leaf and keeps no .grad.",
        "seen": "{place} reads {name}.grad, and {name} is the output of {source}, not a leaf: backward() passes through it "
                "and leaves its .grad None ({name}.retain_grad() before backward() would keep it).",
    },
    "G107": {
        "script": "{line} cannot go back from {name} to {source}: {text} ({place}) makes a new leaf of computed numbers, where "
                  "the path ends.",
        "seen": "{grads} is None: {text} ({place}) makes a new leaf of computed numbers, so backward() from {name} ended "
                "there and never came to {source}.",
    },
    "G202": {
        "step": "{line} needs {name} as it was when {saver} saved it{made}, and {optimizer}.step(){step} has changed it in "
                "place since. Run every backward() before that step, or compute the forward pass anew after it.",
        "written": "{line} needs {name} as it was when {saver} saved it{made}, and it was written to in place since, in "
                   "{writer}. {repair}",
        "unknown": "{line} needs the {field} that {saver} saved{made}, and it was written to in place since. Write out of "
                   "place, or clone() the tensor before it is written to.",
    },
    "G204": {
        "same": "{line} goes back from {name} a second time: its graph was freed by {by} already. Call backward() once on the "
                "sum of the losses, or pass retain_graph=True to the first call where both are meant.",
        "carried": "{line} goes back into a graph that {by} has freed: {name} carries it from one round of the loop to the "
                   "next. Write {name} = {name}.detach() where a round begins, or take the numbers alone with .item().",
        "summed": "{line} goes back from {name}, which adds up what {by} has gone back from already: those graphs are freed. "
                  "Call backward() either once on {name} or on each part, and then add part.detach().",
        "shared": "{line} goes back into a graph that {by} has freed: {name} is part of both. Add the losses and go back once, "
                  "pass retain_graph=True to the first call, or detach() {name} where no gradient shall pass.",
        "unknown": "{line} goes back into a graph that {by} has freed. detach() what is kept from before, or pass "
                   "retain_graph=True to the first call where both are meant.",
    },
    "G206": {
        "operation": "{line} takes the second derivative of {operation}{made}, and torch has only the first. Write it with "
                     "operations that can be differentiated twice, or leave create_graph=True out.",
        "other": "{line}: {what} {next}",
        "seen": "{grads} is None: the path from {source} to {name} passes through {text} ({place}), and a Function whose "
                "backward is marked @once_differentiable: there is no second derivative.",
        "script": "{line} cannot go back from {name}: {text} ({place}) passes through a Function whose backward is marked "
                  "@once_differentiable, so there is no second derivative. Take the mark away and write backward() with "
                  "differentiable operations.",
    },
    "G207": {
        "made": "{line} needs autograd for {name}, which was made in inference mode{place} and can never be recorded. Make it "
                "under torch.no_grad() instead, or use {name}.clone().",
        "unknown": "{line} needs autograd for a tensor that was made in inference mode and can never be recorded. Make it "
                   "under torch.no_grad() instead, or clone() it outside.",
    },
    "G209": {
        "protocol": "{line}: {name} breaks the protocol of torch.autograd.Function. {what} {next}",
    },
}  # fmt: skip

# What can stand at a place of these sentences.
PARTS: dict[str, dict[str, dict[str, str]]] = {
    "G202": {
        "repair": {
            "whole": "Write there {text}.",
            "part": "Put {name} = {name}.clone() before that line, so that it writes to a copy.",
            "method": "Call {method}() there, and use what it returns.",
            "module": "Leave inplace=True out there, or where the module that it calls is made.",
        },
    },
}
