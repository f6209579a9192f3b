"""The decision plane as the main picture: dots know their candidates, a square the maximum."""

from __future__ import annotations

import numpy as np
import pytest
from bokeh.models import GlyphRenderer, Scatter

from ucbpe_app.figures.plane import LargePlaneView
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.policies import RandomSearch
from ucbpe_core.problems import Problem


def run(problem: Problem) -> Replay:
    return Replay(simulate(problem, GPUCBPE(batch_size=4), batches=3, initial=20, seed=1))


@pytest.fixture(scope="module")
def replay() -> Replay:
    """1385 candidates of six inputs."""
    return run(problems.mackey_glass())


@pytest.fixture(scope="module")
def thousands() -> Replay:
    """As many candidates and inputs as Abalone has."""
    rng = np.random.default_rng(0)
    return run(problems.from_table(rng.random((4177, 8)), rng.random(4177)))


def loaded(replay: Replay) -> LargePlaneView:
    view = LargePlaneView()
    view.load(replay.scene)
    return view


def test_dots_are_the_candidates_those_in_the_region_on_top(
    replay: Replay, thousands: Replay
) -> None:
    for one in (replay, thousands):
        view = loaded(one)
        for i in range(len(one.events)):
            frame = one.frame(i)
            view.update(frame)
            dots = view.dots.markers.data
            inside = frame.region_plus
            order = np.arange(len(frame.mean))
            if inside is not None:
                order = np.concatenate([np.flatnonzero(~inside), np.flatnonzero(inside)])
            np.testing.assert_array_equal(dots["x"], frame.std_now[order])
            np.testing.assert_array_equal(dots["y"], frame.mean[order])
        assert view.dots.renderer.visible


def test_the_square_is_around_the_true_maximum_while_the_truth_is_shown(replay: Replay) -> None:
    view, best = loaded(replay), replay.trace.problem.optimum_index
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        view.update(frame)
        assert view.optimum.data == {"x": [frame.std_now[best]], "y": [frame.mean[best]]}
    squares = [
        glyph
        for glyph in view.figure.renderers
        if isinstance(glyph, GlyphRenderer) and glyph.data_source is view.optimum
    ]
    assert len(squares) == 2
    assert all(isinstance(square.glyph, Scatter) for square in squares)
    for truth in (False, True):
        view.show(Layers(truth=truth))
        assert all(square.visible == truth for square in squares)
        assert ("maximum of s(n + 85)" in view._legend.object) == truth


def test_the_legend_names_the_marks_of_the_picks(replay: Replay) -> None:
    assert replay.scene.roles == ("ucb", "pe")
    legend = loaded(replay)._legend.object
    assert ">UCB pick<" in legend
    assert ">PE pick<" in legend
    table = problems.from_table(np.eye(9), np.arange(9.0))
    trace = simulate(table, RandomSearch(batch_size=2), batches=1, initial=1, seed=0)
    legend = loaded(Replay(trace))._legend.object
    assert ">Random pick<" in legend
    assert "UCB" not in legend
