"""`minimize` beside known minima, and in the manner of SciPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.optimize import Bounds, OptimizeResult

from ucbpe_core import ConstantBeta, InputError, minimize

BRANIN = [(-5.0, 10.0), (0.0, 15.0)]


def branin(x: np.ndarray, shift: float = 0.0) -> float:
    valley = x[1] - 5.1 * x[0] ** 2 / (4 * np.pi**2) + 5 * x[0] / np.pi - 6
    return valley**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x[0]) + 10 + shift


@pytest.mark.slow
def test_branin_in_52_evaluations() -> None:
    """Its minimum is 0.397887; twelve points of a design, and ten batches of four."""
    result = minimize(branin, BRANIN, (100.0,), batches=10, seed=1)
    assert isinstance(result, OptimizeResult)
    assert (result.nfev, result.nit, result.success, result.status) == (52, 10, True, 0)
    assert result.fun == pytest.approx(100.397887, abs=0.02)
    assert result.fun == branin(result.x, 100.0) == result.y.min()
    assert (result.X.shape, result.y.shape) == ((52, 2), (52,))
    low, high = np.transpose(BRANIN)
    assert ((low <= result.X) & (high >= result.X)).all()


def test_the_same_seed_gives_the_same_search_whatever_the_workers() -> None:
    alone = minimize(branin, BRANIN, batches=1, seed=3)
    with ThreadPoolExecutor(4) as pool:
        together = minimize(branin, Bounds(*np.transpose(BRANIN)), batches=0, workers=pool.map)
        again = minimize(branin, BRANIN, batches=1, seed=3, workers=pool.map)
    np.testing.assert_array_equal(again.X, alone.X)
    assert not np.array_equal(together.X[:12], alone.X[:12])  # another seed


def test_whole_batches_go_to_the_workers() -> None:
    sizes = list[int]()

    def workers(f: Callable[[np.ndarray], float], X: Iterable[np.ndarray]) -> Iterable[float]:
        points = list(X)
        sizes.append(len(points))
        return map(f, points)

    minimize(branin, BRANIN, batches=2, batch_size=3, initial=5, workers=workers)
    assert sizes == [5, 3, 3]


@pytest.mark.slow
def test_a_noisy_function_is_judged_by_the_posterior_mean() -> None:
    """The least value seen is an accident; the point returned is near the minimum, at 0.3."""
    rng = np.random.default_rng(0)

    def noisy(x: np.ndarray) -> float:
        return float(4 * (x[0] - 0.3) ** 2 + 0.3 * rng.standard_normal())

    result = minimize(noisy, [(-1.0, 1.0)], batches=12, noise=True, beta=ConstantBeta(4.0))
    assert abs(result.x[0] - 0.3) < 0.2
    assert 0.02 < result.gp.noise_variance < 0.4  # 0.09
    mean = result.gp.condition(result.X, result.y).predict(result.X).mean
    assert result.fun == result.y[np.argmin(mean)]


def test_points_known_before_come_first_and_a_callback_ends_it() -> None:
    seen = list[int]()

    def stop(result: OptimizeResult) -> None:
        seen.append(result.nfev)
        if result.nit == 2:
            raise StopIteration

    result = minimize(branin, BRANIN, x0=[np.pi, 2.275], initial=3, batch_size=2, callback=stop)
    assert seen == [6, 8]
    assert (result.nit, result.status) == (2, 1)
    assert result.message == "the callback ended the search"
    np.testing.assert_array_equal(result.X[0], [np.pi, 2.275])
    assert result.fun <= branin(np.array([np.pi, 2.275]))


def test_a_flat_function_and_no_batch_are_no_trouble() -> None:
    flat = minimize(lambda x: 1.0, BRANIN, batches=1)
    assert (flat.fun, flat.nfev) == (1.0, 16)
    design = minimize(branin, BRANIN, batches=0)
    assert (design.nfev, design.gp) == (12, None)
    assert minimize(lambda x: x @ x, [(-1, 1)], batches=1, x0=np.zeros((1, 1)), initial=0).fun == 0


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="the value of fun to be finite; got nan"):
        minimize(lambda x: np.nan, BRANIN, batches=1)
    with pytest.raises(InputError, match="x0 of 2 coordinates"):
        minimize(branin, BRANIN, x0=[1.0])
    with pytest.raises(InputError, match="a point to begin with"):
        minimize(branin, BRANIN, initial=0)
    with pytest.raises(InputError, match="bounds"):
        minimize(branin, [(1.0, 0.0)])
    with pytest.raises(InputError, match="batch_size"):
        minimize(branin, BRANIN, batch_size=0)
