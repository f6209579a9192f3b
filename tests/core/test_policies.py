"""Every decision against a reference that recomputes each variance by a dense solve."""

from __future__ import annotations

from collections import Counter
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    RBF,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Policy,
    Posterior,
)
from ucbpe_core.policies import (
    GPUCB,
    POLICIES,
    Decision,
    GreedyUCB,
    PureExploration,
    RandomSearch,
    SimulationMatching,
    ThompsonSampling,
)
from ucbpe_core.policies.picking import pick_largest

from .reference import (
    MARGIN,
    SlowBatch,
    assert_mask,
    assert_maximises,
    dense_std,
    examples,
    finite_beta,
)
from .strategies import Instance, instances

BATCHED = [GPUCBPE, GreedyUCB, PureExploration, RandomSearch]


@dataclass(frozen=True)
class Question:
    """A belief, a schedule and an iteration; the reference's answer beside the library's."""

    case: Instance
    t: int
    delta: float
    scale: float
    batch_size: int

    def decide(self, policy: Policy) -> Decision:
        return policy.decide(self.case.posterior, self.t, FiniteBeta(self.delta, self.scale))

    @property
    def slow(self) -> SlowBatch:
        case = self.case
        beta, beta_next = (
            finite_beta(t, len(case.candidates), self.delta, self.scale)
            for t in (self.t, self.t + 1)
        )
        return SlowBatch(case.gp, case.candidates, case.members, case.y, beta, beta_next)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """Up to 60 candidates in one to three dimensions, 15 observations, 8 picks.

    The scale of beta reaches far down, where R+ is a small part of X.
    """
    case = draw(instances(dimension=3))
    K = draw(st.integers(1, min(8, len(case.candidates))))
    scale = draw(st.sampled_from((0.001, 0.01, 0.05, 0.2, 1.0)))
    return Question(case, draw(st.integers(1, 30)), draw(st.sampled_from((0.01, 0.1))), scale, K)


def assert_common(decision: Decision, question: Question) -> SlowBatch:
    """What holds of every policy: numbers and masks of batch start, stds before each pick."""
    slow, K = question.slow, question.batch_size
    assert decision.indices.shape == decision.stds.shape == decision.scores.shape == (K,)
    assert (decision.t, decision.n) == (question.t, len(question.case.members))
    assert decision.beta == pytest.approx(slow.beta, rel=1e-12)
    assert decision.beta_next == pytest.approx(slow.beta_next, rel=1e-12)
    assert decision.sqrt_beta == pytest.approx(np.sqrt(slow.beta), rel=1e-12)
    assert decision.y_dot == pytest.approx(slow.y_dot, abs=1e-8)
    assert_mask(decision.region, slow.region_margin)
    assert_mask(decision.region_plus, slow.region_plus_margin)
    return slow


def assert_stds(decision: Decision, slow: SlowBatch) -> None:
    """Deviation at each pick, the picks before it hallucinated."""
    picks = decision.indices.tolist()
    expected = [slow.std(picks[:k])[j] for k, j in enumerate(picks)]
    np.testing.assert_allclose(decision.stds, expected, rtol=1e-8, atol=1e-8)


@examples(500)
@given(questions())
def test_gp_ucb_pe(question: Question) -> None:
    """x0 = argmax upper over X; xk = argmax over R+ of the std after x0 .. x(k-1)."""
    decision = question.decide(GPUCBPE(question.batch_size))
    slow = assert_common(decision, question)
    assert_stds(decision, slow)
    first, *others = decision.indices.tolist()
    assert decision.roles == ("ucb", *["pe"] * len(others))
    assert_maximises(first, slow.upper([]))
    assert decision.scores[0] == pytest.approx(slow.upper([])[first], abs=1e-8)
    surely = slow.region_plus_margin > MARGIN
    for k, pick in enumerate(others, start=1):
        std = slow.std(decision.indices[:k].tolist())
        assert decision.region_plus[pick]
        assert_maximises(pick, std, surely | decision.region_plus)
    np.testing.assert_array_equal(decision.scores[1:], decision.stds[1:])


