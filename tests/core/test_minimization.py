"""`minimize` beside known minima, and in the manner of SciPy."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.optimize import Bounds, OptimizeResult

from ucbpe_core import GPUCBPE, ConstantBeta, GaussianProcess, InputError, Matern, minimize
from ucbpe_core.gp.fitting import Warp
from ucbpe_core.spaces import Category, Integer, Real

if TYPE_CHECKING:
    from ucbpe_core.policies.schedules import RunState
    from ucbpe_core.support.validation import Repeats

START = {"parts": 1, "acid": "c", "rate": 0.5, "heat": 60.0}
BRANIN = [(-5.0, 10.0), (0.0, 15.0)]


def branin(x: np.ndarray, shift: float = 0.0) -> float:
    valley = x[1] - 5.1 * x[0] ** 2 / (4 * np.pi**2) + 5 * x[0] / np.pi - 6
    return valley**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x[0]) + 10 + shift


@pytest.mark.slow
def test_branin_in_46_evaluations() -> None:
    """Its minimum is 0.397887; six points of a design, and ten batches of four."""
    result = minimize(branin, BRANIN, (100.0,), batches=10, seed=1)
    assert isinstance(result, OptimizeResult)
    assert (result.nfev, result.nit, result.success, result.status) == (46, 10, True, 0)
    assert result.fun == pytest.approx(100.397887, abs=0.02)
    assert result.fun == branin(result.x, 100.0) == result.y.min()
    assert (result.X.shape, result.y.shape) == ((46, 2), (46,))
    low, high = np.transpose(BRANIN)
    assert ((low <= result.X) & (high >= result.X)).all()


def test_workers_do_not_change_the_search() -> None:
    options = {"batches": 2, "batch_size": 3, "initial": 5, "seed": 3}
    alone = minimize(branin, Bounds(*np.transpose(BRANIN)), **options)
    with ThreadPoolExecutor(4) as pool:
        again = minimize(branin, BRANIN, workers=pool, **options)
    np.testing.assert_array_equal(again.X, alone.X)
    np.testing.assert_array_equal(again.y, alone.y)
    assert not np.array_equal(minimize(branin, BRANIN, batches=0, initial=5).X, alone.X[:5])


class Later(Executor):
    """Of K open calls the one that was started last is done; all are once `ends` were started."""

    def __init__(self, K: int, ends: tuple[int, int]) -> None:
        self.K, self.ends, self.order = K, ends, list[int]()
        self.open = list[tuple[int, Future[float], Callable[[], float]]]()
        self.started = 0

    def submit(self, call: Any, x: np.ndarray) -> Future[float]:  # type: ignore[override]
        future = Future[float]()
        self.open.append((self.started, future, lambda: call(x)))
        self.started += 1
        while self.open and (len(self.open) == self.K or self.started in self.ends):
            number, done, value = self.open.pop()
            self.order.append(number)
            done.set_result(value())
        return future


def test_results_may_come_one_by_one_in_any_order() -> None:
    """Each later point is chosen while K - 1 others have no result; all values are kept."""
    later, open_at, ends = Later(3, (4, 13)), list[int](), list[int]()

    def measured(x: np.ndarray) -> float:
        open_at.append(len(later.open))
        return branin(x)

    result = minimize(
        measured, BRANIN, workers=later, together=False, batches=3, batch_size=3, initial=4,
        seed=1, callback=lambda found: ends.append(found.nfev),
    )  # fmt: skip
    assert later.order == [2, 3, 1, 0, 6, 7, 8, 9, 10, 11, 12, 5, 4]
    assert open_at[4:11] == [2] * 7
    assert (result.nfev, result.nit, ends) == (13, 3, [7, 10, 13])
    assert result.y.tolist() == [branin(x) for x in result.X]
    assert len(np.unique(result.X, axis=0)) == 13
    assert result.fun == result.y.min()


def test_one_by_one_in_this_process_each_result_comes_by_itself() -> None:
    """The next point is chosen with all values before it, whatever K is."""
    known, calls = list[int](), list[float]()

    def fun(x: np.ndarray) -> float:
        calls.append(branin(x))
        return calls[-1]

    found = minimize(
        fun, BRANIN, together=False, batches=2, batch_size=2, initial=3,
        callback=lambda result: known.append(result.nfev),
    )  # fmt: skip
    assert (found.nfev, found.nit, known) == (7, 2, [5, 7])
    assert found.y.tolist() == calls


def test_a_growing_beta_grows() -> None:
    """t is the number of the batch."""
    seen = list[int]()

    class Seen(ConstantBeta):
        def unscaled(self, run: RunState) -> float:
            seen.append(run.t)
            return 4.0

    minimize(branin, BRANIN, batches=3, batch_size=1, policy=GPUCBPE(), beta=Seen(4.0))
    assert seen == [1, 2, 2, 3, 3, 4]


@pytest.mark.parametrize("repeats", ["avoid", "allow"])
def test_without_noise_no_point_is_evaluated_twice_unless_allowed(repeats: Repeats) -> None:
    """The minimum is in a corner, which is picked in every batch if it may be."""
    options = {"batches": 2, "batch_size": 2, "initial": 8}
    result = minimize(lambda x: x[0], [(0, 1)], repeats=repeats, **options)
    apart = np.diff(np.sort(result.X[:, 0])).min()
    assert bool(apart > 1e-6) is (repeats == "avoid")


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


def cliff(x: np.ndarray) -> float:
    """A valley with its minimum 0 at (1, -2), between walls of eight decades."""
    return float(np.expm1(((x - [1.0, -2.0]) ** 2 / [2.0, 1.0]).sum()))


def test_values_of_many_decades_are_warped_before_each_fit() -> None:
    """The prior that is returned is one of warped values, of the size that those have."""
    result = minimize(cliff, [(-3, 5), (-6, 2)], batches=4, batch_size=3, seed=2)
    known = result.nfev - 3  # the last batch came after the last fit
    X, y = result.X[:known], result.y[:known]
    assert result.warp == Warp.of(y)
    z = result.warp(y)
    assert result.gp.condition(X, z).predict(X).mean == pytest.approx(z, abs=0.2 * z.std())
    assert 0.3 < result.gp.kernel.variance / z.var() < 3 < y.var() / z.var()


@pytest.mark.parametrize("given", [{"noise": True}, {"policy": GPUCBPE()}, {"warp": False}])
def test_values_are_not_warped(given: dict[str, Any]) -> None:
    """Where it was not studied, and where it would change what a rule of the theory is told."""
    result = minimize(cliff, [(-3, 5), (-6, 2)], batches=1, **given)
    assert result.warp == Warp()
    assert result.gp.kernel.variance > 0.01 * result.y[:6].var()


@pytest.mark.slow
def test_warping_comes_nearer_to_the_bottom_of_a_curved_valley() -> None:
    """Rosenbrock's, with walls of five decades: for most of four seeds, by half in the mean."""

    def rosenbrock(x: np.ndarray) -> float:
        return float(100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)

    options: dict[str, Any] = {"batches": 6, "batch_size": 4}
    gaps = [
        [minimize(rosenbrock, [(-5, 5)] * 2, seed=s, warp=w, **options).fun for s in range(4)]
        for w in (True, False)
    ]
    ratios = np.divide(*gaps)
    assert np.median(ratios) < 1
    assert np.log(ratios).mean() < np.log(0.5)


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
    assert (flat.fun, flat.nfev) == (1.0, 10)
    design = minimize(branin, BRANIN, batches=0)
    assert (design.nfev, design.gp) == (6, None)
    edge = minimize(lambda x: x @ x, [(0, 9)], batches=1, x0=np.zeros((1, 1)), initial=0)
    assert edge.fun == 0


