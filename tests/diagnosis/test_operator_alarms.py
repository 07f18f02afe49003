"""No warning on the samples of torch's own operator suite, but where what it says is true of that sample."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gradcli
from gradcli.errors import GradcliError

pytest.importorskip("numpy", reason="torch's operator suite imports it")
pytest.importorskip("expecttest", reason="torch's operator suite imports it")

from tests.operators.entries import ENTRIES, samples, shown, tensors
from tests.operators.forms import forms
from tests.operators.writing import write

LARGEST = 24  # elements of a sample

# What is true of a sample, and would be said of it rightly.
TRUE = {
    "copysign": {"G401"}, "div trunc_rounding": {"G401"}, "div floor_rounding": {"G401"}, "nextafter": {"G401"},
    "round decimals_0": {"G401"}, "round decimals_3": {"G401"}, "nn.functional.margin_ranking_loss": {"G402"},
    "nn.functional.hardsigmoid": {"G402"}, "nn.functional.relu6": {"G402"}, "erfc": {"G402"},
    "grid_sampler_3d": {"G402"}, "nn.functional.hardtanh": {"G402"},
    "nn.functional.normalize": {"G402"}, "nn.functional.cosine_embedding_loss": {"G103"},
    "nn.functional.hinge_embedding_loss": {"G103"}, "linalg.vector_norm": {"G103"}, "masked.log_softmax": {"G301"},
    "masked.logaddexp": {"G301"},
}  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES, ids=shown)
def test_a_sample_of_torchs_suite_carries_no_warning(entry: Any) -> None:
    sample = next((one for one in samples(entry) if 0 < sum(part.numel() for part in tensors(one)) <= LARGEST), None)
    if sample is None:
        return
    written = write(sample)
    text = next(iter(forms(entry)))[1](written)
    at = {name: one.detach() for name, one in written.inputs.items() if one.requires_grad}
    const: dict[str, torch.Tensor] = {
        name: one.detach() for name, one in written.inputs.items() if not one.requires_grad
    }
    if not at:
        return
    try:
        answer = gradcli.grad(text, at=at, const=const, verify=True, seed=42)
    except GradcliError as error:
        if error.code != "G205":  # a complex output needs a gradient to begin with
            raise
        return
    warned = {note.code for note in answer.notes if note.level != "info"}
    assert warned <= TRUE.get(shown(entry), set()), [note.message for note in answer.notes]
