"""The view by itself: whoever loads a run on it sees one run, at one event, in every view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from ucbpe_app.pictures.asked import Asking
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


def regret(view: RunView) -> Plot:
    """That on screen."""
    (plot,) = view.regret.shown[0].picture.plots.values()
    return plot


def test_a_move_shows_the_event_unless_someone_else_decides(replays: dict[str, Replay]) -> None:
    view = RunView()
    view.load(replays["curve"])
    view.timeline.index = 4
    assert view.frame is not None
    assert view.frame.index == 4
    assert view.frame.status == view.timeline.status
    asked: list[int] = []
    view = RunView(on_move=asked.append)
    view.load(replays["curve"], 2)
    view.timeline.index = 5
    view._select_batch(2)
    assert asked[-2:] == [5, replays["curve"].batch_start(2)]
    assert view.frame is not None
    assert view.frame.index == 2


@pytest.mark.parametrize("layers", [Layers(), Layers(log=True, bounds=True, noisy=True)])
def test_every_change_is_drawn_once(
    replays: dict[str, Replay], monkeypatch: pytest.MonkeyPatch, layers: Layers
) -> None:
    view, curve, seen = RunView(), replays["curve"], Counter[str]()

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
    assert drawn(lambda: view.load(curve, 1, layers)) == once
    view.readout.pinned_candidate = 7
    assert drawn(lambda: view.load(curve, 2)) == once
    assert view.readout.pinned_candidate == 7
    assert view.picture.request.pointed == 7
    assert drawn(lambda: view.show(3)) == once
    assert drawn(lambda: view.choose(other)) == once
    assert drawn(lambda: view.choose(other)) == {}
    assert drawn(lambda: view.pin(PinnedRun(curve, "pinned"))) == once
    # Another run with one pinned, first of the same problem and then of another.
    assert drawn(lambda: view.load(curve, 2, layers, PinnedRun(curve, "pinned"))) == once
    assert "pinned" in {one.role for one in regret(view).marks}
    assert bool(regret(view).y.ticks) == layers.log
    pinned = PinnedRun(curve, "pinned")
    assert drawn(lambda: view.load(replays["field"], pinned=pinned)) == once
    assert "pinned" not in {one.role for one in regret(view).marks}
    # f is revealed at the last event, where there is more to draw.
    view.load(curve, 3, replace(layers, truth=False))
    view.ask(Asking(reveal=curve.events[-1]))
    assert drawn(lambda: view.show(len(curve.events) - 1)) == once
    assert not view.layers.secret
    assert drawn(lambda: view.show(3)) == once
    assert view.layers.secret
