"""torch's refusals that concern autograd: a pattern of its message -> a code, and what to do."""

from __future__ import annotations

import re

from gradcli.errors import GradcliError

PATTERNS: tuple[tuple[re.Pattern[str], str | None, str], ...] = tuple(
    (re.compile(pattern), code, hint)
    for pattern, code, hint in (
        (r"has been modified by an inplace operation", "G202", "write the operation that changes it out of place"),
        (r"leaf Variable that requires grad", "G203", "write out of place, or change a copy: A.clone()"),
        (r"backward through the graph a second time", "G204", "keep the graph with retain_graph=True, or evaluate again"),
        (r"only for real scalar outputs|only supported for real|real scalar outputs but got", "G205",
         "take a real number of it: .real, abs(...), or give --upstream"),
        (r"Inference tensors cannot|(is an|on) inference tensor|[Ii]nplace update to inference tensor", "G207",
         "compute it outside inference mode, or clone() it there"),
        (r"single memory location", "G208", "clone() the expanded tensor first"),
        (r"no second derivative|once_differentiable", "G206", "write it with operations that are differentiable twice"),
        (r"derivative for .* is not implemented|not implemented for '?derivative", "G210", "write it with differentiable operations"),
        (r"[Oo]nly Tensors of floating point( and complex)? dtype can require grad", "G106", "use floating numbers"),
        (r"implicitly created only for scalar outputs", None, "--reduce sum makes one number of it; or give --upstream V"),
        (r"Mismatch in shape: grad_output", None, "the upstream gradient needs the shape of the output"),
        (r"'(int|float|complex|bool)' object has no attribute", None, "this function takes tensors: write tensor(...) around the number"),
        (r"Can't call numpy\(\) on Tensor that requires grad", "G108", "leave it out"),
    )
)  # fmt: skip


def with_code(error: GradcliError) -> GradcliError:
    """The same error, with the diagnosis that its message stands for."""
    if error.kind == "torch" and error.code is None:
        for pattern, code, hint in PATTERNS:
            if pattern.search(error.message):
                error.code, error.hint = code, hint
                break
    return error
