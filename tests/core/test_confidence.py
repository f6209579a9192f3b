"""Beta schedules against numbers worked out by hand, and the bands."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BetaSchedule,
    BoxBandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Kernel,
    Matern,
    UCBPEError,
    confidence,
)
from ucbpe_core.kernels import Polynomial
from ucbpe_core.kernels.scales import slope_bound
from ucbpe_core.policies import GPBUCB, GPUCB
from ucbpe_core.schedules import CompactBeta, InformationGainBeta, RunState

from .reference import covariance, examples, finite_beta
from .strategies import Instance, instances

SCHEDULES = [
    FiniteBeta(),
    CompactBeta(),
    ConstantBeta(),
    FiniteBeta(0.5, 0.2),
    CompactBeta(r=9.0),
    InformationGainBeta(),
]


@pytest.mark.parametrize(
    ("t", "size", "delta", "beta"),
    [
        # 100 pi^2 / 0.6 = 1644.9341, log 7.4054556
        (1, 100, 0.1, 14.81091116291),
        # 400 * 9 pi^2 / 0.3 = 118435.25, log 11.6821217
        (3, 400, 0.05, 23.36424340094),
        # pi^2 / 3 = 3.2898681, log 1.1908475
        (1, 1, 0.5, 2.38169496606),
    ],
)
def test_finite_by_hand(t: int, size: int, delta: float, beta: float) -> None:
    """2 log(|X| t^2 pi^2 / (6 delta)), whatever the dimension."""
    for dimension in (1, 7):
        assert FiniteBeta(delta)(t, size, dimension) == pytest.approx(beta, abs=1e-10)


@examples(100)
@given(st.integers(1, 10**4), st.integers(1, 10**6), st.floats(1e-6, 0.999), st.floats(0.01, 10))
def test_finite_as_a_sum_of_logarithms(t: int, size: int, delta: float, scale: float) -> None:
    """The reference that the policy tests use, at any t, size, delta and scale."""
    expected = finite_beta(t, size, delta, scale)
    assert FiniteBeta(delta, scale)(t, size, 2) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("t", "d", "constants", "beta"),
    [
        # 2 log(2 pi^2 / 0.3) + 2 log(sqrt(log 40)) = 2 * 4.1865798 + 2 * 0.6526614
        (1, 1, {}, 9.67848225413),
        # 2 log(18 pi^2 / 0.3) + 4 log(9 * 2 * 2 * 1.5 * sqrt(log 240))
        # = 2 * 6.3838043 + 4 * 4.8395949
        (3, 2, {"a": 3.0, "b": 2.0, "r": 1.5}, 32.12598822613),
    ],
)
def test_compact_by_hand(t: int, d: int, constants: dict[str, float], beta: float) -> None:
    """2 log(2 t^2 pi^2 / (3 delta)) + 2 d log(t^2 d b r sqrt(log(4 d a / delta)))."""
    for size in (1, 500):
        assert CompactBeta(0.1, **constants)(t, size, d) == pytest.approx(beta, abs=1e-10)


@examples(100)
@given(
    st.integers(1, 1000),
    st.integers(1, 8),
    st.floats(1e-4, 0.5),
    st.tuples(*[st.floats(1.0, 5.0)] * 3),
)
def test_compact_as_a_sum_of_logarithms(
    t: int, d: int, delta: float, constants: tuple[float, float, float]
) -> None:
    """Each factor of the formula by its own logarithm."""
    a, b, r = constants
    first = math.log(2) + 2 * math.log(t) + 2 * math.log(math.pi) - math.log(3 * delta)
    root = 0.5 * math.log(math.log(4 * d) + math.log(a) - math.log(delta))
    second = 2 * math.log(t) + math.log(d) + math.log(b) + math.log(r) + root
    computed = CompactBeta(delta, a=a, b=b, r=r)(t, 10, d)
    assert computed == pytest.approx(2 * first + 2 * d * second, rel=1e-12)


@pytest.mark.parametrize(
    ("kernel", "variances"),
    [
        (RBF(0.5, 2.0), [8.0, 8.0]),
        (RBF((0.5, 2.0)), [4.0, 0.25]),
        (Matern(0.5, nu=2.5), [20 / 3, 20 / 3]),
        (Matern(2.0, 3.0, nu=1.5), [2.25, 2.25]),
        (RBF(0.5) + Matern(1.0, nu=2.5), [4 + 5 / 3, 4 + 5 / 3]),
        (RBF(0.5, 3.0) * Matern(1.0, 2.0, nu=2.5), [34.0, 34.0]),
    ],
    ids=repr,
)
def test_the_slope_of_a_prior(kernel: Kernel, variances: list[float]) -> None:
    """sqrt(2 max_j Var[df/dx_j]), by hand and by the variance of a difference quotient."""
    X, h = np.array([[0.3, 0.4]]), 1e-4
    for j, expected in enumerate(variances):
        ends = np.repeat(X, 2, axis=0)
        ends[:, j] += [-h, h]
        gram = kernel.gram(ends)
        quotient = (gram[0, 0] + gram[1, 1] - 2 * gram[0, 1]) / (2 * h) ** 2
        rough = isinstance(kernel, Matern) and kernel.nu < 2  # converges as h
        assert quotient == pytest.approx(expected, rel=1e-3 if rough else 1e-5)
    assert slope_bound(kernel, np.ones(2)) == pytest.approx(math.sqrt(2 * max(variances)))
    sides = np.array([1.0, 10.0])
    wider = max(a * side**2 for a, side in zip(variances, sides, strict=True))
    assert slope_bound(kernel, sides) == pytest.approx(math.sqrt(2 * wider))


def test_draws_are_no_steeper_than_the_slope_of_the_prior_allows() -> None:
    """P(|df/dx| > L) <= exp(-(L / b)^2) holds for b of the prior, and not for b = 1."""
    gp, x, h = GaussianProcess(RBF(0.2)), np.array([[0.5 - 5e-4], [0.5 + 5e-4]]), 1e-3
    rng = np.random.default_rng(3)
    slopes = np.abs(np.diff([gp.sample(x, rng) for _ in range(2000)], axis=1)[:, 0]) / h
    b = slope_bound(gp.kernel, np.ones(1))
    assert b == pytest.approx(math.sqrt(2) / 0.2)
    for L in (3.0, 6.0, 9.0):
        assert (slopes > L).mean() <= math.exp(-((L / b) ** 2))
        assert (slopes > L).mean() > math.exp(-(L**2))


def test_compact_takes_b_from_the_prior() -> None:
    """In `Bandit` in the units of the candidates, in `BoxBandit` in those of the unit cube."""
    gp, b = GaussianProcess(RBF(0.5, 2.0)), 4.0
    X = np.linspace(0, 1, 9)
    decision = Bandit(X, gp, GPUCB(), CompactBeta()).ask()
    assert decision.beta == CompactBeta(b=b)(1, 9, 1) == CompactBeta()(1, 9, 1, kernel=gp.kernel)
    assert Bandit(X, gp, GPUCB(), CompactBeta(b=1.0)).ask().beta == CompactBeta(b=1.0)(1, 9, 1)
    box = BoxBandit([(0, 10)], gp, GPUCB(), samples=64)
    assert box.ask().beta == CompactBeta(b=10 * b)(1, 64, 1)
    unknown = GaussianProcess(Polynomial(2))
    assert Bandit(X, unknown, GPUCB(), CompactBeta()).ask().beta == CompactBeta(b=1.0)(1, 9, 1)


def test_constant() -> None:
    """The same at every t, size and dimension."""
    assert {ConstantBeta(3.0)(t, t + 5, t) for t in (1, 2, 50)} == {3.0}


@pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
def test_scale_multiplies(schedule: BetaSchedule) -> None:
    """A fifth of the theoretical value is scale 0.2."""
    scaled = type(schedule)(**{**vars(schedule), "scale": 0.2})
    assert scaled(4, 30, 2) == pytest.approx(schedule(4, 30, 2) * 0.2 / schedule.scale)
    assert scaled.unscaled(RunState(4, 30, 2)) == schedule.unscaled(RunState(4, 30, 2))


@pytest.mark.parametrize(
    ("delta", "B", "R", "gain", "beta"),
    [
        # (1 + sqrt(2 (0 + 1 + log 10)))^2 = (1 + sqrt(6.6051701860))^2, by hand.
        (0.1, 1.0, 1.0, 0.0, 12.7452753),
        # (2 + 0.5 sqrt(2 (3 + 1 + log 20)))^2 = (2 + 0.5 sqrt(13.9914645471))^2
        (0.05, 2.0, 0.5, 3.0, 14.9788994),
        # R alone: 2 (7 + 1 + log 2)
        (0.5, 0.0, 1.0, 7.0, 17.3862944),
    ],
)
def test_information_gain_beta(delta: float, B: float, R: float, gain: float, beta: float) -> None:
    """Chowdhury and Gopalan 2017, Theorem 2, squared: whatever t and M."""
    schedule = InformationGainBeta(delta, B=B, R=R)
    for t, size in ((1, 10), (50, 1000)):
        assert schedule(t, size, 2, gain) == pytest.approx(beta, abs=1e-6)


@examples(30)
@given(instances())
def test_the_gain_that_a_schedule_sees(case: Instance) -> None:
    """1/2 log det(I + K / noise_variance) of the points, by another way; it is in the decision."""
    K = covariance(case.gp.kernel, case.X, case.X) / case.gp.noise_variance
    gain = 0.5 * np.linalg.slogdet(np.eye(len(K)) + K)[1]
    assert case.posterior.state.last.gain == pytest.approx(gain, rel=1e-6, abs=1e-8)
    schedule = InformationGainBeta(B=0.5)
    decision = GPUCBPE(2).decide(case.posterior, 4, schedule)
    size, d = case.candidates.shape
    assert decision.beta == schedule(4, size, d, case.posterior.state.last.gain)
    assert decision.beta_next == decision.beta
    widened = GPBUCB(2, C=1.0, initialization=False).decide(case.posterior, 4, schedule)
    assert widened.beta == pytest.approx(np.exp(2) * decision.beta)


def test_gain_of_the_run_in_a_bandit() -> None:
    """Outstanding picks count: the points conditioned on, whether their values are known or not."""
    gp = GaussianProcess(RBF(0.3), 0.1)
    bandit = Bandit(np.linspace(0, 1, 9), gp, GPUCBPE(2), InformationGainBeta())
    empty = bandit.ask()
    assert empty.beta == pytest.approx(12.7452753, abs=1e-6)
    bandit.tell(empty.indices[:1], [0.3])
    both = bandit.posterior.hallucinate(empty.indices[1:])
    assert bandit.ask().beta == InformationGainBeta()(2, 9, 1, both.state.last.gain)
    box = BoxBandit([(0, 1)], gp, GPUCBPE(2), InformationGainBeta())
    box.tell(None, [0.0, 1.0], points=[[0.2], [0.9]])
    assert box.ask().beta > 12.75


@pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
def test_beta_never_falls(schedule: BetaSchedule) -> None:
    """So 2 sqrt(beta_(t+1)) is at least sqrt(beta_t), and R lies within R+."""
    betas = [schedule(t, 50, 3) for t in range(1, 40)]
    assert (np.diff(betas) >= 0).all()


@pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
@pytest.mark.parametrize("arguments", [(0, 5, 1), (-1, 5, 1), (1.5, 5, 1), (1, 0, 1), (1, 5, 0)])
def test_iterations_start_at_one(schedule: BetaSchedule, arguments: tuple[int, int, int]) -> None:
    """t, size and dimension are whole and at least 1: t = 0 would give log 0."""
    with pytest.raises(InputError):
        schedule(*arguments)


@pytest.mark.parametrize("kind", [FiniteBeta, CompactBeta, InformationGainBeta])
@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, np.nan, "0.1", None])
def test_delta_is_a_probability(kind: type[BetaSchedule], delta: object) -> None:
    """Strictly between 0 and 1."""
    with pytest.raises(InputError, match="delta"):
        kind(delta=delta)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *[(kind, "scale") for kind in (FiniteBeta, CompactBeta, ConstantBeta, InformationGainBeta)],
        (InformationGainBeta, "R"),
        *[(CompactBeta, name) for name in "abr"],
    ],
)
@pytest.mark.parametrize("value", [0, -1, np.inf, np.nan])
def test_constants_are_positive(kind: type[BetaSchedule], name: str, value: float) -> None:
    """Every other constant is positive and finite."""
    with pytest.raises(InputError, match=name):
        kind(**{name: value})


@pytest.mark.parametrize("value", [-1, np.inf, np.nan])
def test_a_constant_is_not_negative(value: float) -> None:
    """0 is one: the bands are then the mean, and the UCB pick exploits."""
    with pytest.raises(InputError, match="beta"):
        ConstantBeta(value)
    assert ConstantBeta(0)(3, 5, 1) == 0
    bandit = Bandit(np.linspace(0, 1, 9), GaussianProcess(RBF(0.3)), GPUCB(), ConstantBeta(0))
    bandit.tell([2, 6], [0.5, 2.0])
    decision = bandit.ask()
    assert decision.indices == [bandit.posterior.mean.argmax()]
    assert decision.y_dot == bandit.posterior.mean.max()


@pytest.mark.parametrize("constants", [{"a": 0.01}, {"b": 1e-4}])
def test_compact_outside_its_range(constants: dict[str, float]) -> None:
    """Constants for which the formula has no value, or a negative one, are refused."""
    with pytest.raises(UCBPEError, match="raise a"):
        CompactBeta(0.9, **constants)(1, 10, 1)


@examples(40)
@given(instances(), st.floats(0, 20))
def test_bands(case: Instance, beta: float) -> None:
    """mean ± sqrt(beta) std: beta sits under the root."""
    belief = case.posterior
    upper, lower = confidence.upper(belief, beta), confidence.lower(belief, beta)
    np.testing.assert_allclose((upper - belief.mean) ** 2, beta * belief.std**2, atol=1e-9)
    np.testing.assert_allclose((upper + lower) / 2, belief.mean, atol=1e-12)
    assert (upper >= lower).all()


def test_nothing_is_gained_by_default() -> None:
    """A schedule called by hand, before any observation."""
    beta = InformationGainBeta()
    assert beta(1, 9, 1) == beta(1, 9, 1, gain=0.0) < beta(1, 9, 1, gain=1.0)
