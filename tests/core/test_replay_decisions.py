"""Decisions on the measurements of another run: the same ones, under another prior or beta."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest

from tests.core.runs import assert_equal_fields, told_with
from ucbpe_core import (
    GPUCBPE,
    RBF,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Matern,
    Policy,
    Posterior,
    Trace,
    problems,
    simulate,
    theory,
)
from ucbpe_core.policies import EIPE, GreedyUCB, ThompsonSampling
from ucbpe_core.search.simulation import replay_decisions


def run(policy: Policy | None = None, *, minimize: bool = False, noise: float = 0.25) -> Trace:
    """Four batches of three on 81 candidates in the plane."""
    problem = problems.generated_gp(5, nu=2.5, noise_variance=noise, lengthscale=0.3, resolution=9)
    if minimize:
        problem = replace(problem, direction="minimize", values=-problem.values)
    return simulate(problem, policy or GPUCBPE(3), batches=4, initial=5, seed=3)


@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize("policy", [GPUCBPE(3), EIPE(3), GreedyUCB(3), ThompsonSampling(3)])
def test_with_its_own_settings_a_run_decides_as_it_did(policy: Policy, minimize: bool) -> None:
    trace = run(policy, minimize=minimize)
    again = replay_decisions(trace)
    assert again.hold_data
    for made, anew in zip(trace.decisions, again.decisions, strict=True):
        np.testing.assert_array_equal(made.indices, anew.indices)
        np.testing.assert_allclose(made.stds, anew.stds, rtol=1e-12)
        np.testing.assert_allclose(made.y_dot, anew.y_dot, rtol=1e-12)


def test_decisions_are_those_of_the_other_prior_on_the_same_measurements() -> None:
    """Of a posterior made anew for each batch. Data and regrets stay, and it can be undone."""
    trace, beta, seen = run(), FiniteBeta(scale=0.3), list[tuple[int, int]]()
    gp = GaussianProcess(Matern(nu=1.5, lengthscale=0.5, variance=0.8), 0.1, mean=0.2)
    held = replay_decisions(trace, gp, beta, progress=lambda *done: seen.append(done))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    np.testing.assert_array_equal(held.y, trace.y)
    np.testing.assert_array_equal(held.simple_regret, trace.simple_regret)
    prior, measured = Posterior.prior(gp, trace.problem.candidates), trace.posterior
    for made in held.decisions:
        belief = prior.observe(measured.conditioned_indices[: made.n], trace.y[: made.n])
        assert_equal_fields(trace.policy.decide(belief, made.t, beta), made)
    back = replay_decisions(held, trace.gp, trace.beta)
    for made, again, other in zip(trace.decisions, back.decisions, held.decisions, strict=True):
        np.testing.assert_array_equal(again.indices, made.indices)
        assert not np.array_equal(other.indices, made.indices)


def test_the_noise_of_a_measurement_is_held_where_it_was_told() -> None:
    trace = run()
    noise = [0.01, *[None] * (trace.posterior.n - 1)]
    held = replay_decisions(told_with(trace, noise), replace(trace.gp, noise_variance=0.7))
    assert held.posterior.fixed_noise == tuple(noise)


def test_the_digest_has_the_picks() -> None:
    trace = run()
    one, other = (replay_decisions(trace, GaussianProcess(RBF(size), 0.25)) for size in (0.1, 0.9))
    assert one.digest != other.digest
    assert one.digest == replay_decisions(trace, GaussianProcess(RBF(0.1), 0.25)).digest


def test_other_batch_sizes_and_refitted_runs_are_refused() -> None:
    trace = run()
    with pytest.raises(InputError, match="3 picks"):
        replay_decisions(trace, policy=GPUCBPE(4))
    refitted = simulate(
        trace.problem, GPUCBPE(3), batches=3, initial=5, refit_every=1, fit=lambda gp, X, y: gp
    )
    with pytest.raises(InputError, match="one prior"):
        replay_decisions(refitted)


def test_it_is_not_taken_for_a_run_that_was_measured() -> None:
    held, file = replay_decisions(run()), io.StringIO()
    uses = (lambda: held.save(file), lambda: held.to_csv(file), held.to_frame)
    for use in (*uses, lambda: theory.diagnose(held)):
        with pytest.raises(InputError, match="measured at its own picks"):
            use()
    assert file.getvalue() == ""
