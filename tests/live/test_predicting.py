"""What a person draws as an answer, joined and compared in the browser, against SciPy and NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from tests.live.modules import Modules

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from ucbpe_core.support.validation import Floats

pytestmark = pytest.mark.browser
DRAW = "app/ucbpe_app/widgets/predict_draw.js"


def slopes(x: Floats, y: Floats) -> Floats:
    """Those of Fritsch and Carlson (1980), one interval after the other, as they print it."""
    secants = np.diff(y) / np.diff(x)
    found = np.array([secants[0], *(secants[1:] + secants[:-1]) / 2, secants[-1]])
    for i in range(1, len(x) - 1):
        if secants[i - 1] * secants[i] <= 0:
            found[i] = 0.0
    for i, secant in enumerate(secants):
        if secant == 0:
            found[i : i + 2] = 0.0
        elif (size := np.hypot(*(found[i : i + 2] / secant))) > 3:
            found[i : i + 2] *= 3 / size
    return found


def drawn(seed: int) -> Floats:
    values = np.random.default_rng(seed).normal(size=13)
    values[4:6] = values[3]  # level for a while
    return values


def test_a_stroke_is_joined_without_overshoot(page: Page) -> None:
    x, at = np.linspace(2.7, 7.5, 13), np.linspace(2.7, 7.5, 401)
    strokes = [drawn(seed) for seed in range(8)]
    join = "({joinedStroke}, [x, all, at]) => all.map((y) => joinedStroke(x, y, at))"
    given = [x.tolist(), [stroke.tolist() for stroke in strokes], at.tolist()]
    for y, found in zip(strokes, Modules(page).call(DRAW, join, given), strict=True):
        np.testing.assert_allclose(found, CubicHermiteSpline(x, y, slopes(x, y))(at), atol=1e-12)
        i = np.clip(np.searchsorted(x, at) - 1, 0, 11)
        assert np.all(np.array(found) <= np.maximum(y[i], y[i + 1]) + 1e-12)
        assert np.all(np.array(found) >= np.minimum(y[i], y[i + 1]) - 1e-12)


def test_what_was_not_drawn_goes_on(page: Page) -> None:
    whole = "({wholeStroke}, all) => all.map(wholeStroke)"
    given = [[None, 1.0, None, None, 4.0, None], [None, None]]
    assert Modules(page).call(DRAW, whole, given) == [[1.0, 1.0, 2.0, 3.0, 4.0, 4.0], None]


def test_the_gap_is_the_one_of_numpy(page: Page) -> None:
    x = np.linspace(2.7, 7.5, 61)
    curve, stroke, half = np.sin(x), drawn(3), 0.2 + 0.3 * np.cos(x) ** 2
    ask: dict[str, Any] = {"x": x, "curve": curve, "lower": curve - half, "upper": curve + half}
    given = [stroke.tolist(), {name: one.tolist() for name, one in ask.items()}]
    gap = Modules(page).call(DRAW, "({strokeGap}, [y, ask]) => strokeGap(y, ask)", given)
    handles = np.linspace(x[0], x[-1], 13)
    away = np.abs(CubicHermiteSpline(handles, stroke, slopes(handles, stroke))(x) - curve)
    assert gap["average"] == pytest.approx(away.mean())
    assert (gap["most"], gap["largest"]) == (away.argmax(), pytest.approx(away.max()))
    assert gap["share"] == pytest.approx(np.mean(away <= half))