@examples(100)
@given(questions())
def test_greedy_ucb(question: Question) -> None:
    """xk = argmax of mean + sqrt(beta_t) std after x0 .. x(k-1), mean and beta frozen."""
    decision = question.decide(GreedyUCB(question.batch_size))
    slow = assert_common(decision, question)
    assert_stds(decision, slow)
    assert set(decision.roles) == {"ucb"}
    picks = decision.indices.tolist()
    for k, pick in enumerate(picks):
        assert_maximises(pick, slow.upper(picks[:k]))
        assert decision.scores[k] == pytest.approx(slow.upper(picks[:k])[pick], abs=1e-8)


@examples(100)
@given(questions())
def test_pure_exploration(question: Question) -> None:
    """xk = argmax over X of the std after x0 .. x(k-1)."""
    decision = question.decide(PureExploration(question.batch_size))
    slow = assert_common(decision, question)
    assert_stds(decision, slow)
    assert set(decision.roles) == {"pe"}
    picks = decision.indices.tolist()
    for k, pick in enumerate(picks):
        assert_maximises(pick, slow.std(picks[:k]))


@examples(60)
@given(questions())
def test_gp_ucb(question: Question) -> None:
    """One pick, argmax upper; GP-UCB-PE and GreedyUCB with K = 1 are the same."""
    single = Question(question.case, question.t, question.delta, question.scale, 1)
    decision = single.decide(GPUCB())
    slow = assert_common(decision, single)
    assert_maximises(int(decision.indices[0]), slow.upper([]))
    for policy in (GPUCBPE(1), GreedyUCB(1)):
        other = single.decide(policy)
        for name in ("indices", "stds", "scores", "region", "region_plus"):
            np.testing.assert_array_equal(getattr(other, name), getattr(decision, name))
        assert (other.roles, other.y_dot) == (decision.roles, decision.y_dot)


@examples(60)
@given(questions())
def test_random_search(question: Question) -> None:
    """Picks depend on seed and t alone."""
    policy = RandomSearch(question.batch_size, seed=3)
    decision = question.decide(policy)
    slow = assert_common(decision, question)
    assert set(decision.roles) == {"random"}
    picks = decision.indices.tolist()
    expected = [slow.std(picks[:k])[j] for k, j in enumerate(picks)]
    np.testing.assert_allclose(decision.stds, expected, atol=1e-8)
    np.testing.assert_array_equal(question.decide(policy).indices, decision.indices)


def test_random_search_is_uniform() -> None:
    """Every candidate is drawn about equally often; another t or seed gives another batch."""
    belief = Posterior.prior(GaussianProcess(RBF()), np.arange(10.0))
    batches = [
        RandomSearch(10, seed=s).decide(belief, t, ConstantBeta()).indices
        for s in range(10)
        for t in range(1, 11)
    ]
    counts = np.bincount(np.concatenate(batches), minlength=10)
    assert (np.abs(counts - 100) < 50).all()
    assert len({tuple(batch) for batch in batches}) == 100


@examples(100)
@given(questions())
def test_uncertainty_falls_within_a_batch(question: Question) -> None:
    """The stds of exploring picks never increase, bit for bit."""
    pe = question.decide(GPUCBPE(question.batch_size)).stds[1:]
    everywhere = question.decide(PureExploration(question.batch_size)).stds
    for stds in (pe, everywhere):
        assert (np.diff(stds) <= 0).all()


def test_the_questions_are_varied() -> None:
    """The instances above exercise R+ and the hallucinations; without that they prove little."""
    seen: Counter[str] = Counter()

    @examples(300)
    @given(questions())
    def look(question: Question) -> None:
        decision = question.decide(GPUCBPE(question.batch_size))
        picks, inside = decision.indices[1:], decision.region_plus
        explored = PureExploration(question.batch_size).decide(
            question.case.posterior, question.t, FiniteBeta(question.delta, question.scale)
        )
        seen["R+ leaves something out"] += not inside.all()
        seen["R+ wider than R"] += bool((inside & ~decision.region).any())
        seen["R+ turned exploration away"] += not inside[explored.indices].all()
        seen["a pick outside R"] += not decision.region[picks].all()
        seen["a repeated pick"] += len(set(decision.indices.tolist())) < question.batch_size
        seen["a repeated observation"] += len(set(question.case.members)) < decision.n

    look()
    assert len(seen) == 6
    assert min(seen.values()) >= 20, seen


