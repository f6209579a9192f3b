"""How often f leaves its band: the count, its interval, what is allowed, and the draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Matern,
    problems,
    simulate,
    theory,
)
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.support import streams

from .reference import covariance, dense, figure1_observations
from .runs import assert_equal_runs


def test_first_exit_by_dense_solves() -> None:
    """The first batch at whose start f is outside somewhere; 0 for a band that is wide enough."""
    seen = set()
    for seed in range(12):
        problem = problems.generated_gp(seed, noise_variance=0.1, lengthscale=0.3, resolution=6)
        beta = FiniteBeta(scale=0.3)
        trace = simulate(problem, GPUCBPE(2), beta=beta, batches=4, initial=3, seed=seed)
        members, X = list(trace.posterior.conditioned_indices), problem.candidates
        expected = 0
        for t in range(4, 0, -1):
            n = 3 + 2 * (t - 1)
            mean, cov = dense(problem.gp, X[members[:n]], trace.y[:n], X)
            half = np.sqrt(trace.beta(t, 36, 2) * np.diag(cov))
            expected = t if (np.abs(problem.values - mean) > half).any() else expected
        assert theory.first_exit(trace) == expected
        seen.add(expected)
    assert len(seen) > 2
    wide = simulate(problem, GPUCBPE(2), beta=ConstantBeta(1000.0), batches=3, initial=1)
    assert theory.first_exit(wide) == 0


def test_union_bound_by_hand() -> None:
    """10 points, beta = 2 log(1000) and 2 log(100): 0.01, then 0.01 + 0.1; never above 1."""
    betas = 2 * np.log([1000.0, 100.0, 2.0])
    np.testing.assert_allclose(theory.union_bound(betas, 10), [0.01, 0.11, 1.0])
    with pytest.raises(InputError, match="beta of at least 0"):
        theory.union_bound([-1.0], 10)


@pytest.mark.parametrize(
    ("problem", "gp"),
    [
        pytest.param(
            problems.generated_gp(0, resolution=5),
            GaussianProcess(Matern(0.4, 2.0, nu=1.5), mean=3.0),
            id="grid, by embedding",
        ),
        pytest.param(
            problems.from_table(np.random.default_rng(0).uniform(size=(30, 3)), np.arange(30.0)),
            GaussianProcess(RBF(0.5, 2.0) + Matern(0.3, 1.0, nu=0.5), mean=3.0),
            id="table",
        ),
    ],
)
def test_draws_have_the_mean_and_covariance_of_the_prior(
    problem: problems.Problem, gp: GaussianProcess
) -> None:
    """1500 draws: every moment of chosen pairs within 5 of its standard errors."""
    n = 1500
    f = np.array(list(theory.prior_draws(problem, gp, n, seed=7)))
    X = problem.candidates
    assert f.shape == (n, len(X))
    pairs = np.random.default_rng(1).integers(0, len(X), (40, 2))
    K = covariance(gp.kernel, X, X)
    for i, j in pairs:
        centred = (f[:, i] - 3.0) * (f[:, j] - 3.0)
        error = math.sqrt((K[i, i] * K[j, j] + K[i, j] ** 2) / n)
        assert abs(centred.mean() - K[i, j]) < 5 * error
        assert abs(f[:, i].mean() - 3.0) < 5 * math.sqrt(K[i, i] / n)


def test_draws_repeat_and_differ_from_the_seeded_problem() -> None:
    problem = problems.generated_gp(3, resolution=6)
    f = list(theory.prior_draws(problem, problem.gp, 3, seed=3))
    again = list(theory.prior_draws(problem, problem.gp, 3, seed=3))
    np.testing.assert_array_equal(f, again)
    assert not any(one.flags.writeable for one in f)
    assert not np.isclose(f[0], f[1]).any()
    assert not any(np.allclose(one, problem.values) for one in f)
    with pytest.raises(InputError, match="draws"):
        theory.prior_draws(problem, problem.gp, 0, seed=3)


def test_draws_at_many_candidates() -> None:
    """A grid of 10,000 is drawn at once where its factor has few rows, and else refused."""
    problem = problems.generated_gp(0)
    for kernel in (RBF(2.0), Polynomial(2), Matern(0.2, nu=1.5)):
        f = np.array(list(theory.prior_draws(problem, GaussianProcess(kernel), 2, seed=0)))
        assert f.shape == (2, 10_000)
        assert np.isfinite(f).all()
    with pytest.raises(InputError, match=r"at most 5 000 candidates .*; got 10 000; shorten"):
        theory.prior_draws(problem, GaussianProcess(Matern(2.0, nu=1.5)), 2, seed=0)


def test_a_problem_drawn_again_brings_observations_of_its_own_f() -> None:
    problem = problems.figure1()
    quiet = GaussianProcess(problem.gp.kernel, 1e-12)
    f = np.sin(problem.candidates[:, 0])
    again = theory.redrawn(problem, quiet, f, seed=5)
    np.testing.assert_array_equal(again.values, f)
    np.testing.assert_array_equal(again.observed, problem.observed)
    np.testing.assert_allclose(again.observed_y, f[problem.observed], atol=1e-5)
    assert len(again.observed_y) == len(figure1_observations())
    assert again.noise_variance == 1e-12


@pytest.mark.parametrize("initial", [0, 2])
def test_a_run_again_is_the_run(initial: int) -> None:
    """On its own problem, with its own seed, to the last bit; initial points are counted once."""
    problem = problems.figure1()
    trace = simulate(problem, GPUCBPE(2), batches=3, initial=initial, seed=4)
    told = list[tuple[int, int]]()
    again = theory.rerun(trace, problem, 4, lambda done, total: told.append((done, total)))
    assert_equal_runs(again, trace)
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert theory.rerun(trace, problem, 5).digest != trace.digest


def test_coverage_counts_by_batch() -> None:
    """Exits at 2, never, 1, 2, 4 of 4 batches."""
    coverage = theory.Coverage(np.array([2, 0, 1, 2, 4]), 4)
    assert coverage.left.tolist() == [1, 3, 3, 4]
    assert theory.Coverage(np.array([], int), 3).left.tolist() == [0, 0, 0]
    for wrong in (5, -1):
        with pytest.raises(InputError, match="exits from 0 to 4"):
            theory.Coverage(np.array([wrong]), 4)


def test_the_noise_of_a_problem_drawn_again_has_the_variance_of_the_prior() -> None:
    """std sqrt(4) times the draws of its own stream, where f is 0."""
    problem = problems.figure1()
    f = np.zeros(len(problem.candidates))
    drawn = theory.redrawn(problem, GaussianProcess(RBF(), 4.0), f, seed=5).observed_y
    noise = streams.coverage_observations(5).standard_normal(len(problem.observed))
    np.testing.assert_allclose(drawn, 2 * noise)
