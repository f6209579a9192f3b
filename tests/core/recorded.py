"""A small experiment with everything in it, and what it means that two are equal."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np

from tests.core.runs import assert_equal_fields as assert_same
from tests.core.runs import document_of as document_of
from tests.core.runs import text_of as text_of
from ucbpe_core import GPUCBPE, RBF, Bandit, ConstantBeta, FiniteBeta, GaussianProcess, Matern
from ucbpe_core.experiment import Experiment, Plan, Table

NAMES = ("temperature (°C)", 'time, "min"')


def truth(members: Any) -> np.ndarray:
    """What the experiments give."""
    x = table().candidates[np.asarray(members)]
    return np.sin(0.1 * x[:, 0]) + 0.2 * x[:, 1]


def table() -> Table:
    """30 candidates of two inputs, with labels."""
    rng = np.random.default_rng(0)
    X = np.stack([rng.uniform(20, 90, 30), rng.uniform(1, 5, 30)], axis=1)
    return Table(NAMES, X, "yield", (("sample", tuple(f"S<{j}>" for j in range(30))),))


def plan(batch_size: int = 3, *, lengthscale: float = 12.0) -> Plan:
    kernel = Matern((lengthscale, 0.9), variance=1.3, nu=2.5)
    return Plan(GaussianProcess(kernel, 0.02, 0.4), GPUCBPE(batch_size), FiniteBeta(scale=0.3))


def other_plan() -> Plan:
    return Plan(GaussianProcess(RBF((9.0, 1.1), 0.8), 0.05), GPUCBPE(2), ConstantBeta(3.0))


def fresh() -> Experiment:
    """Begun, with two measurements told."""
    experiment = Experiment(table(), plan(), "Cake & tea")
    experiment.tell([4, 11], truth([4, 11]))
    return experiment


def rich() -> Experiment:
    """Every kind of step: a batch told in part, another plan, corrections, undo and redo."""
    experiment = fresh()
    first = experiment.ask().indices.tolist()
    experiment.tell(first[1:2], truth(first[1:2]))
    experiment.replan(other_plan())
    second = experiment.ask().indices.tolist()
    experiment.withdraw([first[0]])
    experiment.fail(second[0], "the flask <broke>")
    experiment.correct(0, 0.25)
    experiment.correct(1, None)
    experiment.allow([first[0]])
    experiment.tell([20], [0.5], 0.3)
    for _ in range(2):
        experiment.undo()
    experiment.redo()
    return experiment


def read(document: object) -> Experiment:
    """The experiment that a document says."""
    return Experiment.load(io.StringIO(json.dumps(document)))


def assert_equal(one: Experiment, other: Experiment) -> None:
    """The same table, steps and belief, and the same open decision, to the last bit."""
    assert one.document() == other.document()
    for name in ("name", "id", "created", "history", "journal"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.table.candidates.tobytes() == other.table.candidates.tobytes()
    assert_same_belief(one, other)


def assert_same_belief(one: Bandit, other: Bandit) -> None:
    for name in ("mean", "std"):
        mine, theirs = getattr(one.posterior, name), getattr(other.posterior, name)
        assert mine.tobytes() == theirs.tobytes(), name
    first, second = one.decision, other.decision
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert_same(first, second)