def test_whole_numbers_categories_and_what_is_not_feasible() -> None:
    """fun is called with settings, each once; the best of all 240 that are feasible is found."""
    space = {
        "parts": Integer(1, 6), "acid": Category(("a", "b", "c")),
        "rate": Real(0.01, 1.0, log=True), "heat": Real(20, 60, step=10),
    }  # fmt: skip
    seen = list[tuple[object, ...]]()

    def cost(setting: dict[str, Any]) -> float:
        seen.append(tuple(setting.values()))
        off = np.log10(setting["rate"]) + 1
        return float(
            (setting["parts"] - 5) ** 2 + off**2 + (setting["acid"] != "b") + setting["heat"] / 20
        )

    result = minimize(
        cost, space, batches=5, batch_size=4, initial=10, x0=START,
        feasible=lambda setting: setting["parts"] * setting["heat"] <= 150,
    )  # fmt: skip
    assert len(set(seen)) == len(seen) == result.nfev == 31
    assert seen[0] == tuple(START.values())
    assert all(parts * heat <= 150 for parts, _, _, heat in seen)
    assert (result.x["parts"], result.x["acid"], result.x["heat"]) == (5, "b", 20.0)
    assert result.fun == cost(result.x) < 1.2
    assert result.space.settings(result.X)[0] == START


