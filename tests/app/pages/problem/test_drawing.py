"""A drawn curve: it goes through its points, never overshoots, and undo brings each back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ucbpe_app.pages.problem.draw_section import DrawSection
from ucbpe_app.pages.problem.drawing import LEFT, RIGHT, SIZE, DrawnCurve
from ucbpe_core import GPUCBPE, InputError, simulate

POINTS = st.lists(
    st.tuples(st.integers(0, 100).map(lambda i: i / 10), st.floats(-50, 50)),
    min_size=2,
    max_size=12,
    unique_by=lambda point: point[0],
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(POINTS)
def test_the_curve_passes_its_points_and_stays_between_neighbours(
    points: list[tuple[float, float]],
) -> None:
    curve = DrawnCurve(tuple(points))
    assert curve.points == tuple(sorted(points))
    x, y = np.array(curve.points).T
    np.testing.assert_allclose(curve.values(x), y, atol=1e-9)
    for (a, low), (b, high) in pairwise(curve.points):
        between = curve.values(np.linspace(a, b, 30))
        step = np.diff(between) * np.sign(high - low)
        assert step.min() >= -1e-9  # monotone between two points
    assert curve.values(np.array([LEFT]))[0] == pytest.approx(y[0])
    assert curve.values(np.array([RIGHT]))[0] == pytest.approx(y[-1])


def test_it_is_a_problem_to_simulate() -> None:
    curve = DrawnCurve(((1.0, -1.0), (4.0, 3.0), (9.0, 0.5)))
    problem = curve.problem(0.04)
    assert (problem.grid, problem.axes, problem.noise_variance) == ((SIZE,), ("x", "f"), 0.04)
    np.testing.assert_allclose(problem.values, curve.line[1])
    assert problem.candidates[problem.optimum_index, 0] == pytest.approx(4.0)
    trace = simulate(problem, GPUCBPE(3), batches=4, initial=3, seed=0)
    assert trace.running_minimum[-1] < 0.5


@pytest.mark.parametrize(
    ("points", "what"),
    [
        (((1, 1),), "2 to 40 points; got 1; add points"),
        ([(i / 5, 0) for i in range(41)], "2 to 40 points; got 41; remove points"),
        (((1, 1), (1.0002, 2)), "points at different x; got two at 1"),
        (((1, 1), (10.5, 2)), "x from 0 to 10; got 10.5"),
        (((1, 1e7), (2, 2)), "y up to"),
        (((1, np.nan), (2, 2)), "y to be finite"),
    ],
)
def test_what_is_no_curve_is_refused(points: object, what: str) -> None:
    with pytest.raises(InputError, match=what):
        DrawnCurve(tuple(points))  # type: ignore[arg-type]


def test_undo_and_redo() -> None:
    section = DrawSection()
    first = section.curve
    seen = [first]
    for points in ([(0, 0), (10, 1)], [(0, 0), (5, 3), (10, 1)]):
        section._draw(points)
        seen.append(section.curve)
    for step, place in ((-1, 1), (-1, 0), (-1, 0), (1, 1), (1, 2), (1, 2), (-1, 1)):
        section._turn(step)
        assert section.curve is seen[place]
        assert (section.undo.disabled, section.redo.disabled) == (place == 0, place == 2)
    section._draw([(0, 2), (10, 2)])
    assert section.redo.disabled
    section._draw([(0, 2), (10, 2)])  # nothing changed
    section._draw([(0, 0)])
    assert "2 to 40 points; got 1" in section.fault.object
    section._turn(-1)
    assert section.curve is seen[1]
