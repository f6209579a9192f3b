"""What can only be a mistake is refused where it is made, with what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

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
    Matern,
    Posterior,
    fit_hyperparameters,
    problems,
)
from ucbpe_core.policies import GPUCB

GP, OTHER = GaussianProcess(RBF(0.3), 0.1), GaussianProcess(RBF(2.0), 0.1)
X = np.linspace(0, 1, 7)[:, None]
MASKED = np.ma.masked_array([0.0, 9.0, 1.0], mask=[False, True, False])


def bandit() -> Bandit:
    return Bandit(X, GP, GPUCBPE(2))


@pytest.mark.parametrize("name", ["gp", "candidates", "mean", "std", "variance", "n", "noise"])
def test_a_posterior_takes_no_assignment(name: str) -> None:
    belief = Posterior.prior(GP, X).observe([1, 5], [0.3, -0.2])
    before = belief.mean.tobytes(), belief.std.tobytes()
    with pytest.raises(InputError, match=rf"to none .* Posterior; got {name}; make a new one with"):
        setattr(belief, name, OTHER)
    assert belief.gp is GP
    after = belief.observe([2], [0.1])
    dense = GP.condition(X[[1, 5, 2]], [0.3, -0.2, 0.1]).predict(X)
    np.testing.assert_allclose(after.mean, dense.mean, atol=1e-12)
    assert (belief.mean.tobytes(), belief.std.tobytes()) == before


@pytest.mark.parametrize("name", ["gp", "candidates", "posterior", "history", "t", "polcy"])
def test_a_bandit_takes_no_attribute_that_nothing_reads(name: str) -> None:
    one = bandit()
    with pytest.raises(
        InputError, match=f"policy or beta or repeats .* Bandit; got {name}; call refit"
    ):
        setattr(one, name, OTHER)
    box = BoxBandit([(0, 1)], GP, GPUCBPE(2))
    for other in (name, "box"):
        with pytest.raises(InputError, match=f"BoxBandit; got {other}; call refit"):
            setattr(box, other, OTHER)


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
        lambda: bandit().tell([0, 1, 2], MASKED),
        lambda: bandit().tell(np.ma.masked_array([0, 1], mask=[True, False]), [0.0, 1.0]),
        lambda: bandit().tell([0, 1], [0.0, np.ma.masked]),
        lambda: Posterior.prior(GP, MASKED),
        lambda: Posterior.prior(GP, [MASKED, MASKED]),
        lambda: GP.condition(X[:3], MASKED),
        lambda: problems.from_table(X[:3], MASKED),
    ],
)
def test_what_is_masked_is_not_read(use: Callable[[], object]) -> None:
    with pytest.raises(InputError, match=r"without masked entries; .*; drop those entries"):
        use()


def test_a_mask_that_hides_nothing_is_none() -> None:
    y = np.ma.masked_array([0.0, 1.0], mask=[False, False])
    np.testing.assert_array_equal(
        Posterior.prior(GP, X).observe([0, 1], y).mean,
        Posterior.prior(GP, X).observe([0, 1], y.data).mean,
    )


@pytest.mark.parametrize(
    "use",
    [
        lambda: Posterior.prior(GP, [["0.1"], ["0.2"]]),
        lambda: Posterior.prior(GP, [[0.1, "0.2"]]),
        lambda: Posterior.prior(GP, np.array([["1"], [2.0]], dtype=object)),
        lambda: Posterior.prior(GP, np.array([[b"1"]])),
        lambda: Posterior.prior(GP, np.array([["2024-05-31"]], dtype="M8[D]")),
        lambda: bandit().tell([0], ["1.5"]),
        lambda: fit_hyperparameters(GP, X[:2], ["1", "2"]),
        lambda: GaussianProcess(RBF(), b"1"),
        lambda: RBF(["1", "2"]),
    ],
)
def test_text_is_no_number(use: Callable[[], object]) -> None:
    with pytest.raises(InputError, match=r"to be (numeric|a number)"):
        use()


def test_numbers_of_any_type_are_numbers() -> None:
    for rows in ([[1], [2]], [[True], [False]], [[Decimal("0.5")], [1.0]], np.float32([[1], [2]])):
        assert Posterior.prior(GP, rows).candidates.dtype == np.float64


@pytest.mark.parametrize("kind", [RBF, Matern])
@pytest.mark.parametrize("none", [[], (), np.empty(0)])
def test_a_kernel_has_a_lengthscale(kind: type[RBF], none: object) -> None:
    with pytest.raises(InputError, match="at least one lengthscale; got none; pass one per"):
        kind(none)  # type: ignore[arg-type]


@pytest.mark.parametrize("y", [np.zeros((3, 1)), np.zeros((1, 3)), [[0.0], [1.0], [2.0]]])
def test_a_column_is_told_to_be_ravelled(y: object) -> None:
    for use in (
        lambda: bandit().tell([0, 1, 2], y),
        lambda: fit_hyperparameters(GP, X[:3], y),
        lambda: GP.condition(X[:3], y),
    ):
        with pytest.raises(
            InputError, match=r"y of shape \(3,\); got shape .*; pass it flat, with .ravel\(\)"
        ):
            use()
    with pytest.raises(InputError, match="one value per point"):
        bandit().tell([0, 1], y)
