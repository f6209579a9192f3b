"""The noise variance of noise-free data: one for all points, whatever their prior variances."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, RBF, Bandit, GaussianProcess, Kernel, KnownValuesWarning, Posterior
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.gp.linalg import NOISE_FLOOR

pytestmark = pytest.mark.filterwarnings("ignore::ucbpe_core.errors.IllConditionedWarning")

KERNELS: tuple[Kernel, ...] = (
    Polynomial(degree=1, offset=1.0),
    Polynomial(degree=1, offset=400.0),
    Polynomial(degree=2, offset=100.0, variance=1e-6),
    RBF(100.0) * Polynomial(degree=1),
    RBF(100.0) + Polynomial(degree=1),
)
T = np.array([20.0, 60, 120, 200, 280, 350])[:, None]
Y = np.array([3.1, 4.0, 5.2, 5.9, 5.0, 4.1])


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_no_noise_is_one_small_noise(kernel: Kernel) -> None:
    """That of 1e-10 of the largest prior variance, in every way to the same posterior."""
    least = NOISE_FLOOR * float(kernel.diagonal(T).max())
    none, some = GaussianProcess(kernel, 0.0), GaussianProcess(kernel, least)
    np.testing.assert_array_equal(none.effective_noise(kernel.diagonal(T)), [least] * 6)
    expected = some.condition(T[:5], Y[:5]).predict(T)
    whole = Posterior.prior(none, T)
    for found in (
        whole.observe(range(5), Y[:5]),
        whole.observe_points(T[:5], Y[:5]),
        whole.observe([0], Y[:1]).hallucinate([1, 2, 3, 4]).at(1).observe(range(1, 5), Y[1:5]),
    ):
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found.std, expected.std, rtol=1e-4)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_point_beyond_the_candidates_raises_it_for_all(kernel: Kernel) -> None:
    """Whichever comes first, and for points that are hallucinated."""
    largest = float(kernel.diagonal(T).max())
    some = GaussianProcess(kernel, NOISE_FLOOR * largest)
    expected = Posterior.prior(some, T[:2]).observe_points(T, Y)
    prior = Posterior.prior(GaussianProcess(kernel, 0.0), T[:2])
    for order in (range(6), range(5, -1, -1)):
        found = prior
        for i in order:
            found = found.observe_points(T[i : i + 1], Y[i : i + 1])
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-5, atol=1e-5)
    asked = prior.observe([0], Y[:1]).hallucinate_points(T[3:])
    told = expected.at(0).observe([0], Y[:1]).hallucinate_points(T[3:])
    assert asked.n == 4
    np.testing.assert_allclose(asked.std, told.std, rtol=1e-4)
    np.testing.assert_array_equal(np.isnan(asked.y), [False, True, True, True])


def test_what_is_known_without_noise() -> None:
    """A pick measured before is known, also where its prior variance is far below the largest."""
    X = np.array([[0.0], [350.0]])
    bandit = Bandit(X, GaussianProcess(RBF(1.0) * Polynomial(degree=1), 0.0), GPUCBPE(2))
    decision = bandit.ask()
    assert sorted(decision.indices) == [0, 1]
    assert not decision.known.any()
    bandit.tell(decision.indices, [0.5, 0.2])
    with pytest.warns(KnownValuesWarning):
        assert bandit.ask().known.all()
