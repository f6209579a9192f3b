"""What is drawn of a choice is the posterior before it, in units of the result."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.problem.foreign.frame import shown
from ucbpe_app.problem.foreign.state import as_table
from ucbpe_app.run.sentences.reasons import THEIRS
from ucbpe_core import retrace

RNG = np.random.default_rng(3)
X = RNG.random((12, 2)) * [4, 2]
Y = np.cos(X[:, 0]) * X[:, 1]
BOX = [(0, 4), (0, 2)]


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_frame_is_the_posterior_before_the_choice(direction: str) -> None:
    found = retrace(X, Y, space=BOX, direction=direction)
    scene, frame, featured, _ = shown(found, 8, "It explored.", chosen=True)
    size, sign = found.places, scene.sign
    assert scene.grid == (41, 41)
    process = found.choices[8].gp.condition(X[:8], sign * Y[:8])
    expected = process.predict(found.candidates[:size])
    np.testing.assert_allclose(frame.mean, sign * expected.mean, atol=1e-9)
    np.testing.assert_allclose(frame.std, expected.std, atol=1e-9)
    np.testing.assert_array_equal(frame.observed_x, X[:8])
    np.testing.assert_array_equal(frame.observed_y, Y[:8])
    ranks = found.choices[8].ranks
    assert ranks[featured] == min(ranks[name] for name in ("std", "upper", "mean"))


def test_the_picks_are_theirs_and_the_first_two_of_the_rule() -> None:
    found = retrace(X, Y, space=BOX)
    scene, frame, *_ = shown(found, 8, "", chosen=True)
    ucb, pe, theirs = frame.picks
    bound = frame.mean + 2 * frame.std
    assert bound[ucb.index] == pytest.approx(bound.max())
    assert frame.region_plus[pe.index]
    assert (theirs.role, theirs.name, frame.subject) == (THEIRS, "theirs", theirs)
    np.testing.assert_array_equal(theirs.x, X[8])
    apart = np.abs(scene.candidates[theirs.index] - X[8])
    assert (apart <= [0.05, 0.025]).all()  # half a cell


def test_before_the_choice_there_are_no_picks() -> None:
    _, frame, *_ = shown(retrace(X, Y, space=BOX), 8, "Before trial 8.", chosen=False)
    assert frame.picks == ()
    assert "Before trial 8" in frame.status


def test_without_a_model_nothing_is_drawn() -> None:
    found = retrace(X, Y, space=BOX)
    assert shown(found, 2, "", chosen=True) is None


def test_slices_go_through_their_choice() -> None:
    Z = RNG.random((10, 3))
    found = retrace(Z, Z.sum(axis=1), space=[(0, 1)] * 3, direction="minimize")
    along = shown(found, 7, "", chosen=True).slices
    mean = (
        -found.choices[7].gp.condition(Z[:7], -Z[:7].sum(axis=1)).predict([[0.5, *Z[7, 1:]]]).mean
    )
    assert along.mean[0][20] == pytest.approx(mean[0], abs=1e-9)


def test_the_table_has_the_settings_of_all_results() -> None:
    found = retrace([*X, X[3]], [*Y, 0.5], space=BOX)
    table, rows = as_table(found)
    np.testing.assert_allclose(table.candidates[rows], [*X, X[3]])
    assert rows[3] == rows[12]
    assert len(table) <= 2000
