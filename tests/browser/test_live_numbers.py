"""Numbers of the engine of live lessons: logarithms, the normal distribution, how they read."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from playwright.sync_api import Page

from ucbpe_app.export.lesson.live import script
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.numbers import percent
from ucbpe_core.schedules.base import rounded_log


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


def test_numbers_are_written_as_by_python(page: Page) -> None:
    rng = np.random.default_rng(2)
    sizes = 10 ** rng.uniform(-9, 9, 3000) * rng.choice([-1, 1], 3000)
    ties = [0.125, 1.125, 2.125, 0.0625, 10.25, 10.35, 1000.5, 1001.5, 2.5e-7, 999.5, 999500.0]
    numbers = [*sizes.tolist(), *ties, 0.0, -0.0, 1e-4, 1e-5, 123456.0, 1e6]
    assert of_each(page, "words.js", "number", numbers) == [number(x) for x in numbers]
    shares = [*rng.uniform(0, 1, 500).tolist(), 0.0, 1.0, 0.099999, 0.1, 0.005, 0.125, 0.025]
    assert of_each(page, "words.js", "percent", shares) == [percent(x) for x in shares]
