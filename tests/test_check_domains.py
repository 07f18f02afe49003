"""No operator is called wrong where its derivative is right: over its smooth domain, at random points.

The operators that work element by element are asked at points drawn from what their rows say of where they are smooth;
all of them besides on the samples of torch's own suite. `CHECK_POINTS=20 pytest tests/test_check_domains.py` asks at
more points and on more samples.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import Any

import pytest
import torch

import gradcli
from tests.checking.domains import elementwise, values

pytest.importorskip("numpy", reason="torch's operator suite imports it")
pytest.importorskip("expecttest", reason="torch's operator suite imports it")

from tests.operators.entries import ENTRIES, samples, shown, tensors
from tests.operators.forms import forms
from tests.operators.writing import write

POINTS = int(os.environ.get("CHECK_POINTS", "1"))
LARGEST = 12 if POINTS < 10 else 40  # elements of a sample

# What is wrong in torch itself: it is said so at every point.
WRONG = {
    "hardsigmoid": "its backward multiplies by 1/6 in single precision",
}
# Samples of torch's suite that cannot pass, and why.
UNFIT = {
    "normal": "torch does not differentiate by what random numbers are drawn with",
    "normal number_mean": "torch does not differentiate by what random numbers are drawn with",
    "linalg.norm subgradients_at_zero": "it is asked at its kink",
    "linalg.eig": "its eigenvectors are given up to a complex factor, which jumps",
    "nn.functional.hardsigmoid": WRONG["hardsigmoid"],
}
SYMMETRIC = ("linalg.eigh", "linalg.eigvalsh", "linalg.pinv hermitian")  # asked where torch's samples may be uneven


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize(("name", "text"), list(elementwise()), ids=lambda one: one)
def test_an_operator_of_one_element_passes_over_its_smooth_domain(name: str, text: str) -> None:
    torch.manual_seed(sum(map(ord, text)))
    for _ in range(POINTS):
        found = gradcli.check(text, at=values(text))
        assert found.passed is (name not in WRONG), found.verdict


@pytest.mark.parametrize("entry", ENTRIES, ids=shown)
def test_an_operator_passes_on_the_samples_of_torchs_suite(entry: Any) -> None:
    small = (one for one in samples(entry) if 0 < sum(each.numel() for each in tensors(one)) <= LARGEST)
    for sample in islice(small, POINTS // 2 or 1):
        written = write(sample)
        _, spell, call = next(iter(forms(entry)))
        text = spell(written)
        if any(one.is_complex() for one in tensors(call(sample.input, *sample.args, **sample.kwargs))):
            text = f"torch.view_as_real(torch.resolve_conj({text}).contiguous())"
        if shown(entry) in SYMMETRIC:
            written.inputs["A"] = (written.inputs["A"] + written.inputs["A"].mT).detach().requires_grad_()
        at = {name: one.detach() for name, one in written.inputs.items() if one.requires_grad}
        const = {name: one.detach() for name, one in written.inputs.items() if not one.requires_grad}
        if at and shown(entry) not in UNFIT:
            found = gradcli.check(text, at=at, const=const, seed=42)
            assert found.passed, found.verdict
