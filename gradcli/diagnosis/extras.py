"""Notes on what the options of `grad` add to an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.engine.gradient import Outcome
from gradcli.extras import Extra, Higher, History, Lost, Scaling
from gradcli.results import Note


def notes_on(outcome: Outcome, extra: Extra) -> Iterator[Note]:
    """What is to be known of an extra; nothing where backward did not run."""
    if not outcome.went_back:
        return
    if isinstance(extra, Higher):
        yield from _on_higher(outcome, extra)
    elif isinstance(extra, History):
        yield from _on_history(outcome, extra)
    else:
        yield from _on_scaling(outcome, extra)


def _on_higher(outcome: Outcome, higher: Higher) -> Iterator[Note]:
    """Whether the derivatives are those of each element."""
    if higher.order < 2:
        return
    reached = [name for name, found in higher.derivatives.items() if found[0] is not None]
    summed = [name for name in reached if name not in higher.elementwise]
    if numbers := [name for name in summed if _one(outcome, name)]:
        summed = [name for name in summed if name not in numbers]
    if single := [name for name in reached if name in higher.elementwise and outcome.inputs[name].value.numel() > 1]:
        yield _remark(f"every operation works element by element: order k is the k-th derivative of each element of "
                      f"{_listed(single)}.")  # fmt: skip
    if summed:
        yield _remark(f"the elements of {_listed(summed)} are mixed on the way to the output: each order is the gradient of "
                      "the sum of the one before.")  # fmt: skip


def _on_history(outcome: Outcome, history: History) -> Iterator[Note]:
    """What accumulated, and what zero_grad() changed."""
    if history.calls > 1:
        if history.kept is None:
            yield _remark("backward() adds to .grad: after each call it holds the sum of all gradients so far "
                          "(--zero-grad sets it to None before each).")  # fmt: skip
        else:
            yield _remark("zero_grad() set .grad to None before each call, so each .grad is the gradient of that call; "
                          "without it they add up.")  # fmt: skip
    made = [name for name in history.grads if outcome.inputs[name].origin == "inside"]
    if made:
        yield _remark(f"the text makes {_listed(made)} anew for each call, with no .grad yet: give the value with --at to see "
                      "it accumulate.")  # fmt: skip


def _on_scaling(outcome: Outcome, scaling: Scaling) -> Iterator[Note]:
    """What under- or overflowed at the scale, what the scale saved, and which scales keep everything."""
    if scaling.lost is None or scaling.plain is None:
        yield _remark("what under- or overflowed is not told: in float64 the text draws other random numbers, or has no "
                      "gradient.")  # fmt: skip
        return
    if scaling.searched:
        yield _on_window(scaling)
    scale = _power(scaling.scale)
    for name, lost in scaling.lost.items():
        dtype = outcome.inputs[name].dtype
        for code, count in (("G601", lost.under), ("G602", lost.over)):
            if count:
                entry = CATALOGUE[code]
                facts = {"count": f"{count:,}", "of": f"{lost.of:,}", "name": name, "dtype": dtype, "scale": scale}
                message = entry.says["scaled"].format(**facts, are="is" if count == 1 else "are")
                yield Note(code, entry.level, message, None, name)
        before = scaling.plain[name]
        if before.under > lost.under:
            yield _remark(f"without a loss scale {before.under:,} of the {before.of:,} gradients of {name} that are not 0 in "
                          f"float64 would be 0 in {dtype}; at {scale} {lost.under or 'none'} are.")  # fmt: skip
    yield from _on_unscaling(outcome, scaling)


def _on_window(scaling: Scaling) -> Note:
    tried = "of the powers of two from 2^0 to 2^24"
    if scaling.window is None:
        worst = sum(one.under + one.over for one in (scaling.lost or {}).values())
        message = (f"no loss scale {tried} keeps every gradient that is not 0 in float64: {_power(scaling.scale)} loses "
                   f"fewest, {worst:,}.")  # fmt: skip
        return Note(None, "warning", message)
    least, most = map(_power, scaling.window)
    span = f"from {least} to {most} keep" if least != most else f"{least} alone keeps"
    return _remark(f"{tried}, those {span} every gradient that is not 0 in float64; shown at {_power(scaling.scale)}.")


def _on_unscaling(outcome: Outcome, scaling: Scaling) -> Iterator[Note]:
    narrow = [name for name, grad in scaling.scaled.items() if grad is not None and grad.itemsize < 4]
    if narrow:
        dtypes = " and ".join(sorted({outcome.inputs[name].dtype for name in narrow}))
        yield _remark(f".grad is unscaled in float32: in {dtypes} what the scale saved would vanish again.")


def _power(scale: float) -> str:
    """2^10 for 1024; other numbers as they are."""
    mantissa, exponent = scale.hex().split("p")
    return f"2^{int(exponent)}" if float.fromhex(mantissa) == 1 else f"{scale:g}"


def _one(outcome: Outcome, name: str) -> bool:
    """Whether input and output are one number each: its derivatives need no word."""
    return outcome.inputs[name].value.numel() == 1 and all(one.numel() == 1 for one in outcome.results)


def _listed(names: list[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"


def _remark(message: str) -> Note:
    return Note(None, "info", message)
