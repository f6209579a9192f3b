"""Errors a user can act on: bad input to every part of the public surface, refused at once."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    GaussianProcess,
    InputError,
    Posterior,
    UCBPEError,
    fit_hyperparameters,
    minimize,
    problems,
    simulate,
    study,
    theory,
)
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.policies import GPUCB, LocalPenalization

GP, OTHER = GaussianProcess(RBF(0.3), 0.1), GaussianProcess(RBF(2.0), 0.1)
X = np.linspace(0, 1, 7)[:, None]
CURVE, RULE = study.ProblemPlan("Curve", "multimodal"), study.PolicyPlan("PE", "GP-UCB-PE")
MASKED = np.ma.masked_array([0.0, 9.0, 1.0], mask=[False, True, False])


def bandit() -> Bandit:
    return Bandit(X, GP, GPUCBPE(2))


HIDDEN, TEXT = "without masked entries; .*; drop those entries", "to be (numeric|a number)"
BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: GP.condition(X, X[:, 0]).predict(np.zeros((1, 2))), "Z with 1 columns"),
    (lambda: GP.sample([np.nan]), "X to be finite"),
    (lambda: Posterior.prior(GP, X).observe([7], [0.0]), "indices between 0 and 6; got 7"),
    (lambda: Posterior.prior(GP, X).at(1), "n of at most 0"),
    (lambda: Bandit(X, GP, LocalPenalization(8)).ask(), "batch_size of at most 7"),
    (lambda: problems.generated_gp(resolution=1), "resolution"),
    (lambda: theory.information_gain(GaussianProcess(RBF(), 0.0), X), "noise"),
    (lambda: Posterior.prior(GP, X).observe([0, 1, 2], MASKED), HIDDEN),
    (lambda: bandit().tell(np.ma.masked_array([0, 1], [True, False]), [0.0, 1.0]), HIDDEN),
    (lambda: Posterior.prior(GP, MASKED), HIDDEN),
    (lambda: GP.condition(X[:3], MASKED), HIDDEN),
    (lambda: Posterior.prior(GP, [[0.1, "0.2"]]), TEXT),
    (lambda: Posterior.prior(GP, np.array([[b"1"]])), TEXT),
    (lambda: Posterior.prior(GP, np.array([["2024-05-31"]], dtype="M8[D]")), TEXT),
    (lambda: fit_hyperparameters(GP, X[:2], ["1", "2"]), TEXT),
    (lambda: GaussianProcess(RBF(), b"1"), TEXT),
    (lambda: RBF([]), "at least one lengthscale; got none; pass one per"),
    (lambda: RBF(np.empty(0)), "at least one lengthscale; got none; pass one per"),
    (
        lambda: study.Study("s", [CURVE], [RULE], seed=16**5000 - 1),
        "seed of at most .*; got one of 20000",
    ),
    # What a newcomer writes: a class, a function, a number or a name in place of the right thing.
    (lambda: Bandit(X, GP, GPUCBPE), "a Policy; got the class GPUCBPE; call it"),
    (lambda: GaussianProcess(RBF), "a Kernel; got the class RBF; call it"),
    (lambda: simulate(problems.himmelblau, GPUCBPE(2)), "the function himmelblau; pass problems"),
    (
        lambda: Bandit(X, GP, GPUCBPE(2), lambda t: t),
        "got the function <lambda>; .* derive a class",
    ),
    (lambda: Bandit(X, GP, GPUCBPE(2), 4.0), "a BetaSchedule; got float; pass ConstantBeta"),
    (lambda: GPUCBPE(K=4), "a parameter of GPUCBPE; got K=; it has batch_size"),
    (lambda: RBF(lenghtscale=1.0), "a parameter of RBF; got lenghtscale=; write lengthscale="),
    (lambda: Bandit(X, GP, GPUCBPE(2), repeat="avoid"), "got repeat=; write repeats="),
    (lambda: simulate(problems.himmelblau(), GPUCBPE(2), batch=3), "got batch=; write batches="),
    (lambda: minimize(abs, [(0, 1)], batch=3), "a parameter of minimize; got batch=; write batch"),
]


@pytest.mark.parametrize(("use", "what"), BAD)
def test_bad_input(use: Callable[[], object], what: str) -> None:
    """A ValueError that says what was expected, what was got and what to do."""
    with pytest.raises(InputError, match=what) as failure:
        use()
    error = failure.value
    assert isinstance(error, ValueError)
    for part in (error.expected, error.got, error.remedy):
        assert part
        assert part in str(error)
    assert str(error) == f"expected {error.expected}; got {error.got}; {error.remedy}"
    assert len(str(error)) < 250


@pytest.mark.parametrize("kind", [UCBPEError, InputError, IllConditionedError])
def test_errors_travel(kind: type[UCBPEError]) -> None:
    """All are ValueErrors of one family, and survive pickling (another process)."""
    error = kind("this", "that", "do so")
    assert isinstance(error, (UCBPEError, ValueError))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error) == "expected this; got that; do so"
    assert (again.expected, again.got, again.remedy) == ("this", "that", "do so")


@pytest.mark.parametrize("name", ["gp", "direction", "history", "t"])
def test_what_follows_from_a_history_is_not_assigned(name: str) -> None:
    one = bandit()
    before = getattr(one, name)
    with pytest.raises(AttributeError, match="no setter"):
        setattr(one, name, OTHER)
    assert getattr(one, name) == before


@pytest.mark.parametrize("make", [bandit, lambda: BoxBandit([(0, 1)], GP, GPUCBPE(2), fit="never")])
def test_policy_and_schedule_are_checked_when_they_are_assigned(make: Callable[[], Bandit]) -> None:
    one = make()
    policy, schedule = one.policy, one.beta
    with pytest.raises(InputError, match="got str"):
        one.policy = "x"
    with pytest.raises(InputError, match="a BetaSchedule; got float"):
        one.beta = 4.0
    assert (one.policy, one.beta) == (policy, schedule)
    one.policy, one.beta = GPUCB(), ConstantBeta(9.0)
    decision = one.ask()
    assert (len(decision.indices if isinstance(one, Bandit) else decision.points), 9.0) == (
        1,
        decision.beta,
    )
