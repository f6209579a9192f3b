"""The atlas of settings as a picture: golden values, and where each mark is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.app.pictures.golden import check
from ucbpe_app.pictures.atlas import Measure, atlas
from ucbpe_app.pictures.picture import Picture
from ucbpe_app.run.atlas import SIDE, Atlas, Likelihood
from ucbpe_app.run.settings import RunSpec

CURVE = Likelihood(7, np.geomspace(0.13, 3.25, 5), np.array([-1.0, -0.5, 0.0, -6.0, -30.0]))
HERE = 0.65, 1.0


@pytest.fixture(scope="module")
def cells() -> Atlas:
    """Filled but for the last lengthscale; above c = 1, R+ is all of X at the first three."""
    one = Atlas.of(RunSpec(batches=4))
    scale = np.arange(SIDE) / SIDE
    for column in range(SIDE - 1):
        whole = np.where((one.scales >= 1) & (column < 3), 4.0, 1.0)
        regret = 10.0 ** (column / 3 - 4)
        runs = np.stack([np.full(SIDE, regret), 4 * scale, np.clip(whole / 4, 0, 1), whole], axis=1)
        for seed in range(3):
            one = one.filled((column, seed, tuple(range(SIDE))), runs)
    return one


def columns(picture: Picture, role: str, plot: str = "atlas") -> dict[str, Any]:
    (found,) = [one for one in picture.plots[plot].marks if one.role == role]
    return dict(found.columns)


def test_golden(cells: Atlas) -> None:
    measures: tuple[Measure, ...] = ("regret", "band", "region")
    drawn: dict[str, Picture] = {one: atlas(cells, one, HERE, CURVE) for one in measures}
    drawn["a cell is meant"] = atlas(cells, "regret", HERE, None, (2, 5))
    mirrored = replace(cells, runs=cells.runs[:, ::-1])
    drawn["R+ is all of X at the right"] = atlas(mirrored, "regret", HERE, None)
    check("atlas", drawn)


def test_values_are_those_of_the_cells(cells: Atlas) -> None:
    image = columns(atlas(cells, "band", HERE, CURVE), "values")["image"][0]
    np.testing.assert_allclose(image[:, 0], np.arange(SIDE) / SIDE)
    np.testing.assert_array_equal(image[:, -1], image[:, -2])  # not run: as the nearest
    regret = columns(atlas(cells, "regret", HERE, CURVE), "values")["image"][0]
    np.testing.assert_allclose(regret[0, [0, 6]], [-3.0, -2.0])  # what is less counts as 0.001


def test_a_cell_lies_around_its_settings(cells: Atlas) -> None:
    for cell in ((0, 0), (10, 6), (SIDE - 1, SIDE - 1)):
        spec = cells.at(cell)
        picture = atlas(cells, "regret", (spec.lengthscale, spec.scale), None, cell)
        box, ring = columns(picture, "cell"), columns(picture, "here")
        assert box["left"] < ring["x"] < box["right"]
        assert box["bottom"] < ring["y"] < box["top"]


def test_the_line_of_the_theory_and_the_likelihood_are_at_their_values(cells: Atlas) -> None:
    picture = atlas(cells, "regret", HERE, CURVE)
    assert columns(picture, "theory")["y"] == [0.0]
    near = 10 ** columns(picture, "near")["x"]
    np.testing.assert_allclose(near, [one for one in CURVE.near if one == one])
    assert 10 ** columns(picture, "likeliest", "likelihood")["x"] == pytest.approx(CURVE.best)
    assert "likelihood" not in atlas(cells, "regret", HERE, None).plots


def test_where_the_region_excludes_nothing_is_outlined_and_said(cells: Atlas) -> None:
    picture = atlas(cells, "regret", HERE, CURVE)
    outline = columns(picture, "useless_line")
    assert np.nanmax(outline["x"]) < np.log10(cells.lengthscales[3])
    assert np.nanmin(outline["y"]) < 0 < np.log10(cells.scales[11])
    assert "R⁺ is all of X" in columns(picture, "numbers")["text"]
    assert "it excludes nothing" in picture.text
    hatched = columns(atlas(cells, "region", HERE, CURVE), "useless")
    assert len(hatched["left"]) == cells.useless.sum() == 9
    useful = replace(cells, runs=np.where(np.arange(4) == 3, 0.0, cells.runs))
    none = atlas(useful, "regret", HERE, CURVE)
    assert "R⁺ is all of X" not in columns(none, "numbers")["text"]
    assert not len(columns(none, "useless_line")["x"])
