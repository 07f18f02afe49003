"""G3: NaN and infinity, and where they are born."""

from __future__ import annotations

from gradcli.diagnosis.pages.page import Page

PAGES = (
    Page(
        "G301",
        "The value itself is NaN or infinite, so its gradient is, too.",
        "The first such operation had finite operands outside of its domain: the logarithm of a negative number, 0/0. "
        "Everything after it inherits the NaN, and so does the way back.",
        'gradcli grad "log(A)*2" --at -1',
        "Keep its operand inside the domain: clamp, abs, an eps that is added before.",
        'gradcli grad "log(A.clamp(min=1e-3))*2" --at 5',
        "IEEE 754 numbers (Numerical accuracy)",
    ),
    Page(
        "G302",
        "NaN from a branch that a condition, a mask or an index had excluded.",
        "where() computes both branches and sends the excluded one a gradient of 0. If that branch has an infinite "
        "slope there, 0 × inf is NaN, and NaN wins over every other summand.",
        'gradcli grad "where(A > 0, sqrt(A), 0)" --at "[0, 4]"',
        "Give the excluded branch a harmless value before the function, not after it: a second where inside.",
        'gradcli grad "where(A > 0, sqrt(where(A > 0, A, 1)), 0)" --at "[0, 4]"',
        "NaN gradients of unselected values (torch.where; Autograd mechanics)",
    ),
    Page(
        "G303",
        "The derivative is infinite at this point.",
        "sqrt at 0, a fractional power at 0, acos at 1: the curve is vertical there. The number is right, and an "
        "optimizer can do nothing with it.",
        'gradcli grad "sqrt(A)" --at 0',
        "Stay away from the point: add a small number, or clamp.",
        'gradcli grad "sqrt(A + 1e-6)" --at 0',
        "gradients for non-differentiable functions (Autograd mechanics)",
    ),
    Page(
        "G304",
        "An infinite slope met one of exactly 0, and their product is NaN.",
        "The chain rule multiplies slope by slope, though the whole may be harmless: the length of a zero vector has a "
        "finite slope on each side, and its square root an infinite one, its square one of 0.",
        'gradcli grad "sqrt(A**2)" --at 0',
        "Use the function that knows the whole: abs, torch.linalg.vector_norm, hypot; or keep away from the point.",
        'gradcli grad "abs(A)" --at 0',
        "gradients for non-differentiable functions (Autograd mechanics)",
    ),
    Page(
        "G305",
        "Eigenvectors or singular vectors of equal eigen- or singular values were differentiated.",
        "Vectors that belong to the same value may be turned into one another, so they are not determined. The formula "
        "divides by the difference of the values, which is 0.",
        'gradcli grad "linalg.eigh(A).eigenvectors[0].abs().sum()" --at "[[1, 0], [0, 1]]"',
        "Use only the values, or what does not depend on the choice of vectors, such as V @ V.mT.",
        'gradcli grad "linalg.eigvalsh(A).sum()" --at "[[1, 0], [0, 1]]"',
        "gradients that are unstable for repeated eigenvalues (torch.linalg.eigh, torch.linalg.svd)",
    ),
)  # fmt: skip
