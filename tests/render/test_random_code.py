"""Random expressions over the vocabulary: the generated script gives the same bits as the answer."""

from __future__ import annotations

from hypothesis import given, reject
from hypothesis import strategies as st

import gradcli
from gradcli.language.vocabulary import functions
from tests.render.running import differences

# Places of functions of each element, by the number of their operands.
PLAIN = {"(input)": 1, "(input, inplace=False)": 1, "(input, other)": 2, "(input, exponent)": 2}
POINTWISE = [
    (path, PLAIN[row.signature.split(" | ")[0]])
    for row in functions()
    if row.pointwise and row.differentiable and row.signature.split(" | ")[0] in PLAIN
    if not (row.writes or row.random or row.limits or row.strings or row.makes)
    for path in row.paths
    if not path.startswith("torch.Tensor.")
]

# What keeps the shape of a 2 × 3 tensor without being a function of each element.
KEEPING = (
    "F.softmax({0}, dim=-1)",
    "({0}).cumsum(0)",
    "({0}).flip(1)",
    "sort({0}, dim=1).values",
    "F.normalize({0}, dim=0)",
    "({0}).T.contiguous().T",
    "({0})[:, [2, 0, 1]]",
    "where(({0}) > 0.5, A, B)",
    "clamp({0}, 0.1, 0.7)",
    "({0}).detach()*A",
    "F.layer_norm({0}, (3,))",
    "({0}) - ({0}).mean()",
    "stack([{0}, B]).sum(0)",
    "(({0}) @ B.T) @ A",
    "F.pad({0}, (1, 1))[:, 1:4]",
)
ENDING = (
    "{0}",
    "({0}).sum()",
    "({0}).mean(dim=0)",
    "y = {0}\ny*y",
    "y = {0}\nwith torch.no_grad():\n    z = y*2\ny*z",
    "y = {0}\ny += B\ny",
    "y = {0}\ny[0] *= 2\ny",
    "logsumexp({0}, 1)",
    "linalg.norm({0})",
    "({0})[0] * ({0})[-1]",
    "y, z = {0}, A\ny, z = z, y\ny/z",
    "{0}, A*randn(3)",
)


def _called(place: tuple[str, int], one: str, other: str) -> str:
    path, operands = place
    return f"{path}({one}, {other})" if operands == 2 else f"{path}({one})"


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "**", "%"]), inner),
        st.builds(_called, st.sampled_from(POINTWISE), inner, inner),
        st.builds(str.format, st.sampled_from(KEEPING), inner),
    )


terms = st.recursive(st.sampled_from(["A", "B", "A", "B", "2", "0.5", "torch.pi", "ones(3)"]), _grown, max_leaves=6)
texts = st.builds(str.format, st.sampled_from(ENDING), terms)
POINT = {"A": [[0.3, 0.6, 0.2], [0.7, 0.4, 0.9]], "B": [[0.8, 0.25, 0.55], [0.35, 0.65, 0.15]]}


@given(texts, st.sampled_from([None, "float64", "float64", "bfloat16"]), st.sampled_from(["grad", "grad", "no_grad"]))
def test_random_expressions_give_the_same_values_and_gradients(text: str, dtype: str | None, mode: str) -> None:
    try:
        answer = gradcli.grad(text, at=POINT, dtype=dtype, mode=mode, notes=False)
    except gradcli.GradcliError:  # booleans in arithmetic, numbers where a tensor has to be
        reject()
    assert differences(answer) == []


def test_there_are_enough_functions_to_draw_from() -> None:
    assert len(POINTWISE) >= 100
