"""A pinned run behind the one on screen: its numbers, and no model of it while there is none."""

from __future__ import annotations

import numpy as np

from ucbpe_app.figures.regret import RegretView
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, ConstantBeta, problems, simulate


def run(beta: float, batches: int = 4) -> Replay:
    return Replay(
        simulate(
            problems.multimodal(), GPUCBPE(batch_size=4), beta=ConstantBeta(beta),
            batches=batches, initial=3, seed=1,
        )
    )  # fmt: skip


def test_the_regret_has_its_curves_on_axes_that_hold_both(replay: Replay) -> None:
    longer, view = run(9.0, batches=6), RegretView()
    view.load(replay.scene)
    view.update(replay.frame(10))
    before = [chart.figure.y_range.end for chart in (view.simple, view.cumulative)]
    view.pin(longer.scene, "pinned: T = 6")
    for chart, columns in (
        (view.simple, {"simple": longer.scene.simple, "running": longer.scene.running}),
        (view.cumulative, {"full": longer.scene.full_cumulative}),
    ):
        data = chart.pinned.source.data
        assert list(data["t"]) == [1, 2, 3, 4, 5, 6]
        for name, values in columns.items():
            np.testing.assert_array_equal(data[name], values)
            assert chart.figure.y_range.end >= values.max()
        assert len(chart.done.data["t"]) == 1
        assert "pinned: T = 6" in chart.heading.object
    view.load(replay.scene)  # another run comes, and the pinned one stays
    assert list(view.simple.pinned.source.data["t"]) == [1, 2, 3, 4, 5, 6]
    view.pin(None, "")
    assert [chart.figure.y_range.end for chart in (view.simple, view.cumulative)] == before
    assert "pinned" not in view.simple.heading.object


def test_its_models_are_there_only_while_it_is(replay: Replay) -> None:
    regret = RegretView()
    regret.load(replay.scene)
    figures = [regret.simple.figure, regret.cumulative.figure]

    def models() -> set[object]:
        return {model for figure in figures for model in figure.references()}

    before = models()
    regret.pin(replay.scene, "p")
    assert len(models()) > len(before)
    regret.pin(None, "")
    assert models() == before
