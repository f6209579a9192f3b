"""Fits as recorded: where each search begins and ends, and what is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ucbpe_core import RBF, GaussianProcess, Matern, fit_hyperparameters
from ucbpe_core.fitting import Fit
from ucbpe_core.kernels import Polynomial

FILE = Path(__file__).parents[2] / "data" / "fits.json"
CASES: dict[str, tuple[GaussianProcess, dict[str, Any]]] = {
    "default": (GaussianProcess(Matern((1.0, 1.0), nu=2.5)), {}),
    "likelihood": (GaussianProcess(RBF() * Matern(), 0.5), {"priors": None}),
    "bounds": (
        GaussianProcess(RBF(30.0), 1e-9, 2.0),
        {"bounds": {"lengthscale": (20.0, 900.0), "noise_variance": (0.0, 0.3)}, "fixed": "mean"},
    ),
    "fixed noise": (
        GaussianProcess(RBF() + Polynomial(1)),
        {"noise_variance": [None, 0.1, 0.0, *[None] * 15], "fixed": ["right.variance"]},
    ),
    "only the mean": (
        GaussianProcess(RBF(40.0), 0.1),
        {"fixed": ("lengthscale", "variance", "noise_variance")},
    ),
}


def fitted(case: str) -> dict[str, Any]:
    rng = np.random.default_rng(12)
    X, (gp, options) = rng.random((18, 2)) * [100.0, 40.0], CASES[case]
    y = 3 * np.sin(X[:, 0] / 15) + 0.05 * X[:, 1] + 0.2 * rng.standard_normal(18)
    return numbers(fit_hyperparameters(gp, X, y, 1, starts=3, **options))


def numbers(fit: Fit) -> dict[str, Any]:
    found = [*fit.gp.kernel.log_parameters.tolist(), fit.gp.noise_variance, fit.gp.mean]
    values = [fit.log_marginal_likelihood, fit.log_prior, fit.given]
    starts = {start.name: [start.begin, start.end] for start in fit.starts}
    return {"found": found, "values": values, "winner": fit.winner, "starts": starts}


@pytest.mark.parametrize("case", CASES)
def test_fits_are_those_recorded(case: str) -> None:
    """What is found to its digits; the first searches end about there."""
    found, recorded = fitted(case), json.loads(FILE.read_text())[case]
    assert found["winner"] == recorded["winner"]
    np.testing.assert_allclose(found["found"], recorded["found"], rtol=1e-9)
    np.testing.assert_allclose(found["values"], recorded["values"], rtol=1e-9)
    assert list(found["starts"]) == list(recorded["starts"])
    for name, (begin, end) in found["starts"].items():
        assert begin == pytest.approx(recorded["starts"][name][0], rel=1e-6)
        assert end == pytest.approx(recorded["starts"][name][1], rel=1e-3)


if __name__ == "__main__":
    lines = [f"{json.dumps(case)}: {json.dumps(fitted(case))}" for case in CASES]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
