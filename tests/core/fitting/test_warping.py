"""`Warp` beside SciPy's transformation, and what undoes it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, yeojohnson

from ucbpe_core import InputError
from ucbpe_core.gp.fitting import Warp

RNG = np.random.default_rng(0)
SAMPLES = {
    "decades": 10.0 ** RNG.uniform(-3, 4, 60),
    "below": -(10.0 ** RNG.uniform(-3, 4, 60)),
    "normal": RNG.normal(5.0, 2.0, 60),
    "one far away": np.append(RNG.normal(0.0, 1.0, 30), 1e9),
    "two values": np.array([3.0, 3.0, 7.0]),
    "two numbers": np.array([1.0, 2.0]),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_warp_increases_and_its_inverse_undoes_it(name: str) -> None:
    y = np.sort(SAMPLES[name])
    z = Warp.of(y)(y)
    assert np.isfinite(z).all()
    assert (np.diff(z)[np.diff(y) > 0] > 0).all()
    np.testing.assert_allclose(Warp.of(y).inverse(z), y, rtol=1e-6, atol=1e-6 * y.std())


@pytest.mark.parametrize("power", [-2.0, -0.3, 0.0, 1.0, 1.7, 2.0, 4.0])
def test_it_is_the_transformation_of_yeo_and_johnson(power: float) -> None:
    """Of standardised values, as SciPy has it; the slope is 1 at the mean, and 1 is no change."""
    u = np.linspace(-3, 3, 13)
    warp = Warp(power, 10.0, 4.0)
    np.testing.assert_allclose(warp(10 + 4 * u), 10 + 4 * yeojohnson(u, power), rtol=1e-12)
    step = 1e-5
    assert (warp(10 + step) - warp(10 - step)) / (2 * step) == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(Warp(1.0, 10.0, 4.0)(u), u, atol=1e-14)


def log_posterior(u: np.ndarray, power: float) -> float:
    """Of independent normal psi(u), mean and variance at their maxima; the slopes; the prior."""
    z = yeojohnson(u, power)
    slopes = (power - 1) * np.sign(u) * np.log1p(np.abs(u))
    likelihood = norm.logpdf(z, z.mean(), z.std()).sum() + slopes.sum()
    return float(likelihood + norm.logpdf(power, 1.0, 0.5))


@pytest.mark.parametrize("name", ["decades", "below", "normal"])
def test_the_power_is_the_likeliest_a_posteriori(name: str) -> None:
    y = SAMPLES[name]
    warp, u = Warp.of(y), (y - y.mean()) / y.std()
    powers = np.linspace(-2, 4, 601)
    likeliest = powers[np.argmax([log_posterior(u, power) for power in powers])]
    assert warp.power == pytest.approx(likeliest, abs=0.02)


def test_the_unit_and_the_direction_of_y_do_not_matter() -> None:
    """The warp of -y is that of y, upside down: a maximum is searched as a minimum is."""
    y = SAMPLES["decades"]
    z = Warp.of(y)(y)
    np.testing.assert_allclose(-Warp.of(-y)(-y), z, rtol=1e-4, atol=1e-4 * z.std())
    np.testing.assert_allclose(Warp.of(7 * y + 100)(7 * y + 100), 7 * z + 100, rtol=1e-4)


def test_quantiles_of_y_are_those_of_z_undone() -> None:
    """Also where z is beyond what any y has: that quantile is infinite."""
    warp = Warp(-0.5, 2.0, 1.5)
    z = np.random.default_rng(1).normal(2.0, 0.6, 100_001)
    levels = [0.05, 0.5, 0.95]
    np.testing.assert_allclose(
        np.quantile(warp.inverse(z), levels), warp.inverse(np.quantile(z, levels)), rtol=1e-3
    )
    assert warp.inverse([2.0 + 1.5 * 2.1]).tolist() == [np.inf]


def test_values_that_are_equal_or_not_finite() -> None:
    assert Warp.of([2.0, 2.0, 2.0]) == Warp.of([2.0]) == Warp()
    with pytest.raises(InputError, match="finite"):
        Warp.of([1.0, np.nan])
    with pytest.raises(InputError, match="give y in another unit"):
        Warp.of([1e-300, 2e-300])
