"""The approximate posterior: its bounds, its regions, and picks equal to the exact ones."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    Experiment,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    Policy,
    Posterior,
    Trace,
    problems,
    simulate,
    theory,
)
from ucbpe_core.gp.inducing import Inducing, prior
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.gp.linalg import rounding
from ucbpe_core.gp.region import certificate, relevant_region
from ucbpe_core.history.workers import Workers
from ucbpe_core.policies import POLICIES, BatchedPureExploration, ThompsonSampling
from ucbpe_core.problems import Problem
from ucbpe_core.search.experiment import Plan, Table

from .strategies import kernels, seeds

pytestmark = pytest.mark.filterwarnings("ignore::ucbpe_core.IllConditionedWarning")


@example(Polynomial(degree=2, offset=0.5), 1e-8, 6, 2, 50.0, 0)
@given(
    kernels(2),
    st.sampled_from((1e-8, 1e-4, 1e-2, 1.0)),
    st.integers(1, 12),
    st.integers(1, 40),
    st.sampled_from((1.0, 50.0)),
    seeds,
)
def test_the_bounds_hold_against_a_dense_solve_whatever_the_values(
    kernel: Kernel, noise: float, most: int, n: int, scale: float, seed: int
) -> None:
    """Values are no draws of the prior, and some points are measured with a noise of their own."""
    rng = np.random.default_rng(seed)
    X, at = rng.random((30, 2)) * 3, rng.integers(30, size=n)
    v = float(kernel.diagonal(X).max())
    noise = max(noise, 1e-10 * v)  # as a posterior on candidates does, and a dense solve does not
    y, own = scale * rng.standard_normal(n), [None, 2 * noise, 0.5][seed % 3]
    gp = GaussianProcess(kernel, noise, mean=0.5)
    found = prior(gp, X, Inducing(most)).observe(at, y, own)
    exact = gp.condition(X[at], y, own)
    dense = exact.predict(X)
    w = float(np.linalg.norm(exact.w))
    slack = 4 * rounding([w], v / noise, 0.5 / np.sqrt(noise), n) * dense.std + 1e-7 * np.sqrt(v)
    assert (abs(found.mean - dense.mean) <= found.mean_error + slack).all()
    rounded = 1e-7 * np.sqrt(v) + np.sqrt(n * 1e-15 * v**2 / noise)
    assert (abs(found.std - dense.std) <= found.std_error + rounded).all()
    ahead = rng.integers(30, size=3)
    later = Posterior.prior(gp, X).observe(at, y, own).hallucinate(ahead)
    after = found.hallucinate(ahead)
    assert (abs(after.std - later.std) <= after.std_error + rounded).all()
    np.testing.assert_array_equal(after.mean_error, found.mean_error)


@given(st.sampled_from((0.3, 0.7)), st.integers(5, 60), st.sampled_from((1e-3, 0.1)), seeds)
def test_the_regions_hold_the_exact_ones(
    lengthscale: float, most: int, noise: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((80, 2))
    gp = GaussianProcess(Matern(lengthscale, nu=2.5), noise)
    f, at = gp.sample(X, seed), rng.integers(80, size=60)
    y = f[at] + np.sqrt(noise) * rng.standard_normal(60)
    found = prior(gp, X, Inducing(most)).observe(at, y)
    exact = Posterior.prior(gp, X).observe(at, y)
    for beta in (0.5, 4.0, 20.0):
        ours, theirs = (relevant_region(one, beta, beta + 0.5) for one in (found, exact))
        assert ours.y_dot <= theirs.y_dot + 1e-9
        assert (ours.region >= theirs.region).all()
        assert (ours.region_plus >= theirs.region_plus).all()
        index = certificate(found, beta).index
        assert (
            certificate(found, beta).regret >= certificate(exact, beta, index=index).regret - 1e-9
        )


# These need the rows of all points, or predict between the candidates.
REFUSED = {"Thompson sampling", "Local penalization", "PIMS"}


@pytest.mark.parametrize("name", POLICIES)
def test_below_the_tolerance_of_ties_every_pick_is_that_of_the_exact_posterior(name: str) -> None:
    """On a grid, symmetric candidates tie: the lowest index has to win in both."""
    policy = POLICIES[name]() if name == "GP-UCB" else POLICIES[name](batch_size=2)
    for problem in (problems.multimodal(), problems.figure1()):

        def run(inducing: Inducing | None, problem: Problem = problem) -> Trace:
            return simulate(problem, policy, batches=3, initial=3, seed=2, inducing=inducing)

        if name in REFUSED:
            with pytest.raises(InputError, match="use the exact posterior"):
                run(Inducing())
            return
        exact, found = run(None), run(Inducing())
        assert found.digest == exact.digest
        assert found.posterior.name.endswith("inducing points")
        assert np.max(found.posterior.mean_error) < 1e-9
        for ours, theirs in zip(found.decisions, exact.decisions, strict=True):
            np.testing.assert_array_equal(ours.region_plus, theirs.region_plus)


@pytest.mark.parametrize(
    ("policy", "workers"),
    [
        (BatchedPureExploration(2), Workers(together=True)),
        (GPUCBPE(2), Workers()),
    ],
)
def test_so_it_is_with_phases_and_results_one_by_one(policy: Policy, workers: Workers) -> None:
    exact, found = (
        simulate(
            problems.multimodal(), policy, batches=4, initial=3, seed=1, workers=workers,
            inducing=one,
        )
        for one in (None, Inducing())
    )  # fmt: skip
    assert found.digest == exact.digest
    for t in (1, 3):
        np.testing.assert_allclose(found.before(t, 1).std, exact.before(t, 1).std, atol=1e-8)


def test_the_errors_fall_with_the_inducing_points() -> None:
    problem = problems.generated_gp(seed=0)
    gp, rng = problem.gp, np.random.default_rng(0)
    at = rng.integers(len(problem.candidates), size=300)
    y = problem.values[at] + rng.standard_normal(300)
    exact = Posterior.prior(gp, problem.candidates).observe(at, y)
    bounds = []
    for most in (50, 100, 200):
        found = prior(gp, problem.candidates, Inducing(most)).observe(at, y)
        errors = abs(found.mean - exact.mean)
        assert (errors <= found.mean_error).all()
        bounds.append(np.max(found.mean_error))
    assert bounds[2] < bounds[1] / 3 < bounds[0] / 9


def sample(inducing: Inducing | None = None) -> Trace:
    return simulate(problems.multimodal(), GPUCBPE(3), batches=4, initial=4, inducing=inducing)


def test_a_trace_is_read_back_with_its_posterior(tmp_path: Path) -> None:
    trace = sample(Inducing(9))
    trace.save(tmp_path / "run.json")
    again = Trace.load(tmp_path / "run.json")
    assert again.history.plan.inducing == Inducing(9)
    assert again.posterior.name == "9 inducing points"
    for ours, theirs in zip(again.decisions, trace.decisions, strict=True):
        np.testing.assert_array_equal(ours.region_plus, theirs.region_plus)
    assert trace.to_frame()["mean"].notna().sum() == 12
    assert trace.to_frame().attrs["posterior"] == "9 inducing points"
    copy = pickle.loads(pickle.dumps(trace.posterior))
    np.testing.assert_array_equal(copy.hallucinate([4]).std, trace.posterior.hallucinate([4]).std)
    assert not copy.basis.factor.flags.writeable
    assert (theory.diagnose(trace).stds <= theory.diagnose(trace).start_stds).all()


def test_an_earlier_posterior_is_the_one_of_its_values() -> None:
    trace = sample(Inducing(12))
    earlier = trace.posterior.at(7)
    again = prior(trace.gp, trace.problem.candidates, Inducing(12))
    again = again.observe(trace.posterior.conditioned_indices[:7], trace.y[:7])
    np.testing.assert_array_equal(earlier.mean, again.mean)
    np.testing.assert_allclose(earlier.std, again.std, rtol=1e-12)
    ahead = earlier.hallucinate([5, 80, 5])
    assert (ahead.n, ahead.at(8).n, ahead.at(7).n, ahead.at(3).n) == (10, 8, 7, 3)
    np.testing.assert_allclose(ahead.at(8).std, earlier.hallucinate([5]).std, rtol=1e-12)
    squares = (ahead.last_rows(3) ** 2).sum(axis=0)
    np.testing.assert_allclose(earlier.raw_variance - squares, ahead.raw_variance, atol=1e-12)
    assert np.isnan(ahead.y[7:]).all()


def test_covariances_and_the_gain_are_the_exact_ones_without_remainder() -> None:
    exact, found = (sample(one).posterior.hallucinate([7, 90]) for one in (None, Inducing()))
    np.testing.assert_allclose(found.covariance([3, 90]), exact.covariance([3, 90]), atol=1e-9)
    assert found.gain == pytest.approx(exact.gain, rel=1e-9)
    assert sample(Inducing(8)).posterior.gain >= exact.at(exact.n - 2).gain
    part = found.restricted([3, 90])
    np.testing.assert_allclose(part.std, exact.std[[3, 90]], atol=1e-9)
    np.testing.assert_allclose(
        part.hallucinate([0]).std, exact.hallucinate([3]).std[[3, 90]], atol=1e-9
    )


def test_minimising_is_maximising_the_negative() -> None:
    x, f = np.linspace(0, 4, 60), np.cos(3 * np.linspace(0, 4, 60))
    gp = GaussianProcess(RBF(0.5), 0.01, mean=0.2)
    low = Bandit(x, gp, GPUCBPE(3), direction="minimize", inducing=Inducing(10))
    high = Bandit(x, GaussianProcess(RBF(0.5), 0.01, mean=-0.2), GPUCBPE(3), inducing=Inducing(10))
    low.tell([3, 40], f[[3, 40]])
    high.tell([3, 40], -f[[3, 40]])
    np.testing.assert_array_equal(low.ask().indices, high.ask().indices)
    np.testing.assert_array_equal(low.posterior.mean, -high.posterior.mean)


def test_an_experiment_keeps_it(tmp_path: Path) -> None:
    plan = Plan(
        GaussianProcess(RBF(3.0)), GPUCBPE(2), FiniteBeta(), inducing=Inducing(5), fit="never"
    )
    experiment = Experiment(Table(("x",), np.arange(20.0)), plan)
    experiment.tell([2, 9], [3.0, 1.0])
    withdrawn = int(experiment.ask().indices[1])
    experiment.withdraw(withdrawn)
    experiment.save(tmp_path / "file.json")
    again = Experiment.load(tmp_path / "file.json")
    assert again.posterior.name == "5 inducing points"
    assert withdrawn not in again.ask().indices


def test_what_it_cannot_do_is_an_error_that_names_the_exact_posterior() -> None:
    found = sample(Inducing(6)).posterior
    with pytest.raises(InputError, match="use the exact posterior"):
        ThompsonSampling(2, seed=0).decide(found, 1, FiniteBeta())
    for call in (
        lambda: found.observe_points([[0.1]], [1.0]),
        lambda: found.hallucinate_points([[0.1]]),
        found.conditioned,
    ):
        with pytest.raises(InputError, match="use the exact posterior"):
            call()
    with pytest.raises(InputError, match="values before hallucinations"):
        found.hallucinate([3]).observe([4], [1.0])
    with pytest.raises(InputError, match="pass Inducing"):
        simulate(problems.multimodal(), GPUCBPE(2), batches=1, inducing=5)  # type: ignore[arg-type]
    for wrong in ({"most": 0}, {"remainder": -1.0}):
        with pytest.raises(InputError):
            Inducing(**wrong)  # type: ignore[arg-type]
