"""Every diagnosis as data: its name, its level, and the sentences that rules fill with facts."""

from __future__ import annotations

from gradcli.diagnosis.entry import Entry
from gradcli.diagnosis.scripts import SCRIPTS
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
        Entry("G202", "saved-then-changed", "error", SCRIPTS["G202"]),
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

# gradcli's own remarks, which have no code.
REMARKS: dict[str, str] = {
    "ran_itself": "backward() is not needed: gradcli goes back from the answer itself.",
    "not_run": "backward() was not run: only gradcli grad does, and leaves gradients in .grad.",
    "overwritten": "#{node} keeps {saved} for backward, and it was written to since: backward will refuse.",
    "overlooked": "{writer} writes over what {owner} saved for backward, and torch does not notice through .data: {element} is "
                  "{got}, and {true} by the numbers that were used. Through detach() torch would refuse.",
    "result_overwritten": "torch: {writer} writes over the result of {owner}, which backward needs.",
    "operand_overwritten": "torch: {writer} writes over what {owner} read, which backward needs.",
    "retained": "{name} is an intermediate result: gradcli trace shows the gradient that arrives at it.",
    "unverified": "nothing is off at first sight; slopes on both sides and float64 were not tried for so many elements "
                  "(--verify).",
    "short": "what could not be proved for want of memory is not told here (--max-memory gives more).",
    "nothing_requires": "{line} cannot go back from {name}: nothing that it was computed from requires grad ({inputs}). Make the "
                        "tensors in question with requires_grad=True before they are used.",
    "unseen_transform": "torch.func took gradients {runs}: they do not pass through .grad, and are not watched.",
    "unseen_grad": "torch.autograd.grad() took gradients {runs}: they do not pass through .grad, and are not watched.",
    "unseen_mode": "backward() ran {runs} under a dispatch mode of the script's, where tensors cannot be looked at.",
    "unseen_compiled": "a compiled model hides its operations: dead units (G707) and lines are not told of it.",
    "unseen_engine": "this torch does not show when backward() runs: what only its graph tells was not seen.",
    "no_leaf": "nothing here requires grad, so there is no gradient: give a value with --at, or write requires_grad=True.",
    "elementwise": "every operation works element by element: order k is the k-th derivative by each element of {names}, none of them mixed.",
    "summed": "the derivatives by {names} are sums over the output: each order is the gradient of the sum of the one before.",
    "accumulates": "backward() adds to .grad: after each call it holds the sum of all gradients so far (--zero-grad sets it "
                   "to None before each).",
    "zeroed": "zero_grad() set .grad to None before each call, so each .grad is the gradient of that call; without it they "
              "add up.",
    "made": "the text makes {names} anew for each call, with no .grad yet: give the value with --at to see it accumulate.",
    "incomparable": "what under- or overflowed is not told: in float64 the text draws other random numbers, or cannot be "
                    "evaluated.",
    "saved": "without a loss scale {before} of {of} gradients of {name} that are not 0 in float64 would be 0 in {dtype}; "
             "at {scale} {after} are.",
    "window": "of the powers of two from 2^0 to 2^24, those {span} every gradient that is not 0 in float64; shown at {scale}.",
    "no_window": "no loss scale of the powers of two from 2^0 to 2^24 keeps every gradient that is not 0 in float64: {scale} "
                 "loses fewest, {worst}.",
    "unscaled": ".grad is unscaled in float32: in {dtypes} what the scale saved would vanish again.",
    "no_formula": "torch has no forward formula for {source} ({operation}), so {instead}.",
    "no_forward": "forward mode cannot answer here ({reason}), so {instead}.",
    "flat": "torch has no second derivative here, and the gradient by {names} is the same at other points nearby: it is 0.",
    "jacobian": "reverse mode made the Jacobian, a row at a time",
    "rows": "the rows of the Jacobian were made in reverse mode and multiplied by the tangent",
    "twice": "the gradient was differentiated along the tangent (double backward)",
    # Verdicts of compare: grad modes.
    "mode_clear": "{mode} is {percent} % {faster}: a forward pass takes {other} instead of {one}",
    "mode_unclear": "whether {mode} is faster is too small to tell: a forward pass takes {other} instead of {one}",
    "mode_saves": "{mode} saves memory: grad keeps {bytes} for backward{held}, {mode} {less}",
    "mode_held": " beside the inputs",
    "mode_saves_nothing": "{mode} saves no memory: what grad keeps for backward, {bytes}, is that of the inputs",
    "mode_keeps_nothing": "{mode} saves no memory: grad keeps none for backward",
    "ways_refused": "torch refuses {ways}",
    "refused": "{way}: {message}.",
    # Verdicts of compare: dtypes.
    "dtype_off": "{dtype} is off by {relative} at most",
    "dtype_exact": "{dtype} gives the same numbers",
    "dtype_random": "errors are not told: the text draws other random numbers in each dtype",
    "dtype_refused": "errors are not told: torch does not evaluate this in float64",
    # What became of a step, in verdicts of compare.
    "overflow": "{name} overflows at {source} = {got}",
    "pole": "{name} gives {got} at {source}",
    "underflow": "{name} underflows at {source} = {got}",
    "nan": "{name} makes {got} at {source}",
    "digits": "{name} loses its digits at {source}",
    "lost": "{name} under- or overflows",
    "arriving": "{name} goes wrong on the way back, where {got} arrives at {source}",
    # Verdicts of compare: formulas.
    "formulas_agree": "they agree",
    "formulas_agree_exact": "they agree, and many-digit arithmetic gives the same",
    "formulas_agree_float64": "they agree, and float64 gives the same",
    "formulas_wrong": "they agree, and all are wrong: {how}",
    "formulas_part": "they part: {how}",
    "formulas_none_right": "none is right",
    "formulas_differ": "they are different functions: exactly, {place} is {how}",
    "formulas_unknown": "they part: {place} is {one} and {other}, and which is right cannot be told",
    "formulas_kink": "they part where one of them has no derivative: {place} is {one} and {other}",
    "formulas_refused": "torch refuses {names}",
    "formulas_no_way_back": "torch refuses to go back from {names}",
    "formula_right": "{names} right{numbers}",
    "formula_shape": "{name} gives {shapes}",
    "formula_so": "{told}: {place} is {got}, not {want}",
    "formula_off": "{name} is off by {gap}: {place} is {got}, not {want}",
    "formula_none": "{name} leaves {place} None, where it is {want}",
    "formula_unused": "{name} does not use {inputs}.",
}  # fmt: skip
