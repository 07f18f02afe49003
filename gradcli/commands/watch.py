"""Watch a training from inside a program: the same hooks and findings as `gradcli run`, for the length of a block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError

if TYPE_CHECKING:
    from types import TracebackType

    from gradcli.health import Health
    from gradcli.report import Report


class watch:
    """Watch the gradients of a training while a `with` block runs.

    >>> import torch
    >>> model = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> with gradcli.watch(model, optimizer) as health:
    ...     for _ in range(3):
    ...         optimizer.zero_grad()
    ...         model(torch.ones(4, 2)).mean().backward()
    ...         optimizer.step()
    >>> health.verdict
    'healthy: 2 parameters over 3 steps'
    >>> [row["name"] for row in health.rows()]
    ['weight', 'bias']

    Args:
        subjects: the models and optimizers that exist already; those that are made inside the block, and those among
            the variables at hand, are found without.
        every: take norms at every so many steps; without it, at first at each and then as 1 % of the time allows.
        thorough: take norms and all details at each step.
        all: show every parameter, where a long model would have a row a layer.
        thresholds: numbers in place of gradcli's own, by name; docs/reference/thresholds.md lists them.
        on_step: called with a dictionary after each step of an optimizer: step, optimizer, loss, norm, lr, none,
            nonfinite.

    Nothing of the training changes, and nothing stays registered after the block. Raises GradcliError where an option
    is wrong.
    """

    def __init__(
        self, *subjects: Any, every: int | None = None, thorough: bool = False, all: bool = False,
        thresholds: Mapping[str, float] | None = None, on_step: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:  # fmt: skip
        import torch

        from gradcli.training.watching.session import Session

        models = [one for one in subjects if isinstance(one, torch.nn.Module)]
        optimizers = [one for one in subjects if hasattr(one, "param_groups")]
        other = next((one for one in subjects if not any(one is known for known in (*models, *optimizers))), None)
        if other is not None:
            raise GradcliError("usage", f"watch takes models and optimizers, not {type(other).__name__}")
        try:
            self._session = Session(
                every=every, thorough=thorough, all=all, thresholds=thresholds, on_step=on_step, models=models,
                optimizers=optimizers,
            )  # fmt: skip
        except ValueError as error:
            raise GradcliError("usage", str(error)) from None

    def __enter__(self) -> watch:
        self._session.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.end()

    @property
    def health(self) -> Health:
        """What was seen so far, also while the block still runs."""
        return self._session.health()

    @property
    def verdict(self) -> str:
        """One sentence."""
        return self.health.verdict

    @property
    def codes(self) -> frozenset[str]:
        """The codes of all findings."""
        return self.health.codes

    def rows(self) -> list[dict[str, Any]]:
        """A flat dictionary for each parameter: `pandas.DataFrame(health.rows())`."""
        return self.health.rows()

    def report(self) -> Report:
        """What a table, csv or markdown shows of it."""
        return self.health.report(self._session.all)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as plain data."""
        return self.health.to_dict()

    def __str__(self) -> str:
        return str(self.health)

    def _repr_html_(self) -> str:
        return self.health._repr_html_()
