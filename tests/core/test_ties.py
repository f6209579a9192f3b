"""Ties: what rounding alone distinguishes goes to the lowest index, in every policy and mask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import GPUCBPE, RBF, Bandit, FiniteBeta, GaussianProcess, Matern, Policy, Posterior
from ucbpe_core.gp import lazy
from ucbpe_core.gp.rows import Key, Rows
from ucbpe_core.gp.ties import TIE, first_best
from ucbpe_core.policies import POLICIES, explore

from .reference import Floats, examples
from .runs import policy_of
from .strategies import seeds

NOISES = (0.0, 1e-6, 0.01, 1.0)


def grid(side: int, dimension: int) -> Floats:
    """A grid with every symmetry of the cube, shape (side^d, d)."""
    axis = np.linspace(-0.5, 0.5, side)
    return np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)


@contextmanager
def rounded_otherwise(seed: int) -> Iterator[None]:
    """Every number of every row off by its last digits, as by another BLAS."""
    rng, append = np.random.default_rng(seed), Rows.append

    def perturbed(self: Rows, key: Key, row: Floats) -> None:
        append(self, key, row * (1 + 4e-16 * rng.standard_normal(row.shape)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rows, "append", perturbed)
        yield


def decisions(policy: Policy, noise: float, X: Floats, seed: int) -> list[tuple[Floats, ...]]:
    """Picks and masks of a few batches over X, with values that share its symmetry."""
    gp, rng = GaussianProcess(Matern(0.3, nu=2.5), noise), np.random.default_rng(seed)
    bandit, f = Bandit(X, gp, policy, FiniteBeta(scale=0.2)), np.cos(5 * X).sum(axis=1)
    start = rng.integers(len(X), size=2)
    bandit.tell(start, f[start])
    made = []
    for _ in range(4):
        decision = bandit.ask()
        made.append((decision.indices, decision.region, decision.region_plus))
        bandit.tell(decision.indices, f[decision.indices])
    made.append((np.array([bandit.best().index]),))
    return made


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ucbpe_core.KnownValuesWarning")  # two values are soon known
@pytest.mark.filterwarnings("ignore::ucbpe_core.IllConditionedWarning")  # lies contradict f
@pytest.mark.parametrize("name", POLICIES)
@examples(40)
@given(st.sampled_from(NOISES), st.sampled_from([(21, 1), (9, 2), (2, 6)]), seeds)
def test_rounding_changes_no_pick(
    name: str, noise: float, shape: tuple[int, int], seed: int
) -> None:
    options = {"initialization": False} if name == "GP-BUCB" else {}
    policy, X = policy_of(name, 4, **options), grid(*shape)
    expected = decisions(policy, noise, X, seed)
    with rounded_otherwise(seed):
        found = decisions(policy, noise, X, seed)
    for one, other in zip(found, expected, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("kernel", [Matern(0.3, nu=2.5), RBF(0.3), RBF(1.5)], ids=str)
def test_symmetric_candidates_tie(kernel: Matern | RBF, noise: float) -> None:
    """After symmetric data every choice is the lowest of a pair of mirror images."""
    X, rng = grid(12, 2), np.random.default_rng(3)
    mirror = np.arange(144).reshape(12, 12)[:, ::-1].ravel()
    for _ in range(5):
        half = rng.integers(144, size=12)
        told = rng.permutation(np.concatenate([half, mirror[half]]))
        posterior = Posterior.prior(GaussianProcess(kernel, noise), X)
        posterior = posterior.observe(told, np.cos(5 * X[told]).sum(axis=1))
        for sign in (1, -1):
            j = first_best(sign * posterior.mean, posterior.tolerance)
            assert j < mirror[j]
            j = first_best(sign * posterior.std, posterior.std_tolerance)
            assert j < mirror[j]
        decision = GPUCBPE(1).decide(posterior, 1, FiniteBeta())
        for mask in (decision.region, decision.region_plus):
            np.testing.assert_array_equal(mask, mask[mirror])


def test_the_lowest_within_the_tolerance() -> None:
    """Of a mask, if there is one; infinite scores are a tie."""
    score = np.array([0.0, 1.0 - 2e-9, 1.0 - 5e-10, 1.0])
    assert first_best(score, 0.0) == 3
    assert first_best(score, 1e-9) == 2
    assert first_best(score, 3e-9) == 1
    assert first_best(score, 3e-9, np.array([True, False, False, False])) == 0
    assert first_best(np.full(3, -np.inf), 1e-9) == 0
    assert first_best(np.array([1.0, np.inf, np.inf]), np.inf) == 1


def test_it_grows_with_the_conditioning_and_not_where_noise_is_small() -> None:
    """Few points far apart lose no digits without noise; points close together do."""
    X = np.linspace(0, 1, 101)
    gp = GaussianProcess(Matern(0.05, nu=2.5), 0.0)
    apart = Posterior.prior(gp, X).observe([0, 50, 100], [1.0, 0.0, 1.0])
    assert apart.state.last.conditioning == pytest.approx(1, rel=1e-3)
    assert apart.std_tolerance(0.5) < 1.01 * TIE
    close = Posterior.prior(GaussianProcess(RBF(1.0), 0.0), X).observe(range(0, 101, 10), X[::10])
    assert close.state.last.conditioning > 1e7
    assert close.std_tolerance(0.5) > 3 * TIE
    bessel = Posterior.prior(GaussianProcess(Matern(0.05, nu=0.8), 0.0), X).observe([50], [0.0])
    assert bessel.std_tolerance(0.5) > 1.02 * TIE  # SciPy's K_nu is less accurate


def test_lazy_exploration_finds_the_lowest_tie_in_any_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of lower index, in a later group, whose std is below the best by less than the tie."""
    X = np.repeat([0.0, 100.0], [300, 256])
    gp = GaussianProcess(RBF(1.0), 0.1)
    posterior = Posterior.prior(gp, X).observe(299, 1.0)
    best = float(posterior.std.max())
    assert posterior.std[0] < best == 1.0
    # A point far away lowers the std of the first group by about 1e-12 of itself.
    posterior = posterior.observe_points([[100.0 + np.sqrt(-np.log(2e-12))]], [0.0])
    assert 0 < best - posterior.std[300] < posterior.std_tolerance(best)
    indices = np.arange(556)
    monkeypatch.setattr(lazy, "LEAST", 1)
    found = [pick.index for pick in explore(posterior, indices >= 0, 3)]
    chosen, given = [], posterior
    for _ in range(3):
        chosen.append(first_best(given.std, given.std_tolerance))
        given = given.hallucinate([chosen[-1]])
    assert found == chosen
