"""Beta schedules against numbers computed by hand."""

from __future__ import annotations

import math
from decimal import Context, Decimal

import numpy as np
import pytest
from hypothesis import given

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
)
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.gp.kernels.scales import slope_bound
from ucbpe_core.policies import GPUCB
from ucbpe_core.policies.schedules import (
    CompactBeta,
    InformationGainBeta,
    RandomizedBeta,
    RealizedGainBeta,
    rounded_log,
)

from .reference import covariance, examples
from .strategies import Instance, instances

SCHEDULES = [
    FiniteBeta(),
    CompactBeta(),
    ConstantBeta(),
    FiniteBeta(0.5, 0.2),
    CompactBeta(r=9.0),
    InformationGainBeta(),
    RealizedGainBeta(),
    RandomizedBeta(seed=3),
]


@pytest.mark.parametrize(
    ("schedule", "t", "size", "d", "gain", "beta"),
    [
        # 2 log(|X| t^2 pi^2 / (6 delta)): 2 log(500 pi^2 / 0.6) = 2 log(8224.6703)
        *((FiniteBeta(0.1), 1, 500, d, None, 18.0297870) for d in (1, 5)),
        # 2 log(10 * 9 pi^2 / 3) = 2 log(296.0881320) = 2 * 5.6906572
        *((FiniteBeta(0.5), 3, 10, d, None, 11.3813143) for d in (1, 5)),
        # 2 log(2 t^2 pi^2 / (3 delta)) + 2 d log(t^2 d b r sqrt(log(4 d a / delta))):
        # 2 log(2 pi^2 / 0.3) + 2 log(sqrt(log 400)) = 2 * 4.1865798 + 2 * 0.8951673
        *((CompactBeta(0.1), 1, size, 1, None, 10.1634953941) for size in (1, 500)),
        # 2 log(18 pi^2 / 0.3) + 4 log(9 * 2 * 2 * 1.5 * sqrt(log 240))
        # = 2 * 6.3838043 + 4 * 4.8395949
        (CompactBeta(0.1, a=3.0, b=2.0, r=1.5), 3, 500, 2, None, 32.12598822613),
        # Chowdhury and Gopalan 2017, Theorem 2, squared: whatever t and M.
        # (1 + sqrt(2 (0 + 1 + log 10)))^2 = (1 + sqrt(6.6051701860))^2, as before any data
        *(
            (InformationGainBeta(0.1), t, 10, 2, gain, 12.7452753)
            for t, gain in ((1, 0.0), (50, None))
        ),
        # (2 + 0.5 sqrt(2 (3 + 1 + log 20)))^2 = (2 + 0.5 sqrt(13.9914645471))^2
        (InformationGainBeta(0.05, B=2.0, R=0.5), 50, 1000, 2, 3.0, 14.9788994),
        # R alone: 2 (7 + 1 + log 2)
        (InformationGainBeta(0.5, B=0.0), 1, 10, 2, 7.0, 17.3862944),
    ],
)
def test_by_hand(
    schedule: BetaSchedule, t: int, size: int, d: int, gain: float | None, beta: float
) -> None:
    given = () if gain is None else (gain,)
    assert schedule(t, size, d, *given) == pytest.approx(beta, abs=1e-7)


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
    """2 max_j std[df/dx_j], by hand and by the variance of a difference quotient."""
    X, h = np.array([[0.3, 0.4]]), 1e-4
    for j, expected in enumerate(variances):
        ends = np.repeat(X, 2, axis=0)
        ends[:, j] += [-h, h]
        gram = kernel.gram(ends)
        quotient = (gram[0, 0] + gram[1, 1] - 2 * gram[0, 1]) / (2 * h) ** 2
        rough = isinstance(kernel, Matern) and kernel.nu < 2  # converges as h
        assert quotient == pytest.approx(expected, rel=1e-3 if rough else 1e-5)
    assert slope_bound(kernel, np.ones(2)) == pytest.approx(2 * math.sqrt(max(variances)))
    sides = np.array([1.0, 10.0])
    wider = max(a * side**2 for a, side in zip(variances, sides, strict=True))
    assert slope_bound(kernel, sides) == pytest.approx(2 * math.sqrt(wider))


