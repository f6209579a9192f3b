"""Leave-one-out in closed form is a refit without each value; and what it says of a wrong model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ucbpe_core import RBF, GaussianProcess, Matern, fit_hyperparameters
from ucbpe_core.gp.fitting import check_model, leave_one_out

RNG = np.random.default_rng(5)
X = RNG.uniform(0, 10, (24, 2))
SMOOTH = np.sin(X[:, 0]) + 0.4 * X[:, 1]
GP = GaussianProcess(RBF((2.0, 5.0), variance=2.0), noise_variance=0.01, mean=2.0)


@pytest.mark.parametrize(
    "kernel", [RBF((2.0, 3.0)), Matern(4.0, nu=1.5), RBF(3.0) + RBF(20.0, 9.0)]
)
def test_it_is_the_prediction_of_a_refit_without_each_value(kernel: Any) -> None:
    """Repeats, and values with a noise of their own, too."""
    points = np.vstack([X[:10], X[:2]])
    y = RNG.normal(size=12)
    noise: list[float | None] = [None] * 9 + [0.3, 0.05, None]
    gp = GaussianProcess(kernel, noise_variance=0.1, mean=0.7)
    found = leave_one_out(gp.condition(points, y, noise))
    for i in range(12):
        kept = np.arange(12) != i
        rest = gp.condition(
            points[kept], y[kept], [n for n, keep in zip(noise, kept, strict=True) if keep]
        )
        one = rest.predict(points[[i]])
        own = gp.noise_variance if noise[i] is None else noise[i]
        np.testing.assert_allclose(found.mean[i], one.mean[0], rtol=1e-8)
        np.testing.assert_allclose(found.std[i] ** 2, one.std[0] ** 2 + own, rtol=1e-8)
    np.testing.assert_array_equal(found.residuals, (y - found.mean) / found.std)


def test_a_draw_of_the_prior_is_found_good_and_rarely_anything_else() -> None:
    draws = GP.sample(X, 3, size=100) + 0.1 * RNG.normal(size=(100, 24))
    said = [check_model(GP.condition(X, y)).verdict for y in draws]
    assert said.count("good") >= 95


def test_one_wrong_value_is_the_outlier() -> None:
    y = SMOOTH + 0.1 * RNG.normal(size=24)
    y[7] += 3.0
    found = check_model(GP.condition(X, y))
    assert (found.verdict, found.members) == ("outlier", (7,))
    assert check_model(GP.condition(np.delete(X, 7, 0), np.delete(y, 7))).verdict == "good"


def test_a_step_is_too_rough_and_its_two_sides_are_named() -> None:
    x = np.linspace(0, 10, 25)
    y = np.where(x < 4.3, 0.0, 3.0) + 0.1 * np.sin(x)
    found = check_model(GaussianProcess(RBF(2.0, 2.0), 0.01, 1.5).condition(x, y))
    assert found.verdict == "rough"
    assert sorted(found.members) == [10, 11]
    rough = GaussianProcess(Matern(4.0, 3.0, nu=0.5), 0.01, 1.5).condition(x, y)
    assert check_model(rough).verdict in ("good", "outlier")


def test_noise_that_is_wrong_is_said_in_both_directions() -> None:
    y = SMOOTH + 0.6 * RNG.normal(size=24)
    found = check_model(GP.condition(X, y))
    assert found.verdict == "noisy"
    assert found.remedy is not None
    assert 0.1 < found.remedy.noise_variance < 1.2  # 0.36 is right
    quiet = GaussianProcess(GP.kernel, noise_variance=4.0, mean=2.0)
    wide = check_model(quiet.condition(X, SMOOTH))
    assert wide.verdict == "wide"
    assert wide.factor < 0.5


def test_values_without_a_pattern_are_not_predicted() -> None:
    y = RNG.normal(size=24)
    found = check_model(GaussianProcess(RBF(0.5), 0.1).condition(X, y))
    assert found.verdict == "uninformed"
    assert found.loo.share <= 0
    assert check_model(GP.condition(X[:4], SMOOTH[:4])).verdict == "few"
    assert check_model(GP.condition(X, SMOOTH)).loo.share > 0.9


def test_a_fitted_prior_is_found_good() -> None:
    y = SMOOTH + 0.1 * RNG.normal(size=24)
    fitted = fit_hyperparameters(GaussianProcess(Matern((1.0, 1.0), nu=2.5)), X, y, domain=X).gp
    assert check_model(fitted.condition(X, y)).verdict == "good"


WRONG = {
    "mean": replace(GP, mean=-60.0),
    "scale": replace(GP, kernel=replace(GP.kernel, variance=2e-3)),
    "noise": replace(GP, noise_variance=1e-5),
    "lengthscale": replace(GP, kernel=replace(GP.kernel, lengthscale=(12.0, 30.0))),
}


@pytest.mark.parametrize("cause", WRONG)
def test_residuals_tell_which_part_of_a_prior_is_wrong(cause: str) -> None:
    """Draws of a right prior under one that is wrong in one thing; with the remedy it fits."""
    draws = GP.sample(X, 8, size=20) + 0.1 * RNG.normal(size=(20, 24))
    found = [check_model(WRONG[cause].condition(X, y)) for y in draws]
    assert sum(one.cause == cause for one in found) >= 18
    mended = [
        check_model(one.remedy.condition(X, y)).verdict
        for one, y in zip(found, draws, strict=True)
        if one.remedy is not None
    ]
    assert sum(verdict in ("good", "outlier") for verdict in mended) >= 17


@pytest.mark.parametrize(("cause", "gp"), [
    ("scale", replace(GP, kernel=replace(GP.kernel, variance=4e3))),
    ("noise", replace(GP, noise_variance=40.0)),
])  # fmt: skip
def test_what_is_too_cautious_has_a_cause_too(cause: str, gp: GaussianProcess) -> None:
    draws = GP.sample(X, 9, size=10) + 0.1 * RNG.normal(size=(10, 24))
    found = [check_model(gp.condition(X, y)) for y in draws]
    assert [(one.verdict, one.cause) for one in found].count(("wide", cause)) >= 9
