"""G6: what a dtype, a shape or an index does to a gradient without a word."""

from __future__ import annotations

from gradcli.diagnosis.pages.page import Page

PAGES = (
    Page(
        "G601",
        "A number became 0 in this dtype, and is not 0 in float64.",
        "float16 ends at 6e-8: what is smaller is 0. Gradients are often far smaller than values, and are lost first.",
        'gradcli grad "A*1e-8" --at 5 --loss-scale 1 --dtype float16',
        "Scale the loss up before backward and the gradients down after it, as GradScaler does; or use bfloat16, which "
        "reaches as far down as float32.",
        'gradcli grad "A*1e-8" --at 5 --loss-scale 1024 --dtype float16',
        "gradient scaling (Automatic mixed precision package)",
    ),
    Page(
        "G602",
        "A number became infinite in this dtype, and is finite in float64.",
        "float16 ends at 65504. Sums of squares, exp and a loss scale that is too large go beyond it.",
        'gradcli grad "A*5" --at 5 --loss-scale 100000 --dtype float16',
        "Use a smaller loss scale, divide before squaring or summing, or compute this part in float32.",
        'gradcli grad "A*5" --at 5 --loss-scale 1024 --dtype float16',
        "gradient scaling (Automatic mixed precision package)",
    ),
    Page(
        "G603",
        "A value or gradient differs from float64 by more than the rounding of the inputs explains.",
        "A sum keeps the digits of its larger operand: beside 1e8 a float32 has no room for 1. What cancels afterwards "
        "leaves the error alone.",
        'gradcli grad "(A + 1e8) - 1e8" --at 1',
        "Compute with float64 there, or in another order: small numbers first, differences before sums.",
        'gradcli grad "(A + 1e8) - 1e8" --at 1 --dtype float64',
        "limited precision (Numerical accuracy)",
    ),
    Page(
        "G605",
        "Both operands were expanded: a column and a row became a matrix.",
        "Shapes are matched from the right, so (3, 1) with (3,) is (3, 3): each element meets every other. For a loss "
        "this compares each prediction with all targets.",
        'gradcli grad "((A - B)**2).mean()" --at "A=[[1], [2], [3]]" --const "B=[1.5, 2.5, 3.5]"',
        "Give both the same shape; write the axis by hand, such as B[:, None], where the matrix is meant.",
        'gradcli grad "((A - B[:, None])**2).mean()" --at "A=[[1], [2], [3]]" --const "B=[1.5, 2.5, 3.5]"',
        "broadcasting semantics",
    ),
    Page(
        "G606",
        "An index occurs twice.",
        "Reading an element twice adds up two gradients. Writing one twice keeps a single value, while torch may send "
        "the gradient to all that were written.",
        'gradcli grad "A[[0, 0, 1]].sum()" --at "[1, 2]"',
        "Nothing, where reading is meant, as in an embedding. For writing use index_add or scatter_reduce, which say "
        "what shall happen.",
        'gradcli grad "A[[0, 1]].sum()" --at "[1, 2]"',
        "the backward pass is implemented only for unique indices (torch.Tensor.scatter_)",
    ),
    Page(
        "G607",
        "The gradient of a complex input follows a convention.",
        "For a real number L and an input x + iy torch gives dL/dx + i dL/dy, the direction of steepest ascent: the "
        "conjugate Wirtinger derivative, times two. Other libraries give its conjugate.",
        'gradcli grad "abs(A)**2" --at 1+2j',
        "Nothing: gradient descent works as usual. Conjugate it to compare with other libraries.",
        None,
        "Autograd for complex numbers: conjugate Wirtinger derivative (Autograd mechanics)",
    ),
)  # fmt: skip
