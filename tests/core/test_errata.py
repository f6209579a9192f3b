"""What docs/errata.md says of the paper, by numbers."""

from __future__ import annotations

import numpy as np

from ucbpe_core import (
    GPUCBPE,
    RBF,
    FiniteBeta,
    GaussianProcess,
    Posterior,
    problems,
    simulate,
    theory,
)


def test_lemma_6_as_printed_is_false() -> None:
    """A pick far from the first, whose regret is above the printed bound."""
    f = np.array([2.5, 0.0])
    prior = Posterior.prior(
        GaussianProcess(RBF(1.0), noise_variance=1.0), np.array([[0.0], [100.0]])
    )
    posterior = prior.observe([1] * 50, [0.0] * 50)
    decision = GPUCBPE(60).decide(posterior, 1, FiniteBeta(0.1))
    root, root_next = np.sqrt(decision.beta), np.sqrt(decision.beta_next)
    inside = np.abs(f - posterior.mean) <= root * posterior.std
    assert inside.all()
    assert decision.region_plus.all()

    k = int(np.argmax(decision.indices == 1))
    regret, std = f.max() - f[decision.indices[k]], posterior.std[decision.indices[k]]
    printed = 6 * root * std
    proved = 2 * root * posterior.std[decision.indices[0]] + (2 * root_next + root) * std
    assert k == 51
    assert regret == 2.5
    assert round(printed, 2) == 2.22
    assert round(proved, 2) == 6.53
    assert printed < regret <= proved


def test_the_statements_on_a_run() -> None:
    """Which statements fail, at which batch; the bounds by their formulas."""
    K, T = 5, 60
    problem = problems.generated_gp_1d(seed=1)
    trace = simulate(problem, GPUCBPE(K), batches=T, initial=4, seed=1)
    run = theory.diagnose(trace)
    checks = {check.name: check for check in theory.check_lemmas(run)}

    assert checks["band"].holds.all()
    assert list(np.flatnonzero(checks["lemma3_printed"].fails) + 1) == [1, 2, 3]
    assert checks["lemma3"].holds.all()
    assert checks["lemma4"].holds.all()
    assert checks["first_in_region_plus"].holds.all()  # the proviso of Lemma 2
    wider = run.ahead_mean[:, 0] + 3 * np.sqrt(run.beta_next) * run.ahead_std[:, 0]
    assert np.all(wider >= run.y_dot)  # what the band proves
    assert list(np.flatnonzero(checks["picks_in_region_plus"].fails) + 1) == [34]

    noise = trace.gp.noise_variance
    gamma = theory.gamma_bound(trace.gp, problem.candidates, T * K)[K - 1 :: K]
    C = 2 / np.log(1 + 1 / noise)
    t = np.arange(1, T + 1)
    proved = np.sqrt(4 * C * t / K * run.beta * gamma) + 2 * np.sqrt(run.beta) * (K - 1) / K
    bounds = theory.RegretBounds(run.beta, gamma, K, noise)
    np.testing.assert_allclose(proved, bounds.theorem1_proved)
    full = np.sqrt(36 * C * t * K * run.beta * gamma) + 6 * np.sqrt(run.beta) * (K - 1)
    np.testing.assert_allclose(full, bounds.full_regret_proved)


def test_the_term_of_lemma_3_in_the_smallest_case() -> None:
    """Two candidates, of which the second is correlated with the first."""
    pair = Posterior.prior(GaussianProcess(RBF(1.0), noise_variance=0.01), np.array([[0.0], [0.5]]))
    first, second = pair.std[0], pair.hallucinate([0]).std[1]
    assert first == 1
    assert second < 1  # printed: first <= second
    assert 2 * first <= first + second + (first - pair.hallucinate([0, 1]).std.max())
