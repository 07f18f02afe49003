"""What gradcli and torch say of an operator: every form of every sample, evaluated by both, once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import torch

from tests.operators.entries import NAMED, samples
from tests.operators.forms import forms
from tests.operators.witness import Differs, agree
from tests.operators.writing import write


@dataclass(frozen=True)
class Verdict:
    """Answers by form (`method: equal`), the texts on which both differ, and the number of samples."""

    answers: Counter[str]
    differences: tuple[str, ...]
    samples: int


@cache
def verdict(name: str, dtype: torch.dtype = torch.float64) -> Verdict:
    """Hold gradcli against torch on the samples of the entry of a name."""
    entry = NAMED[name]
    answers: Counter[str] = Counter()
    differences: list[str] = []
    count = 0
    for sample in samples(entry, dtype):
        count += 1
        written = write(sample)
        for form, spell, call in forms(entry):
            try:
                answer = agree(spell(written), written, call, sample)
            except Differs as difference:
                answer = "differs"
                differences.append(str(difference))
            answers[f"{form}: {answer}"] += 1
    return Verdict(answers, tuple(differences), count)
