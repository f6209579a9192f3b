"""Lengthscale balancing, by a definition written out with dense solves."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest

from tests.core.reference import covariance, dense_std, finite_beta
from tests.core.runs import assert_equal_fields
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Matern,
    Trace,
    problems,
    simulate,
    theory,
)
from ucbpe_core.kernels import Linear
from ucbpe_core.policies import LengthscaleBalancing
from ucbpe_core.workers import Workers


def brute(trace: Trace, d: int, ratio: float, theta: float) -> list[int]:
    """The number of the lengthscale of each batch: the definition, from the whole record."""
    policy, X = trace.policy, trace.problem.candidates
    assert isinstance(policy, LengthscaleBalancing)
    sign = 1.0 if trace.problem.direction == "maximize" else -1.0
    at = [one.index for one in trace.history.data]
    y, noise, K, initial = sign * trace.y, trace.gp.noise_variance, policy.batch_size, trace.initial
    alive = list(range(policy.start))
    values: dict[int, list[float]] = {i: [] for i in alive}
    bands: dict[int, list[float]] = {i: [] for i in alive}
    found = []
    for t in range(1, len(trace.decisions) + 1):
        i = len(values)
        # The next shorter lengthscale, theta / ratio^i, is above theta / t^growth.
        if t > 1 and ratio**i < t**policy.growth:
            values[i], bands[i] = [], []
            alive.append(i)
        bounds = []
        for i in alive:
            n = len(values[i]) + 1
            g = np.log(n) ** (d + 1) / (theta / ratio**i) ** d
            bounds.append(policy.C * np.sqrt(n * g) * (np.sqrt(g) + policy.B))
        i = alive[bounds.index(min(bounds))]
        found.append(i)
        kernel = trace.gp.kernel
        assert isinstance(kernel, RBF | Matern)
        lengths = np.atleast_1d(kernel.lengthscale) / ratio**i
        short = replace(kernel, lengthscale=tuple(lengths) if len(lengths) > 1 else lengths[0])
        n = initial + (t - 1) * K
        gp = replace(trace.gp, kernel=short)
        std = dense_std(gp, X[at[:n]], X[[at[n]]])[0]
        values[i].append(float(y[n]))
        bands[i].append(float(np.sqrt(finite_beta(t, len(X), 0.1, trace.beta.scale)) * std))
        if all(values.values()):
            xi = 2 * noise * np.log(len(alive) * np.pi**2 * t**2 / (6 * policy.delta))
            width = {i: np.sqrt(xi / len(values[i])) for i in alive}
            shown = max(np.mean(values[i]) - width[i] for i in alive)
            alive = [i for i in alive if np.mean(values[i]) + np.mean(bands[i]) + width[i] >= shown]
    return found


CASES = {
    "RBF": (RBF(3.0), {}, "multimodal", np.exp(1.0), 3.0 / 4.8),
    "Matern": (Matern(2.0, nu=1.5), {"start": 3}, "multimodal", np.exp(1 / 4), 2.0 / 4.8),
    "two inputs": (
        RBF((6.0, 3.0)), {"start": 2, "growth": 1.5}, "gp", np.exp(1 / 2), np.sqrt(6.0 * 3.0),
    ),
    "ruled out": (RBF(5.0), {"start": 3, "growth": 0.0}, "multimodal", np.exp(1.0), 5.0 / 4.8),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_turns_are_those_of_the_definition(case: str) -> None:
    kernel, options, name, ratio, theta = CASES[case]
    problem = problems.multimodal()
    if name == "gp":
        problem = problems.generated_gp(2, noise_variance=0.01, lengthscale=0.3, resolution=9)
    gp = GaussianProcess(kernel, 0.01)
    policy = LengthscaleBalancing(2, **options)  # type: ignore[arg-type]
    # A narrow band is too sure: what it rules out depends on it.
    beta = FiniteBeta(scale=0.001 if case == "ruled out" else 1.0)
    trace = simulate(problem, policy, gp, beta, batches=14, initial=3, seed=1)
    expected = brute(trace, problem.dimension, float(ratio), float(theta))
    longest = np.max(kernel.lengthscale)
    used = [longest / np.max(gp.kernel.lengthscale) for gp in trace.priors[:-1]]  # type: ignore[attr-defined]
    assert np.round(np.log(used) / np.log(ratio)).astype(int).tolist() == expected
    assert len(set(expected)) > 1
    if case == "ruled out":  # one of three is not used any more
        assert len(set(expected[7:])) < 3
    if case == "two inputs":  # others join as t grows
        assert max(expected) > 1


def test_a_batch_is_that_of_gp_ucb_pe_under_the_lengthscale() -> None:
    """By dense solves under the prior of each batch, with all measurements before it."""
    gp, beta = GaussianProcess(RBF(5.0), 0.01), FiniteBeta(scale=0.2)
    trace = simulate(problems.multimodal(), LengthscaleBalancing(3), gp, beta, batches=6, initial=3)
    X, at = trace.problem.candidates, [one.index for one in trace.history.data]
    for made, own in zip(trace.decisions, trace.priors[:-1], strict=True):
        seen = X[at[: made.n]]
        gram = covariance(own.kernel, seen, seen) + 0.01 * np.eye(made.n)
        mean = covariance(own.kernel, X, seen) @ np.linalg.solve(gram, trace.y[: made.n])
        std = dense_std(own, seen, X)
        upper = mean + made.sqrt_beta * std
        assert upper[made.indices[0]] == pytest.approx(upper.max(), abs=1e-6)
        for k in (1, 2):
            std = dense_std(own, X[[*at[: made.n], *made.indices[:k]]], X)
            assert std[made.indices[k]] == pytest.approx(std[made.region_plus].max(), abs=1e-6)
            assert trace.before(made.t, k).std[made.indices[k]] == pytest.approx(made.stds[k])
    starts = list(trace.starts())
    assert [start.gp for start in starts] == list(trace.priors)


def test_by_hand() -> None:
    """A bandit that is asked has the same batches, also when it is loaded."""
    problem, gp = problems.multimodal(), GaussianProcess(RBF(5.0), 0.01)
    trace = simulate(problem, LengthscaleBalancing(3), gp, batches=4, initial=3)
    bandit = Bandit(problem.candidates, gp, LengthscaleBalancing(3))
    bandit.tell(trace.posterior.conditioned_indices[:3], trace.y[:3])
    for made in trace.decisions:
        assert_equal_fields(bandit.ask(), made)
        bandit.tell(made.indices, trace.y[made.n : made.n + 3])
    bandit.ask()
    kept = io.StringIO()
    bandit.save(kept)
    again = Bandit.load(io.StringIO(kept.getvalue()))
    assert again.decision is not None
    assert bandit.decision is not None
    assert_equal_fields(again.decision, bandit.decision)


def test_all_lengthscales_of_a_kernel_are_scaled() -> None:
    """Of a sum, where one part has none; the longest of them decides whose turn it is."""
    problem = problems.multimodal()
    kernel = RBF(3.0) + Matern(1.5, nu=2.5) * Linear(0.1)
    run_of = [
        simulate(problem, LengthscaleBalancing(2), GaussianProcess(one, 0.01), batches=6, initial=3)
        for one in (kernel, RBF(3.0))
    ]
    for gp in run_of[0].priors:
        ratio = gp.kernel.left.lengthscale / 3.0  # type: ignore[attr-defined]
        assert gp.kernel.right.left.lengthscale == pytest.approx(1.5 * ratio)  # type: ignore[attr-defined]
        assert gp.kernel.right.right == Linear(0.1)  # type: ignore[attr-defined]
    # The longest first, whatever was measured.
    first = [trace.priors[t].kernel for trace in run_of for t in range(5)]
    assert (
        [k.left.lengthscale for k in first[:5]]
        == pytest.approx(  # type: ignore[attr-defined]
            [k.lengthscale for k in first[5:]]  # type: ignore[attr-defined]
        )
    )


def test_it_cures_a_lengthscale_that_is_too_long() -> None:
    """Under 5, GP-UCB-PE stays where it is; the turns of shorter ones find the maximum."""
    gp, problem = GaussianProcess(RBF(5.0), 0.01), problems.multimodal()
    stuck, cured = (
        simulate(problem, policy, gp, batches=10, initial=3)
        for policy in (GPUCBPE(4), LengthscaleBalancing(4))
    )
    assert stuck.running_minimum[-1] > 0.03
    assert cured.running_minimum[-1] < 0.001


def test_what_it_refuses() -> None:
    problem = problems.multimodal()
    linear = GaussianProcess(Linear(1.0), 0.1)  # which has none, and is used as it is
    assert simulate(problem, LengthscaleBalancing(2), linear, batches=2).priors == (linear,) * 3
    with pytest.raises(InputError, match="leave refit_every out"):
        simulate(problem, LengthscaleBalancing(2), batches=4, refit_every=2)
    with pytest.raises(InputError, match="take another policy"):
        simulate(problem, LengthscaleBalancing(2), batches=4, workers=Workers())
    with pytest.raises(InputError, match="those that Lengthscale balancing chooses"):
        theory.gain_of_run(simulate(problem, LengthscaleBalancing(2), batches=2, initial=3))
