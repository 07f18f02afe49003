"""Random lines for the doors that read many: requests of `batch` as JSON with slips, and what is typed into `repl`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random

from gradcli import commands
from gradcli.doors.options import options_of
from gradcli.doors.repl.orders import ORDERS
from tests.fuzz import texts
from tests.fuzz.requests import MEMORY, OTHERS, Request, request

ODD = (None, True, False, 0, -1, 2.5, 10**30, "", "A", "x" * 300, [], {}, [1, [2]], ["A=1", "B"], {"A": None}, {"real": 1, "imag": 2},
       "\ud800", "\x1b[31m", "-Infinity", "@nothing.npy", "@-", "-", "-1:1:5")  # fmt: skip
ORDERS_HERE = tuple(name for name in ORDERS if name not in {"run", "quit", "debug"})


@dataclass(frozen=True)
class Lines:
    """What stands on standard input of a door."""

    door: str
    text: str


def lines(random: Random) -> Lines:
    """A few lines for one of the doors."""
    if random.random() < 0.5:
        return Lines("batch", "\n".join(_line(random) for _ in range(random.randint(1, 3))))
    return Lines("repl", "\n".join(_typed(random) for _ in range(random.randint(1, 6))))


def _line(random: Random) -> str:
    asked = request(random)
    document: dict[str, object] = {"command": asked.command, "expression": asked.text, "at": asked.at,
                                   "const": asked.const, **asked.options, "max_memory": MEMORY}  # fmt: skip
    known = {one.keyword for one in options_of(commands.command(asked.command))} | {"command", "expression"}
    if random.random() < 0.95:
        document = {key: value for key, value in document.items() if key in known}
    while random.random() < 0.25:
        document[random.choice((*document, "id", "notes", "verify", "save", "Å"))] = random.choice(ODD)
    text = json.dumps(document, ensure_ascii=random.random() < 0.5)
    if random.random() < 0.1:
        text = texts.mutated(random, text)
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _typed(random: Random) -> str:
    asked = request(random)
    kind = random.random()
    if kind < 0.3 and asked.at:
        text = f"{random.choice(texts.NAMES)} = {random.choice(tuple(asked.at.values()))}"
    elif kind < 0.5:
        text = f"{random.choice(texts.NAMES)} = {asked.text}"
    elif kind < 0.75:
        text = asked.text
    else:
        text = f":{random.choice(('grad', 'eval', *OTHERS, *ORDERS_HERE))} {_after(random, asked)}"
    return texts.mutated(random, text) if random.random() < 0.1 else text


def _after(random: Random, asked: Request) -> str:
    flags = [word for word in asked.words()[5:-2] if "=" in word or word.startswith("--")]
    return random.choice(("", random.choice(texts.NAMES), "on", "off", asked.text, f"{asked.text} {' '.join(flags)}"))
