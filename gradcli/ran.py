"""A script that was run and watched, frozen: what it was, how it ended, and the health of its training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gradcli.errors import Span
from gradcli.health import Health, Scaling, Seen
from gradcli.parameters import Parameter
from gradcli.report import Report
from gradcli.results import Note, Result
from gradcli.seen import SeenTensor


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Run(Result):
    """The answer of `run`. `exit_code` is the script's own, None in the report that the script's process writes itself.

    `all` shows every parameter of a long model, and the script's tensors beside them.
    """

    script: str
    arguments: tuple[str, ...]
    health: Health
    exit_code: int | None = None
    all: bool = False

    @property
    def verdict(self) -> str:
        """One sentence."""
        return self.health.verdict

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of all models, as named_parameters() has them."""
        return self.health.parameters

    @property
    def tensors(self) -> tuple[SeenTensor, ...]:
        """The tensors among the script's variables."""
        return self.health.tensors

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was found."""
        return self.health.notes

    def rows(self) -> list[dict[str, Any]]:
        """A flat dictionary for each parameter: `pandas.DataFrame(run.rows())`."""
        return self.health.rows()

    def document(self) -> dict[str, Any]:
        """The JSON object."""
        found = self.health.document()
        head = {key: found.pop(key) for key in ("schema", "command", "status")}
        return {**head, "script": self.script, "arguments": list(self.arguments), **found}

    @classmethod
    def of(cls, document: Mapping[str, Any], exit_code: int | None, all: bool = False) -> Run:
        """The answer of a JSON object."""
        notes = tuple(Note(**{**one, "span": Span(*one["span"]) if one["span"] else None}) for one in document["notes"])
        steps, scaler = document["steps"], document["scaler"]
        health = Health(
            document["verdict"], tuple(map(Parameter.of, document["parameters"])),
            tuple(map(SeenTensor.of, document["tensors"])), notes,
            Seen(steps["seen"], steps["backwards"], steps["measured"], steps["detailed"]),
            None if scaler is None else Scaling(**scaler),
        )  # fmt: skip
        return cls(document["script"], tuple(document["arguments"]), health, exit_code, all)

    def report(self) -> Report:
        """The verdict, the findings by severity, then parameters, or tensors where there are none."""
        return self.health.report(self.all)
