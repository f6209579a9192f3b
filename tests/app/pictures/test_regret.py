"""The regret of a run: golden values, and what must hold in each picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.app.pictures.golden import check
from ucbpe_app.pictures.picture import Picture, Request
from ucbpe_app.pictures.regret import CUMULATIVE, SIMPLE, cumulative, simple
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate

T = 4
BOUNDS = np.linspace(100.0, 200.0, T), np.linspace(200.0, 400.0, T)


@pytest.fixture(scope="module")
def run() -> Replay:
    policy = GPUCBPE(batch_size=3)
    return Replay(simulate(problems.multimodal(), policy, batches=T, initial=2, seed=0))


def at(replay: Replay, kind: Kind, k: int = 0, t: int = 2) -> Frame:
    return replay.frame(replay.events.index(Event(t, kind, k)))


def columns(picture: Picture, role: str) -> dict[str, Any]:
    (plot,) = picture.plots.values()
    (found,) = [one for one in plot.marks if one.role == role]
    return dict(found.columns)


def names(picture: Picture) -> list[str]:
    (plot,) = picture.plots.values()
    return [one.text for one in plot.labels]


def test_golden(run: Replay) -> None:
    longer = simulate(problems.multimodal(), GPUCBPE(2), batches=5, initial=2, seed=1)
    other = Request(
        layers=Layers(log=True, bounds=True),
        bounds=BOUNDS,
        pinned_scene=Replay(longer).scene,
        pinned_label="A",
    )
    check(
        "regret",
        {
            f"{kind.name}, {title}": kind.draw(run.scene, frame, request)
            for kind in (SIMPLE, CUMULATIVE)
            for title, frame, request in (
                ("before the first batch is measured", at(run, Kind.PICK, 1, t=1), Request()),
                ("after two", at(run, Kind.OBSERVE), Request()),
                ("at the end, in other layers", at(run, Kind.OBSERVE, t=T), other),
            )
        },
    )


def test_what_is_measured_is_drawn_and_nothing_ahead(run: Replay) -> None:
    """By the numbers of the core, at every event; the batch on screen is tinted."""
    trace = run.trace
    for i in range(len(run.events)):
        frame = run.frame(i)
        each, sums = (draw(run.scene, frame, Request()) for draw in (simple, cumulative))
        for picture, role, known in (
            (each, "regret", trace.simple_regret),
            (each, "running", np.minimum(trace.running_minimum, run.scene.start)),
            (sums, "regret", trace.batch_cumulative_regret),
            (sums, "every", trace.full_cumulative_regret),
        ):
            drawn = columns(picture, role)
            np.testing.assert_array_equal(drawn["x"], np.arange(1, frame.done + 1))
            np.testing.assert_array_equal(drawn["y"], known[: frame.done])
            now = columns(picture, "now")
            assert (now["left"][0] + now["right"][0]) / 2 == frame.event.t


def test_the_best_initial_point_is_there_and_does_not_count(run: Replay) -> None:
    known = run.trace.problem
    first = run.trace.posterior.conditioned_indices[:2]
    least = min(known.optimum - known.values[i] for i in first)
    picture = simple(run.scene, at(run, Kind.OBSERVE), Request())
    start = columns(picture, "start")
    assert (start["x"].tolist(), start["y"].tolist()) == ([0.0], [pytest.approx(least)])
    assert columns(picture, "lead")["y"].tolist() == [least, run.trace.simple_regret[0]]
    assert picture.plots["simple"].x.ticks[0] == (0.0, "start")
    bare = Replay(simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=0, seed=0))
    without = simple(bare.scene, bare.frame(0), Request()).plots["simple"]
    assert without.x.low == 0.5
    assert not {"start", "lead"} & {one.role for one in without.marks}


def test_a_cost_has_a_regret_as_well() -> None:
    cost = problems.from_table(np.arange(5.0)[:, None], np.array([4.0, 2, 0, 1, 3]))
    run = Replay(
        simulate(replace(cost, direction="minimize"), GPUCBPE(1), batches=1, initial=1, seed=3)
    )
    assert run.scene.start == cost.values[run.trace.posterior.conditioned_indices[0]]


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("initial", [0, 2])
def test_results_of_a_secret_f_go_from_the_first_to_the_bands(direction: Any, initial: int) -> None:
    """And none tells what will be found: the axis is known at the start."""
    problem = replace(problems.multimodal(), direction=direction)
    run = Replay(simulate(problem, GPUCBPE(3), batches=3, initial=initial, seed=0))
    request = Request(layers=Layers(truth=False, secret=True))
    plots = [simple(run.scene, run.frame(i), request).plots["simple"] for i in (0, -1)]
    assert plots[0].y == plots[1].y
    ends = list(run.scene.values)
    if initial:
        ends[0 if direction == "maximize" else 1] = run.scene.results[0]
    assert np.allclose([plots[0].y.low, plots[0].y.high], ends, atol=0.15 * np.ptp(ends))
    results = run.scene.results
    assert ((plots[0].y.low < results) & (results < plots[0].y.high)).all()


@pytest.mark.parametrize("log", [False, True])
def test_every_curve_is_inside_the_range(run: Replay, log: bool) -> None:
    longer = simulate(problems.thin_peak(), GPUCBPE(2), batches=6, initial=2, seed=1)
    request = Request(
        layers=Layers(log=log, bounds=True), bounds=BOUNDS, pinned_scene=Replay(longer).scene
    )
    for draw in (simple, cumulative):
        (plot,) = draw(run.scene, at(run, Kind.OBSERVE, t=T), request).plots.values()
        for one in plot.marks:
            if one.role != "now":
                heights = one.columns["y"][~np.isnan(one.columns["y"])]
                assert ((plot.y.low < heights) & (heights < plot.y.high)).all()


def test_the_axis_is_the_same_at_every_event(run: Replay) -> None:
    for draw in (simple, cumulative):
        axes = {
            (plot.x, plot.y)
            for i in range(len(run.events))
            for plot in draw(run.scene, run.frame(i), Request()).plots.values()
        }
        assert len(axes) == 1


def test_bounds_show_when_known_and_wanted(run: Replay) -> None:
    frame, wanted = at(run, Kind.OBSERVE), Layers(bounds=True)
    for request, shown in (
        (Request(bounds=BOUNDS), False),
        (Request(layers=wanted), False),
        (Request(layers=wanted, bounds=BOUNDS), True),
    ):
        sums = cumulative(run.scene, frame, request)
        assert ({"as printed 200", "as proved 400"} <= set(names(sums))) == shown
        assert (sums.plots["cumulative"].y.high > 400) == shown


def test_held_axes_stay(run: Replay) -> None:
    frame = at(run, Kind.OBSERVE)
    before = simple(run.scene, frame, Request())
    other = Replay(simulate(problems.thin_peak(), GPUCBPE(2), batches=6, initial=2, seed=1))
    plot = simple(other.scene, other.frame(9), Request(locked=before)).plots["simple"]
    assert (plot.x, plot.y) == (before.plots["simple"].x, before.plots["simple"].y)
