"""What can only be a mistake is refused where it is made, with what to do about it."""

from __future__ import annotations

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
    fit_hyperparameters,
)
from ucbpe_core.policies import GPUCB

GP, OTHER = GaussianProcess(RBF(0.3), 0.1), GaussianProcess(RBF(2.0), 0.1)
X = np.linspace(0, 1, 7)[:, None]
MASKED = np.ma.masked_array([0.0, 9.0, 1.0], mask=[False, True, False])


def bandit() -> Bandit:
    return Bandit(X, GP, GPUCBPE(2))


@pytest.mark.parametrize("name", ["gp", "std", "noise"])
def test_a_posterior_takes_no_assignment(name: str) -> None:
    belief = Posterior.prior(GP, X)
    with pytest.raises(InputError, match=rf"to none .* Posterior; got {name}; make a new one with"):
        setattr(belief, name, OTHER)
    assert belief.gp is GP


@pytest.mark.parametrize("name", ["gp", "history", "polcy"])
@pytest.mark.parametrize("make", [bandit, lambda: BoxBandit([(0, 1)], GP, GPUCBPE(2))])
def test_a_bandit_takes_no_attribute_that_nothing_reads(
    make: Callable[[], Bandit], name: str
) -> None:
    with pytest.raises(
        InputError, match=f"policy or beta or repeats .*Bandit; got {name}; call refit"
    ):
        setattr(make(), name, OTHER)


@pytest.mark.parametrize("make", [bandit, lambda: BoxBandit([(0, 1)], GP, GPUCBPE(2))])
def test_policy_and_schedule_are_checked_when_they_are_assigned(make: Callable[[], Bandit]) -> None:
    one = make()
    policy, schedule = one.policy, one.beta
    with pytest.raises(InputError, match="got str"):
        one.policy = "x"  # type: ignore[assignment]
    with pytest.raises(InputError, match="a BetaSchedule; got float"):
        one.beta = 4.0  # type: ignore[assignment]
    assert (one.policy, one.beta) == (policy, schedule)
    one.policy, one.beta = GPUCB(), ConstantBeta(9.0)
    decision = one.ask()
    assert (len(decision.indices if isinstance(one, Bandit) else decision.points), 9.0) == (
        1,
        decision.beta,
    )


@pytest.mark.parametrize(
    "use",
    [
        lambda: Posterior.prior(GP, X).observe([0, 1, 2], MASKED),
        lambda: bandit().tell(np.ma.masked_array([0, 1], mask=[True, False]), [0.0, 1.0]),
        lambda: Posterior.prior(GP, MASKED),
        lambda: GP.condition(X[:3], MASKED),
    ],
)
def test_what_is_masked_is_not_read(use: Callable[[], object]) -> None:
    with pytest.raises(InputError, match=r"without masked entries; .*; drop those entries"):
        use()


@pytest.mark.parametrize(
    "use",
    [
        lambda: Posterior.prior(GP, [[0.1, "0.2"]]),
        lambda: Posterior.prior(GP, np.array([[b"1"]])),
        lambda: Posterior.prior(GP, np.array([["2024-05-31"]], dtype="M8[D]")),
        lambda: fit_hyperparameters(GP, X[:2], ["1", "2"]),
        lambda: GaussianProcess(RBF(), b"1"),
    ],
)
def test_text_is_no_number(use: Callable[[], object]) -> None:
    with pytest.raises(InputError, match=r"to be (numeric|a number)"):
        use()


@pytest.mark.parametrize("none", [[], np.empty(0)])
def test_a_kernel_has_a_lengthscale(none: object) -> None:
    with pytest.raises(InputError, match="at least one lengthscale; got none; pass one per"):
        RBF(none)  # type: ignore[arg-type]
