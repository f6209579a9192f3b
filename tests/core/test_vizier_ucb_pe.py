"""Vizier's UCB-PE against its rule written out with dense solves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import Floats, assert_maximises, examples, moments
from tests.core.strategies import Instance, instances
from ucbpe_core import Bandit, GaussianProcess, InputError, Matern
from ucbpe_core.policies import Explored, VizierUCBPE
from ucbpe_core.policies.schedules import FiniteBeta


class Slow:
    """The rule by its definition, with all numbers of the source."""

    def __init__(self, case: Instance, pending: list[int]) -> None:
        self.case, self.pending = case, pending
        self.mean, self.s = self.predict(case.members, case.y)

    def predict(self, members: list[int], y: Floats) -> tuple[Floats, Floats]:
        X = self.case.candidates
        return moments(self.case.gp, X[members], y, X)

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
    st.sampled_from(((0.0, 0.0), (1.0, 1.0), (0.1, 0.25))),
    st.integers(0, 5),
)
def test_picks_are_those_of_the_definition(
    case: Instance, pending: int, chances: tuple[float, float], seed: int
) -> None:
    """Also with picks that are still pending, and where nothing is measured."""
    M = len(case.candidates)
    waiting = case.rng.integers(0, M, pending).tolist()
    start = case.posterior.hallucinate(waiting) if waiting else case.posterior
    policy = VizierUCBPE(4, pe_probability=chances[0], ucb_probability=chances[1], seed=seed)
    decision = policy.decide(start, 3, FiniteBeta())
    assert decision.beta == pytest.approx(1.8**2, rel=1e-14)
    slow = Slow(case, waiting)
    draws = np.random.default_rng([seed, 3]).random(4)
    picks = decision.indices.tolist()
    for k, role in enumerate(decision.roles):
        upper = draws[k] >= chances[0] if k == 0 else draws[k] < chances[1]
        assert role == ("ucb" if upper and len(case.members) > 0 else "penalised")
        if role == "penalised":
            score = slow.penalised(picks[:k])
        else:
            score = slow.mean + 1.8 * slow.std(picks[:k])
        assert_maximises(picks[k], score)
        assert decision.scores[k] == pytest.approx(score[picks[k]], abs=1e-6)
        region = decision.explored[k]
        if role == "ucb" or not [*case.members, *waiting, *picks[:k]]:
            assert region is None
            continue
        assert isinstance(region, Explored)
        margin = slow.mean + 0.5 * slow.s - region.level
        assert region.level == pytest.approx(slow.threshold(picks[:k]), abs=1e-6)
        clear = np.abs(margin) > 1e-7
        np.testing.assert_array_equal(region.mask[clear], margin[clear] > 0)


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
