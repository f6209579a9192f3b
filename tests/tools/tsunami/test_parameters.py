from dataclasses import astuple, replace

import numpy as np

from tools.tsunami.parameters import Parameters
from tools.tsunami.table import TABLE
from ucbpe_core.problems.simulated import read_table

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


def test_seed_decides():
    assert PARAMETERS.designs() == PARAMETERS.designs()
    assert PARAMETERS.designs() != replace(PARAMETERS, seed=1).designs()


def test_the_shipped_table_holds_the_designs_of_these_parameters():
    rows = read_table()
    expected = np.array([astuple(design) for design in PARAMETERS.designs()])
    np.testing.assert_array_equal(rows[:, :5], expected)
    assert len(rows) >= 400
    assert TABLE.stat().st_size < 200_000
