"""A small experiment with everything in it, and what it means that two are equal."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np

from ucbpe_core import GPUCBPE, RBF, ConstantBeta, FiniteBeta, GaussianProcess, Matern
from ucbpe_core.experiment import Experiment, Plan, Table

TIME = "2024-05-31T14:05:00+00:00"
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
    experiment = Experiment.begin(table(), plan(), "Cake & tea", time=TIME)
    return experiment.tell([4, 11], truth([4, 11]), time=TIME)


def rich() -> Experiment:
    """Every kind of entry: a batch told in part, another plan, corrections, undo and redo."""
    experiment = fresh().ask(time=TIME)
    first = list(experiment.ledger.pending)
    experiment = experiment.tell(first[1:2], truth(first[1:2]), time=TIME)
    experiment = experiment.replan(other_plan(), time=TIME).ask(time=TIME)
    experiment = experiment.withdraw([first[0]], time=TIME)
    experiment = experiment.correct(0, 0.25, time=TIME).correct(1, None, time=TIME)
    experiment = experiment.tell([20], [0.5], time=TIME).undo(time=TIME).redo(time=TIME)
    return experiment.undo(time=TIME)


def minimising() -> Experiment:
    """`fresh`, to find the least value, a batch of it told in part."""
    experiment = Experiment.begin(
        table(), replace(plan(), direction="minimize"), "Cake & tea", time=TIME
    )
    experiment = experiment.tell([4, 11], truth([4, 11]), time=TIME).ask(time=TIME)
    first = list(experiment.ledger.pending)[:1]
    return experiment.tell(first, truth(first), time=TIME)


def text_of(experiment: Experiment) -> str:
    """What `Experiment.save` writes."""
    stream = io.StringIO()
    experiment.save(stream)
    return stream.getvalue()


def document_of(experiment: Experiment) -> Any:
    """The same, parsed."""
    return json.loads(text_of(experiment))


def read(document: object) -> Experiment:
    """The experiment that a document says."""
    return Experiment.load(io.StringIO(json.dumps(document)))


def assert_equal(one: Experiment, other: Experiment) -> None:
    """The same table, journal and state; the same belief and open decision, to the last bit."""
    for name in ("journal", "name", "id", "created", "state"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.table.candidates.tobytes() == other.table.candidates.tobytes()
    for name in ("inputs", "output", "labels"):
        assert getattr(one.table, name) == getattr(other.table, name), name
    assert_same_belief(one, other)


def assert_same_belief(one: Experiment, other: Experiment) -> None:
    for name in ("mean", "std"):
        mine, theirs = getattr(one.posterior, name), getattr(other.posterior, name)
        assert mine.tobytes() == theirs.tobytes(), name
    first, second = one.decision, other.decision
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert (first.t, first.n, first.roles) == (second.t, second.n, second.roles)
        for name in ("indices", "stds", "scores", "y_dot", "beta", "region", "region_plus"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
