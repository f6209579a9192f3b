"""Numbers of the engine of live lessons: logarithms, the normal distribution, how they read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special
from playwright.sync_api import Page

from ucbpe_app.export.lesson.live import script
from ucbpe_app.export.lesson.tables import engine_settings
from ucbpe_app.run.choices import KERNELS
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.texts import percent
from ucbpe_core import RBF, FiniteBeta, GaussianProcess, Kernel, Matern
from ucbpe_core.kernels import Linear, Periodic, Polynomial, RationalQuadratic
from ucbpe_core.policies import GPUCB
from ucbpe_core.schedules import rounded_log


def of_each(page: Page, file: str, function: str, given: list[float]) -> list[Any]:
    """What a function of the engine makes of each number."""
    call = f"(given) => {{ {script(file)}; return given.map((one) => {function}(one)) }}"
    return page.evaluate(call, given)


def test_a_logarithm_is_the_one_of_the_schedules(page: Page) -> None:
    numbers = np.exp(np.random.default_rng(1).uniform(-30, 60, 2000)).tolist()
    numbers += [1.0, 2.0, 5e-324, 1.7e308, 2204.72838279134]
    assert of_each(page, "exact.js", "log", numbers) == [rounded_log(x) for x in numbers]


def test_the_normal_distribution_is_scipys(page: Page) -> None:
    far = np.geomspace(0.7, 1e5, 800)
    erfcx = of_each(page, "special.js", "erfcx", far.tolist())
    np.testing.assert_allclose(erfcx, scipy.special.erfcx(far), rtol=4e-15)
    near = np.linspace(-1, 9, 500)
    ndtr = of_each(page, "special.js", "ndtr", near.tolist())
    np.testing.assert_allclose(ndtr, scipy.special.ndtr(near), rtol=4e-15)


@pytest.mark.parametrize("x", [1.0, 0.848, 0.5, 0.3, 0.02, 1e-6])
def test_the_gamma_function_is_scipys(page: Page, x: float) -> None:
    assert of_each(page, "special.js", "gamma", [x]) == pytest.approx(
        [scipy.special.gamma(x)], rel=4e-15
    )


@pytest.mark.parametrize("order", [0.02, 0.3, 0.5, 0.7, 0.848, 1.0])
def test_bessel_functions_are_scipys(page: Page, order: float) -> None:
    x = np.concatenate([np.geomspace(1e-100, 1e-3, 100), np.geomspace(1e-3, 700, 900)])
    pairs = f"((x) => {{ const two = []; besselPair({order})(x, two); return two }})"
    found = np.array(of_each(page, "special.js", pairs, x.tolist()), dtype=float)
    known = np.stack([scipy.special.kve(order, x), scipy.special.kve(1 - order, x)], axis=1)
    np.testing.assert_allclose(found, known, rtol=1e-12)  # kv itself is 7e-14 off


@pytest.mark.parametrize("nu", [0.02, 0.3, 0.7, 1.0, 2.2, 3.0, 4.5, 19.9, 20.3, 150.0, 1000.0])
def test_matern_kernels_of_any_smoothness_are_those_of_the_core(page: Page, nu: float) -> None:
    r = np.concatenate([[0.0], np.geomspace(1e-140, 1e-3, 100), np.geomspace(1e-3, 1e6, 500)])
    found = np.array(of_each(page, "matern.js", f"matern({nu})", r.tolist()), dtype=float)
    assert found[0] == 1.0
    known = Matern(nu=nu).profile(r)
    np.testing.assert_allclose(found, known, rtol=0, atol=2e-13)
    s = np.sqrt(2 * nu) * r[1:]
    with np.errstate(all="ignore"):
        front = 2 ** (1 - nu) / scipy.special.gamma(nu)
        by_definition = front * s**nu * scipy.special.kv(nu, s)
    sound = np.isfinite(by_definition) & (by_definition > 1e-200) & (s < 600)
    assert sound.sum() > 200 or nu > 100  # where K_nu overflows for most
    np.testing.assert_allclose(found[1:][sound], by_definition[sound], rtol=1e-12)


# One for each kernel in the menu, and one with the errors of Bessel's functions.
COVARIANCES = [
    RBF(0.4, 2.3),
    *(Matern(0.4, 2.3, nu=nu) for nu in (1.5, 0.7)),
    RationalQuadratic(0.4, 2.3, alpha=0.3),
    Periodic(0.7, 0.3, 2.3),
    Linear(2.3),
    Polynomial(3, 0.5, 2.3),
]


@pytest.mark.parametrize("kernel", COVARIANCES, ids=repr)
@pytest.mark.parametrize("d", [1, 2])
def test_covariances_are_those_of_the_core(page: Page, kernel: Kernel, d: int) -> None:
    assert {type(each) for each in COVARIANCES} == set(KERNELS.values())
    X = np.random.default_rng(0).uniform(-1, 1, (40, d))
    settings = engine_settings(GaussianProcess(kernel), GPUCB(), FiniteBeta(), 1)
    call = """([settings, columns]) => {
      %s
      const {diagonal, row, roundingUnits} = createKernel(settings, columns)
      const rows = columns[0].map((_, j) => {
        const into = new Float64Array(diagonal.length)
        row(j, into)
        return [...into]
      })
      return {diagonal: [...diagonal], rows, roundingUnits}
    }"""
    found = page.evaluate(call % script("kernels.js"), [settings, X.T.tolist()])
    np.testing.assert_allclose(found["rows"], kernel.gram(X), rtol=2e-12, atol=1e-15)
    np.testing.assert_allclose(found["diagonal"], kernel.diagonal(X), rtol=1e-15)
    assert found["roundingUnits"] == kernel.rounding_units


def test_numbers_are_written_as_by_python(page: Page) -> None:
    rng = np.random.default_rng(2)
    sizes = 10 ** rng.uniform(-9, 9, 3000) * rng.choice([-1, 1], 3000)
    ties = [0.125, 1.125, 2.125, 0.0625, 10.25, 10.35, 1000.5, 1001.5, 2.5e-7, 999.5, 999500.0]
    numbers = [*sizes.tolist(), *ties, 0.0, -0.0, 1e-4, 1e-5, 123456.0, 1e6]
    assert of_each(page, "words.js", "number", numbers) == [number(x) for x in numbers]
    shares = [*rng.uniform(0, 1, 500).tolist(), 0.0, 1.0, 0.099999, 0.1, 0.005, 0.125, 0.025]
    assert of_each(page, "words.js", "percent", shares) == [percent(x) for x in shares]
