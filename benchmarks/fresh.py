"""A measure in a fresh process: none finds the caches or the memory of another."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module

from benchmarks.race import Row


def measured(name: str, rounds: int | None) -> list[Row]:
    """The rows of a measure; `rounds` None: as many as it finds right."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_rows, name, rounds).result()


def _rows(name: str, rounds: int | None) -> list[Row]:
    return list(import_module(f"benchmarks.{name}").rows(rounds))
