"""What all tests share: the profiles of hypothesis, and the switch that rewrites golden files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Where several processes share the machine, torch's threads in each would only wait for those of the others.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# The suite's answer depends on the code alone; HYPOTHESIS_PROFILE=search looks further, and elsewhere in each run.
settings.register_profile(
    "suite", max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", max_examples=5_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.fixture(autouse=True)
def proofs_fail_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the tests a proof that fails is an error."""
    monkeypatch.setattr("gradcli.diagnosis.notes.RAISES", True)


@pytest.fixture(autouse=True)
def short_ways_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the tests what is answered in a shorter way is found the long way too, and has to be the same.

    What a glance settles is asked of every rule, and a question asked again is evaluated as if for the first time.
    """
    from gradcli.commands import again, answering
    from gradcli.diagnosis import evidence, glance, notes

    def settled(outcome: Any) -> bool:
        found = glance.settled(outcome)
        if found:
            every = evidence.Evidence(outcome)
            further = {*notes.remarks(outcome), *notes.proved(every)} - {*notes._told(notes.ASKED, every)}
            assert not further, (outcome.request.program.source, further)
        return found

    short = again.Form.answer

    def answer(form: again.Form, command: str, values: Any) -> Any:
        found = short(form, command, values)
        if found is not None:
            request = form.request(values)
            outcome, _ = answering.attempted(request, answering._once)
            assert _alike(found.document(), answering.answer_of(command, outcome, request.notes).document())
        return found

    monkeypatch.setattr(notes, "settled", settled)
    monkeypatch.setattr(again.Form, "answer", answer)


def _alike(one: Any, other: Any) -> bool:
    """Whether two documents say the same, to the last digit of their tensors."""
    import torch

    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if not isinstance(one, torch.Tensor):
        return bool(one == other)
    same = (one.dtype, one.shape) == (other.dtype, other.shape)
    return same and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="write golden files anew instead of comparing with them")


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written."""
    return bool(request.config.getoption("--rewrite"))


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """torch computes in one thread: with small tensors, more would only wait for one another."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
