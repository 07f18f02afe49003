"""What is said of a training: the entries of the catalogue that `gradcli run` and `gradcli.watch` can give."""

from __future__ import annotations

from gradcli.diagnosis.entry import Entry

TRAINING = (
    Entry("G701", "unused-parameter", "warning", {
        "optimizer": "{names} never got a gradient: .grad was None at every one of {steps} steps, so the optimizer skips "
                     "{them}. {place}",
        "alone": "{names} never got a gradient: backward() reached other parameters, and left .grad of {these} None. "
                 "{place}",
        "everything": "no parameter of {optimizer} ever got a gradient: backward() ran {passes}, and reached none of "
                      "{them}. {loss}",
    }, {
        "place": {
            "some": "What the loss is computed from does not depend on {them}.",
            "whole": "All of {layer} is left out.",
        },
        "loss": {
            "cut": "The loss is not connected to the model.",
            "leaf": "The loss is a leaf itself: it was computed without a graph, or copied out of it, and then made to "
                    "require grad (G107).",
        },
    }),
    Entry("G702", "not-in-optimizer", "warning", {
        "reached": "{names} {gets} a gradient from backward(), and no optimizer holds {them}: {they} {stays} as {they} "
                   "{was} made.",
        "fresh": "a parameter is made anew in forward() ({line}, {count} times so far): it is random in every call, and no "
                 "optimizer can hold it.",
    }),
    Entry("G703", "stale-optimizer", "warning", {
        "stale": "{optimizer} holds {names}, which the model no longer uses: a module was replaced after the optimizer had "
                 "been made. What took its place {fresh}.",
    }, {
        "fresh": {
            "unknown": "is not trained by it",
            "new": "({new}) is not trained by it",
            "held": "is held by it, too, so the old one can be left out",
        },
    }),
    Entry("G704", "not-zeroed", "warning", {
        "adds_up": "gradients of {optimizer} add up over its steps: at {count} of {of} steps those of the step before were "
                   "still there when backward() began, and the new ones were added to them.",
        "closure": "gradients of {optimizer} add up inside its steps: it calls the closure again and again, and {count} of "
                   "{of} times the gradients of the call before were still there. Begin the closure with zero_grad().",
    }),
    Entry("G705", "vanishing", "warning", {
        "layers": "gradients vanish on the way to the input: from {last} in {last_name} to {first} in {first_name} (root "
                  "mean square), by a factor of {factor} a layer over {count} layers.",
    }),
    Entry("G706", "exploding", "warning", {
        "layers": "gradients explode on the way to the input: from {last} in {last_name} to {first} in {first_name} (root "
                  "mean square), by a factor of {factor} a layer over {count} layers.",
        "time": "gradients grow from step to step: their norm was {early} in early steps and is {late} at step {step}, most of "
                "it in {name}.",
    }),
    Entry("G707", "dead-units", "warning", {
        "one": "{count} of {of} units of {name} are dead: their gradient was exactly 0 at every one of {looks} steps that "
               "were looked at in detail{flat}.",
        "several": "{count} of {of} units are dead in {layers} layers, most in {name} ({worst} of {worst_of}): their "
                   "gradient was exactly 0 at every one of {looks} steps that were looked at in detail{flat}.",
    }, {
        "flat": {"gate": ". The {gate} after it is flat there"},
    }),
    Entry("G708", "non-finite", "warning", {
        "first": "gradients are not finite from step {step} on, first that of {name} ({count} of {of} parameters){before}"
                 "{since}",
        "once": "gradients were not finite at {times}, first at step {step} that of {name} ({count} of {of} "
                "parameters){since}",
        "loss": "the loss was not finite at step {step}{gradients}{since}",
    }, {
        "before": {"clean": "; all were seen to be finite at step {clean}"},
        "gradients": {
            "finite": ", though the gradients were",
            "unstepped": ", and no optimizer stepped with its gradients",
        },
        "since": {
            "forward": ". It was born in forward: {operation} gave {value}{met}{line}.",
            "backward": ". It was born in backward: the derivative of {operation} is not finite at {operands}{elements}"
                        "{line}.",
            "leaf": ". Before any operation, {leaf} held {value} already.",
            "data": ". A number that no operation recorded, such as the data, held {value} already{line}.",
            "untold": ". Where it was born is not known, as no operation that leads to it keeps its operands: the last is "
                      "{operation}{line}.",
            "unknown": ". Where it was born was not seen.",
        },
        "met": {"operands": " of {operands}"},
        "elements": {"some": " ({count} of {size} elements)"},
        "line": {"known": ", at {place}"},
    }),
    Entry("G709", "step-skipped", "info", {
        "skipped": "the gradient scaler skipped {count} of {of} steps, because scaled gradients were not finite; the scale "
                   "is {scale} now{first}.",
        "all": "the gradient scaler skipped all of {of} steps: gradients were not finite at any scale down to {scale}, so "
               "the model has not learnt anything.",
    }, {
        "first": {"known": ", and the first was at {scale}"},
    }),
    Entry("G710", "graph-growth", "warning", {
        "tensor": "{name} holds the graphs of {steps} steps and more in each: it is a sum that was not detached. Add "
                  "loss.item() or loss.detach() instead.",
        "container": "{name} holds the graphs of {steps} steps and more in each: its tensors were not detached. Keep "
                     "their .item() or .detach() instead.",
    }),
    Entry("G711", "clipped-while-scaled", "warning", {
        "clipped": "gradients of {optimizer} were clipped while they were scaled by {scale} ({count} times): the limit is "
                   "{scale} times tighter than it is meant. Call scaler.unscale_(optimizer) first.",
    }),
    Entry("G712", "update-lost", "warning", {
        "lost": "updates of {names} are lost in {dtype}: at {steps} of {of} steps that were looked at, {share} of the "
                "elements with a gradient did not change, because the update is smaller than the distance to the next "
                "{dtype} number.",
    }),
    Entry("G713", "frozen-but-moving", "warning", {
        "moves": "{names} {has} requires_grad=False, and {optimizer} still changes {them}: {they} {has} a gradient from "
                 "before, or momentum and weight decay work on. Set .grad to None, or leave {them} out of the optimizer.",
    }),
    Entry("G714", "sometimes-unused", "info", {
        "some": "{names} got no gradient in {count} of {of} steps, and one in the others.",
    }),
    Entry("G715", "clip-wiped", "warning", {
        "wiped": "clipping met a gradient norm that was not finite at step {step}{more}: every gradient became {became}, and "
                 "{optimizer} stepped with them.",
    }, {
        "more": {"others": " and at {times}"},
    }),
)  # fmt: skip
