"""gradcli's own remarks, which have no code, and the verdicts of compare: sentences that rules fill with facts."""

from __future__ import annotations

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
    "unwatched": "watching ended early by a mistake of gradcli's own, and the training went on without it: {failure}",
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
