"""The lemmas on runs: each side by a dense solve, and what follows from what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    FiniteBeta,
    GaussianProcess,
    Matern,
    Trace,
    problems,
    simulate,
    theory,
)
from ucbpe_core.policies import GPUCB, RandomSearch
from ucbpe_core.theory import Check

from .reference import dense, dense_std, examples
from .runs import small_run

NAMES = (
    "band",
    "lemma1",
    "optimum_in_region",
    "optimum_in_region_plus",
    "first_in_region_plus",
    "picks_in_region_plus",
    "lemma2",
    "lemma2_summed",
    "lemma3_printed",
    "lemma3",
    "lemma4",
    "exploring_regret",
)


def checked(trace: Trace) -> dict[str, Check]:
    return {check.name: check for check in theory.check_lemmas(theory.diagnose(trace))}


def draw_of_the_prior(
    seed: int, scale: float, *, noise: float = 0.01, batch_size: int = 3, initial: int = 2
) -> Trace:
    """60 points of [0, 1], f a draw of the prior in use; 5 batches."""
    gp = GaussianProcess(Matern(0.15, nu=1.5), noise)
    X = np.linspace(0, 1, 60)[:, None]
    problem = problems.from_table(X, gp.sample(X, seed), noise_variance=noise, gp=gp)
    policy, beta = GPUCBPE(batch_size), FiniteBeta(0.1, scale)
    return simulate(problem, policy, beta=beta, batches=5, initial=initial, seed=seed)


class Dense:
    """A run seen by dense solves alone, batch t from 1."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.X, self.f = trace, trace.problem.candidates, trace.problem.values
        self.members = list(trace.posterior.conditioned_indices)
        self.T, self.K = len(trace.decisions), trace.policy.batch_size

    def n(self, t: int) -> int:
        return self.trace.initial + (t - 1) * self.K

    def picks(self, t: int) -> list[int]:
        return self.members[self.n(t) : self.n(t) + self.K]

    def root(self, t: int) -> float:
        beta = self.trace.beta(t, *self.X.shape)
        return float(np.sqrt(beta))

    def mean(self, t: int) -> np.ndarray:
        n = self.n(t)
        return dense(self.trace.gp, self.X[self.members[:n]], self.trace.y[:n], self.X)[0]

    def std(self, t: int, k: int = 0) -> np.ndarray:
        return dense_std(self.trace.gp, self.X[self.members[: self.n(t) + k]], self.X)

    def s(self, t: int, k: int) -> float:
        return float(self.std(t, k)[self.picks(t)[k]])

    def y_dot(self, t: int) -> float:
        return float((self.mean(t) - self.root(t) * self.std(t)).max())

    def wide(self, t: int, j: int) -> float:
        return float(self.mean(t)[j] + 2 * self.root(t + 1) * self.std(t)[j])

    def first(self, t: int) -> int:
        """The first pick of batch t, which for T + 1 is the maximiser of the upper bound."""
        if t <= self.T:
            return self.picks(t)[0]
        return int(np.argmax(self.mean(t) + self.root(t) * self.std(t)))


def sides(run: Dense, t: int) -> dict[str, tuple[float, float]]:
    """Left and right of every statement at t, straight from the docstrings."""
    f, K, trace = run.f, run.K, run.trace
    best = int(np.argmax(f))
    mean, std, root = run.mean(t), run.std(t), run.root(t)
    worst = int(np.argmin(root * std - np.abs(f - mean)))
    s = np.array([[run.s(u, k) for k in range(K)] for u in range(1, t + 1)])
    after = float(run.std(t + 1)[run.first(t + 1)])
    noise = trace.gp.noise_variance
    v = float(trace.gp.kernel.diagonal(run.X).max())
    pes = run.picks(t)[1:]
    gaps = [
        (
            f.max() - f[j],
            2 * root * std[run.first(t)] + (2 * run.root(t + 1) + root) * std[j],
        )
        for j in pes
    ]
    following = [run.wide(t, j) for j in run.picks(t + 1)[1:]] if t < run.T else [np.nan]
    return {
        "band": (abs(f[worst] - mean[worst]), root * std[worst]),
        "lemma1": (f.max() - f[run.first(t)], 2 * root * std[run.first(t)]),
        "optimum_in_region": (run.y_dot(t), mean[best] + root * std[best]),
        "optimum_in_region_plus": (run.y_dot(t), run.wide(t, best)),
        "first_in_region_plus": (run.y_dot(t), run.wide(t, run.first(t + 1))),
        "picks_in_region_plus": (run.y_dot(t), min(following)),
        "lemma2": (after, s[-1, 1:].min()),
        "lemma2_summed": ((K - 1) * after, s[-1, 1:].sum()),
        "lemma3_printed": (K * s[:, 0].sum(), s.sum()),
        "lemma3": (K * s[:, 0].sum(), s.sum() + (K - 1) * (s[0, 0] - after)),
        "lemma4": (
            (s**2).sum(),
            2 * v / np.log(1 + v / noise) * 0.5 * np.log(1 + s**2 / noise).sum(),
        ),
        "exploring_regret": min(gaps, key=lambda gap: gap[1] - gap[0]),
    }