def test_compact_takes_b_from_the_prior() -> None:
    """In `Bandit` in the units of the candidates, in `BoxBandit` in those of the unit cube."""
    gp, b = GaussianProcess(RBF(0.5, 2.0)), 4 * math.sqrt(2)
    X = np.linspace(0, 1, 9)
    decision = Bandit(X, gp, GPUCB(), CompactBeta()).ask()
    assert decision.beta == CompactBeta(b=b)(1, 9, 1) == CompactBeta()(1, 9, 1, kernel=gp.kernel)
    assert Bandit(X, gp, GPUCB(), CompactBeta(b=1.0)).ask().beta == CompactBeta(b=1.0)(1, 9, 1)
    box = BoxBandit([(0, 10)], gp, GPUCB(), samples=64, fit="never")
    assert box.ask().beta == CompactBeta(b=10 * b)(1, 64, 1)
    unknown = GaussianProcess(Polynomial(2))
    assert Bandit(X, unknown, GPUCB(), CompactBeta()).ask().beta == CompactBeta(b=1.0)(1, 9, 1)


def suprema(kernel: Kernel, points: int, draws: int, d: int = 1) -> np.ndarray:
    """The greatest |df/dx_1| over [0, 1]^d of draws of f, by differences between grid points.

    In two inputs the kernel is that of one, multiplied by itself, and each factor is drawn alone.
    """
    rng, step = np.random.default_rng(0), 1 / points
    gram = kernel.gram(np.arange(points + 1)[:, None] * step)
    slopes = (gram[1:, 1:] - gram[1:, :-1] - gram[:-1, 1:] + gram[:-1, :-1]) / step**2
    roots = [np.linalg.eigh(one) for one in (slopes, *[gram] * (d - 1))]
    along, *across = (vectors * np.sqrt(values.clip(0)) for values, vectors in roots)
    if not across:
        return np.abs(along @ rng.standard_normal((points, draws))).max(axis=0)
    shape = (points, points + 1)
    fields = (along @ rng.standard_normal(shape) @ across[0].T for _ in range(draws))
    return np.array([np.abs(one).max() for one in fields])


def excess(found: np.ndarray, a: float, b: float) -> float:
    """The greatest share of suprema above some L, over what is allowed of it."""
    shares = np.arange(1, len(found) + 1) / len(found)
    return float((shares / (a * np.exp(-((np.sort(found)[::-1] / b) ** 2)))).max())