def test_settings_that_are_finitely_many_are_evaluated_once_each() -> None:
    result = minimize(lambda s: s["n"], {"n": Integer(1, 5)}, batches=3, batch_size=2)
    assert (result.nfev, result.fun, result.x) == (5, 1.0, {"n": 1})
    with pytest.raises(InputError, match="a feasible setting"):
        minimize(lambda s: s["n"], {"n": Integer(1, 5)}, feasible=lambda s: False)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "x0 of another dimension": ({"x0": [1.0]}, "x0 with 2 columns"),
    "x0 outside": ({"x0": [11.0, 0.0]}, "x0 within the bounds"),
    "no point": ({"initial": 0}, "a point to begin with"),
    "batch_size": ({"batch_size": 0}, "batch_size"),
    "repeats": ({"repeats": "no"}, "repeats"),
    "fun": ({"fun": None}, "fun to be a function"),
    "policy": ({"policy": GPUCBPE}, r"a Policy; got the class GPUCBPE; call it: GPUCBPE\(\.\.\)"),
    "gp": ({"gp": Matern()}, "a GaussianProcess; got Matern"),
    "lengthscales": ({"gp": GaussianProcess(Matern((1.0, 2.0, 3.0)))}, "2 lengthscales"),
    "beta": ({"beta": 4.0}, "a BetaSchedule; got float"),
    "callback": ({"callback": "stop"}, "callback to be a function"),
    "noise": ({"noise": 0.1}, "noise false or true; got 0.1"),
    "warp": ({"warp": "log"}, "warp false or true; got 'log'"),
    "a function of this process": ({"workers": 2, "fun": lambda x: x[0]}, "other processes can"),
    **{f"workers {w!r}": ({"workers": w}, "workers") for w in (0, -2, -1.0, 2.0, True, map)},
    **{
        f"fun that returns {y!r}": ({"fun": lambda x, y=y: y}, "fun to return one real number")
        for y in ("1.5", 1j, [1.0, 2.0])
    },
}


@pytest.mark.parametrize("name", BAD)
def test_arguments_are_checked_before_anything_is_evaluated(name: str) -> None:
    """An evaluation can take days."""
    given, message = BAD[name]
    calls = list[np.ndarray]()
    with pytest.raises(InputError, match=message):
        minimize(**{"fun": lambda x: calls.append(x) or 0.0, "bounds": BRANIN, **given})
    assert not calls


def test_a_function_may_write_into_its_x() -> None:
    """With SciPy's own minimisers it may, too."""

    def shifted(x: np.ndarray) -> float:
        x -= 1.0
        return float((x**2).sum())

    result = minimize(shifted, [(-3, 3)] * 2, x0=[0.5, 0.5], batches=0, initial=3)
    np.testing.assert_array_equal(result.X[0], [0.5, 0.5])
    np.testing.assert_array_equal(((result.X - 1) ** 2).sum(axis=1), result.y)


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


def process(x: np.ndarray) -> float:
    return float(os.getpid())


def test_minus_one_is_a_process_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """And 1, or a single core, is this process."""
    for workers, cores, here in ((-1, 2, False), (-1, 1, True), (1, 2, True)):
        monkeypatch.setattr("multiprocessing.cpu_count", lambda cores=cores: cores)
        made = minimize(process, [(0, 1)], batches=0, initial=4, workers=workers).y
        assert [y == os.getpid() for y in made] == [here] * 4
        assert len(set(made)) <= cores
