"""A retraced run: scores and ranks by a dense solve, what was known when, and what choices did."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from ucbpe_core import (
    RBF,
    ConstantBeta,
    GaussianProcess,
    InputError,
    Matern,
    fit_hyperparameters,
    retrace,
)
from ucbpe_core.foreign import ForeignTrial, Retrace, Run
from ucbpe_core.policies import GPUCBPE, Recommended
from ucbpe_core.spaces import Category, Real

GP = GaussianProcess(Matern(nu=2.5, lengthscale=(1.5, 1.0), variance=2.0), 0.05, mean=0.3)
RNG = np.random.default_rng(7)
X = RNG.random((14, 2)) * [10, 5]
Y = np.sin(X[:, 0]) + np.cos(X[:, 1]) + 0.1 * RNG.standard_normal(14)
BOX = [(0, 10), (0, 5)]


def matern(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The covariance of `GP`, written anew."""
    r = np.sqrt(5 * (((A[:, None] - B[None]) / [1.5, 1.0]) ** 2).sum(axis=2))
    return 2.0 * (1 + r + r**2 / 3) * np.exp(-r)


def dense(
    told: np.ndarray, y: np.ndarray, pending: np.ndarray, Z: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean given the results alone, std given also the points without one, by two dense solves."""
    mean = 0.3 + matern(Z, told) @ np.linalg.solve(
        matern(told, told) + 0.05 * np.eye(len(told)), y - 0.3
    )
    every = np.concatenate([told, pending])
    K = matern(every, every) + 0.05 * np.eye(len(every))
    cross = matern(every, Z)
    return mean, np.sqrt(2.0 - (cross * np.linalg.solve(K, cross)).sum(axis=0))


def test_a_kernel_is_that_of_the_fitted_priors() -> None:
    found = retrace(X[:6], Y[:6], space=BOX, prior=RBF())
    assert [type(choice.gp and choice.gp.kernel) for choice in found.choices[4:]] == [RBF, RBF]
    domain = found.run.space.domain
    start = GaussianProcess.from_data(X[:4], Y[:4], RBF(), domain=domain)
    assert found.choices[4].gp == fit_hyperparameters(start, X[:4], Y[:4], domain=domain).gp


def test_improvements_are_on_all_results_before() -> None:
    y = [2.0, 1.0, 3.0, 3.0, np.nan, 2.5, 4.0]
    for sign, direction in ((1, "maximize"), (-1, "minimize")):
        found = retrace(X[:7], sign * np.array(y), space=BOX, prior=GP, direction=direction)
        assert found.improvements == (0, 2, 6)
        assert found.improved == 6


def rank(values: np.ndarray, own: float) -> int:
    return 1 + min(int(np.floor(100 * (values > own + 1e-9).mean())), 99)


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("sign", [1, -1])
def test_scores_ranks_and_picks_are_those_of_a_dense_solve(batch: int, sign: int) -> None:
    """In one batch after another, the earlier points of a batch have no result yet."""
    prior = GP if sign > 0 else GaussianProcess(GP.kernel, 0.05, mean=-0.3)
    direction = "maximize" if sign > 0 else "minimize"
    found = retrace(X, sign * Y, np.arange(14) // batch, BOX, prior, direction=direction)
    grid = found.candidates[: found.places]
    assert len(grid) == 41 * 41
    for i in range(4, 14):
        first = i // batch * batch
        told, pending = X[:first], X[first:i]
        choice = found.choices[i]
        assert (choice.known, choice.pending) == (first, tuple(range(first, i)))
        Z = np.concatenate([grid, X])
        mean, std = dense(told, Y[:first], pending, Z)
        own = len(grid) + i
        assert choice.mean == pytest.approx(sign * mean[own], abs=1e-9)
        assert choice.std == pytest.approx(std[own], abs=1e-9)
        best = mean[len(grid) :][:i].max()
        z = (mean - best) / std
        improvement = np.log(std * norm.pdf(z) + (mean - best) * norm.cdf(z))
        bound = mean + 2 * std
        plus = mean + 4 * std >= (mean - 2 * std).max() - 1e-9
        x0 = Z[[bound.argmax()]]
        _, after = dense(told, Y[:first], np.concatenate([pending, x0]), Z)
        after = np.where(plus, after, -np.inf)
        scores = {"std": std, "upper": bound, "mean": mean, "exploration": after}
        scores["improvement"] = np.where(np.isfinite(improvement), improvement, -1e9)
        scores["recommended"] = bound if len(pending) else scores["improvement"]
        for rule, values in scores.items():
            assert choice.ranks[rule] == rank(values[: len(grid)], values[own]), (i, rule)
            pick = values[choice.picks[rule]]
            assert pick == pytest.approx(values[: len(grid)].max(), abs=1e-7), (i, rule)


def test_picks_are_those_of_the_policies() -> None:
    """Over the same candidates, the first two picks of GP-UCB-PE, and that of Recommended."""
    run = Run.of(
        [
            ForeignTrial(i, {"a": x, "b": y, "c": c}, x * y, "done", batch=i // 3)
            for i, (x, y, c) in enumerate(zip(X[:, 0], X[:, 1], "uvwuvwuvwuvwuv", strict=True))
        ],
        "maximize",
        {"a": Real(0, 10), "b": Real(0, 5)},
    )
    found = retrace(run)
    assert found.places == len(found.candidates) == 1024 + 14
    for i in (6, 7, 13):
        choice, posterior = found.choices[i], found.posterior(i)
        first, second = GPUCBPE(2).decide(posterior, 1, ConstantBeta(4.0)).indices
        assert (choice.picks["upper"], choice.picks["exploration"]) == (first, second)
        policy = Recommended(1).with_pending(("upper",) * len(choice.pending), 1)
        (pick,) = policy.decide(posterior, 1, ConstantBeta(4.0)).indices
        assert choice.picks["recommended"] == pick


def test_the_prior_is_fitted_to_what_was_known_then() -> None:
    found = retrace(X, Y, space=BOX, refit=0.0)
    domain = np.array(BOX).T
    start = GaussianProcess.from_data(X[:9], Y[:9], domain=domain)
    assert found.choices[9].gp == fit_hyperparameters(start, X[:9], Y[:9], domain=domain).gp
    changed = Y.copy()
    changed[9:] += 5
    again = retrace(X, changed, space=BOX, refit=0.0)
    assert found.choices[:10] == again.choices[:10]
    assert found.choices[10] != again.choices[10]


def test_it_is_fitted_ever_more_rarely() -> None:
    x = np.linspace(0, 1, 60)
    found = retrace(x, np.sin(9 * x), refit=0.5)
    fitted = [i for i in range(1, 60) if found.choices[i].gp != found.choices[i - 1].gp]
    assert fitted == [4, 6, 9, 14, 21, 32, 48]


def timed(rows: list[tuple[float, float | None]]) -> Run:
    """Trials that ran at these times; without an end they still run."""
    trials = [
        ForeignTrial(i, {"x": float(i % 7)}, None if end is None else float(i), state, start, end)
        for i, (start, end) in enumerate(rows)
        for state in ["running" if end is None else "done"]
    ]
    return Run.of(trials, "maximize")


def test_trials_whose_times_overlap_are_pending() -> None:
    run = timed([(0, 3), (1, 2), (2, None), (2.5, 4), (5, 6)])
    assert [run.known(i) for i in range(5)] == [(), (), (1,), (1,), (0, 1, 3)]
    assert [run.pending(i) for i in range(5)] == [(), (0,), (0,), (0, 2), (2,)]


def test_results_count_from_when_they_are_known() -> None:
    """Trial 0 ends last: it is the last of the order, and in no model before."""
    found = retrace(timed([(0, 100), *((i, i + 0.5) for i in range(1, 12)), (200, 201)]))
    assert found.order[:2] == (1, 2)
    assert found.order[-2:] == (0, 12)
    assert found.choices[-2].known == 10
    assert found.choices[-2].pending == (0,)


def test_trials_begin_in_the_order_of_their_times() -> None:
    run = timed([(5, 6), (0, 1), (3, 4)])
    assert [trial.number for trial in run.trials] == [1, 2, 0]


def kinds(**fields: object) -> list[str]:
    return [choice.kind for choice in retrace(**fields).choices]


def test_what_a_choice_did() -> None:
    """At a measured place it repeated; near the best it exploited; far from all it explored."""
    gp = GaussianProcess(Matern(lengthscale=1.0), 1e-4)
    x = [1.0, 2.0, 3.0, 9.0, 3.0, 3.5, 6.0]
    y = [0.0, 1.0, 2.0, 0.5, 2.0, 2.1, 0.4]
    found = kinds(X=x, y=y, space=[(0, 10)], prior=gp)
    assert found[4:] == ["repeated", "exploited", "explored"]
    assert found[:4] == ["no model"] * 4
    y[5] = np.nan
    assert kinds(X=x, y=y, space=[(0, 10)], prior=gp)[5] == "failed"


def test_equal_results_make_no_model() -> None:
    assert set(kinds(X=range(8), y=[1.0] * 8)) == {"no model"}


def test_the_summary() -> None:
    found = retrace(X, Y, space=BOX, prior=GP)
    assert sum(found.counts.values()) == 14
    assert found.improved == Y.argmax()
    assert found.check is not None
    mean, std = dense(X, Y, np.empty((0, 2)), found.candidates)
    assert found.gain == pytest.approx((mean + 2 * std).max() - Y.max())


def test_categories_and_logarithms_are_inputs() -> None:
    settings = [{"rate": 10.0**-i, "kind": "ab"[i % 2]} for i in range(1, 7)]
    space = {"rate": Real(1e-6, 0.1, log=True), "kind": Category(("a", "b"))}
    found = retrace(settings, [1.0, 5, 2, 6, 3, 7], space=space)
    assert found.run.points.tolist()[0] == [-1.0, 0.0, 1.0]
    assert found.choices[5].ranks["mean"] <= 50  # "b" has been better


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"X": [1, 2], "y": [1]}, "2 points, 1 results"),
        ({"X": [1, 2], "y": [1, 2], "batches": [1]}, "1 batches"),
        ({"X": [1, 2], "y": [np.nan, np.nan]}, "a trial with a result"),
        ({"X": [1, 1], "y": [1, 2]}, "parameters that vary"),
        ({"X": np.arange(42).reshape(2, 21), "y": [1, 2]}, "1 to 20 parameters"),
        ({"X": range(2001), "y": range(2001)}, "trials; got 2.001"),
        ({"X": [1, 2], "y": [1, 2], "beta": -1}, "beta of at least 0"),
        ({"X": [1, 2], "y": [1, 2], "prior": "fitted"}, "GaussianProcess"),
        ({"X": [1, 2], "y": [1, 2], "direction": "up"}, "direction"),
    ],
)
def test_what_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        retrace(**fields)


def test_progress_can_cancel() -> None:
    def stop(done: int, total: int) -> None:
        assert total == 14
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        retrace(X, Y, progress=stop)


def test_a_copy_is_read_only() -> None:
    import pickle

    found: Retrace = pickle.loads(pickle.dumps(retrace(X, Y, prior=GP)))
    assert not found.candidates.flags.writeable