def test_exploration_stays_in_the_region() -> None:
    """Far candidates are the most uncertain by far, and still not explored."""
    gp = GaussianProcess(RBF(1.0), noise_variance=0.01)
    x = np.append(np.linspace(0, 1, 11), [50.0, 60.0])
    belief = Posterior.prior(gp, x).observe([5, 0, 10], [9.0, 4.0, 4.0])
    decision = GPUCBPE(6).decide(belief, 1, ConstantBeta(1.0))
    assert not decision.region_plus[-2:].any()
    assert (decision.indices < 11).all()
    assert set(PureExploration(2).decide(belief, 1, ConstantBeta(1.0)).indices) == {11, 12}


def test_a_point_may_be_picked_twice() -> None:
    """With noise the most uncertain point can be the one just picked."""
    belief = Posterior.prior(GaussianProcess(RBF(1e-3), 100.0), [0.0, 1.0])
    belief = belief.observe([1] * 200, np.zeros(200))
    decision = PureExploration(2).decide(belief, 1, ConstantBeta())
    np.testing.assert_array_equal(decision.indices, [0, 0])
    assert decision.stds[1] == pytest.approx(np.sqrt(1 - 1 / 101))


@pytest.mark.parametrize("kind", [GPUCBPE, GreedyUCB, PureExploration])
def test_ties_go_to_the_lowest_index(kind: type[Policy]) -> None:
    """Without data all candidates tie; repeated ones still do after a pick."""
    x = np.array([0.0, 5.0, 9.0])
    belief = Posterior.prior(GaussianProcess(RBF(), 0.1), np.concatenate([x, x, x]))
    decision = kind(batch_size=3).decide(belief, 1, ConstantBeta())
    assert decision.indices[0] == 0
    assert (decision.indices < 3).all()


@examples(150)
@given(instances(dimension=3, size=25), st.sampled_from([GPUCBPE, GreedyUCB, PureExploration]))
def test_repeated_candidates_tie_exactly(case: Instance, kind: type[Policy]) -> None:
    """Also after data: a copy of a candidate has its very deviation, and is never preferred."""
    M = len(case.candidates)
    distinct = np.unique(case.candidates, axis=0)
    copies = np.concatenate([distinct, distinct, distinct])
    belief = Posterior.prior(case.gp, copies).observe(case.members, case.y)
    first, *others = np.split(belief.std, 3)
    for other in others:
        assert np.array_equal(first, other)
    decision = kind(batch_size=min(4, M)).decide(belief, 2, FiniteBeta(scale=0.1))
    assert (decision.indices < len(distinct)).all()


def test_largest_score_in_a_mask() -> None:
    """The lowest of equal scores, outside the mask nothing counts, and std comes along."""
    belief = Posterior.prior(GaussianProcess(RBF(variance=4.0)), np.arange(4.0))
    score = np.array([1.0, 3.0, 3.0, 7.0])
    assert pick_largest(score, belief, "pe").index == 3
    pick = pick_largest(score, belief, "pe", np.array([True, True, True, False]))
    assert (pick.index, pick.role, pick.std, pick.score) == (1, "pe", 2.0, 3.0)


@examples(60)
@given(questions())
def test_values_do_not_matter_inside_a_batch(question: Question) -> None:
    """The stds on record are those that the batch's measurements leave behind."""
    assume(question.batch_size > 1)
    decision, case = question.decide(GPUCBPE(question.batch_size)), question.case
    belief = case.posterior
    for k, j in enumerate(decision.indices.tolist()):
        assert belief.std[j] == decision.stds[k]
        belief = belief.observe([j], case.rng.normal(size=1))
    X = case.candidates[[*case.members, *decision.indices]]
    np.testing.assert_allclose(belief.std, dense_std(case.gp, X, case.candidates), atol=1e-8)


