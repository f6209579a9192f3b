"""The warps of y against SciPy, derivatives by differences, and Vizier's own numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchmarks import _rows, _warps, study
from benchmarks.public import Run
from ucbpe_core.spaces import Space

Y = np.random.default_rng(1).lognormal(sigma=2.0, size=30)
EVERY = [
    _warps.unwarped,
    _warps.upper_half,
    _warps.logarithm,
    _warps.yeo_johnson,
    _warps.vizier,
]


@pytest.mark.parametrize("warp", EVERY)
def test_it_increases_and_knows_no_units(warp: _warps.Warp) -> None:
    z, order = warp(Y).z, np.argsort(Y)
    assert (np.diff(z[order]) > 0).all()
    moved = warp(1000.0 * Y - 7.0).z
    apart = (moved - moved.mean()) / moved.std() - (z - z.mean()) / z.std()
    assert np.abs(apart).max() < 1e-6


@pytest.mark.parametrize("warp", EVERY)
def test_equal_values_stay_equal(warp: _warps.Warp) -> None:
    assert np.ptp(warp(np.full(6, 3.0)).z) == 0


def test_yeo_johnson_is_that_of_scipy() -> None:
    u = (Y - Y.mean()) / Y.std()
    wanted, power = stats.yeojohnson(u)
    assert _warps.yeo_johnson(Y).z == pytest.approx(wanted)
    ours, independent = _warps.yeo_johnson(Y), stats.norm(wanted.mean(), wanted.std())
    # The maximum of the likelihood, up to a constant that SciPy leaves out.
    likelihood = independent.logpdf(wanted).sum() + ours.log_jacobian + len(Y) * np.log(Y.std())
    constant = -0.5 * len(Y) * (1 + np.log(2 * np.pi))
    assert likelihood - constant == pytest.approx(stats.yeojohnson_llf(power, u))


def test_the_derivative_of_the_logarithm_is_that_of_differences() -> None:
    least, unit = Y.min(), np.median(Y) - Y.min()

    def formula(y: np.ndarray) -> np.ndarray:
        return np.log((y - least) / unit + 0.01)

    step = 1e-7 * (Y - least + unit)
    slopes = (formula(Y + step) - formula(Y - step)) / (2 * step)
    found = _warps.logarithm(Y)
    assert found.z == pytest.approx(formula(Y))
    assert found.log_jacobian == pytest.approx(np.log(slopes).sum(), rel=1e-5)


def test_the_upper_half_is_joined_without_a_kink() -> None:
    """y = -2, -1, 0, e - 1 and e^2 - 1 in units of s: above the median, 0, are s and 2 s."""
    scale = np.sqrt(5 / 3)
    y = np.array([-2.0, -1.0, 0.0, scale * (np.e - 1), scale * (np.e**2 - 1)])
    found = _warps.upper_half(y)
    assert found.z == pytest.approx([-2, -1, 0, scale, 2 * scale])
    assert found.log_jacobian == pytest.approx(-3)  # slopes 1 / e and 1 / e^2


def test_viziers_by_hand() -> None:
    """y = 1, 2, 3, 4, 1000: maximised, the worse half, -4 and -1000, goes by ranks.

    The better half is at distances 0, 1 and 2 of the median -3: its spread is sqrt(5/3). The median
    is one of the values, so that the two worse ones are quantiles 0.5 (r - 0.5) / 2.5.
    """
    spread = np.sqrt(5 / 3)
    worse = -3 + spread * stats.norm.ppf([0.3, 0.1])
    up = np.array([-1, -2, -3, *worse])
    wanted = np.log1p(0.5 * (-1 - up) / (-1 - up[-1])) / np.log(1.5)
    assert _warps.vizier(np.array([1.0, 2, 3, 4, 1000])).z == pytest.approx(wanted)


def test_the_likelier_warp_is_that_of_which_the_data_are_made() -> None:
    """exp(f) of a smooth f asks for a warp; f itself does not."""
    x = np.linspace(0, 1, 40)[:, None]
    f, space = np.sin(9 * x[:, 0]), Space.of([(0, 1)])
    warps = [_warps.unwarped, _warps.logarithm]
    as_it_is = _warps.by_likelihood(x, f, space, warps)
    assert as_it_is.z == pytest.approx(f)
    spans_decades = np.exp(4 * f)
    warped = _warps.by_likelihood(x, spans_decades, space, warps)
    assert warped.z == pytest.approx(_warps.logarithm(spans_decades).z)


def test_what_was_searched_thinly_is_searched_wholly_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "rows.jsonl"
    kept = {"function": "Branin", "batch": 5, "method": "none", "seed": 0, "thin": True}
    _rows.keep(store, {**kept, "gaps": [1.0] * 4, "seconds": 1.0})
    monkeypatch.setattr(study, "played", lambda *_: Run([0.5] * 4, 2.0))
    for batch in ("5", "5", "10"):
        options = ["--store", str(store), "--variants", "none", "--batch", batch]
        monkeypatch.setattr("sys.argv", ["study", *options])
        study.main()
    found = [(row["batch"], row["thin"]) for row in _rows.read(store)]
    assert found == [(5, True), (5, False), (10, False)]
