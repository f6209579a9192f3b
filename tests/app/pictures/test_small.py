"""Small pictures of a race: their axes hold what is drawn."""

from __future__ import annotations

from ucbpe_app.pictures.picture import Request
from ucbpe_app.pictures.small import small_curve
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, ConstantBeta, problems, simulate


def test_a_function_outside_its_band_is_inside_the_axis() -> None:
    problem = problems.multimodal()
    options = {"beta": ConstantBeta(1e-6), "batches": 1, "initial": 1, "seed": 0}
    replay = Replay(simulate(problem, GPUCBPE(2), **options))
    frame = replay.frame(0)
    assert frame.upper.max() < problem.values.max()
    axis = small_curve(replay.scene, frame, Request()).plots["small"].y
    assert axis.low < problem.values.min()
    assert problem.values.max() < axis.high
