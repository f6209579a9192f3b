"""What an atlas of settings holds: its cells, what they come to, and the likelihood."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from ucbpe_app.run.atlas import (
    FACTOR,
    REGRET,
    SEEDS,
    SIDE,
    Atlas,
    Likelihood,
    likelihood,
    require_lengthscale,
)
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.settings import RunSpec
from ucbpe_core.errors import InputError

SPEC, ALL = RunSpec(batches=4), tuple(range(SIDE))


def runs(regret: float = 0.1, outside: float = 1, share: float = 0.5, whole: float = 0) -> Any:
    return np.tile([regret, outside, share, whole], (SIDE, 1))


def test_the_cells_reach_a_factor_each_way_and_have_the_scale_of_the_theory() -> None:
    cells = Atlas.of(SPEC)
    lengthscale = suggested(SPEC.problem)["lengthscale"]
    np.testing.assert_allclose(
        cells.lengthscales[[0, -1]], [lengthscale / FACTOR, lengthscale * FACTOR]
    )
    assert cells.lengthscales[SIDE // 2] == lengthscale
    assert 1.0 in cells.scales
    np.testing.assert_allclose(cells.scales[[0, -1]], [1 / 300, 3.13], rtol=2e-3)
    row, column = cell = cells.cell_of(lengthscale, 1.0)
    assert cells.at(cell) == replace(SPEC, lengthscale=lengthscale, scale=1.0)
    assert cells.at((row - 1, column), 2).seed == SPEC.seed + 2


def test_it_lies_around_a_run_far_from_what_the_problem_suggests() -> None:
    far = Atlas.of(replace(SPEC, lengthscale=40.0))
    assert far.cell_of(40.0, 1.0)[1] == SIDE // 2
    assert not far.covers(SPEC)
    near = Atlas.of(replace(SPEC, lengthscale=2.0))
    assert near.covers(SPEC)
    assert not near.covers(replace(SPEC, batches=5))


def test_runs_come_coarse_first_and_from_the_lengthscale_on_screen_outwards() -> None:
    cells = Atlas.of(SPEC)
    first = (1, 4, 7, 10)  # c = 1 is in row 10
    order = cells.missing
    assert order[:3] == ((6, 0, first), (3, 0, first), (9, 0, first))
    assert sum(len(rows) for *_, rows in order) == cells.left == SIDE * SIDE * SEEDS
    runs_of = [(row, column, seed) for column, seed, rows in order for row in rows]
    assert len(set(runs_of)) == len(runs_of)
    assert [seed for *_, seed in runs_of] == sorted(seed for *_, seed in runs_of)
    filled = cells.filled(order[0], runs()[: len(first)])
    assert filled.missing == order[1:]
    assert filled.left == cells.left - len(first)
    assert cells.missing == order  # the value before is as it was


def test_after_the_first_runs_every_cell_has_the_value_of_the_nearest() -> None:
    """By a search over all pairs, each with a value of its own."""
    cells = Atlas.of(SPEC)
    assert np.isnan(cells.coarse(REGRET)).all()
    for column, seed, rows in cells.missing[:5]:
        value = np.array([[100.0 * row + column] * 4 for row in rows])
        cells = cells.filled((column, seed, rows), value)
    known = np.argwhere(~np.isnan(cells.mean(REGRET)))
    assert len(known) == 20
    for cell, value in np.ndenumerate(cells.coarse(REGRET)):
        row, column = divmod(int(value), 100)
        distances = [np.hypot(*(one - cell)) for one in known]
        assert np.hypot(row - cell[0], column - cell[1]) == min(distances)


def test_a_cell_says_the_mean_of_its_runs() -> None:
    cells = Atlas.of(SPEC).filled((6, 0, ALL), runs(0.1)).filled((6, 1, ALL), runs(0.3, 3, 0.25))
    expected = "regret 0.2, f outside its band in 50 % of batches, R⁺ is 38 % of X at the end."
    assert cells.said((0, 6)) == expected
    assert cells.said((0, 5)) == "not run yet."
    assert cells.filled((5, 0, ALL), runs(1e-5)).said((0, 5)).startswith("regret ≤ 0.001, ")


def test_it_says_where_the_relevant_region_excludes_nothing() -> None:
    cells = Atlas.of(SPEC).filled((6, 0, ALL), runs(share=1.0, whole=4))
    assert cells.useless[:, 6].all()
    assert cells.useless.sum() == SIDE
    said = "With c = 1, R⁺ is all of X in all 4 batches: it excludes nothing."
    assert cells.warning == said
    assert cells.said((3, 6)).endswith("R⁺ is all of X in all 4 batches: it excludes nothing.")
    some = cells.filled((7, 0, ALL), runs(whole=3))
    assert " at 1 of 2 lengthscales: " in some.warning
    assert not cells.filled((6, 1, ALL), runs(whole=3)).warning  # in another run it does


def test_with_the_beta_of_the_theory_it_excludes_nothing_on_the_mixture() -> None:
    given = suggested("gaussian_mixture")
    spec = RunSpec(**given, batch_size=10, batches=12, initial=10)
    trace = Atlas.of(spec).at((10, 6)).simulate()
    assert trace.beta.scale == 1.0
    assert all(one.region_plus.all() for one in trace.decisions)


@pytest.fixture(scope="module")
def measured() -> tuple[Atlas, Likelihood, Any, Any]:
    cells = Atlas.of(replace(SPEC, kernel="Matérn", nu=2.5, mean=0.3))
    X = np.linspace(2.7, 7.5, 9)[:, None]
    y = np.sin(2 * X[:, 0])
    found = likelihood(cells, X, y)
    assert found is not None
    return cells, found, X, y


def test_the_likelihood_is_a_normal_density(measured: tuple[Atlas, Likelihood, Any, Any]) -> None:
    cells, found, X, y = measured
    spec = cells.spec

    def density(lengthscale: float) -> float:
        kernel = replace(spec, lengthscale=lengthscale).build_kernel()
        covariance = kernel.evaluate(X, X) + spec.noise_variance * np.eye(len(X))
        value: float = multivariate_normal.logpdf(y, np.full(len(X), spec.mean), covariance)
        return value

    known = np.array([density(one) for one in found.lengthscales])
    np.testing.assert_allclose(found.values, known - known.max(), atol=1e-8)
    assert found.n == 9
    low, high = found.near
    assert low < found.best < high
    for end in (low, high):
        assert density(end) - known.max() == pytest.approx(-2.0, abs=0.05)


def test_no_results_have_no_likelihood_and_a_flat_one_no_ends() -> None:
    cells = Atlas.of(SPEC)
    assert likelihood(cells, np.empty((0, 1)), np.empty(0)) is None
    flat = Likelihood(1, np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.0, -1.5]))
    assert np.isnan(flat.near).all()


def test_a_kernel_without_a_lengthscale_has_no_atlas() -> None:
    require_lengthscale(SPEC)
    with pytest.raises(InputError, match="kernel with a lengthscale"):
        require_lengthscale(replace(SPEC, kernel="Linear"))
