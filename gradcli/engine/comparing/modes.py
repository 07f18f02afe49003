"""One evaluation under grad, no_grad and inference mode, and with its inputs detached: what each records and costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from gradcli.compared import Times
from gradcli.engine.checking.opened import opened
from gradcli.engine.comparing.attempt import Attempt, attempt, not_all_refused
from gradcli.engine.comparing.timing import Run, interleaved
from gradcli.engine.evaluate import MODES, again, run
from gradcli.engine.gradient import go_back
from gradcli.engine.nodes import nodes
from gradcli.engine.operations import operand_value
from gradcli.engine.recording import Request, draws, make_leaves, outputs_of, quiet, recordable, seeded
from gradcli.engine.saved import Saved, saved_bytes
from gradcli.language.values import Given

NAMES = ("grad", "no_grad", "inference", "detached")


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """What one mode did: the facts of its graph, and its times; None where torch refused, or nothing was measured."""

    name: str
    attempt: Attempt
    inference: bool | None = None
    nodes: int | None = None
    saved: Saved | None = None
    forward: Times | None = None
    backward: Times | None = None


def compare_modes(request: Request, rounds: int | None) -> list[Way]:
    """Evaluate a request in each mode; `rounds` of None: as many as tell the times apart, of 0: no times.

    Raises GradcliError where torch refuses all of them.
    """
    grad = attempt(request)
    modes = [grad, *(attempt(request._replace(mode=mode)) for mode in ("no_grad", "inference"))]
    attempts = [*modes, attempt(_detached(grad))]
    not_all_refused(attempts)
    ways = [_way(name, one) for name, one in zip(NAMES, attempts, strict=True)]
    if rounds == 0:
        return ways
    present = [index for index, one in enumerate(ways) if one.attempt.outcome is not None]
    measured = interleaved([_runner(ways[index].attempt) for index in present], rounds)
    for index, (forward, *backward) in zip(present, measured, strict=True):
        ways[index] = replace(ways[index], forward=forward, backward=backward[0] if backward else None)
    return ways


def _detached(grad: Attempt) -> Request:
    """The request with no input that requires grad, also of those that the text makes for itself."""
    request, made = grad.request, grad.outcome.made if grad.outcome is not None else {}
    outside = opened(request, made)
    taken = [name for name in made if name in outside.program.inputs and name not in request.origins]
    return outside._replace(
        given=(*request.given, *(Given(name, made[name].detach()) for name in taken)),
        origins={**request.origins, **dict.fromkeys(taken, "inside")},
        wrt=frozenset(),
    )


def _way(name: str, attempt: Attempt) -> Way:
    outcome = attempt.outcome
    if outcome is None:
        return Way(name, attempt)
    request = attempt.request
    with recordable(), quiet(), seeded(request):
        leaves = make_leaves(request)
        saved = saved_bytes(lambda: run(request.program, leaves, request.settings, request.mode), leaves.values())
    inference = any(one.is_inference() for one in outcome.results)
    return Way(name, attempt, inference, sum(1 for _ in nodes(outcome.results)), saved)


def _runner(attempt: Attempt) -> Run:
    """Runs a way once: forward, and backward where it went back. Inputs are made anew only where they have to be."""
    request = attempt.request
    back = attempt.outcome is not None and attempt.outcome.went_back
    kept = None if draws(request) or request.program.writes else make_leaves(request)

    def once(clock: Callable[[], float]) -> tuple[float, ...]:
        with recordable(), quiet(), seeded(request):
            leaves = make_leaves(request) if kept is None else kept
            for leaf in leaves.values():
                leaf.grad = None
            with MODES[request.mode]():  # entering a mode takes its time too, once for a whole training loop
                begin = _settled(clock, request)
                values = again(request.program, leaves, request.settings)
                middle = _settled(clock, request)
            if not back:
                return (middle - begin,)
            results, _ = outputs_of(request.program, values)
            given = request.program.upstream
            upstream = None if given is None else operand_value(given, values)
            turn = _settled(clock, request)
            go_back(request, results, upstream)
            return middle - begin, _settled(clock, request) - turn

    return once


def _settled(clock: Callable[[], float], request: Request) -> float:
    """The time, once the device has done what it was given."""
    device = request.settings.device
    if device is not None and device.type == "cuda":
        torch.cuda.synchronize(device)
    return clock()
