"""Ask and tell: which t, what is pending, and nothing lost to errors or odd orders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BetaSchedule,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Matern,
    Policy,
    Posterior,
    UCBPEError,
    fit_hyperparameters,
)
from ucbpe_core.fitting import log_marginal_likelihood
from ucbpe_core.policies import (
    Decision,
    GreedyUCB,
    LocalPenalization,
    PureExploration,
    RandomSearch,
)

from .reference import (
    MARGIN,
    SlowBatch,
    assert_mask,
    assert_maximises,
    dense,
    examples,
    finite_beta,
)
from .strategies import Instance, instances

GP = GaussianProcess(Matern(0.3, nu=2.5), noise_variance=0.1)
X = np.linspace(0, 1, 21)[:, None]
POLICIES = [GPUCBPE(4), GreedyUCB(4), PureExploration(4), RandomSearch(4)]


def truth(members: object) -> np.ndarray:
    """What the experiments give."""
    x = X[np.asarray(members), 0]
    return np.sin(7 * x) + x


def fresh(policy: Policy | None = None) -> Bandit:
    """A bandit with three initial observations."""
    bandit = Bandit(X, GP, policy or GPUCBPE(4))
    bandit.tell([0, 10, 20], truth([0, 10, 20]))
    return bandit


def assert_same(one: Decision, other: Decision) -> None:
    """Two decisions agree in everything, bit for bit."""
    assert (one.t, one.n, one.roles) == (other.t, other.n, other.roles)
    for name in ("indices", "stds", "scores", "y_dot", "beta", "region", "region_plus"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def state(bandit: Bandit) -> tuple[object, ...]:
    """All that a caller can see."""
    return bandit.posterior, bandit.pending, bandit.t


@dataclass(frozen=True)
class Broken(Policy):
    """A policy that fails."""

    name = "Broken"
    batch_size: int = 1

    def picks(self, situation: object) -> tuple[()]:
        raise RuntimeError("broken")


def test_initial_observations_do_not_advance_t() -> None:
    """The first batch has t = 1, whatever was told before, and beta_1 with it."""
    bandit = Bandit(X, GP, GPUCBPE(4))
    assert (bandit.t, bandit.pending, bandit.posterior.n) == (1, (), 0)
    for members in ([0], [3, 3], []):
        bandit.tell(members, truth(members) if members else [])
        assert (bandit.t, bandit.pending) == (1, ())
    decision = bandit.ask()
    assert (decision.t, decision.n) == (1, 3)
    assert decision.beta == pytest.approx(finite_beta(1, 21, 0.1, 1.0))
    assert decision.beta_next == pytest.approx(finite_beta(2, 21, 0.1, 1.0))


def test_a_whole_batch_advances_t() -> None:
    """t counts completed batches, from 1."""
    bandit = fresh()
    for t in (1, 2, 3):
        decision = bandit.ask()
        assert decision.t == bandit.t == t
        assert bandit.pending == tuple(decision.indices.tolist())
        bandit.tell(decision.indices, truth(decision.indices))
        assert (bandit.t, bandit.pending) == (t + 1, ())


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_asking_twice(policy: Policy) -> None:
    """Without a tell in between the answer is the same, and nothing piles up."""
    bandit = fresh(policy)
    first = bandit.ask()
    before = state(bandit)
    assert_same(bandit.ask(), first)
    assert state(bandit) == before
    assert_same(fresh(policy).ask(), first)


def test_asking_is_deciding() -> None:
    """With nothing pending, ask is the policy's decision on the belief."""
    bandit = fresh()
    assert_same(bandit.ask(), GPUCBPE(4).decide(bandit.posterior, 1, FiniteBeta()))


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
@pytest.mark.parametrize("told", [1, 2, 3])
def test_pending_picks_count(policy: Policy, told: int) -> None:
    """After part of a batch, the next one is decided with the rest hallucinated."""
    bandit = fresh(policy)
    first = bandit.ask()
    bandit.tell(first.indices[:told], truth(first.indices[:told]))
    pending = bandit.pending
    assert sorted(pending) == sorted(first.indices[told:].tolist())
    assert (bandit.t, bandit.posterior.n) == (1, 3 + told)
    second = bandit.ask()
    belief = fresh(policy).posterior.observe(first.indices[:told], truth(first.indices[:told]))
    assert_same(second, policy.decide(belief.hallucinate(pending), 2, FiniteBeta()))
    assert (bandit.t, bandit.pending) == (2, pending + tuple(second.indices.tolist()))


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


