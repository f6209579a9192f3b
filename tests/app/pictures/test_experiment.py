"""The results of an experiment, batch by batch."""

from __future__ import annotations

import numpy as np
import pytest

from tests.app.pictures.golden import check
from ucbpe_app.pictures.experiment import Result, bracket, results
from ucbpe_core.gp.region import Certificate


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_best_so_far_goes_on_to_the_edge(sign: float) -> None:
    values = (3.0, None, 1.0, 7.0, 5.0)
    made = [Result(t, "", y and sign * y) for t, y in enumerate(values)]
    plot = results(made, None, sign, "").plots["results"]
    drawn = {one.role: one.columns for one in plot.marks}["running"]
    assert drawn["y"].tolist() == [sign * one for one in (3.0, 3.0, 7.0, 7.0, 7.0)]
    assert drawn["x"][-1] == plot.x.high


def test_the_best_so_far_goes_on_from_batch_to_batch_when_results_come_late() -> None:
    made = [Result(t, "ucb", y) for t, y in ((1, 3.0), (2, 5.0), (1, 4.0), (2, 1.0))]
    plot = results(made, None, 1.0, "").plots["results"]
    drawn = {one.role: one.columns for one in plot.marks}["running"]
    assert (np.diff(drawn["x"]) > 0).all()
    assert drawn["y"].tolist() == [3.0, 4.0, 5.0, 5.0, 5.0]


def test_what_can_still_be_gained() -> None:
    found = Certificate(3, 1.25, 2.5, 1.25)
    upside_down = Certificate(3, -1.25, -2.5, 1.25)
    check(
        "bracket",
        {
            "with a best result": bracket(found, 1.5),
            "before any": bracket(found, None),
            "of a minimum": bracket(upside_down, -1.0),
        },
    )
