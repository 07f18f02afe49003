"""The tensor of a file, or the error over it."""

from __future__ import annotations

import os
from typing import Any

import pytest
import torch

import gradcli
from gradcli.errors import GradcliError


def value(file: str, **options: Any) -> torch.Tensor:
    """What a constant of this file is."""
    return gradcli.evaluate("w", const={"w": f"@{file}"}, **options).output.value


def refusal(file: str, **options: Any) -> GradcliError:
    """The error over this file, which is one of a request. The folder stays as it was."""
    there = sorted(os.listdir())
    with pytest.raises(GradcliError) as caught:
        value(file, **options)
    assert sorted(os.listdir()) == there
    assert (caught.value.kind, caught.value.exit_code) == ("file", 2)
    return caught.value