@examples(40)
@given(st.permutations(range(8)), st.lists(st.integers(1, 7), max_size=3, unique=True))
def test_results_in_any_order_and_in_parts(order: list[int], cuts: list[int]) -> None:
    """Two batches told in any order and in any parts leave the same belief and t."""
    bandit = fresh()
    first = bandit.ask().indices.tolist()
    bandit.tell(first[:1], truth(first[:1]))
    second = bandit.ask().indices.tolist()
    assert bandit.t == 2
    bandit.tell(first[1:2], truth(first[1:2]))
    rest = first[2:] + second
    order = [i for i in order if i < len(rest)]
    for part in np.split(order, sorted(c for c in cuts if c < len(order))):
        members = [rest[i] for i in part]
        bandit.tell(members, truth(members) if members else [])
    assert (bandit.pending, bandit.t, bandit.posterior.n) == ((), 3, 11)
    told = [0, 10, 20, *first, *second]
    mean, covariances = dense(GP, X[told], truth(told), X)
    np.testing.assert_allclose(bandit.posterior.mean, mean, atol=1e-8)
    np.testing.assert_allclose(bandit.posterior.std**2, np.diag(covariances), atol=1e-8)
    assert bandit.ask().t == 3


def test_a_late_result_of_an_earlier_batch() -> None:
    """It settles that pick and leaves the open batch as it is."""
    bandit = fresh()
    first = bandit.ask().indices
    bandit.tell(first[:3], truth(first[:3]))
    second = bandit.ask()
    late = next(j for j in first[3:] if j not in second.indices)
    bandit.tell(late, truth(late))
    assert bandit.pending == tuple(second.indices.tolist())
    assert (bandit.t, bandit.ask()) == (2, second)


def test_an_observation_from_outside() -> None:
    """A candidate nobody asked for is learned, and changes neither t nor the open batch."""
    bandit = fresh()
    decision = bandit.ask()
    outside = next(j for j in range(21) if j not in decision.indices)
    bandit.tell([outside], [0.5])
    assert bandit.posterior.n == 4
    assert bandit.posterior.conditioned_indices[-1] == outside
    assert (bandit.t, bandit.pending) == (1, tuple(decision.indices.tolist()))
    assert bandit.ask() is decision


def test_duplicates_in_a_batch() -> None:
    """A pick made twice is pending twice and told twice."""
    bandit = Bandit([[0.0], [9.0]], GaussianProcess(RBF(), 50.0), PureExploration(2))
    bandit.tell([1] * 300, np.zeros(300))
    first = bandit.ask()
    np.testing.assert_array_equal(first.indices, [0, 0])
    bandit.tell([0], [1.0])
    assert (bandit.pending, bandit.t) == ((0,), 1)
    bandit.tell([0], [2.0])
    assert (bandit.pending, bandit.t) == ((), 2)
    second = bandit.ask()
    bandit.tell(second.indices[:1], [0.0])
    assert bandit.pending == tuple(second.indices[1:].tolist())


def test_the_same_candidate_in_two_batches() -> None:
    """A result goes to the open batch first; the earlier one keeps waiting."""
    bandit = Bandit([[0.0], [0.5]], GaussianProcess(RBF(), 50.0), PureExploration(2))
    bandit.tell([1] * 300, np.zeros(300))
    assert bandit.ask().indices.tolist() == [0, 0]
    bandit.tell([0], [1.0])
    assert bandit.ask().indices.tolist() == [0, 0]
    assert (bandit.pending, bandit.t) == ((0, 0, 0), 2)
    bandit.tell([0, 0], [1.0, 1.0])
    assert (bandit.pending, bandit.t) == ((0,), 3)
    bandit.tell([0], [1.0])
    assert (bandit.pending, bandit.t) == ((), 3)


