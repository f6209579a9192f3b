"""Ask and tell: picks by a dense solve, and nothing lost to errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Matern,
    Policy,
    Posterior,
)
from ucbpe_core.policies import (
    GPUCB,
    POLICIES,
)

from .recorded import assert_same
from .reference import (
    MARGIN,
    SlowBatch,
    assert_mask,
    assert_maximises,
    examples,
    finite_beta,
)
from .strategies import Instance, instances

GP = GaussianProcess(Matern(0.3, nu=2.5), noise_variance=0.1)
X = np.linspace(0, 1, 21)[:, None]
REPEATING = [kind for kind in POLICIES.values() if kind.repeats and kind is not GPUCB]


def fresh() -> Bandit:
    """A bandit with three initial observations."""
    bandit = Bandit(X, GP, GPUCBPE(4))
    bandit.tell([0, 10, 20], [0.0, 0.1, 2.0])
    return bandit


@pytest.mark.parametrize("kind", REPEATING)
def test_more_picks_than_candidates(kind: type[Policy]) -> None:
    """Each counts the picks before it, at the same candidate too; results come in parts."""
    points, gp = X[[0, 6, 20]], GaussianProcess(Matern(0.4, nu=2.5), 0.1)
    policy = kind(batch_size=7)  # type: ignore[call-arg]
    bandit = Bandit(points, gp, policy, ConstantBeta(4.0))
    decision = bandit.ask()
    members = decision.indices
    assert members.shape == (7,)
    for k, j in enumerate(members.tolist()):
        told = members[:k].tolist()
        C = gp.kernel.gram(points[told]) + gp.noise_variance * np.eye(k)
        c = gp.kernel.evaluate(points[told], points[[j]])[:, 0]
        std = np.sqrt(1 - c @ np.linalg.solve(C, c)) if k else 1.0
        assert decision.stds[k] == pytest.approx(std, abs=1e-9)
    bandit.tell(members[:4], [0.1, 0.2, 0.3, 0.4])
    assert len(bandit.pending) == 3
    assert bandit.ask().n == 7
    bandit.withdraw()
    assert bandit.pending == ()


@examples(60)
@given(instances(dimension=3, size=30, observations=8), st.data())
def test_pending_picks_by_a_dense_solve(case: Instance, data: st.DataObject) -> None:
    """The mean knows only what was told; the deviation counts pending picks too."""
    K = data.draw(st.integers(1, min(6, len(case.candidates))))
    bandit = Bandit(case.candidates, case.gp, GPUCBPE(K), FiniteBeta(scale=0.05))
    bandit.tell(case.members, case.y)
    first = bandit.ask().indices.tolist()
    told = data.draw(st.lists(st.sampled_from(range(K)), max_size=K, unique=True))
    values = case.rng.normal(size=len(told))
    done = [first[k] for k in told]
    bandit.tell(done, values)
    pending = [j for k, j in enumerate(first) if k not in told]
    assert sorted(bandit.pending) == sorted(pending)
    decision = bandit.ask()
    if not told:
        assert decision.t == 1
        return
    assert decision.t == 2
    slow = SlowBatch(
        case.gp,
        case.candidates,
        [*case.members, *done],
        np.append(case.y, values),
        finite_beta(2, len(case.candidates), 0.1, 0.05),
        finite_beta(3, len(case.candidates), 0.1, 0.05),
        pending,
    )
    assert decision.y_dot == pytest.approx(slow.y_dot, abs=1e-8)
    assert_mask(decision.region_plus, slow.region_plus_margin)
    picks = decision.indices.tolist()
    assert_maximises(picks[0], slow.upper([]))
    for k in range(1, K):
        surely = slow.region_plus_margin > MARGIN
        assert_maximises(picks[k], slow.std(picks[:k]), surely | decision.region_plus)


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize(
    ("members", "y"),
    [
        ([1, 99], [0.0, 0.0]),
        ([1, 2], [0.0, np.nan]),
        ([1], []),
    ],
)
def test_bad_results_change_nothing(members: object, y: object, asked: bool) -> None:
    """Unknown candidates, NaN and wrong shapes: an error, and the state as before."""
    bandit = fresh()
    decision = bandit.ask() if asked else None
    before, pending, t = bandit.posterior, bandit.pending, bandit.t
    mean = before.mean.copy()
    with pytest.raises(InputError) as failure:
        bandit.tell(members, y)
    error = failure.value
    assert all((error.expected, error.got, error.remedy))
    assert bandit.posterior is before
    assert (bandit.pending, bandit.t) == (pending, t)
    np.testing.assert_array_equal(bandit.posterior.mean, mean)
    if decision is not None:
        assert bandit.ask() is decision
    assert_same(bandit.ask(), fresh().ask())


@pytest.mark.parametrize(
    ("candidates", "gp", "policy", "beta", "what"),
    [
        (X, RBF(), GPUCBPE(2), None, "a GaussianProcess; got RBF"),
        (X, GP, GPUCBPE, None, "a Policy; got"),
        (X, GP, GPUCBPE(2), 4.0, "a BetaSchedule; got float"),
        (np.empty((0, 1)), GP, GPUCBPE(2), None, "number of candidates"),
    ],
)
def test_bad_beginnings(
    candidates: object, gp: object, policy: object, beta: object, what: str
) -> None:
    """Every argument is checked when the bandit is made."""
    with pytest.raises(InputError, match=what):
        Bandit(candidates, gp, policy, beta)


def test_a_refit_that_fails_changes_nothing() -> None:
    bandit = Bandit(X, GP, GPUCBPE(4))
    with pytest.raises(InputError, match="at least two different values"):
        bandit.refit()
    bandit.tell([0, 10], [0.0, 0.1])
    before = bandit.posterior
    with pytest.raises(InputError, match="a GaussianProcess; got RBF"):
        bandit.refit(lambda gp, points, y: RBF())  # type: ignore[arg-type,return-value]
    assert bandit.posterior is before


def test_points_told_outside_the_candidates_are_refitted_too() -> None:
    bandit = Bandit(X, GP, GPUCBPE(2))
    bandit.tell(None, [1.0, 2.0, 0.0], points=[[0.123], [0.5], [0.9]])
    fitted = bandit.refit()
    expected = Posterior.prior(fitted, X).observe_points([[0.123], [0.5], [0.9]], [1.0, 2.0, 0.0])
    np.testing.assert_allclose(bandit.posterior.mean, expected.mean, atol=1e-9)
