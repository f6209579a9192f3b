"""Errors a user can act on: bad input to every part of the public surface."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

from ucbpe_core import (
    RBF,
    Bandit,
    GaussianProcess,
    InputError,
    Posterior,
    UCBPEError,
    problems,
    theory,
)
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.policies import LocalPenalization

GP = GaussianProcess(RBF())
X = np.linspace(0, 1, 5)
BAD: dict[str, Callable[[], object]] = {
    "prediction in another dimension": lambda: GP.condition(X, X).predict(np.zeros((1, 2))),
    "NaN in a sample": lambda: GP.sample([np.nan]),
    "unknown candidate": lambda: Posterior.prior(GP, X).observe([5], [0.0]),
    "a future posterior": lambda: Posterior.prior(GP, X).at(1),
    "more picks than candidates": lambda: Bandit(X, GP, LocalPenalization(6)).ask(),
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
