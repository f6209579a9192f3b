"""The stage by itself: whoever loads a run on it sees one run, at one event, in every view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from ucbpe_app.pictures.picture import Plot
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.run.changes import PinnedRun
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.widgets.readout import Readout
from ucbpe_app.widgets.run_view import RunView
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.policies import GPUCB


@pytest.fixture(scope="module")
def replays() -> dict[str, Replay]:
    return {
        "curve": Replay(simulate(problems.multimodal(), GPUCBPE(batch_size=3), batches=2, seed=0)),
        "field": Replay(simulate(problems.himmelblau(), GPUCB(), batches=3, seed=0)),
    }


def regret(stage: RunView) -> Plot:
    """That on screen."""
    (plot,) = stage.regret.shown[0].picture.plots.values()
    return plot


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


@pytest.mark.parametrize("layers", [Layers(), Layers(log=True, bounds=True, noisy=True)])
def test_every_change_is_drawn_once(
    replays: dict[str, Replay], monkeypatch: pytest.MonkeyPatch, layers: Layers
) -> None:
    stage, curve, seen = RunView(), replays["curve"], Counter[str]()

    def count(kind: type, name: str) -> None:
        original = getattr(kind, name)

        def counting(*args: object) -> None:
            seen[name] += 1
            original(*args)

        monkeypatch.setattr(kind, name, counting)

    count(BokehPicture, "draw")
    count(Readout, "show_candidate")

    def drawn(act: Callable[[], None]) -> dict[str, int]:
        seen.clear()
        act()
        return dict(seen)

    # The function and the regret.
    once, other = {"draw": 2, "show_candidate": 1}, replace(layers, log=not layers.log)
    assert drawn(lambda: stage.load(curve, 1, layers)) == once
    stage.readout.held = 7
    assert drawn(lambda: stage.load(curve, 2)) == once
    assert stage.readout.held == 7
    assert stage.picture.request.pointed == 7
    assert drawn(lambda: stage.show(3)) == once
    assert drawn(lambda: stage.choose(other)) == once
    assert drawn(lambda: stage.choose(other)) == {}
    assert drawn(lambda: stage.pin(PinnedRun(curve, "pinned"))) == once
    # Another run with one pinned, first of the same problem and then of another.
    assert drawn(lambda: stage.load(curve, 2, layers, PinnedRun(curve, "pinned"))) == once
    assert "pinned" in {one.role for one in regret(stage).marks}
    assert bool(regret(stage).y.ticks) == layers.log
    pinned = PinnedRun(curve, "pinned")
    assert drawn(lambda: stage.load(replays["field"], pinned=pinned)) == once
    assert "pinned" not in {one.role for one in regret(stage).marks}
