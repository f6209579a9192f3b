"""The results of a run of another tool."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.pictures.trials import trials

Y = np.array([3.0, np.nan, 5.0, 1.0, 2.0])


def columns(sign: float) -> dict[str, dict[str, object]]:
    plot = trials(Y, 2, sign).plots["trials"]
    return {mark.role: dict(mark.columns) for mark in plot.marks}


@pytest.mark.parametrize(("sign", "steps"), [(1.0, [3, 5, 5, 5, 5]), (-1.0, [3, 3, 1, 1, 1])])
def test_the_best_so_far_steps_at_results(sign: float, steps: list[float]) -> None:
    running = columns(sign)["running"]
    assert list(running["x"]) == [0, 2, 3, 4, 4.5]
    assert list(running["y"]) == steps


def test_what_has_no_result_is_a_cross_at_the_foot_and_what_comes_later_is_faint() -> None:
    results = columns(1.0)["results"]
    assert list(results["marker"]) == ["circle", "x", "circle", "circle", "circle"]
    assert results["y"][1] < np.nanmin(Y)
    assert [len(color) for color in results["color"]] == [7, 7, 7, 9, 9]
    assert list(results["size"]) == [7, 7, 11, 7, 7]
