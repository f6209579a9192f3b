"""What fuzzing found: each of these raised something else, or did not end."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core import runs
from tests.core.records.test_history import on_a_box as box
from tests.core.records.test_history import on_a_table as table
from tests.core.runs import text_of as saved
from ucbpe_core import (
    RBF,
    Bandit,
    BoxBandit,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    Policy,
    Posterior,
    Trace,
    fit_hyperparameters,
    minimize,
    problems,
    regret,
    theory,
)
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.gp.fitting import log_marginal_likelihood
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.policies import Decision, LocalPenalization, SimulationMatching, ThompsonSampling
from ucbpe_core.search.experiment import Experiment

X, Y = np.array([[0.0], [1.0]]), np.array([1.0, 2.0])
CUBIC = GaussianProcess(Polynomial(3))
NOISELESS = GaussianProcess(RBF(), 0.0)
FAR = [1e308, -1e308, 1e308]
RAGGED: Any = [[1.0], [1.0, 2.0]]


def prior(gp: GaussianProcess) -> Posterior:
    return Posterior.prior(gp, X)


def ask(kernel: Kernel, policy: Policy, scale: float = 1.0) -> Decision:
    return Bandit(X * scale, GaussianProcess(kernel), policy).ask()


NO_INPUT: dict[str, Callable[[], object]] = {
    "regrets of one batch": lambda: regret.simple([[[1.0]]], 1.0),  # type: ignore[arg-type]
    "regrets of texts": lambda: regret.full_cumulative([["a"]], 1.0),  # type: ignore[arg-type]
    "regrets of nothing": lambda: regret.running_minimum(np.empty((2, 0)), 1.0),
    "an optimum that is none": lambda: regret.batch_cumulative(X, None),  # type: ignore[arg-type]
    "ragged beta": lambda: theory.RegretBounds(RAGGED, Y, 2, 0.1),
    "negative beta": lambda: theory.RegretBounds(-Y, Y, 2, 0.1),
    "gamma that is NaN": lambda: theory.RegretBounds(Y, Y * np.nan, 2, 0.1),
    "beta of no numbers": lambda: theory.union_bound(RAGGED, 2),
    "ragged lengthscales": lambda: RBF(RAGGED),
    "a wide peak": lambda: problems.thin_peak(width=10**400),
    "a peak of no width": lambda: problems.thin_peak(width=0.0),
    "a series that never begins": lambda: problems.mackey_glass(transient=1e300),
    "no noise variance": lambda: problems.from_table(X, Y, noise_variance=None),  # type: ignore[arg-type]
    "a lengthscale for each of other inputs": lambda: fit_hyperparameters(
        GaussianProcess(RBF((1.0, 1.0, 1.0)) + RBF()), X, Y
    ),
    "candidates of other inputs": lambda: ask(RBF((1.0, 1.0)) * Matern(), LocalPenalization(2)),
    "a table of no rows": lambda: problems.from_table(np.empty((0, 2)), []),
}
OUT_OF_RANGE: dict[str, Callable[[], object]] = {
    "a covariance of the data": lambda: CUBIC.condition([[1e120]], [1.0]),
    "a likelihood": lambda: log_marginal_likelihood(CUBIC, [[1e120], [0.0]], Y),
    "a draw of the prior": lambda: CUBIC.sample([[1e120]]),
    "a prediction": lambda: CUBIC.condition(X, Y).predict([[1e200]]),
    "a draw of the posterior": lambda: CUBIC.condition(X, Y).sample([[1e200]]),
    "a prior over candidates": lambda: Posterior.prior(CUBIC, [[1e120]]),
    "a point beside the candidates": lambda: prior(CUBIC).observe_points([[1e200]], [1]),
    "a noise variance": lambda: prior(GaussianProcess(RBF(1.0, 1e308), 1e308)).observe([0], [1.0]),
    "a mean": lambda: prior(NOISELESS).observe([0, 1, 0], FAR),
    "a covariance that jitter would overflow": lambda: GaussianProcess(
        RBF(1.0, np.finfo(float).max)
    ).sample(np.zeros((2, 1))),
    "a point over its lengthscale": lambda: RBF(1e-320).evaluate(X, X),
    "a batch of a short lengthscale": lambda: ask(RBF(1e-320), ThompsonSampling(2)),
    "a batch of far candidates": lambda: ask(RBF(0.5), SimulationMatching(2), 1.7e308),
}


@pytest.mark.parametrize("what", NO_INPUT)
def test_what_no_function_can_take(what: str) -> None:
    with pytest.raises(InputError, match=r"expected .+; got .+; .+"):
        NO_INPUT[what]()


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::ucbpe_core.IllConditionedWarning")
@pytest.mark.parametrize("what", OUT_OF_RANGE)
def test_what_is_beyond_double_precision(what: str) -> None:
    """Never a NaN, and never the error of a library."""
    with pytest.raises(IllConditionedError, match=r"expected .+; got .+; .+"):
        OUT_OF_RANGE[what]()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_draw_out_of_range_leaves_the_bandit_as_it_was() -> None:
    bandit = Bandit(X, NOISELESS, ThompsonSampling(2, seed=0))
    with pytest.raises(IllConditionedError):
        bandit.tell([0, 1, 0], FAR)
    assert len(bandit.process.y) == 0
    assert len(bandit.ask().indices) == 2


@pytest.mark.parametrize(
    ("make", "load", "path", "value"),
    [
        (table, Bandit.load, "table.candidates.points", [[0.1], [0.2, 0.3], [0.4, 0.5]]),
        (table, Bandit.load, "history.steps.2.added", []),
        (table, Bandit.load, "history.steps.2.batches", []),
        (table, Bandit.load, "history.steps.1.added.0.point", [0.1]),
        (box, BoxBandit.load, "box.bounds", [[0.0, 1.0], [0.5]]),
        (box, BoxBandit.load, "box.bounds", [[0.0, 1.0]]),
        (box, BoxBandit.load, "history.steps.1.added.0.point", [1.0]),
        (box, BoxBandit.load, "history.steps.1.added.0.point", [1.0, 2.0, 3.0]),
        (runs.small_run, Trace.load, "history.steps.0.added", []),
    ],
)
def test_lists_of_lengths_that_do_not_agree(make: Any, load: Any, path: str, value: Any) -> None:
    document = json.loads(saved(make()))
    del document["checksum"], document["history"]["checksum"]
    document = runs.changed(document, path, value)
    with pytest.raises(InputError, match=r"expected .+; got .+; .+"):
        load(io.StringIO(json.dumps(document)))


def test_a_single_argument_of_a_function_needs_no_tuple() -> None:
    found = minimize(lambda x, a: (x[0] - a) ** 2, [(0, 1)], 0.5, batches=0)
    assert found.fun == np.min((found.X - 0.5) ** 2)


def test_a_seed_of_numpy_is_saved_with_the_experiment(tmp_path: Path) -> None:
    policy = SimulationMatching(2, seed=np.int64(3))  # type: ignore[arg-type]
    assert type(policy.seed) is int
    asked = Experiment(runs.table(), replace(runs.plan(), policy=policy))
    asked.ask()
    asked.save(tmp_path / "own.json")
    loaded = Experiment.load(tmp_path / "own.json")
    assert runs.text_of(loaded) == runs.text_of(asked)


def test_candidates_whose_squares_overflow_are_matched() -> None:
    far = ask(RBF(1e300), SimulationMatching(2), 1.7e308)
    near = ask(RBF(1e300 * 2.0**-1000), SimulationMatching(2), 1.7e308 * 2.0**-1000)
    np.testing.assert_array_equal(far.indices, near.indices)
    np.testing.assert_array_equal(far.scores, near.scores)
