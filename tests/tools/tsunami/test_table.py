from dataclasses import astuple, replace

import numpy as np
import pytest

from tools.tsunami import resolution, table
from tools.tsunami.parameters import Parameters
from tools.tsunami.scene import Design
from tools.tsunami.table import TABLE
from ucbpe_core.problems import tsunami
from ucbpe_core.problems.simulated import read_table

SHIPPED = Parameters.read()
# Four designs that take a fraction of a second each.
FEW = replace(
    SHIPPED,
    count=4,
    lowest=Design(0.18, 0.15, 0.0, 100.0, 0.03),
    highest=Design(0.2, 0.2, 500.0, 150.0, 0.06),
    resolution=SHIPPED.resolution.finer(0.4),
)


@pytest.fixture
def files(tmp_path):
    return tmp_path / "table.csv", tmp_path / "build" / "partial.csv"


@pytest.mark.slow
def test_an_interrupted_table_is_continued_and_another_one_begun_anew(files):
    path, partial = files
    partial.parent.mkdir()
    kept = "1,2,3,4,5,6.0000,7.0000\n"
    partial.write_text(f"# {FEW}\n0,{kept}2,{kept}3,0.19,0.2,1")
    table.make(FEW, path, partial, workers=1)
    lines = path.read_text().splitlines(keepends=True)
    assert lines[0] == table.HEADER
    assert lines[1] == lines[3] == kept
    computed = [table.row(design, FEW.resolution) for design in FEW.designs()]
    assert [lines[2], lines[4]] == [computed[1], computed[3]]

    other = replace(FEW, seed=FEW.seed + 1)
    table.make(other, path, partial, workers=1)
    assert kept not in path.read_text()
    assert kept in partial.with_suffix(".old.csv").read_text()


def test_resolution_study_is_of_these_parameters_and_spans_the_box():
    rows = np.loadtxt(resolution.FILE, delimiter=",", skiprows=1)
    designs = [Design(*map(float, row[:5])) for row in rows]
    assert designs == resolution.spanning(SHIPPED)
    assert len(designs) >= 8
    for column in np.array(rows[:, :4]).T:
        assert np.ptp(column) > 0.6 * (column.max() - 0)
    assert rows[:, 4].max() / rows[:, 4].min() > 20


def test_stated_error_is_that_of_the_resolution_study():
    coarse, fine = resolution.differences()
    root_mean_square = np.sqrt((fine**2).mean())
    assert f"{root_mean_square:.3f} (root mean square)" in tsunami.__doc__
    assert f"{np.abs(fine).max():.3f} (largest)" in tsunami.__doc__
    assert np.sqrt((coarse**2).mean()) > root_mean_square


@pytest.mark.slow
@pytest.mark.parametrize("number", [100, 256, 511])
def test_a_row_is_what_the_simulator_gives(number):
    expected = read_table()[number]
    line = table.row(SHIPPED.designs()[number], SHIPPED.resolution)
    found = np.array([float(value) for value in line.split(",")])
    np.testing.assert_allclose(found, expected, rtol=2e-3)


PARAMETERS = Parameters.read()


def test_designs_fill_the_box_evenly():
    designs = np.array([astuple(design) for design in PARAMETERS.designs()])
    low, high = (np.array(astuple(end)) for end in (PARAMETERS.lowest, PARAMETERS.highest))
    low[-1], high[-1], designs[:, -1] = np.log(low[-1]), np.log(high[-1]), np.log(designs[:, -1])
    unit = (designs - low) / (high - low)
    for column in unit.T:
        # One in each of `count` intervals, as Sobol points are, but for the rounding.
        counts = np.histogram(column, bins=PARAMETERS.count // 4, range=(0, 1))[0]
        assert np.abs(counts - 4).max() <= 1


def test_the_shipped_table_holds_the_designs_of_these_parameters():
    rows = read_table()
    expected = np.array([astuple(design) for design in PARAMETERS.designs()])
    np.testing.assert_array_equal(rows[:, :5], expected)
    assert len(rows) >= 400
    assert TABLE.stat().st_size < 200_000