@pytest.mark.parametrize("trace", [small_run(batches=4), draw_of_the_prior(2, 0.01)])
def test_each_side_is_that_of_dense_solves(trace: Trace) -> None:
    checks, run = checked(trace), Dense(trace)
    assert tuple(checks) == NAMES
    for t in range(1, run.T + 1):
        for name, (left, right) in sides(run, t).items():
            check = checks[name]
            assert check.left.shape == check.right.shape == (run.T,)
            np.testing.assert_allclose(check.left[t - 1], left, atol=1e-7, err_msg=f"{name} {t}")
            np.testing.assert_allclose(check.right[t - 1], right, atol=1e-7, err_msg=f"{name} {t}")
            np.testing.assert_allclose(check.margin[t - 1], right - left, atol=1e-7)
            if abs(right - left) > 1e-6:
                assert check.holds[t - 1] == (left <= right), (name, t)
                assert check.fails[t - 1] == (left > right), (name, t)


@examples(40)
@given(
    st.integers(0, 10_000),
    st.sampled_from((0.002, 0.02, 0.2, 1.0)),
    st.sampled_from((0.01, 0.3)),
    st.integers(1, 4),
    st.integers(0, 3),
)
def test_what_follows_from_what(
    seed: int, scale: float, noise: float, batch_size: int, initial: int
) -> None:
    """The implications that the docstrings claim, at each t of runs good and bad."""
    trace = draw_of_the_prior(seed, scale, noise=noise, batch_size=batch_size, initial=initial)
    checks = checked(trace)
    band = checks["band"].holds
    assert checks["lemma4"].holds.all()
    for name in ("lemma1", "optimum_in_region", "optimum_in_region_plus", "exploring_regret"):
        assert not (band & checks[name].fails).any(), name
    nested = checks["first_in_region_plus"].holds
    for name in ("lemma2", "lemma2_summed"):
        assert not (nested & checks[name].fails).any(), name
    so_far = np.logical_and.accumulate(~checks["lemma2_summed"].fails)
    assert not (so_far & checks["lemma3"].fails).any()
    if batch_size == 1:
        assert checks["lemma3_printed"].holds.all()


def test_where_nothing_is_said() -> None:
    """One pick explores nothing; a policy without a UCB pick has no next one; no noise, no gain."""
    checks = checked(small_run(GPUCB()))
    for name in ("picks_in_region_plus", "lemma2", "lemma2_summed", "exploring_regret"):
        for where in (checks[name].applies, checks[name].holds, checks[name].fails):
            assert not where.any(), name
    np.testing.assert_allclose(checks["lemma3"].margin, 0, atol=1e-12)
    assert checks["lemma3"].holds.all()
    random = checked(small_run(RandomSearch(3)))["lemma2"]
    assert random.applies.tolist() == [True, True, False]
    gp = GaussianProcess(Matern(0.3, nu=1.5), 0.0)
    problem = problems.from_callable(lambda x: float(x[0]), [(0, 1)], size=20, gp=gp)
    silent = checked(simulate(problem, GPUCBPE(2), batches=2, initial=1))
    assert not silent["lemma4"].applies.any()
    assert silent["lemma1"].applies.all()


def test_rounding_is_no_failure() -> None:
    """An f that is measured without noise everywhere lies in its band of width 1e-5."""
    gp = GaussianProcess(Matern(0.3, nu=1.5), 0.0)
    problem = problems.from_callable(lambda x: float(x[0]), [(0, 1)], size=8, gp=gp)
    band = checked(simulate(problem, GPUCBPE(2), batches=2, initial=8))["band"]
    assert np.abs(band.margin).max() < 1e-4
    assert band.tolerance == pytest.approx(1e-9)
    edge = Check("edge", left=np.array([1.0, 1.0]), right=np.array([0.5, 0.25]), tolerance=0.5)
    assert edge.holds.tolist() == [True, False]
    assert edge.fails.tolist() == [False, True]


def test_a_tolerance_has_the_units_of_its_sides() -> None:
    """f three times as large: deviations and their tolerances too; lemma 4 is of variances."""
    X = np.linspace(0, 1, 30)[:, None]
    found = []
    for unit in (1.0, 3.0):
        gp = GaussianProcess(Matern(0.3, unit**2, nu=1.5), 0.01 * unit**2)
        problem = problems.from_table(
            X, unit * np.sin(9 * X[:, 0]), noise_variance=0.01 * unit**2, gp=gp
        )
        found.append(checked(simulate(problem, GPUCBPE(2), batches=2, initial=1)))
    for name in NAMES:
        grown = 9.0 if name == "lemma4" else 3.0
        one, other = found[0][name], found[1][name]
        assert other.tolerance == pytest.approx(grown * one.tolerance)
        np.testing.assert_allclose(other.right, grown * one.right, rtol=1e-6, atol=1e-6)
