"""Vizier's UCB-PE against its rule written out with dense solves, and against its own scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import Floats, assert_maximises, examples, moments
from tests.core.strategies import Instance, instances
from ucbpe_core import Bandit, GaussianProcess, InputError, Matern, Posterior
from ucbpe_core.policies import Explored, VizierUCBPE
from ucbpe_core.schedules import FiniteBeta


class Slow:
    """The rule by its definition, with all numbers of the source."""

    def __init__(self, case: Instance, pending: list[int], *, noisy: bool) -> None:
        self.case, self.pending, self.noisy = case, pending, noisy
        self.mean, self.s = self.predict(case.members, case.y)

    def predict(self, members: list[int], y: Floats) -> tuple[Floats, Floats]:
        X = self.case.candidates
        mean, std = moments(self.case.gp, X[members], y, X)
        return mean, np.sqrt(std**2 + self.case.gp.noise_variance * self.noisy)

    def std(self, picks: list[int]) -> Floats:
        members = [*self.case.members, *self.pending, *picks]
        return self.predict(members, np.zeros(len(members)))[1]

    def threshold(self, picks: list[int]) -> float:
        known = [*self.case.members, *self.pending, *picks]
        return max((self.mean[j] + 1.8 * self.s[j], self.mean[j]) for j in known)[1]

    def penalised(self, picks: list[int]) -> Floats:
        known = [*self.case.members, *self.pending, *picks]
        if not known:
            return self.std(picks)
        lack = np.minimum(self.mean + 0.5 * self.s - self.threshold(picks), 0)
        return self.std(picks) + 10 * lack


@examples(60)
@given(
    instances(dimension=3, size=30, observations=8),
    st.integers(0, 2),
    st.booleans(),
    st.sampled_from(((0.0, 0.0), (1.0, 1.0), (0.1, 0.25))),
    st.integers(0, 5),
)
def test_picks_are_those_of_the_definition(
    case: Instance, pending: int, noisy: bool, chances: tuple[float, float], seed: int
) -> None:
    """Also with picks that are still pending, and where nothing is measured."""
    M = len(case.candidates)
    waiting = case.rng.integers(0, M, pending).tolist()
    start = case.posterior.hallucinate(waiting) if waiting else case.posterior
    policy = VizierUCBPE(4, pe_probability=chances[0], ucb_probability=chances[1], noisy=noisy,
                         seed=seed)  # fmt: skip
    decision = policy.decide(start, 3, FiniteBeta())
    assert decision.beta == pytest.approx(1.8**2, rel=1e-14)
    slow = Slow(case, waiting, noisy=noisy)
    draws = np.random.default_rng([seed, 3]).random(4)
    picks = decision.indices.tolist()
    for k, role in enumerate(decision.roles):
        upper = draws[k] >= chances[0] if k == 0 else draws[k] < chances[1]
        assert ("penalised" not in role) == (upper and len(case.members) > 0)
        if "penalised" in role:
            score = slow.penalised(picks[:k])
        else:
            score = slow.mean + 1.8 * slow.std(picks[:k])
        assert_maximises(picks[k], score)
        assert decision.scores[k] == pytest.approx(score[picks[k]], abs=1e-6)
        region = decision.explored[k]
        if "penalised" not in role or not [*case.members, *waiting, *picks[:k]]:
            assert region is None
            continue
        assert isinstance(region, Explored)
        margin = slow.mean + 0.5 * slow.s - region.level
        assert region.level == pytest.approx(slow.threshold(picks[:k]), abs=1e-6)
        clear = np.abs(margin) > 1e-7
        np.testing.assert_array_equal(region.mask[clear], margin[clear] > 0)


@pytest.mark.parametrize("n", [1, 15, 16])
def test_the_trust_region_is_near_the_points(n: int) -> None:
    """In sides of the box, and while its radius is at most 0.5: with d = 2, of up to 15 points."""
    rng = np.random.default_rng(n)
    X = rng.random((200, 2)) * [1.0, 50.0]
    X[:2] = [[0, 0], [1, 50]]
    f = X[:, 0] + X[:, 1] / 50
    seen = np.argsort(f)[:n].tolist()  # in one corner
    start = Posterior.prior(GaussianProcess(Matern((0.5, 25.0)), 0.01), X).observe(seen, f[seen])
    policy = VizierUCBPE(6, ucb_probability=0.5, trust_region=True, seed=1)
    decision = policy.decide(start, 1, FiniteBeta())
    radius = 0.2 + 0.3 * n / 15
    apart = np.abs((X[:, None] - X[seen]) / [1.0, 50.0]).max(axis=2).min(axis=1)
    near = apart < radius if radius <= 0.5 else np.ones(200, bool)
    assert near[decision.indices].all()
    assert near.all() == (n > 15)
    for region in decision.explored:
        assert region is None or not (region.mask & ~near).any()
    free = VizierUCBPE(6, ucb_probability=0.5, seed=1).decide(start, 1, FiniteBeta())
    assert (n > 15) == np.array_equal(free.indices, decision.indices)


def test_a_decision_opened_again_has_its_region(tmp_path: Any) -> None:
    """Also where a pick of the batch before is pending."""
    bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), VizierUCBPE(3, seed=0))
    bandit.tell([5, 10], [0.2, 0.7])
    first = bandit.ask()
    bandit.tell(first.indices[:2], [0.5, -0.3])
    made = bandit.ask()
    bandit.save(tmp_path / "bandit.json")
    opened = Bandit.load(tmp_path / "bandit.json").ask()
    for one, other in zip(made.explored, opened.explored, strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert one.level == pytest.approx(other.level, rel=1e-12)
            np.testing.assert_array_equal(one.mask, other.mask)


@pytest.mark.parametrize("name", ["pe_probability", "ucb_probability"])
def test_a_probability_above_1_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} of at most 1"):
        VizierUCBPE(**{name: 1.5})
