"""A pinned run behind the one on screen: its numbers, and no model of it while there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.figures.field import FieldView
from ucbpe_app.figures.regret import RegretView
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, ConstantBeta, problems, simulate
from ucbpe_core.problems.base import regular_grid


def run(beta: float, batches: int = 4) -> Replay:
    return Replay(
        simulate(
            problems.multimodal(), GPUCBPE(batch_size=4), beta=ConstantBeta(beta),
            batches=batches, initial=3, seed=1,
        )
    )  # fmt: skip


@pytest.fixture(scope="module")
def fields() -> tuple[Replay, Replay]:
    X, grid = regular_grid([[0, 1], [0, 2]], 15)
    table = problems.from_table(X, np.sin(5 * X[:, 0]) * np.cos(3 * X[:, 1]), noise_variance=1e-4)
    table = replace(table, grid=grid)

    def made(beta: float) -> Replay:
        policy = GPUCBPE(batch_size=3)
        beta_t = ConstantBeta(beta)
        return Replay(simulate(table, policy, beta=beta_t, batches=4, initial=30, seed=2))

    return made(1.0), made(0.5)


def at(replay: Replay, kind: Kind, k: int = 0, t: int = 2) -> Frame:
    return replay.frame(replay.events.index(Event(t, kind, k)))


def test_the_squares_have_its_picks_and_the_outline_of_its_region(
    fields: tuple[Replay, Replay],
) -> None:
    own, past_run = fields
    view = FieldView()
    view.load(own.scene)
    past = at(past_run, Kind.PICK, 2)
    assert 0 < past.region_plus.sum() < len(past.region_plus)
    view.pin(past, "pinned: β multiplier c = 0.5")
    view.update(at(own, Kind.PICK, 2))
    picks = view.pinned.picks.data
    assert picks["x"] == [float(pick.x[0]) for pick in past.picks] * 2
    assert picks["y"] == [float(pick.x[1]) for pick in past.picks] * 2
    # The outlines are those that the pinned run has when it is itself on screen.
    itself = FieldView()
    itself.load(past_run.scene)
    itself.update(past)
    half = len(view.pinned.lines.data["xs"]) // 2
    assert half > 0
    for axis in ("xs", "ys"):
        lines = itself.region.lines.data[axis][:half]
        for line, expected in zip(view.pinned.lines.data[axis][:half], lines, strict=True):
            np.testing.assert_array_equal(line, expected)
    assert "pinned: β multiplier c = 0.5" in view._legend.object
    view.update(at(own, Kind.PICK, 2))
    view.pin(past_run.frame(0), "pinned")
    view.update(own.frame(0))
    assert view.pinned.lines.data["xs"] == []


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


def test_its_models_are_there_only_while_it_is(
    replay: Replay, fields: tuple[Replay, Replay], count_models: Callable[[], list[str]]
) -> None:
    def models(figures: list[object]) -> set[object]:
        return {model for figure in figures for model in figure.references()}  # type: ignore[attr-defined]

    field, regret = FieldView(), RegretView()
    own, past_run = fields
    field.load(own.scene)
    regret.load(replay.scene)

    def draw(pinned: bool, i: int) -> None:
        field.pin(past_run.frame(i) if pinned else None, "p")
        field.update(own.frame(i))

    figures = [
        *(panel.figure for panel in field.panels),
        regret.simple.figure,
        regret.cumulative.figure,
    ]
    draw(False, 3)
    before = models(figures)
    draw(True, 3)
    regret.pin(replay.scene, "p")
    assert len(models(figures)) > len(before)
    built = count_models()
    for i in (4, 5, 6):
        draw(True, i)
    assert built == []
    draw(False, 3)
    regret.pin(None, "")
    assert models(figures) == before
