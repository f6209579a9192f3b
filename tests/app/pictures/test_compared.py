"""Lines of several policies in one chart: where their marks and names are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.app.pictures.golden import check
from ucbpe_app.pictures.chart import Values
from ucbpe_app.pictures.compared import Line, compared
from ucbpe_app.pictures.looks import policy_looks
from ucbpe_app.pictures.picture import Axis

(LOOK,) = policy_looks(["GP-UCB-PE"])


@pytest.mark.parametrize(("last", "first", "step"), [(14, 1, 1), (15, 2, 2), (60, 5, 5)])
def test_marks_are_at_whole_multiples_and_at_the_end(last: int, first: int, step: int) -> None:
    batches = np.arange(1.0, last + 1)
    marked = batches[Line("policy", LOOK, batches, batches).marked]
    assert marked[-1] == last
    np.testing.assert_array_equal(marked[:-1], np.arange(first, last, step))


def test_a_name_is_at_the_height_of_the_last_value() -> None:
    y = np.array([1.0, 0.1, 0.01])
    line = Line("policy", LOOK, np.arange(1.0, 4), y, text="its end", until=5.0)
    for values, height in ((Values(), 0.01), (Values.of(y, log=True), -2.0)):
        picture = compared([line], Axis(0, 5), values, values.axis(1.0), "")
        (label,) = picture.plots["compared"].labels
        assert (label.text, label.x) == ("its end", 5.0)
        assert label.y == pytest.approx(height)


def test_golden() -> None:
    """Filled marks and open ones, faint values, intervals of which one reaches 0, and a ring."""
    x, y = np.arange(1.0, 4), np.array([1.0, 0.1, 0.01])
    filled, empty = policy_looks(["GP-UCB-PE", "Vizier UCB-PE"])
    lines = [
        Line("a run", filled, x, y, steps=True, until=4.0, faint=2 * y, text="a", strong=True),
        Line("a faint one", empty, x, y, faint=3 * y),
        Line(
            "means", empty, x, 3 * y, low=y - 0.01, high=4 * y, tips=("i", "j", "k"), rings=(2.5,)
        ),
    ]
    drawn = {}
    for name, values in (("linear", Values()), ("log", Values.of(y, log=True))):
        axis = values.axis(4.0)
        drawn[name] = compared(lines, Axis(0, 5), values, axis, "Regret.", now=(2.5, 3.5))
    check("compared", drawn)
