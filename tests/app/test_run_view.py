"""The stage by itself: whoever loads a run on it sees one run, at one event, in every view."""

from __future__ import annotations

import pytest

from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.run_view import RunView
from ucbpe_core import GPUCB, GPUCBPE, problems, simulate


@pytest.fixture(scope="module")
def replays() -> dict[str, Replay]:
    return {
        "curve": Replay(simulate(problems.multimodal(), GPUCBPE(batch_size=3), batches=2, seed=0)),
        "field": Replay(simulate(problems.himmelblau(), GPUCB(), batches=3, seed=0)),
    }


def test_an_empty_stage_ignores_moves() -> None:
    stage = RunView()
    stage.show(3)
    stage._select_batch(2)
    assert stage.frame is None
    assert stage.timeline.index == 0


def test_a_move_shows_the_event_unless_someone_else_decides(replays: dict[str, Replay]) -> None:
    stage = RunView()
    stage.load(replays["curve"])
    stage.timeline.index = 4
    assert stage.frame is not None
    assert stage.frame.index == 4
    assert stage.frame.status == stage.timeline.status
    asked: list[int] = []
    stage = RunView(on_move=asked.append)
    stage.load(replays["curve"], 2)
    stage.timeline.index = 5
    stage._select_batch(2)
    assert asked[-2:] == [5, replays["curve"].batch_start(2)]
    assert stage.frame is not None
    assert stage.frame.index == 2


def test_another_run_brings_its_picture_and_keeps_the_layers(replays: dict[str, Replay]) -> None:
    stage = RunView()
    stage.load(replays["field"], 1)
    assert stage.picture is stage.field
    stage.choose(Layers(log=True))
    stage.load(replays["curve"], 3)
    assert stage.picture is stage.line
    assert stage.regret.simple.figure.yaxis[0].major_label_overrides
    assert stage.timeline.total == len(replays["curve"].events)
    assert stage.timeline.starts == [0, replays["curve"].batch_start(2)]