def test_withdrawing_an_untouched_batch() -> None:
    """t stays, nothing is pending, and the batch is asked again without these candidates."""
    bandit = fresh()
    decision = bandit.ask()
    assert bandit.withdraw() == tuple(decision.indices.tolist())
    assert (bandit.pending, bandit.t, bandit.posterior.n) == ((), 1, 3)
    again = bandit.ask()
    assert not set(again.indices.tolist()) & set(decision.indices.tolist())
    assert (again.t, again.y_dot) == (1, decision.y_dot)
    bandit.withdraw(), bandit.allow()
    assert_same(bandit.ask(), decision)


def test_withdrawing_the_rest_of_a_batch() -> None:
    """What was told stays; the batch counts, and the next one no longer waits."""
    bandit = fresh()
    decision = bandit.ask()
    bandit.tell(decision.indices[:1], [0.5])
    assert bandit.withdraw() == tuple(decision.indices[1:].tolist())
    assert (bandit.pending, bandit.t, bandit.posterior.n) == ((), 2, 4)
    assert bandit.allow() == tuple(sorted(decision.indices[1:].tolist()))
    expected = GPUCBPE(4).decide(bandit.posterior, 2, FiniteBeta())
    assert_same(bandit.ask(), expected)


def test_withdrawing_nothing() -> None:
    """There may be nothing to give up."""
    bandit = fresh()
    assert bandit.withdraw() == ()
    assert (bandit.pending, bandit.t) == ((), 1)


def test_hallucinations_never_reach_the_belief() -> None:
    """`posterior` holds measurements only, however much is pending."""
    bandit = fresh()
    before = bandit.posterior
    bandit.ask()
    assert bandit.posterior is before
    assert bandit.posterior.conditioned_indices == (0, 10, 20)


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize(
    ("members", "y"),
    [
        ([21], [0.0]),
        ([-1], [0.0]),
        ([0.0], [0.0]),
        (["a"], [0.0]),
        ([[0], [1, 2]], [0.0]),
        ([1, 2], [0.0]),
        ([1], [0.0, 1.0]),
        ([1], [[0.0]]),
        ([1, 2], [0.0, np.nan]),
        ([1, 2], [np.inf, 0.0]),
        ([1, 2], [0.0, "x"]),
        ([1, 99], [0.0, 0.0]),
        ([], [1.0]),
        ([1], []),
    ],
)
def test_bad_results_change_nothing(members: object, y: object, asked: bool) -> None:
    """Unknown candidates, NaN, infinities and wrong shapes: an error, and the state as before."""
    bandit = fresh()
    decision = bandit.ask() if asked else None
    before, mean = state(bandit), bandit.posterior.mean.copy()
    with pytest.raises(InputError) as failure:
        bandit.tell(members, y)
    error = failure.value
    assert error.expected
    assert error.got
    assert error.remedy
    after = state(bandit)
    assert after[0] is before[0]
    assert after == before
    np.testing.assert_array_equal(bandit.posterior.mean, mean)
    if decision is not None:
        assert bandit.ask() is decision
    assert_same(bandit.ask(), fresh().ask())


def test_a_failing_policy_changes_nothing() -> None:
    """Neither does one that asks for more than there is."""
    for policy, error in ((Broken(), RuntimeError), (LocalPenalization(22), UCBPEError)):
        bandit = fresh(policy)
        before = state(bandit)
        with pytest.raises(error):
            bandit.ask()
        assert state(bandit) == before


