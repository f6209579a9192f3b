"""The Race shows R+ over one input as it does over two; the decision plane has a title."""

from __future__ import annotations

import numpy as np

from ucbpe_app.figures.plane import PlaneView
from ucbpe_app.pages.race.race import Race
from ucbpe_app.pages.race.views.curve import CurvePicture
from ucbpe_app.pages.race.views.multiples import MultiplesView
from ucbpe_app.pages.race.views.plane import PlanePicture


def test_the_strip_is_the_region_of_the_last_batch(by_iterations: Race) -> None:
    view = MultiplesView()
    view.load(by_iterations)
    drawn = 0
    for i in range(1, 7):
        states = by_iterations.states(i)
        view.update(i)
        for picture, state in zip(view.pictures, states, strict=True):
            assert isinstance(picture, CurvePicture)
            left, right = picture.region.data["left"], picture.region.data["right"]
            plus = state.decision.region_plus
            note = picture.note(state)
            if plus is None:
                assert not left
                assert "R⁺" not in note
                continue
            x = picture._candidates[picture._order]
            inside = np.zeros(len(x), dtype=bool)
            for a, b in zip(left, right, strict=True):
                inside |= (x > a) & (x < b)
            np.testing.assert_array_equal(inside, plus[picture._order])
            assert "R⁺" in note
            drawn += 1
    assert drawn
    assert "R⁺ of the last batch" in view._legend.object


def test_the_plane_is_called_by_its_name() -> None:
    assert PlaneView().figure.title.text == "Decision plane"
    assert not PlanePicture().figure.title.visible  # there a heading is
