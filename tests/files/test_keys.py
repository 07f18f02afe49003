"""Which of a file's tensors is meant, and what is said where that is not clear."""

from __future__ import annotations

import re

import numpy
import pytest
import safetensors.torch
import torch

from tests.files.asking import refusal, value

KEYS = [
    ("model.layer.weight", 1.0),
    ("model.layer.bias", 2.0),
    ("state.0.step", 3.0),
    ("list.1", 4.0),
    ("a.b", 5.0),
    ("with:colon", 6.0),
    ("with/slash", 7.0),
]


def test_keys_join_what_is_nested() -> None:
    tree = {
        "model": {"layer.weight": torch.tensor(1.0), "layer": {"bias": torch.tensor(2.0)}},
        "state": {0: {"step": torch.tensor(3.0)}},
        "list": [None, torch.tensor(4.0)],
        "a": {"b": torch.tensor(0.0)},
        "a.b": torch.tensor(5.0),
        "with:colon": torch.tensor(6.0),
        "with/slash": torch.tensor(7.0),
        "epoch": 3,
    }
    torch.save(tree, "w.pt")
    for key, number in KEYS:
        assert value(f"w.pt:{key}").item() == number
    torch.save(torch.nn.Linear(2, 2).state_dict(), "layer.pth")
    assert value("layer.pth:weight").shape == (2, 2)


def several(file: str) -> None:
    """The same three tensors, in the format of the suffix."""
    tensors = {"fc.weight": torch.ones(2, 3), "fc.bias": torch.zeros(3, dtype=torch.float64), "step": torch.tensor(1)}
    if file.endswith(".npz"):
        numpy.savez(file, **{name: one.numpy() for name, one in tensors.items()})
    elif file.endswith(".safetensors"):
        safetensors.torch.save_file(tensors, file)
    else:
        torch.save(tensors, file)


@pytest.mark.parametrize("file", ["w.npz", "w.pt", "w.pth", "w.safetensors"])
def test_without_a_key_the_tensors_are_listed(file: str) -> None:
    several(file)
    error = refusal(file)
    assert error.message == f"{file} holds 3 tensors, and no key says which"
    listed = re.fullmatch(r"add :KEY; there are (.*\]), (.*\]), (.*\])", error.hint or "")
    assert listed is not None
    assert set(listed.groups()) == {"fc.weight float32 [2, 3]", "fc.bias float64 [3]", "step int64 []"}


@pytest.mark.parametrize("file", ["w.npz", "w.pt", "w.safetensors"])
@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("fc.wieght", "did you mean fc.weight?"),
        ("FC.WEIGHT", "did you mean fc.weight?"),
        ("bias", "did you mean fc.bias?"),
        ("zzz", None),
    ],
)
def test_a_wrong_key_lists_those_near_it(file: str, key: str, hint: str | None) -> None:
    several(file)
    error = refusal(f"{file}:{key}")
    assert error.message == f"{file} has no tensor '{key}'"
    if hint:
        assert error.hint == hint
    else:
        listed = (error.hint or "").removeprefix("there are ")
        assert set(listed.split(", ")) == {"fc.weight", "fc.bias", "step"}


def test_long_lists_and_long_names_are_cut() -> None:
    torch.save({f"{'k' * 100}{index}": torch.ones(1) for index in range(30)}, "w.pt")
    hint = refusal("w.pt").hint
    assert hint is not None
    assert hint.endswith(" and 10 more")
    assert "k" * 80 not in hint


def test_one_tensor_needs_no_key_and_an_unnamed_one_takes_none() -> None:
    numpy.savez("w.npz", w=numpy.ones(2))
    torch.save(torch.ones(2), "w.pt")
    numpy.save("w.npy", numpy.ones(2))
    assert value("w.npz").tolist() == value("w.npz:w").tolist() == [1, 1]
    for file in ("w.pt", "w.npy"):
        error = refusal(f"{file}:w")
        assert error.message == f"{file} holds one tensor without a name, and 'w' was asked for"