@pytest.mark.parametrize(
    ("candidates", "gp", "policy", "beta", "what"),
    [
        (X, RBF(), GPUCBPE(2), None, "a GaussianProcess; got RBF"),
        (X, GP, "GP-UCB-PE", None, "a Policy; got str"),
        (X, GP, GPUCBPE, None, "a Policy; got"),
        (X, GP, GPUCBPE(2), 4.0, "a BetaSchedule; got float"),
        (np.empty((0, 1)), GP, GPUCBPE(2), None, "number of candidates"),
        ([0.0, np.nan], GP, GPUCBPE(2), None, "candidates to be finite"),
        (np.zeros((2, 2, 2)), GP, GPUCBPE(2), None, "candidates of shape"),
    ],
)
def test_bad_beginnings(
    candidates: object, gp: object, policy: object, beta: object, what: str
) -> None:
    """Every argument is checked when the bandit is made."""
    with pytest.raises(InputError, match=what):
        Bandit(candidates, gp, policy, beta)


@pytest.mark.parametrize("beta", [None, FiniteBeta(), ConstantBeta(4.0)])
def test_the_schedule_in_use(beta: BetaSchedule | None) -> None:
    """`FiniteBeta()` unless another is given."""
    bandit = Bandit(X, GP, GPUCBPE(2), beta)
    assert bandit.beta == (beta or FiniteBeta())
    assert bandit.ask().beta == bandit.beta(1, 21, 1)


def test_best() -> None:
    """The candidate of highest posterior mean."""
    bandit = fresh()
    bandit.tell([4, 7], [9.0, 1.0])
    assert bandit.best().index == int(np.argmax(bandit.posterior.mean))
    assert abs(bandit.best().index - 4) <= 1


def test_more_candidates_than_memory_of_them() -> None:
    """The caller's array can change afterwards without harm."""
    candidates = X.copy()
    bandit = Bandit(candidates, GP, GPUCBPE(2))
    candidates[:] = 0.0
    np.testing.assert_array_equal(bandit.posterior.candidates, X)
    assert isinstance(bandit.posterior, Posterior)


def test_refitting_conditions_a_better_prior_on_the_same_values() -> None:
    bandit = fresh()
    first = bandit.ask()
    bandit.tell(first.indices[:2], truth(first.indices[:2]))
    open_decision, t = bandit.ask(), bandit.t
    pending = bandit.pending
    members = list(bandit.posterior.conditioned_indices)
    fitted = bandit.refit()
    by_hand = fit_hyperparameters(GP, X[members], truth(members), domain=X).gp
    np.testing.assert_allclose(
        fitted.kernel.log_parameters, by_hand.kernel.log_parameters, rtol=1e-5, atol=1e-5
    )
    expected = Posterior.prior(fitted, X).observe(members, truth(members))
    np.testing.assert_allclose(bandit.posterior.mean, expected.mean, atol=1e-9)
    np.testing.assert_array_equal(bandit.posterior.std, expected.std)
    assert log_marginal_likelihood(fitted, X[members], truth(members)) > (
        log_marginal_likelihood(GP, X[members], truth(members))
    )
    assert bandit.ask() is open_decision
    assert (bandit.t, bandit.pending) == (t, pending)
    bandit.tell(open_decision.indices, truth(open_decision.indices))
    assert bandit.ask().n == len(members) + 4 + 2  # told, and two still outstanding


def test_a_fit_of_ones_own_sees_what_was_told() -> None:
    bandit = fresh()
    seen = []

    def longer(gp: GaussianProcess, points: np.ndarray, y: np.ndarray) -> GaussianProcess:
        seen.append((points, y))
        return GaussianProcess(RBF(0.5), gp.noise_variance, mean=1.0)

    assert bandit.refit(longer) is bandit.posterior.gp
    np.testing.assert_array_equal(seen[0][0], X[[0, 10, 20]])
    np.testing.assert_allclose(seen[0][1], truth([0, 10, 20]), rtol=1e-14)


def test_a_refit_that_fails_changes_nothing() -> None:
    bandit = Bandit(X, GP, GPUCBPE(4))
    with pytest.raises(InputError, match="at least two different values"):
        bandit.refit()
    bandit.tell([0, 10], truth([0, 10]))
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
