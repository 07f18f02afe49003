"""Texts for property tests: anything at all, soups of the language's own tokens, and texts that belong to it."""

from __future__ import annotations

from hypothesis import strategies as st

from gradcli.language.signature import alternatives
from gradcli.language.vocabulary import Function, functions

TOKENS = (
    "A B C x torch. F. np. math. sin exp sum max where clamp topk einsum zeros randn tensor with torch.no_grad(): "
    "inference_mode set_grad_enabled(True): print backward() grad .T .mT .real .sum() .item() .detach() .add_(1) "
    "( ) [ ] { } , ; : = == += -= **= := + - * / // % ** @ & | ^ ~ < <= > >= != << >> -> ... . 0 1 2 5.0 1e3 1e999 2j "
    "0x10 True False None inf nan pi 'ij,jk->ik' 'mean' dim= keepdim=True dtype=torch.float64 lambda if else for in "
    "and or not is import def return yield await async del assert А × − ² · ٣ “ é 變 # \\ \t $ ? ! `"
).split(" ")

any_text = st.text(max_size=80)

soups = st.lists(st.sampled_from([*TOKENS, " ", "\n", "\n    "]), max_size=25).map("".join)
spaced_soups = st.lists(st.sampled_from([*TOKENS, "\n", "\n    "]), max_size=25).map(" ".join)

NAMES = ("A", "B", "C", "Δ", "weight_1")
BINARY = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "<", "<=", ">", ">=", "==", "!=")

literals = st.one_of(
    st.integers(-10, 10**6).map(str),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.sampled_from(["2j", "pi", "inf", "-inf", "nan", "True", "1_000", "0x1F", "1e-300"]),
)


def _plain(function: Function) -> bool:
    """Whether a call of this function is written with tensors alone."""
    return not function.strings and not function.limits and not function.attribute and not function.random


CALLED = {path: function for function in functions() if _plain(function) for path in function.paths}
ATTRIBUTES = tuple(function.name for function in functions() if function.attribute and function.name != "grad_fn")


@st.composite
def _calls(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    """A call by any of a function's places, with the operands that one of its parameter lists asks for."""
    path = draw(st.sampled_from(tuple(CALLED)))
    lists = alternatives(CALLED[path].signature)
    parameters = lists[draw(st.integers(0, len(lists) - 1))]
    operands = [draw(inner) for name in parameters.positional if name in parameters.required]
    if path.startswith("torch.Tensor."):
        base = draw(st.sampled_from(NAMES))
        return f"{base}.{path.rpartition('.')[2]}({', '.join(operands[1:])})"
    return f"{path}({', '.join(operands)})"


def _indices(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    one = st.one_of(
        st.integers(-3, 3).map(str),
        st.sampled_from(["...", "None", ":", "1:", ":2", "::2", "[0, 1]", "True"]),
        st.builds("{} > 0".format, inner),
    )
    return st.lists(one, min_size=1, max_size=3).map(", ".join)


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tensors = st.one_of(st.sampled_from(NAMES), inner)
    return st.one_of(
        st.builds("({}) {} ({})".format, tensors, st.sampled_from(BINARY), inner),
        st.builds("{} {} {}".format, st.sampled_from(NAMES), st.sampled_from(["+", "-", "*", "/", "**", "@"]), inner),
        st.builds("{}({})".format, st.sampled_from(["-", "+", "~", "- -", "abs", "round", "len"]), tensors),
        st.builds("({})[{}]".format, st.sampled_from(NAMES), _indices(st.sampled_from(NAMES))),
        st.builds("{}.{}".format, st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES)),
        st.builds("sum([{}, {}])".format, tensors, inner),
        st.builds("stack(({}, {}), dim=0)".format, tensors, tensors),
        _calls(tensors),
    )


expressions = st.recursive(st.one_of(st.sampled_from(NAMES), literals), _grown, max_leaves=8)


@st.composite
def snippets(draw: st.DrawFn) -> str:
    """Several statements: assignments of all kinds, blocks, bare expressions."""
    bound: list[str] = []
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(["y", "z", "loss"]))
        value = draw(expressions)
        kinds = ["{name} = {value}", "{value}", "{name}, k = {value}, A", "{name} = k = {value}"]
        kinds += ["with torch.no_grad():\n    {name} = {value}", "with torch.set_grad_enabled(True): {value}"]
        if name in bound:
            kinds += ["{name} += {value}", "{name}[0] = {value}", "{name}, k = k, {name}", "{name}[0] *= 2"]
        kind = draw(st.sampled_from(kinds))
        if "{name}" in kind and "{name} +=" not in kind and "[0]" not in kind:
            bound.append(name)
        lines.append(kind.format(name=name, value=value))
    return "\n".join(lines)
