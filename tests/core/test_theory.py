"""Information gain and the regret bounds, by brute force and by hand."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    RBF,
    GaussianProcess,
    InputError,
    Matern,
    Posterior,
    problems,
    simulate,
    theory,
)

from .reference import covariance, examples
from .runs import small_run
from .strategies import Instance, instances, seeds

BETA, GAMMA = np.array([2.0, 3.0]), np.array([1.0, 1.5])
BOUNDS = (
    theory.theorem1_printed,
    theory.theorem1_proved,
    theory.full_regret_printed,
    theory.full_regret_proved,
)
PROVED = (theory.theorem1_proved, theory.full_regret_proved)


@examples(60)
@given(instances())
def test_information_gain(case: Instance) -> None:
    """1/2 log det(I + K / noise_variance), by eigenvalues."""
    eigenvalues = np.linalg.eigvalsh(covariance(case.gp.kernel, case.candidates, case.candidates))
    expected = 0.5 * np.log1p(eigenvalues.clip(0) / case.gp.noise_variance).sum()
    computed = theory.information_gain(case.gp, case.candidates)
    assert computed == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_information_gain_by_hand() -> None:
    """One point of variance 3 and noise 1: log 2. Twice the same point: 1/2 log 7."""
    gp = GaussianProcess(RBF(variance=3.0), noise_variance=1.0)
    assert theory.information_gain(gp, [0.0]) == pytest.approx(math.log(2))
    assert theory.information_gain(gp, [0.0, 0.0]) == pytest.approx(0.5 * math.log(7))
    assert theory.information_gain(gp, [0.0, 1e9]) == pytest.approx(2 * math.log(2))
    assert theory.information_gain(gp, np.empty((0, 1))) == 0


@examples(60)
@given(instances(observations=10))
def test_chain_rule(case: Instance) -> None:
    """It is the sum of 1/2 log(1 + std^2 / noise_variance) along any order, repeats included."""
    for members in (case.members, case.members[::-1]):
        belief, total = Posterior.prior(case.gp, case.candidates), 0.0
        for j in members:
            total += 0.5 * math.log(1 + belief.std[j] ** 2 / case.gp.noise_variance)
            belief = belief.hallucinate([j])
        assert theory.information_gain(case.gp, case.X) == pytest.approx(total, abs=1e-8)


@examples(25)
@given(seeds, st.sampled_from((0.01, 0.3, 2.0)))
def test_greedy_against_all_sets(seed: int, noise: float) -> None:
    """At least (1 - 1/e) of the best set, so that gamma_bound is above it; first step exact."""
    X = np.random.default_rng(seed).uniform(0, 2, (6, 1))
    gp = GaussianProcess(Matern(0.5, nu=1.5), noise)
    greedy, bound = theory.greedy_information_gain(gp, X, 3), theory.gamma_bound(gp, X, 3)
    for n in (1, 2, 3):
        sets = combinations_with_replacement(range(6), n)
        best = max(theory.information_gain(gp, X[list(chosen)]) for chosen in sets)
        assert (1 - 1 / math.e) * best - 1e-12 <= greedy[n - 1] <= best + 1e-12
        assert bound[n - 1] >= best - 1e-12
    assert greedy[0] == pytest.approx(0.5 * math.log(1 + 1 / noise))
    np.testing.assert_allclose(bound, greedy / (1 - math.exp(-1)))


@examples(30)
@given(instances(size=20))
def test_greedy_gains_shrink(case: Instance) -> None:
    """The gain grows with every point, by less and less, and equals that of the points."""
    gains = theory.greedy_information_gain(case.gp, case.candidates, 12)
    assert gains.shape == (12,)
    assert not gains.flags.writeable
    steps = np.diff(gains, prepend=0.0)
    assert (steps >= 0).all()
    assert (np.diff(steps) <= 1e-9).all()
    belief, picks = Posterior.prior(case.gp, case.candidates), []
    for _ in range(12):
        picks.append(int(np.argmax(belief.std)))
        belief = belief.hallucinate(picks[-1:])
    expected = theory.information_gain(case.gp, case.candidates[picks])
    assert gains[-1] == pytest.approx(expected, abs=1e-8)


def test_theorem_as_printed_by_hand() -> None:
    """K = 3, noise 1: C1 = 4 / log 2 = 5.7707802, C2 = pi / sqrt 6 = 1.2825498.

    T = 1: sqrt(5.7707802 / 3 * 2 * 1 + 1.2825498); T = 2: sqrt(5.7707802 * 2 / 3 * 4.5 + ..).
    """
    bound = theory.theorem1_printed(BETA, GAMMA, 3, 1.0)
    np.testing.assert_allclose(bound, [2.264892184159274, 4.312179300635518], rtol=1e-14)


def test_theorem_as_proved_by_hand() -> None:
    """K = 3, noise 1: 8 / log 2 = 11.5415603, and 2 sqrt(beta_T) 2 / 3 outside the root."""
    bound = theory.theorem1_proved(BETA, GAMMA, 3, 1.0)
    np.testing.assert_allclose(bound, [4.659491467334321, 8.193675117057367], rtol=1e-14)


def test_full_regret_as_printed_by_hand() -> None:
    """K = 3, noise 1: C1 = 36 / log 2 = 51.9370214795, C2 = pi / sqrt 6 = 1.2825498302."""
    bound = theory.full_regret_printed(BETA, GAMMA, 3, 1.0)
    expected = [
        math.sqrt(51.9370214795 * 3 * 2 * 1 + 1.2825498302),
        math.sqrt(51.9370214795 * 2 * 3 * 3 * 1.5 + 1.2825498302),
    ]
    np.testing.assert_allclose(bound, expected, rtol=1e-9)


def test_full_regret_as_proved_by_hand() -> None:
    """K = 3, noise 1: sqrt(72 / log 2 T 3 beta gamma) + 12 sqrt(beta_T)."""
    bound = theory.full_regret_proved(BETA, GAMMA, 3, 1.0)
    expected = [
        math.sqrt(103.874042959 * 3 * 2 * 1) + 12 * math.sqrt(2),
        math.sqrt(103.874042959 * 2 * 3 * 3 * 1.5) + 12 * math.sqrt(3),
    ]
    np.testing.assert_allclose(bound, expected, rtol=1e-9)


@pytest.mark.parametrize(("bound", "times"), list(zip(PROVED, (1, 3), strict=True)))
def test_a_compact_domain_adds_the_sum_of_inverse_squares(bound: object, times: int) -> None:
    """At most pi^2 / 6 for every first pick, and as much for every other pick of the batch."""
    assert callable(bound)
    added = bound(BETA, GAMMA, 3, 1.0, compact=True) - bound(BETA, GAMMA, 3, 1.0)
    assert sum(1 / t**2 for t in range(1, 10_000)) < added[0] / times < math.pi**2 / 6 + 1e-12
    assert added[1] == pytest.approx(added[0])


def test_trivial_bound() -> None:
    """t or t K times the spread, which a worst run attains."""
    np.testing.assert_array_equal(theory.trivial_bound(3, 2.0), [2, 4, 6])
    np.testing.assert_array_equal(theory.trivial_bound(3, 2.0, 5), [10, 20, 30])
    with pytest.raises(InputError, match="spread"):
        theory.trivial_bound(3, -1.0)


def test_gain_of_a_run() -> None:
    """It is I(initial points and picks) - I(initial points), by determinants of whole sets."""
    trace = small_run(batches=4)
    members = list(trace.posterior.conditioned_indices)
    X, gp = trace.problem.candidates, trace.gp
    sizes = [trace.initial + 3 * t for t in range(5)]
    gains = [theory.information_gain(gp, X[members[:n]]) for n in sizes]
    np.testing.assert_allclose(theory.gain_of_run(trace), np.array(gains[1:]) - gains[0])
    assert (theory.gain_of_run(trace) <= theory.gamma_bound(gp, X, 12)[2::3]).all()


@pytest.mark.parametrize("bound", BOUNDS)
def test_bounds_grow(bound: object) -> None:
    """With T, since beta_T and gamma_TK do, and with the noise."""
    assert callable(bound)
    beta, gamma = np.linspace(5, 9, 20), np.log1p(np.arange(20.0))
    assert (np.diff(bound(beta, gamma, 4, 0.1)) > 0).all()
    assert (bound(beta, gamma, 4, 1.0) >= bound(beta, gamma, 4, 0.1)).all()


@pytest.mark.parametrize("bound", BOUNDS)
def test_bounds_have_the_units_of_f(bound: object) -> None:
    """f times 5: prior and noise variance times 25, the bound times 5."""
    assert callable(bound)
    small, large = bound(BETA, GAMMA, 3, 0.2), bound(BETA, GAMMA, 3, 25 * 0.2, 25.0)
    np.testing.assert_allclose(large, 5 * small, rtol=1e-13)


def test_one_pick_drops_the_last_term() -> None:
    """For K = 1 the proved bound is GP-UCB's."""
    expected = np.sqrt(8 / math.log(2) * np.array([1, 2]) * BETA * GAMMA)
    np.testing.assert_allclose(theory.theorem1_proved(BETA, GAMMA, 1, 1.0), expected)
    np.testing.assert_allclose(theory.full_regret_proved(BETA, GAMMA, 1, 1.0), 3 * expected)


