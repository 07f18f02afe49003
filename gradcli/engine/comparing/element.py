"""One element of an evaluation by itself, where every step works element by element."""

from __future__ import annotations

from math import prod

from gradcli.engine.comparing.attempt import Attempt
from gradcli.engine.comparing.misses import Miss
from gradcli.engine.recording import Request
from gradcli.language.program import Call


def at_element(attempt: Attempt, miss: Miss) -> Request | None:
    """The request for one element alone; None where a step mixes elements, an input has another
    shape, or there is no other element.

    Inputs of one number are that for each element.
    """
    request, outcome = attempt.request, attempt.outcome
    steps = [step for step in request.program.steps if isinstance(step, Call)]
    if outcome is None or prod(miss.shape) == 1 or not all(step.function.pointwise for step in steps):
        return None
    given = []
    for one in request.given:
        tensor = outcome.leaves[one.name].detach()
        if tuple(tensor.shape) == miss.shape:
            tensor = tensor.reshape(-1)[miss.index : miss.index + 1].clone()
        elif tensor.dim():
            return None
        given.append(one._replace(data=tensor, text=None))
    return request._replace(given=tuple(given))