@pytest.mark.parametrize(
    ("points", "draws"), [(150, 500), pytest.param(1200, 4000, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "kernel", [RBF(0.2), RBF(0.05), Matern(0.2, nu=2.5), Matern(0.2, nu=1.5)], ids=repr
)
def test_the_assumption_of_compact_holds(kernel: Kernel, points: int, draws: int) -> None:
    """P(sup |df/dx| > L) <= a exp(-(L / b)^2), for every L that a draw has.

    With a = 1 and sqrt(2) times the standard deviation it does not.
    """
    found, b = suprema(kernel, points, draws), slope_bound(kernel, np.ones(1))
    assert excess(found, CompactBeta.a, b) <= 1
    assert excess(found, 1.0, b / math.sqrt(2)) > 2


@pytest.mark.slow
@pytest.mark.parametrize("lengthscale", [0.2, 0.1])
def test_the_assumption_of_compact_holds_on_a_square(lengthscale: float) -> None:
    found = suprema(RBF(lengthscale), 120, 4000, d=2)
    assert excess(found, CompactBeta.a, slope_bound(RBF(lengthscale), np.ones(2))) <= 1


@examples(15)
@given(instances())
def test_realized_gain_beta_is_the_self_normalised_bound(case: Instance) -> None:
    """B + R sqrt(2 log(sqrt(det(I + K / noise_variance)) / delta)), by a determinant of its own."""
    noise = case.gp.noise_variance
    K = covariance(case.gp.kernel, case.X, case.X) / noise
    volume = np.sqrt(np.linalg.det(np.eye(len(K)) + K))
    root = 0.7 + 1.3 * np.sqrt(2 * np.log(volume / 0.05))
    schedule = RealizedGainBeta(0.05, B=0.7, R=1.3)
    decision = GPUCB().decide(case.posterior, 4, schedule)
    assert decision.beta == pytest.approx(root**2, rel=1e-6)
    assert decision.beta < InformationGainBeta(0.05, B=0.7, R=1.3)(4, 9, 2, np.log(volume))


@pytest.mark.parametrize("size", [1, 2, 50, 1000])
def test_randomized_beta_has_the_law_of_the_union_bound(size: int) -> None:
    """P(beta_t >= z) = min(1, |X| / 2 exp(-z / 2)), by Kolmogorov's test: p = 1e-4 at 2.23."""
    n = 2000
    drawn = np.sort([RandomizedBeta(seed=5)(t, size, 2) for t in range(1, n + 1)])
    above = np.minimum(1, size / 2 * np.exp(-drawn / 2))
    empirical = 1 - np.arange(n) / n
    inside = drawn > 0
    assert inside.mean() == pytest.approx(min(1, size / 2), abs=4 * 0.5 / np.sqrt(n))
    assert np.sqrt(n) * np.abs(above - empirical)[inside].max() < 2.23


@examples(15)
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


@pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
@pytest.mark.parametrize("arguments", [(0, 5, 1), (-1, 5, 1), (1.5, 5, 1), (1, 0, 1), (1, 5, 0)])
def test_iterations_start_at_one(schedule: BetaSchedule, arguments: tuple[int, int, int]) -> None:
    """t, size and dimension are whole and at least 1: t = 0 would give log 0."""
    with pytest.raises(InputError):
        schedule(*arguments)


@pytest.mark.parametrize(
    ("kind", "names", "values"),
    [
        (FiniteBeta, ["delta", "scale"], [0, np.nan]),
        (CompactBeta, ["delta"], [0, 1]),
        (InformationGainBeta, ["delta"], [0, 1]),
        (CompactBeta, ["scale", "a", "b", "r"], [0, np.inf]),
        (ConstantBeta, ["scale"], [0, np.inf]),
        (ConstantBeta, ["beta"], [-1, np.inf]),
        (InformationGainBeta, ["scale", "R"], [0, np.inf]),
        (InformationGainBeta, ["B"], [-1, np.nan]),
    ],
)
def test_constants_outside_their_range(
    kind: type[BetaSchedule], names: list[str], values: list[object]
) -> None:
    """A probability strictly between 0 and 1; others positive and finite, beta and B at least 0."""
    for name in names:
        for value in values:
            with pytest.raises(InputError, match=name):
                kind(**{name: value})


def test_a_constant_of_zero() -> None:
    """The bands are then the mean, and the UCB pick exploits."""
    assert ConstantBeta(0)(3, 5, 1) == 0
    bandit = Bandit(np.linspace(0, 1, 9), GaussianProcess(RBF(0.3)), GPUCB(), ConstantBeta(0))
    bandit.tell([2, 6], [0.5, 2.0])
    decision = bandit.ask()
    assert decision.indices == [bandit.posterior.mean.argmax()]
    assert decision.y_dot == bandit.posterior.mean.max()


def test_compact_outside_its_range() -> None:
    """Where the inner logarithm is not above 0 or the result below 0; not where they are small."""
    for delta, a in ((0.9, 0.01), (0.9, 0.2), (0.5, 0.125)):
        with pytest.raises(UCBPEError, match="4 d a / delta above 1"):
            CompactBeta(delta, a=a)(1, 10, 1)
    with pytest.raises(UCBPEError, match="beta_t of at least 0"):
        CompactBeta(0.9, b=1e-4)(1, 10, 1)
    expected = 2 * math.log(8 * math.pi**2 / 2.7) + 2 * math.log(4 * math.sqrt(math.log(2 / 0.9)))
    assert CompactBeta(0.9, a=0.5, b=1.0)(2, 10, 1) == pytest.approx(expected)


def test_the_logarithm_is_the_nearest_float() -> None:
    """Whatever library NumPy has; of the first two, one was off by one place."""
    exact, off = Context(prec=60), (2204.72838279134, 1.535954245569327)
    for x in (*off, *np.exp(np.random.default_rng(0).uniform(-20, 40, 500)).tolist()):
        assert rounded_log(x) == float(Decimal(x).ln(exact))


def test_compact_over_a_cube_so_small_that_its_grid_would_have_no_point() -> None:
    """b is then 1 / (d r sqrt(log(4 d a / delta))): the second logarithm is that of t^2."""
    flat, delta = RBF(1e4), 0.1
    first = 2 * math.log(2 * 9 * math.pi**2 / (3 * delta))
    found = CompactBeta(delta)(3, 10, 2, kernel=flat)
    assert found == pytest.approx(first + 4 * math.log(9), rel=1e-12)
    wide = CompactBeta(delta)(3, 10, 2, kernel=flat, sides=np.array([1.0, 1e6]))
    assert wide == CompactBeta(delta, b=2.0 * 100)(3, 10, 2)
    with pytest.raises(InputError, match="the least of sides"):
        CompactBeta()(1, 10, 2, kernel=flat, sides=np.array([1.0, 0.0]))
