"""Ask and tell: picks by a dense solve, and nothing lost to errors."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, RBF, Bandit, GaussianProcess, InputError, Matern, Posterior

GP = GaussianProcess(Matern(0.3, nu=2.5), noise_variance=0.1)
X = np.linspace(0, 1, 21)[:, None]


def test_a_refit_that_fails_changes_nothing() -> None:
    bandit = Bandit(X, GP, GPUCBPE(4))
    with pytest.raises(InputError, match="at least two different values"):
        bandit.refit()
    bandit.tell([0, 10], [0.0, 0.1])
    before = bandit.posterior
    with pytest.raises(InputError, match="a GaussianProcess; got RBF"):
        bandit.refit(lambda gp, points, y: RBF())  # type: ignore[arg-type,return-value]
    assert bandit.posterior is before


def test_points_told_outside_the_candidates_are_refitted_too() -> None:
    bandit = Bandit(X, GP, GPUCBPE(2))
    bandit.tell(None, [1.0, 2.0, 0.0], points=[[0.123], [0.5], [0.9]])
    fitted = bandit.refit()
    expected = Posterior.prior(fitted, X).observe_points([[0.123], [0.5], [0.9]], [1.0, 2.0, 0.0])
    np.testing.assert_allclose(bandit.posterior.mean, expected.mean, atol=1e-9)
