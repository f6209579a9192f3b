"""Every decision against a reference that recomputes each variance by a dense solve."""

from __future__ import annotations

import json
import re
from dataclasses import FrozenInstanceError, dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
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
    Pick,
    PureExploration,
    RandomSearch,
    SimulationMatching,
    ThompsonSampling,
)
from ucbpe_core.policies.context import fresh
from ucbpe_core.policies.picking import pick_largest, pick_upper

from . import golden
from .reference import (
    MARGIN,
    SlowBatch,
    assert_mask,
    assert_maximises,
    examples,
    finite_beta,
)
from .strategies import Instance, instances


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


@examples(80)
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


@examples(40)
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


def test_a_point_may_be_picked_twice() -> None:
    """With noise the most uncertain point can be the one just picked."""
    belief = Posterior.prior(GaussianProcess(RBF(1e-3), 100.0), [0.0, 1.0])
    belief = belief.observe([1] * 200, np.zeros(200))
    decision = PureExploration(2).decide(belief, 1, ConstantBeta())
    np.testing.assert_array_equal(decision.indices, [0, 0])
    assert decision.stds[1] == pytest.approx(np.sqrt(1 - 1 / 101))


@examples(40)
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


# Explores R+, repeats candidates, depends on nothing outside R and R+, its own parameters.
DECLARED: dict[str, tuple[bool, bool, bool, dict[str, object]]] = {
    "GP-UCB-PE": (True, True, True, {"batch_size": 10}),
    "GP-UCB": (False, True, True, {"batch_size": 1}),
    "GreedyUCB": (False, True, True, {"batch_size": 10}),
    "GP-BUCB": (False, True, False, {"batch_size": 10, "C": 2.0, "initialization": True}),
    "SM-UCB": (
        False, True, False, {"batch_size": 10, "trajectories": 20, "samples": 256, "seed": None},
    ),
    "EI-PE": (True, True, False, {"batch_size": 10}),
    "Thompson sampling": (False, True, False, {"batch_size": 10, "seed": None}),
    "Local penalization": (False, False, False, {"batch_size": 10}),
    "Pure exploration": (False, True, False, {"batch_size": 10}),
    "Random search": (False, True, False, {"batch_size": 10, "seed": None}),
}  # fmt: skip


def test_what_policies_declare() -> None:
    declared = {
        name: (kind.uses_region, kind.repeats, kind.confined, vars(kind()))
        for name, kind in POLICIES.items()
    }
    assert declared == DECLARED


@pytest.mark.parametrize("setting", golden.SETTINGS)
@pytest.mark.parametrize("name", POLICIES)
def test_batches_are_those_recorded(name: str, setting: str) -> None:
    """With and without noise, among all candidates, those not withdrawn, and those not known."""
    expected = json.loads(golden.FILE.read_text())[f"{name}, {setting}"]
    for found, recorded in zip(golden.batches(name, setting), expected, strict=True):
        for key in ("stds", "scores", "bands"):
            mine, theirs = (np.array(each.pop(key), float) for each in (found, recorded))
            np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-9)
        assert found == recorded


def test_what_ties_at_the_upper_bound() -> None:
    """Bounds that differ by less than the tolerance of the mean and 2 of the std, for beta = 4."""
    known = SimpleNamespace(
        mean=np.array([0.0, 1.0]), tolerance=1e-4,
        std_tolerance=lambda std=None: 1e-3 if std is None or std == 0.5 else 0.0,
    )  # fmt: skip
    for lower, picked in ((2.0e-3, 0), (2.2e-3, 1)):
        known.std = np.array([1 - lower / 2, 0.5])
        assert pick_upper(known, beta=4.0).index == picked  # type: ignore[arg-type]
    known.std = np.array([0.5, 0.5 - 1e-4])
    chosen = pick_largest(known.std, known, "pe", tolerance=known.std_tolerance)  # type: ignore[arg-type]
    assert (chosen.index, chosen.score) == (0, 0.5)
    assert pick_largest(known.mean[::-1] * 9e-5, known, "m").index == 0  # type: ignore[arg-type]
    assert pick_largest(known.mean * 9e-5, known, "m").index == 0  # type: ignore[arg-type]
    assert pick_largest(known.mean * 2e-4, known, "m").index == 1  # type: ignore[arg-type]


def test_picks_before_the_first_of_a_known_value() -> None:
    """At least one, as it was free when it was chosen; all of them under noise."""
    new, known = Pick(0, "pe", 1.0, 1.0), Pick(1, "pe", 0.0, 0.0)
    for noise, picks, expected in (
        (0.0, (new, new, new), 3),
        (0.0, (new, new, known, new), 2),
        (0.0, (new, known, known), 1),
        (0.0, (known, known, new), 1),
        (0.1, (known, known, new), 3),
    ):
        posterior = Posterior.prior(GaussianProcess(RBF(), noise), np.arange(4.0))
        assert fresh(posterior, picks) == expected


def test_what_a_decision_prints() -> None:
    """Not the masks over all candidates, nor those of its picks."""
    posterior = Posterior.prior(GaussianProcess(RBF()), np.arange(4.0))
    decision = GPUCBPE(2).decide(posterior, 1, FiniteBeta())
    names = [
        "t",
        "indices",
        "points",
        "roles",
        "stds",
        "scores",
        "beta",
        "beta_next",
        "y_dot",
        "n",
        "exhausted",
        "labels",
    ]
    assert re.findall(r"(\w+)=(?!float)", repr(decision)) == names
    assert Decision(*[0] * 13).exhausted is False  # type: ignore[arg-type]