@pytest.mark.parametrize("kind", POLICIES.values())
def test_every_policy(kind: type[Policy]) -> None:
    """Registered by name, frozen, deterministic, its decision read-only."""
    assert POLICIES[kind.name] is kind
    belief = Posterior.prior(GaussianProcess(RBF(0.3)), np.linspace(0, 1, 20))
    policy = kind()
    with pytest.raises(FrozenInstanceError):
        policy.batch_size = 2
    decision = policy.decide(belief, 1, FiniteBeta())
    assert len(decision.indices) == policy.batch_size
    assert set(decision.roles) <= set(kind.rules)
    np.testing.assert_array_equal(policy.decide(belief, 1, FiniteBeta()).indices, decision.indices)
    with pytest.raises(FrozenInstanceError):
        decision.t = 2
    for name in ("indices", "stds", "scores", "region", "region_plus"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(decision, name)[0] = 0


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("size", [0, -1, 1.5, None, "10"])
def test_batch_sizes(name: str, size: object) -> None:
    """A whole number of picks, at least one."""
    with pytest.raises(InputError, match="batch_size"):
        POLICIES[name](batch_size=size)


@pytest.mark.parametrize("kind", BATCHED)
def test_more_picks_than_candidates(kind: type[Policy]) -> None:
    """K may exceed the number of candidates: a candidate measured twice is known better."""
    belief = Posterior.prior(GaussianProcess(RBF()), np.arange(5.0))
    for K in (5, 6, 17):
        decision = kind(batch_size=K).decide(belief, 1, ConstantBeta())
        assert decision.indices.shape == decision.stds.shape == (K,)


def test_gp_ucb_takes_one() -> None:
    """GP-UCB has no batches, and says which policies do."""
    for size in (2, 0, 1.0):
        with pytest.raises(InputError, match="batch_size"):
            GPUCB(batch_size=size)
    with pytest.raises(InputError, match="use GreedyUCB or GPUCBPE"):
        GPUCB(2)


@pytest.mark.parametrize("t", [0, -3, 1.5])
def test_iterations_start_at_one(t: int) -> None:
    """t = 0 is refused: its beta would be a logarithm of 0."""
    belief = Posterior.prior(GaussianProcess(RBF()), np.arange(5.0))
    with pytest.raises(InputError, match="t "):
        GPUCBPE(2).decide(belief, t, FiniteBeta())


@pytest.mark.parametrize("kind", [RandomSearch, SimulationMatching, ThompsonSampling])
def test_batches_depend_on_the_seed_and_t_alone(kind: type[Policy]) -> None:
    """Not on what was asked in between; seeds are not negative."""
    belief = Posterior.prior(GaussianProcess(RBF(0.1), 0.05), np.linspace(0, 1, 200))
    belief = belief.observe([0, 66, 199], [0.1, 0.6, -0.4])

    def picks(t: int, **options: int) -> tuple[int, ...]:
        return tuple(kind(5, **options).decide(belief, t, ConstantBeta()).indices)  # type: ignore[call-arg]

    assert picks(2) == picks(2, seed=0)
    assert len({picks(2), picks(3), picks(2, seed=1), picks(3, seed=1)}) == 4
    assert picks(2) == picks(2)
    with pytest.raises(InputError, match="seed"):
        kind(5, seed=-1)  # type: ignore[call-arg]


def test_which_policies_explore_inside_r_plus() -> None:
    assert {name for name in POLICIES if POLICIES[name].uses_region} == {"GP-UCB-PE", "EI-PE"}


def test_a_batch_has_ten_picks_by_default() -> None:
    """K = 10 is that of the paper's experiments."""
    kinds = (GPUCBPE, GreedyUCB, PureExploration, RandomSearch)
    assert [kind().batch_size for kind in kinds] == [10] * 4
