"""The one glance that tells of most answers that there is no more to say of them than was asked for.

No rule need be asked, and no evidence gathered, where nothing that a rule looks for can be there. What a glance does
not settle is left to the rules.
"""

from __future__ import annotations

from gradcli.engine.cuts import reached
from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.signs import signs


def settled(outcome: Outcome) -> bool:
    """Whether there is nothing to tell of an answer but its mode, and what was reduced: no remark, and no rule's."""
    if not (_plainly_asked(outcome) and _plainly_given(outcome) and _reached(outcome)):
        return False
    return outcome.request.notes == "facts" or not signs(outcome).off


def plain(outcome: Outcome) -> bool:
    """Whether an answer is one number, in the usual mode."""
    results = outcome.results
    return len(results) == 1 and results[0].numel() == 1 and outcome.request.mode == "grad"


def _plainly_asked(outcome: Outcome) -> bool:
    """Whether text, options and torch give no reason for a note, and nothing was noticed on the way."""
    request, looks = outcome.request, outcome.looks
    program = request.program
    return not (
        request.verify is not False
        or request.asked_grads
        or program.remarks
        or program.cuts
        or program.writes
        or program.backward
        or program.retained
        or outcome.made
        or outcome.warned
        or (looks is not None and looks.found)
    )


def _plainly_given(outcome: Outcome) -> bool:
    """Whether every input was given, is read, and has numbers that torch's derivatives are plain about."""
    read = outcome.request.program.inputs
    for name, view in outcome.inputs.items():
        if view.origin == "default" or name not in read or view.value.is_complex():
            return False
    return True


def _reached(outcome: Outcome) -> bool:
    """Whether backward reaches every input that wants a gradient, or was never to."""
    if outcome.went_back:
        return not [True for view in outcome.inputs.values() if view.requires_grad and view.grad is None]
    if outcome.request.mode != "grad":
        return not [True for view in outcome.outputs if view.requires_grad]
    if outcome.request.backward:
        return False  # it could not go back
    wanting = [name for name, view in outcome.inputs.items() if view.requires_grad]
    if len(wanting) == len(outcome.outputs) == 1:  # a node behind the one leads to the other
        return outcome.outputs[0].grad_fn is not None
    return reached(outcome).issuperset(wanting)