@pytest.mark.parametrize("seed", range(4))
def test_a_run_keeps_the_bound(seed: int) -> None:
    """A draw of the prior, beta of the theory: measured regrets lie below what is proved."""
    problem = problems.generated_gp(seed, noise_variance=0.25, resolution=8)
    trace = simulate(problem, GPUCBPE(4), batches=6, initial=0, seed=seed)
    beta = np.array([decision.beta for decision in trace.decisions])
    gamma = theory.gamma_bound(problem.gp, problem.candidates, 24)[3::4]
    bound = theory.theorem1_proved(beta, gamma, 4, 0.25)
    assert (trace.batch_cumulative_regret <= bound).all()
    bound = theory.full_regret_proved(beta, gamma, 4, 0.25)
    assert (trace.full_cumulative_regret <= bound).all()


def test_bad_input() -> None:
    """Noise 0 has infinite information; counts and shapes are checked."""
    silent = GaussianProcess(RBF(), noise_variance=0.0)
    with pytest.raises(InputError, match="noise_variance above 0; got 0; take a noise"):
        theory.information_gain(silent, [0.0])
    with pytest.raises(InputError, match="noise_variance above 0"):
        theory.greedy_information_gain(silent, [0.0], 1)
    gp = GaussianProcess(RBF())
    with pytest.raises(InputError, match="n of at least 1"):
        theory.greedy_information_gain(gp, [0.0], 0)
    with pytest.raises(InputError, match="X to be finite"):
        theory.information_gain(gp, [np.nan])
    problem = problems.from_callable(lambda x: float(x[0]), [(0, 1)], size=5, gp=silent)
    trace = simulate(problem, GPUCBPE(2), batches=1, initial=0)
    with pytest.raises(InputError, match="noise_variance above 0"):
        theory.gain_of_run(trace)
    for bound in BOUNDS:
        with pytest.raises(InputError, match="one shape"):
            bound(BETA, GAMMA[:1], 3, 1.0)
        with pytest.raises(InputError, match="batch_size"):
            bound(BETA, GAMMA, 0, 1.0)
        for noise in (0.0, -1.0, np.nan):
            with pytest.raises(InputError, match="noise_variance"):
                bound(BETA, GAMMA, 3, noise)
            with pytest.raises(InputError, match="prior_variance"):
                bound(BETA, GAMMA, 3, 1.0, noise)
