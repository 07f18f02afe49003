"""Every diagnosis as data: its name, its level, and the sentences that rules fill with facts."""

from __future__ import annotations

from gradcli.diagnosis.entry import Entry
from gradcli.diagnosis.scripts import PARTS, SCRIPTS
from gradcli.diagnosis.training import TRAINING

CATALOGUE: dict[str, Entry] = {
    entry.code: entry
    for entry in (
        Entry("G101", "grad-mode", "info", {
            **SCRIPTS["G101"],
            "no_grad": "no_grad was on: {outputs} {has} no grad_fn, so backward() cannot run from {it}. {inputs} still "
                       "{requires} grad; {grads} {are_none} because backward() has not run.",
            "inference": "inference mode was on: {outputs} {has} no grad_fn and autograd can never save {it}, so "
                         "backward() cannot run from {it}. {inputs} still {requires} grad; {grads} {are_none} because "
                         "backward() has not run.",
            "no_input": "{mode} was on: {outputs} {has} no grad_fn, so backward() cannot run from {it}.",
            "block": "{source} was computed where gradients are off, so nothing of it was recorded: it {state}. "
                     "{inputs} still {requires} grad; {lost} because no path leads back to {them}.",
            "block_forward": "{source} was computed where gradients are off, so nothing of it was recorded: it {state}, "
                             "and backward() cannot run from it. {inputs} still {requires} grad.",
        }),
        Entry("G102", "detached", "warning", {
            **SCRIPTS["G102"],
            "shared": "{source} gives the numbers without the graph: the path from {inputs} to the result is cut here, so "
                      "{lost}.",
            "repair": "Write {text}: {grads} {is_then} then {shown}, checked.",
        }),
        Entry("G103", "not-differentiable", "warning", {
            **SCRIPTS["G103"],
            "whole": "{source} gives {result}, which have no derivative: the path from {inputs} to the result is cut "
                     "here, so {lost}.",
            "silent": "{source} has no derivative by {inputs}: torch gives {them} no gradient, so {lost}.",
            "flat": "{source} has no derivative: the path from {inputs} to the result is cut here, so {lost}.",
        }),
        Entry("G104", "unused-input", "warning", {
            **SCRIPTS["G104"],
            "unused": "{inputs} {is} not used: the result does not depend on {them}, so {grads} {are_none}, which is not zero.",
            "no_path": "the result does not depend on the values of {inputs}: {grads} {are_none}, which is not zero.",
            "unused_zero": "{inputs} {is} not used: the result does not depend on {them}, so the derivative by {them} is 0.",
            "no_path_zero": "the result does not depend on the values of {inputs}: the derivative by {them} is 0.",
        }),
        Entry("G105", "non-leaf", "warning", {
            **SCRIPTS["G105"],
            "computed": "{name} is the output of {source}, not a leaf: backward() passes through it and leaves its .grad None "
                        "({name}.retain_grad() before backward() would keep it).",
        }),
        Entry("G106", "integer-input", "error", {}),
        Entry("G107", "fresh-leaf", "warning", {
            **SCRIPTS["G107"],
            "fresh": "{source} makes a new leaf of computed numbers: backward() ends there, so nothing came back: "
                     "{lost}.",
        }),
        Entry("G108", "left-autograd", "error", {}),
        Entry("G109", "partly-detached", "info", {
            "partly": "{source} is outside the graph: {gradient} {counts} only the other paths to the result.",
            "unrecorded": "{source} is outside the graph: the value follows it and {gradient} {do} not. {element} is {got}, "
                          "where the slope is {true}.",
        }),
        Entry("G201", "not-scalar", "info", {
            "sum": "the output has {count} elements, so its sum was differentiated. Other ways: --reduce mean, --upstream V.",
            "mean": "the output has {count} elements, so its mean was differentiated.",
            "several": "there are {count} outputs, so the sum of all their elements was differentiated.",
        }),
        Entry("G202", "saved-then-changed", "error", SCRIPTS["G202"], PARTS["G202"]),
        Entry("G203", "leaf-changed", "error", {}),
        Entry("G204", "second-backward", "error", SCRIPTS["G204"]),
        Entry("G205", "complex-output", "error", {}),
        Entry("G206", "no-double-backward", "error", SCRIPTS["G206"]),
        Entry("G207", "inference-tensor", "error", SCRIPTS["G207"]),
        Entry("G208", "shared-memory-write", "error", {}),
        Entry("G209", "custom-function", "error", SCRIPTS["G209"]),
        Entry("G210", "no-derivative", "error", {}),
        Entry("G301", "born-in-forward", "warning", {
            "born": "{source} is {value}{elements}, though its operands are finite: {operands}.",
            "of_infinite": "{source} is {value}{elements}: infinite operands met, {operands}.",
            "written": "{source} writes {value}{elements}, and no number of the answer is finite with it.",
        }),
        Entry("G302", "masked-branch", "warning", {
            "masked": "{source} has {slope} at {point}. {masker} does not use it there, but sends it a gradient of 0, and "
                      "0 × {times} = nan: {elements} {is} {found}.",
            "repair": "Write {text}: {grads} {is_then} then {shown}, checked.",
            "bend": "the {order} derivative of {source} is {slope} at {point}. {masker} does not use it there, but sends it "
                    "0, and 0 × {slope} = nan: that of {elements} is nan, though the gradient is finite.",
        }),
        Entry("G303", "infinite-slope", "warning", {
            "slope": "{source} has {slope} at {point}: {elements} {is} {found}.",
            "bend": "the {order} derivative of {source} is {slope} at {point}, so that of {elements} is {found}, though the "
                    "gradient is finite.",
        }),
        Entry("G304", "zero-times-infinity", "warning", {
            "product": "{source} has {slope} at {point}, and it meets a slope of 0: 0 × inf = nan, so {elements} {is} "
                       "{found}.",
            "undefined": "the derivative of {source} comes to nan at {point}, from numbers that cancel or divide 0 by 0: "
                         "{elements} {is} {found}.",
            "bend": "the {order} derivative of {source} is {slope} at {point}, and it meets a 0: that of {elements} is nan, "
                    "though the gradient is finite.",
            "kink": "The true slope by {element} is {left} on the left and {right} on the right.",
            "smooth": "The true slope by {element} is {both}.",
            "repair": "Write {text}: {grads} {is_then} then {shown}, checked.",
        }),
        Entry("G305", "degenerate-decomposition", "warning", {
            "equal": "{source} has two equal values, {twice}: what belongs to each of them is not unique, and its derivative "
                     "divides by their difference, which is 0. {elements} {is} {found}.",
        }),
        Entry("G401", "flat-operation", "warning", {
            "steps": "{source} moves in steps: its slope is 0 everywhere, so the gradient of {inputs} is 0 whatever the value.",
        }),
        Entry("G402", "saturated", "warning", {
            "one": "{source} is saturated at {operand} = {value}: its slope there is 0 or nearly so, and {grads} {is} {size}.",
            "many": "{source} is saturated, as at {operand} = {value}: the slope of all {of} elements is 0 or nearly so, and "
                    "{grads} {is} {size}.",
        }),
        Entry("G403", "multiplied-by-zero", "info", {
            "factor": "{source} multiplies {name} by 0 here: {grads} {is} a computed 0, not None.",
            "astray": "Yet the slope of the answer by {element} is {slope}.",
            "constant": "{source} is the same whatever {name} is: {grads} {is} a computed 0, not None.",
            "left_out": "{source} leaves {name} out here: {grads} {is} a computed 0, not None.",
            "chosen": "{source} chose another operand than {name} here: {grads} {is} a computed 0, not None.",
        }),
        Entry("G404", "partly-saturated", "info", {
            "many": "{source} is saturated for {count} of {of} elements, as at {operand} = {value}: their gradients are 0 or "
                    "nearly so.",
        }),
        Entry("G501", "kink", "info", {
            "one": "{source} has a kink at {points}: the slope is {left} on the left and {right} on the right; torch takes "
                   "{taken}.",
            "several": "{source} has a kink at {points}: by {element} the slope is {left} on the left and {right} on the right; "
                       "torch takes {taken}.",
        }),
        Entry("G601", "underflow", "warning", {
            "step": "{source} is 0 in {dtype}{elements} and {true} in float64: it is smaller than {dtype} can hold.",
            "gradient": "{elements} {is} 0 in {dtype} and {true} in float64: smaller than {dtype} can hold.",
            "scale": "A loss scale of {scale} keeps it (--loss-scale).",
            "scaled": "{count} of {of} gradients of {name} that are not 0 in float64 {are} 0 in {dtype} at the loss scale "
                      "{scale}.",
            "dtype": "{count} of {of} elements of {name} that are not 0 in float64 {are} 0 in {dtype}{where}.",
        }),
        Entry("G602", "overflow", "warning", {
            "step": "{source} is {value} in {dtype}{elements} and {true} in float64: it is larger than {dtype} can hold.",
            "inside": "{source} is {value} in {dtype}{elements} and {true} in float64: numbers on the way to it are larger than {dtype} can hold.",
            "gradient": "what {source} hands back is not finite in {dtype}, and is in float64: {elements} would be {true}.",
            "scaled": "{count} of the gradients of {name} {are} finite in float64 and not in {dtype} at the loss scale {scale}.",
            "dtype": "{count} of the elements of {name} {are} finite in float64 and not in {dtype}{where}.",
        }),
        Entry("G603", "rounding", "warning", {
            "step": "{source} is {value} in {dtype}{elements} and {true} in float64: more is lost than rounding the inputs explains.",
            "digits": "{what} is {got} in {dtype} and {true} in float64: more is lost than rounding the inputs explains.",
            "absorbed": "{source} absorbs {name} whole: in {dtype} the answer is the same without it, in float64 it is not.",
        }),
        Entry("G605", "mutual-broadcast", "warning", {
            "both": "{source} expands both operands: {first} with {second} gives {result}.",
            "loss": "{source} compares tensors of different shapes: {first} with {second} gives {result} terms.",
        }),
        Entry("G606", "repeated-index", "info", {
            "read": "{source} reads {elements} more than once: the gradients of all these places add up.",
            "overwritten": "{source} writes over {elements}: the value is not in the result, though {elements} {gets} a "
                           "gradient as if it were.",
        }),
        Entry("G607", "complex-convention", "info", {
            "grad": "{inputs} {is} complex: {its} .grad is the conjugate Wirtinger derivative, dL/dx + i dL/dy for an input "
                    "x + iy and the real number L that was differentiated.",
            "jacobian": "{inputs} {is} complex: a row of {its} Jacobian is dL/dx + i dL/dy for an input x + iy, with L the real "
                        "part of that element of the output (torch's convention, conjugate Wirtinger).",
            "hessian": "{inputs} {is} complex: a row of {its} Hessian is dL/dx + i dL/dy for an input x + iy, with L the real "
                       "part of that element of the gradient (torch's convention, conjugate Wirtinger).",
            "jvp": "{inputs} {is} complex: the tangent is the plain derivative along the given direction, and nothing in it is "
                   "conjugated, as .grad is.",
        }),
        *TRAINING,
    )
}  # fmt: skip
