"""To minimise f is to maximise -f, bit for bit; refits; withdrawn picks are not proposed again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import Floats, examples
from tests.core.runs import assert_equal_fields, policy_of, reread
from tests.core.strategies import seeds
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    GaussianProcess,
    InputError,
    Matern,
    Policy,
    Posterior,
)
from ucbpe_core.errors import NothingLeftError
from ucbpe_core.policies import GPUCB, POLICIES, LocalPenalization

GP = GaussianProcess(Matern(0.3, nu=2.5), noise_variance=0.01, mean=0.25)
X = np.linspace(0, 1, 41)[:, None]
SEARCHES = [policy_of(name) for name in POLICIES]


def f(points: Floats) -> Floats:
    return np.sin(7 * points[:, 0]) + points[:, 0]


def on_a_set(direction: str = "maximize", policy: Policy | None = None, gp: object = GP) -> Bandit:
    return Bandit(X, gp, policy or GPUCBPE(3), ConstantBeta(4.0), direction=direction)  # type: ignore[arg-type]


@examples(60)
@pytest.mark.filterwarnings("ignore::ucbpe_core.PriorWarning")  # the mean is the sum of y
@given(st.sampled_from(SEARCHES), seeds, st.floats(-2, 2), st.booleans())
def test_to_minimise_is_to_maximise_the_negative(
    policy: Policy, seed: int, mean: float, in_parts: bool
) -> None:
    """Picks, masks and numbers of -y with the mean negated, over three batches and a refit."""
    rng = np.random.default_rng(seed)
    gp = replace(GP, mean=mean)
    low = on_a_set("minimize", policy, gp)
    high = on_a_set("maximize", policy, replace(gp, mean=-mean))
    start, y = rng.integers(len(X), size=5), rng.standard_normal(5)
    for bandit, sign in ((low, 1), (high, -1)):
        bandit.tell(start, sign * y, [0.1, None, None, 0.2, None])
    for t in range(3):
        one, other = low.ask(), high.ask()
        assert_equal_fields(replace(one, y_dot=-one.y_dot), other)
        told = one.indices[:2] if in_parts else one.indices
        y = rng.standard_normal(len(told))
        low.tell(told, y)
        high.tell(told, -y)
        if t == 1:
            fitted = low.refit(lambda gp, X, y, noise_variance: replace(gp, mean=float(y.sum())))
            mirror = high.refit(lambda gp, X, y, noise_variance: replace(gp, mean=float(y.sum())))
            assert fitted.mean == -mirror.mean
    np.testing.assert_array_equal(low.posterior.mean, -high.posterior.mean)
    np.testing.assert_array_equal(low.posterior.std, high.posterior.std)
    assert low.posterior.gp == low.process.gp == fitted
    assert low.best().index == high.best().index


def test_a_known_pick_alone_is_no_reason_to_warn() -> None:
    """Without noise the upper bound is greatest at a known point, while R+ has another."""
    far = GaussianProcess(RBF(1.0), noise_variance=0.0)
    bandit = Bandit([[0.0], [100.0]], far, GPUCB(), ConstantBeta(0.49), repeats="allow")
    bandit.tell([0], [1.0])
    for _ in range(2):
        decision = bandit.ask()
        assert (decision.indices.tolist(), decision.known.tolist()) == ([0], [True])
        assert decision.region_plus.all()
        assert not decision.exhausted
        bandit.tell([0], [1.0])


def test_a_fit_has_seed_0_unless_given() -> None:
    bandit = on_a_set()
    bandit.tell([3, 12, 25, 31, 38], f(X[[3, 12, 25, 31, 38]]))
    default, zero, one = bandit.fit(), bandit.fit(0), bandit.fit(1)
    assert default.starts == zero.starts != one.starts


def test_a_refit_that_fails_changes_nothing() -> None:
    bandit = Bandit(X, GP, GPUCBPE(4))
    with pytest.raises(InputError, match="at least two different values"):
        bandit.refit()
    bandit.tell([0, 10], [0.0, 0.1])
    before = bandit.posterior
    with pytest.raises(InputError, match="a GaussianProcess; got RBF"):
        bandit.refit(lambda gp, points, y: RBF())  # type: ignore[arg-type,return-value]
    assert bandit.posterior is before


@pytest.mark.parametrize("other", [0.3, 0.1 + 0.2])
def test_a_refit_to_equal_values_is_an_error_on_every_front(other: float) -> None:
    """Whether they are equal exactly or but for rounding; nothing changes."""
    for bandit in (Bandit(X, GP, GPUCBPE(2)), BoxBandit([(0, 1)], GP, GPUCBPE(2), samples=8)):
        bandit.tell(None, [0.3, other, 0.3], points=[[0.1], [0.5], [0.9]])
        before = bandit.history
        with pytest.raises(InputError, match=r"values in y; got 3 equal to 0\.3; observe"):
            bandit.refit()
        assert bandit.history is before


def test_points_told_outside_the_candidates_are_refitted_too() -> None:
    bandit = Bandit(X, GP, GPUCBPE(2))
    bandit.tell(None, [1.0, 2.0, 0.0], points=[[0.123], [0.5], [0.9]])
    fitted = bandit.refit()
    expected = Posterior.prior(fitted, X).observe_points([[0.123], [0.5], [0.9]], [1.0, 2.0, 0.0])
    np.testing.assert_allclose(bandit.posterior.mean, expected.mean, atol=1e-9)


PRIOR = GaussianProcess(Matern(nu=2.5, lengthscale=0.3), noise_variance=0.01)
LINE = np.linspace(0, 1, 21)[:, None]
DATA = [0, 5, 10], [0.0, 0.3, 0.2]


def table(name: str = "GP-UCB-PE", K: int = 3, **options: Any) -> Bandit:
    bandit = Bandit(LINE, PRIOR, policy_of(name, K), ConstantBeta(4.0), **options)
    bandit.tell(*DATA)
    return bandit


@pytest.mark.parametrize("name", POLICIES)
def test_no_policy_proposes_it_again(name: str) -> None:
    """Batch after batch is withdrawn, half of it measured in between, saved and loaded."""
    bandit, gone = table(name, direction="minimize"), set[int]()
    for _ in range(4):
        picks = bandit.ask().indices.tolist()
        assert not gone & set(picks)
        if len(picks) > 1:
            bandit.tell(picks[:1], [0.1])
        gone |= set(bandit.withdraw())
        bandit, before = reread(bandit), bandit
        assert (bandit.history, set(bandit.excluded)) == (before.history, gone)
    assert len(gone) >= 4
    assert not gone & set(bandit.ask().indices.tolist())


def test_nothing_left_is_said() -> None:
    bandit = Bandit(LINE[:3], PRIOR, GPUCBPE(3))
    while len(bandit.excluded) < 3:
        bandit.ask()
        bandit.withdraw()
    with pytest.raises(NothingLeftError, match=r"got none, and 3 withdrawn; .* or allow\(\) some"):
        bandit.ask()
    assert (bandit.pending, bandit.t) == ((), 1)
    bandit.allow([1])
    assert bandit.ask().indices.tolist() == [1, 1, 1]
    single = Bandit(LINE[:4], PRIOR, LocalPenalization(3))
    single.ask()
    single.withdraw()
    with pytest.raises(InputError, match=r"at most 1.* Local penalization repeats none; got 3"):
        single.ask()
