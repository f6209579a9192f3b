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
    for value in ("1.5", None, 1j, [1.0, 2.0], [[1.0], [2.0, 3.0]]):
        with pytest.raises(InputError, match="fun to return one real number; got"):
            minimize(lambda x, value=value: value, BRANIN, batches=0)
    with pytest.raises(InputError, match="x0 with 2 columns"):
        minimize(branin, BRANIN, x0=[1.0])
    with pytest.raises(InputError, match="a point to begin with"):
        minimize(branin, BRANIN, initial=0)
    with pytest.raises(InputError, match="bounds"):
        minimize(branin, [(1.0, 0.0)])
    with pytest.raises(InputError, match="batch_size"):
        minimize(branin, BRANIN, batch_size=0)


def test_a_function_may_write_into_its_x() -> None:
    """With SciPy's own minimisers it may, too."""

    def shifted(x: np.ndarray) -> float:
        x -= 1.0
        return float((x**2).sum())

    result = minimize(shifted, [(-3, 3)] * 2, x0=[0.5, 0.5], batches=0, initial=3)
    np.testing.assert_array_equal(result.X[0], [0.5, 0.5])
    np.testing.assert_array_equal(((result.X - 1) ** 2).sum(axis=1), result.y)


@pytest.mark.parametrize("x0", [[2000.0], [[5.0], [-1e-9]], [np.nan], [np.inf], ["5"]])
def test_points_outside_the_bounds_are_refused(x0: object) -> None:
    with pytest.raises(InputError, match="x0"):
        minimize(lambda x: float(x[0]), [(0, 1000)], x0=x0, batches=0)
    assert minimize(lambda x: float(x[0]), [(0, 1000)], x0=[1000.0], batches=0).X[0] == 1000


@pytest.mark.parametrize(("failure", "noise"), [(np.nan, False), (np.inf, True), (-np.inf, False)])
def test_a_failed_evaluation_is_recorded_and_the_search_goes_on(
    failure: float, noise: bool
) -> None:
    """The left part of the interval fails, and the minimum is beside it."""

    def fun(x: np.ndarray) -> float:
        return float(x[0]) if x[0] >= 0.4 else failure

    result = minimize(fun, [(0, 1)], batches=1, batch_size=2, initial=6, noise=noise)
    failed = result.X[:, 0] < 0.4
    assert 0 < np.count_nonzero(failed) < result.nfev == 8
    np.testing.assert_array_equal(np.isnan(result.y), failed)
    np.testing.assert_array_equal(result.y[~failed], result.X[~failed, 0])
    assert result.fun == result.x[0] >= 0.4
    assert (result.success, result.status, result.nit) == (True, 0, 1)
    assert f"{np.count_nonzero(failed)} of 8 values were not finite" in result.message
    assert len(np.unique(result.X)) == 8  # no failed point is tried again


def test_a_function_that_always_fails_is_explored_and_not_a_success() -> None:
    """All points differ, and the next ones continue the sequence of the first."""
    result = minimize(lambda x: np.nan, BRANIN, batches=2, initial=4)
    assert (result.nfev, result.success, result.status) == (12, False, 2)
    assert np.isnan(result.fun)
    expected = minimize(branin, BRANIN, batches=0, initial=12).X
    np.testing.assert_array_equal(result.X, expected)


def squares(x: np.ndarray, shift: float) -> float:
    return float(((x - shift) ** 2).sum())


def test_workers_may_be_a_number() -> None:
    """As in SciPy's `differential_evolution`; it does not change the result."""
    alone = minimize(squares, BRANIN, (1.0,), batches=0, initial=5)
    for workers in (1, 2, np.int64(2)):
        again = minimize(squares, BRANIN, (1.0,), batches=0, initial=5, workers=workers)
        np.testing.assert_array_equal(again.X, alone.X)
        np.testing.assert_array_equal(again.y, alone.y)


@pytest.mark.parametrize("workers", [0, -2, 2.0, True, "4", None])
def test_other_workers_are_refused(workers: object) -> None:
    with pytest.raises(InputError, match="workers"):
        minimize(branin, BRANIN, workers=workers, batches=0)


def test_workers_that_cannot_run_it_or_lose_values_are_refused() -> None:
    with pytest.raises(InputError, match="a function that other processes can load"):
        minimize(lambda x: float(x[0]), BRANIN, workers=2, batches=0)
    with pytest.raises(InputError, match="one value for each point from workers; got 11 for 12"):
        minimize(branin, BRANIN, workers=lambda f, X: [f(x) for x in X[1:]], batches=0)
