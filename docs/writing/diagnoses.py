"""The diagnoses: what each code is called, what it says, and a command that shows it at work."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradcli.diagnosis.catalogue import CATALOGUE, Entry
from gradcli.diagnosis.refusals import PATTERNS
from writing.markdown import plain, table

# Code -> a command whose answer carries it. A code without one is told without an example.
EXAMPLES: dict[str, str] = {
    "G101": 'gradcli grad "with torch.no_grad(): B = A**2 + 16" --at "[5.0]"',
    "G102": 'gradcli grad "A.detach()*2" --at 5',
    "G103": 'gradcli grad "(A > 0)*1.0" --at 5',
    "G104": 'gradcli grad "A*5" --at A=5 --at B=6',
    "G105": 'gradcli grad "B = A*2; C = B*3; B.grad" --at 5',
    "G106": 'gradcli grad "A*5" --at "arange(3)"',
    "G107": 'gradcli grad "B = torch.tensor(A*2, requires_grad=True); B*3" --at 5',
    "G108": 'gradcli grad "A.item()*2" --at 5',
    "G109": 'gradcli grad "A.detach()*2 + A" --at 5',
    "G201": 'gradcli grad "A*5" --at "[1, 2, 3]"',
    "G202": 'gradcli grad "B = exp(A); B += 1; B" --at 5',
    "G203": 'gradcli grad "A += 1; A*2" --at 5',
    "G204": 'gradcli grad "loss = A*5; loss.backward(); loss.backward()" --at 5',
    "G205": 'gradcli grad "A*5" --at 1+2j',
    "G207": 'gradcli grad "with torch.inference_mode(): B = A*2\n> B*A" --at 5',
    "G208": 'gradcli grad "B = (A*2).expand(3); B.add_(1)" --at 5',
    "G210": 'gradcli grad "A//2" --at 5',
    "G301": 'gradcli grad "sin(A)/A" --at 0',
    "G302": 'gradcli grad "where(A > 0, sqrt(A), 0)" --at "[0, 4]"',
    "G303": 'gradcli grad "acos(A)" --at 1',
    "G304": 'gradcli grad "sqrt((A-1)**2)" --at 1',
    "G305": 'gradcli grad "torch.linalg.eigh(A).eigenvectors.sum()" --at "eye(2)"',
    "G401": 'gradcli grad "round(A)*2" --at 1.7',
    "G402": 'gradcli grad "sigmoid(A)" --at 200',
    "G403": 'gradcli grad "A + 0*B" --at A=1 --at B=2',
    "G404": 'gradcli grad "sigmoid(A)" --at "100*arange(1., 25)-100"',
    "G501": 'gradcli grad "F.relu(A)" --at 0',
    "G601": 'gradcli grad "(A*1e-8).sum()" --at "[1, 2]" --dtype float16',
    "G602": 'gradcli grad "(A**2).sum().sqrt()" --at "[300, 400]" --dtype float16',
    "G603": 'gradcli grad "A + B" --at A=4096 --at B=1 --dtype bfloat16',
    "G605": 'gradcli grad "(A - B).sum()" --at "A=[[1], [2], [3]]" --at "B=[1, 2, 3]"',
    "G606": 'gradcli grad "A[[0, 0, 1]]*2" --at "[1, 2]"',
}

_FACT = re.compile(r"\{(\w+)\}")


def diagnoses() -> Iterator[str]:
    """A table of all codes, and a section for each."""
    yield from table(
        ("code", "name", "level"),
        ((f"[{one.code}](#{one.code.lower()}-{one.name})", one.name, one.level) for one in CATALOGUE.values()),
    )
    yield ""
    for entry in CATALOGUE.values():
        yield from _section(entry)


def _section(entry: Entry) -> Iterator[str]:
    yield f"## {entry.code} {entry.name}"
    yield ""
    for sentence in entry.says.values():
        yield "- " + plain(_FACT.sub(r"‹\1›", sentence))
    hints = list(dict.fromkeys(hint for _, one, hint in PATTERNS if one == entry.code))
    if hints:
        yield f"What to do: {plain('; or '.join(hints))}."
    if entry.says or hints:
        yield ""
    if entry.code in EXAMPLES:
        yield from ("```console", *f"$ {EXAMPLES[entry.code]}".split("\n"), "```", "")
