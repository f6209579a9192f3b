"""Small tables and experiments that the tests of the workbench share."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping

import numpy as np

from tests.app.waiting import run
from ucbpe_app.problem import entries
from ucbpe_app.problem.experiment import ExperimentState
from ucbpe_app.problem.results import Results, read_results
from ucbpe_core import Experiment
from ucbpe_core.tables.dialect import Reading
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import guess
from ucbpe_core.tables.table import Table


def truth(x: np.ndarray) -> np.ndarray:
    return np.sin(x.sum(axis=1))


def text(inputs: int = 2, rows: int = 24, known: int = 3) -> str:
    """A table with labels, of which the first rows are measured."""
    X = np.random.default_rng(inputs).uniform(0, 4, (rows, inputs)).round(3)
    y = truth(X)
    lines = [",".join(["sample", *(f"in {i}" for i in range(inputs)), "y"])]
    lines += [
        ",".join([f"S{j}", *map(str, X[j]), f"{y[j]:.4f}" if j < known else ""])
        for j in range(rows)
    ]
    return "\n".join(lines)


def chosen(inputs: int = 2, rows: int = 24, known: int = 3) -> Table:
    sheet = parse(text(inputs, rows, known))
    return Table.of_sheet(sheet, guess(sheet))


def begun(
    inputs: int = 2,
    rows: int = 24,
    known: int = 3,
    policy: str = "Recommended",
    fit: str = "Never",
) -> ExperimentState:
    """An experiment of three picks a batch, with a few measurements told and a fixed prior."""
    experiment = ExperimentState()
    experiment.settings.accept(batch_size=3, policy=policy, fit=fit)
    run(experiment.begin(chosen(inputs, rows, known), "Cake"))
    return experiment


def told(experiment: Experiment) -> tuple[tuple[int, float | None], ...]:
    """Candidate and value of all that counts, in the order told."""
    return tuple((one.index, one.y) for one in experiment.history.data)


def keys(experiment: ExperimentState) -> list[str]:
    """The keys of the fields of what is outstanding."""
    return [f"p{one.t}.{one.k}.{one.index}" for one in experiment.current.history.outstanding]


def ask(state: ExperimentState) -> Awaitable[None]:
    return state.step(Experiment.ask)


def record(state: ExperimentState, texts: Mapping[str, str]) -> Awaitable[None]:
    return state.step(lambda one: entries.record(one, texts))


def correct(state: ExperimentState, texts: Mapping[str, str]) -> Awaitable[None]:
    return state.step(lambda one: entries.correct(one, texts))


def withdraw(state: ExperimentState, key: str) -> Awaitable[None]:
    return state.step(lambda one: entries.withdraw(one, key))


def read(state: ExperimentState, text: str, decimal: str | None = None) -> Results:
    """What a file of results would add."""
    return read_results(text, state.current, Reading(decimal=decimal))
