"""The truth has a colour scale of its own: a mean far beyond it must not make it one colour."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.figures.field import FieldView
from ucbpe_app.links import decode, restore


@pytest.mark.parametrize("lesson", ["noise-underestimated", "himmelblau"])
def test_the_truth_spans_its_whole_scale(lesson: str) -> None:
    moment, _ = decode(f"preset={lesson}")
    _, replay, _ = restore(moment)
    scene, view = replay.scene, FieldView()
    view.load(scene)
    truth, mapper = scene.truth, view.truth.mapper
    assert (mapper.low, mapper.high) == (truth.min(), truth.max())
    # On the scale of the means, lesson 10 had less than a third of the colours for it.
    if lesson == "noise-underestimated":
        assert np.ptp(truth) < 0.3 * (scene.means[1] - scene.means[0])
