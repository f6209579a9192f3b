"""Without noise: what is known, when everything in R+ is, and searches that go on elsewhere."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from tests.core.runs import policy_of
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    KnownValuesWarning,
    Matern,
    Policy,
)
from ucbpe_core.errors import NothingLeftError
from ucbpe_core.policies import POLICIES
from ucbpe_core.search.experiment import Plan

Z = np.linspace(0, 1, 60)[:, None]
SMOOTH = GaussianProcess(RBF(0.3), noise_variance=0.0)
ROUGH = GaussianProcess(Matern(0.2, nu=0.5), noise_variance=0.0)


def f(points: Any) -> np.ndarray:
    return np.sin(8 * points[:, 0]) * points[:, 0]


def bandit(gp: GaussianProcess = SMOOTH, policy: Policy | None = None, **options: Any) -> Bandit:
    one = Bandit(Z, gp, policy or GPUCBPE(5), FiniteBeta(), **options)
    one.tell([3, 40], f(Z[[3, 40]]))
    return one


def played(one: Bandit | BoxBandit, batches: int = 100) -> list[Any]:
    """Ask and tell until nothing is left."""
    decisions = []
    for _ in range(batches):
        try:
            decisions.append(one.ask())
        except NothingLeftError:
            return decisions
        one.tell(decisions[-1].indices, f(decisions[-1].points))
    return decisions


def test_by_default_the_rule_is_the_papers_and_it_warns_once() -> None:
    one = bandit()
    with pytest.warns(KnownValuesWarning, match='Set repeats = "avoid"') as caught:
        decisions = played(one, 8)
    assert len(caught) == 1
    for decision in decisions:
        start = one.posterior.at(decision.n)
        known = start.std[decision.region_plus] <= 1.5e-5
        assert decision.exhausted == known.all()
        assert f"exhausted={bool(known.all())}" in repr(decision)
    assert [one.exhausted for one in decisions] == [False, False] + 6 * [True]
    assert decisions[-1].known.all()
    assert set(decisions[-1].indices.tolist()) == {59}


@pytest.mark.parametrize("name", POLICIES)
def test_avoiding_repeats_each_value_is_asked_for_once(name: str) -> None:
    """Until all are known; then nothing is left, and nothing has changed."""
    options = {"initialization": False} if name == "GP-BUCB" else {}
    one = bandit(ROUGH, policy_of(name, 4, **options), repeats="avoid")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the prior is far from f here
        decisions = played(one)
        picks = [int(j) for decision in decisions for j in decision.indices]
        assert len(set(picks) | {3, 40}) == len(picks) + 2
        assert not any(decision.known.any() for decision in decisions)
        assert all(len(decision.indices) <= one.policy.batch_size for decision in decisions)
        assert (one.posterior.std <= 1.5e-5).all()
        assert len(picks) == 58  # no value follows from its neighbours
        before = one.history, one.posterior.mean
        with pytest.raises(NothingLeftError, match="f known at 60 of 60; the search is complete"):
            one.ask()
    assert one.history is before[0]
    assert one.posterior.mean.tobytes() == before[1].tobytes()


def test_r_plus_comes_first_and_then_the_rest() -> None:
    """As by brute force: the largest std in R+ while one is unknown there, else on X."""
    one, outside = bandit(ROUGH, GPUCBPE(6), repeats="avoid"), 0
    one.beta = ConstantBeta(0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(6):
            start = one.posterior
            decision = one.ask()
            unknown = start.std > 1.5e-5
            upper = np.where(unknown, start.mean + decision.sqrt_beta * start.std, -np.inf)
            assert upper[decision.indices[0]] == pytest.approx(upper.max(), abs=1e-6)
            for k in range(1, len(decision.indices)):
                std = start.hallucinate(decision.indices[:k]).std
                inside = np.where(decision.region_plus, std, 0.0)
                left = inside if inside.max() > 1.5e-5 else std
                assert left[decision.indices[k]] == pytest.approx(left.max(), abs=1e-7)
                outside += not decision.region_plus[decision.indices[k]]
            assert decision.roles == ("ucb", *["pe"] * (len(decision.indices) - 1))
            one.tell(decision.indices, f(decision.points))
    assert outside


def test_it_can_be_changed() -> None:
    """An experiment avoids repeats unless told otherwise, a bandit allows them."""
    assert Plan(SMOOTH, GPUCBPE(5), FiniteBeta(), fit="never").repeats == "avoid"
    assert bandit().repeats == "allow"
    one = bandit(repeats="avoid")
    played(one, 2)
    assert one.ask().exhausted is True
    one.withdraw()
    one.repeats = "allow"
    with pytest.warns(KnownValuesWarning):
        assert one.ask().known.all()
    with pytest.raises(InputError, match='repeats "allow" or "avoid"; got \'never\''):
        bandit(repeats="never")


@pytest.mark.parametrize("repeats", ["allow", "avoid"])
@pytest.mark.filterwarnings("ignore")  # the prior is far from f here
def test_on_a_box(repeats: Any) -> None:
    """The paper's rule ends on one point; avoiding repeats, every point is a new one."""
    one = BoxBandit(
        [(0, 1)], SMOOTH, GPUCBPE(3), repeats=repeats, samples=64, starts=2, fit="never"
    )
    one.tell(None, [0.0, 1.0], points=[[0.0], [1.0]])
    decisions = played(one, 8)
    if repeats == "allow":
        assert decisions[-1].exhausted
        assert decisions[-1].known.all()
    else:
        assert not any(decision.known.any() for decision in decisions)
        points = np.concatenate([decision.points[:, 0] for decision in decisions])
        assert len(np.unique(points)) == len(points)
        assert len(decisions) < 8  # nothing was left
