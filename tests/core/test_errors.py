"""Errors a user can act on: bad input to every part of the public surface."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Posterior,
    UCBPEError,
    fit_hyperparameters,
    problems,
    simulate,
    theory,
)
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.policies import GPUCB, LocalPenalization, RandomSearch
from ucbpe_core.schedules import CompactBeta

GP = GaussianProcess(RBF())
X = np.linspace(0, 1, 5)
BAD: dict[str, Callable[[], object]] = {
    "negative noise": lambda: GaussianProcess(RBF(), noise_variance=-0.1),
    "NaN point": lambda: GP.condition([0.0, np.nan], [1.0, 2.0]),
    "prediction in another dimension": lambda: GP.condition(X, X).predict(np.zeros((1, 2))),
    "NaN in a sample": lambda: GP.sample([np.nan]),
    "too many lengthscales": lambda: GaussianProcess(RBF((1.0, 2.0))).sample(X),
    "fit to constant values": lambda: fit_hyperparameters(GP, X, np.ones(5)),
    "no candidates": lambda: Posterior.prior(GP, np.empty((0, 1))),
    "unknown candidate": lambda: Posterior.prior(GP, X).observe([5], [0.0]),
    "a future posterior": lambda: Posterior.prior(GP, X).at(1),
    "delta 1": lambda: CompactBeta(delta=1),
    "negative beta": lambda: ConstantBeta(-1.0),
    "iteration 0": lambda: FiniteBeta()(0, 5, 1),
    "batch_size 0": lambda: GPUCBPE(batch_size=0),
    "negative policy seed": lambda: RandomSearch(seed=-1),
    "more picks than candidates": lambda: Bandit(X, GP, LocalPenalization(6)).ask(),
    "tell NaN": lambda: Bandit(X, GP, GPUCB()).tell([0], [np.nan]),
    "beta that is a number": lambda: Bandit(X, GP, GPUCB(), 4.0),
    "more initial points than candidates": lambda: simulate(
        problems.from_table(X, X), GPUCB(), initial=6
    ),
    "a function that returns NaN": lambda: problems.from_callable(lambda x: np.nan, [(0, 1)]),
    "a table with a hole": lambda: problems.from_table(X, [1.0, 2.0, np.nan, 4.0, 5.0]),
    "resolution 1": lambda: problems.generated_gp(resolution=1),
    "information without noise": lambda: theory.information_gain(GaussianProcess(RBF(), 0.0), X),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    """A ValueError that says what was expected, what was got and what to do."""
    with pytest.raises(InputError) as failure:
        BAD[name]()
    error = failure.value
    assert isinstance(error, ValueError)
    for part in (error.expected, error.got, error.remedy):
        assert part
        assert part in str(error)
    assert str(error) == f"expected {error.expected}; got {error.got}; {error.remedy}"
    assert len(str(error)) < 250


@pytest.mark.parametrize("kind", [UCBPEError, InputError, IllConditionedError])
def test_errors_travel(kind: type[UCBPEError]) -> None:
    """All are ValueErrors of one family, and survive pickling (another process)."""
    error = kind("this", "that", "do so")
    assert isinstance(error, (UCBPEError, ValueError))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error) == "expected this; got that; do so"
    assert (again.expected, again.got, again.remedy) == ("this", "that", "do so")
