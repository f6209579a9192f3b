"""The decision plane: its lines obey their equations, and its dots are the candidates."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.app.pictures.golden import check
from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import Request
from ucbpe_app.pictures.plane import LARGE_PLANE, PLANE, SMALL_PLANE
from ucbpe_app.pictures.slices import SLICES
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.policies import GPUCB, GreedyUCB, RandomSearch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.pictures.picture import Plot, RunKind
    from ucbpe_app.run.frames import Frame
    from ucbpe_core import Policy

ROUNDING = 1e-9


@pytest.fixture(scope="module")
def many() -> Replay:
    """10,201 candidates, drawn as an image; R+ shrinks in every batch."""
    policy = GPUCBPE(batch_size=4)
    return Replay(simulate(problems.himmelblau(), policy, batches=5, initial=20, seed=1))


@pytest.fixture(scope="module")
def few() -> Replay:
    """A hundred candidates or so, drawn as markers."""
    return Replay(simulate(problems.figure1(), GPUCBPE(batch_size=4), batches=3, initial=0, seed=1))


@pytest.fixture(scope="module")
def six() -> Replay:
    """1385 candidates of six inputs."""
    policy = GPUCBPE(batch_size=4)
    return Replay(simulate(problems.mackey_glass(), policy, batches=3, initial=20, seed=1))


@pytest.fixture(scope="module")
def cost() -> Replay:
    """Of the fewer candidates the least value is looked for."""
    table = replace(problems.figure1(), direction="minimize")
    return Replay(simulate(table, GPUCBPE(batch_size=4), batches=3, initial=4, seed=1))


@pytest.fixture(params=["many", "few", "cost"])
def run(request: pytest.FixtureRequest) -> Replay:
    return request.getfixturevalue(request.param)


def frames(replay: Replay, kind: Kind, k: int = 0) -> list[Frame]:
    events = [Event(t, kind, k) for t in range(1, replay.events[-1].t + 1)]
    return [replay.frame(replay.events.index(event)) for event in events]


def at(replay: Replay, t: int, kind: Kind, k: int = 0) -> Frame:
    return replay.frame(replay.events.index(Event(t, kind, k)))


def plot(
    replay: Replay, frame: Frame, request: Request | None = None, kind: RunKind = PLANE
) -> Plot:
    (one,) = kind.draw(replay.scene, frame, request or Request()).plots.values()
    return one


def marks(drawn: Plot) -> Mapping[str, Mapping[str, np.ndarray]]:
    return {one.role: one.columns for one in drawn.marks}


def texts(drawn: Plot) -> list[str]:
    return [one.text for one in drawn.labels]


def height(line: Mapping[str, np.ndarray], std: np.ndarray) -> np.ndarray:
    """The line through both ends of what is drawn."""
    (x0, x1), (y0, y1) = line["x"], line["y"]
    return y0 + (y1 - y0) / (x1 - x0) * (std - x0)


def test_the_line_of_equal_upper_bound_touches_the_ucb_pick_alone(run: Replay) -> None:
    for frame in frames(run, Kind.PICK):
        above = height(marks(plot(run, frame))["equal_upper"], frame.std) - frame.mean
        above *= run.scene.sign
        scale = np.abs(frame.upper).max()
        assert above.min() >= -ROUNDING * scale
        assert abs(above[frame.picks[0].index]) <= ROUNDING * scale


def test_the_line_from_y_dot_is_the_highest_of_equal_lower_bound(many: Replay) -> None:
    for frame in frames(many, Kind.REGION):
        line = marks(plot(many, frame))["equal_lower"]
        below = height(line, frame.std) - frame.mean
        assert abs(below.min()) <= ROUNDING * np.abs(frame.lower).max()
        assert height(line, np.zeros(1))[0] == pytest.approx(frame.y_dot)


@pytest.mark.parametrize("region", ["R", "R⁺"])
def test_the_region_is_the_half_plane(run: Replay, region: str) -> None:
    for frame in frames(run, Kind.REGION):
        if region == "R":  # of an experiment whose policy has no R+
            frame = replace(frame, region_plus=None)
            assert frame.inside is frame.region
            shown = texts(plot(run, frame))
            assert "in R" in shown
            assert not [text for text in shown if "R⁺" in text]
        drawn = plot(run, frame)
        area, y = marks(drawn)["half_plane"], drawn.y
        least = run.scene.sign < 0
        assert (area["lower" if least else "upper"] == (y.low if least else y.high)).all()
        rim = area["upper" if least else "lower"]
        seen = (y.low <= frame.mean) & (frame.mean <= y.high) & (frame.std <= drawn.x.high)
        margin = run.scene.sign * (frame.mean - np.interp(frame.std, area["x"], rim))
        clear = seen & (np.abs(margin) > ROUNDING * np.abs(frame.mean).max())
        np.testing.assert_array_equal((margin > 0)[clear], frame.inside[clear])
        if (edge := marks(drawn).get("plus_edge")) is not None:
            height_there = np.interp(edge["x"], area["x"], rim)
            np.testing.assert_allclose(edge["y"], height_there, atol=ROUNDING * np.ptp(frame.mean))


def test_equal_means_have_the_scale_of_the_run() -> None:
    """Those of a prior: at their own scale there would be ticks such as 1e-4."""
    run = Replay(simulate(problems.himmelblau(), GPUCBPE(2), batches=1, initial=0, seed=1))
    first, (low, high) = run.frame(0), run.scene.means
    assert np.ptp(first.mean) == 0
    drawn = plot(run, first)
    assert drawn.y.low < low < high < drawn.y.high


def test_lines_are_named_by_the_bound_that_they_are_of(few: Replay, cost: Replay) -> None:
    names = ["line of equal upper bound", "line of equal lower bound"]
    for replay, (first, second) in ((few, names), (cost, names[::-1])):
        assert first in texts(plot(replay, at(replay, 2, Kind.PICK)))
        assert f"y•: {second}" in texts(plot(replay, at(replay, 2, Kind.REGION)))


def test_a_pe_pick_is_the_rightmost_dot_of_r_plus(run: Replay) -> None:
    for k in (1, 3):
        for frame in frames(run, Kind.PICK, k):
            drawn = plot(run, frame)
            (guide,) = marks(drawn)["guide"]["x"]
            assert guide == pytest.approx(frame.std_now[frame.region_plus].max())
            picks = marks(drawn)["picks_over"]
            assert picks["x"][-1] == pytest.approx(guide)
            indices = [pick.index for pick in frame.picks]  # earlier ones are at their dots, too
            np.testing.assert_array_equal(picks["x"], frame.std_now[indices])


def test_lines_are_those_of_the_event(many: Replay) -> None:
    expected = {
        Event(2, Kind.POSTERIOR): set(),
        Event(2, Kind.PICK, 0): {"equal_upper"},
        Event(2, Kind.REGION): {"equal_lower", "plus_edge", "half_plane"},
        Event(2, Kind.PICK, 1): {"guide"},
        Event(2, Kind.OBSERVE): set(),
    }
    for event, lines in expected.items():
        drawn = plot(many, many.frame(many.events.index(event)))
        assert marks(drawn).keys() - {"plane_dots", "plane_dots_plus", "picks_over"} == lines
        for role in lines - {"guide", "half_plane"}:
            x, y = (marks(drawn)[role][name] for name in "xy")
            assert (drawn.x.low <= x).all()
            assert (x <= drawn.x.high).all()
            assert y.min() >= drawn.y.low - ROUNDING * np.ptp(y)
            assert y.max() <= drawn.y.high + ROUNDING * np.ptp(y)


def test_few_dots_are_markers_those_in_r_plus_on_top(few: Replay, six: Replay) -> None:
    for replay, kind in ((few, PLANE), (six, LARGE_PLANE)):
        for i in range(len(replay.events)):
            frame = replay.frame(i)
            drawn = plot(replay, frame, kind=kind)
            columns = [
                marks(drawn)[role]
                for role in ("plane_dots", "plane_dots_plus")
                if role in marks(drawn)
            ]
            x, y = (np.concatenate([one[name] for one in columns]) for name in "xy")
            hidden = len(frame.mean) - len(x)
            assert set(zip(x, y, strict=True)) <= set(zip(frame.std_now, frame.mean, strict=True))
            assert (f"{hidden} not shown" in texts(drawn)) == (hidden > 0)
            if frame.region_plus is not None:
                inside = frame.mean[frame.region_plus]
                np.testing.assert_array_equal(columns[-1]["y"], inside)
    roles = LARGE_PLANE.plots["large-plane"].roles
    assert roles.index("plane_dots") < roles.index("plane_dots_plus") < roles.index("picks_over")


def test_of_many_dots_each_cell_of_a_picture_has_one(many: Replay) -> None:
    """Round ones, of candidates that are there: nothing that a person could see is left out."""
    frame = frames(many, Kind.REGION)[4]
    drawn = plot(many, frame)
    columns, rows = GEOMETRY.plane_cells
    ranges = ((drawn.x.low, drawn.x.high), (drawn.y.low, drawn.y.high))

    def counts(std: np.ndarray, mean: np.ndarray) -> np.ndarray:
        return np.histogram2d(std, mean, bins=(columns, rows), range=ranges)[0]

    every = counts(frame.std_now, frame.mean)
    parts = {"plane_dots": ~frame.region_plus, "plane_dots_plus": frame.region_plus}
    for role, members in parts.items():
        x, y = (marks(drawn)[role][name] for name in "xy")
        there = set(zip(frame.std_now[members], frame.mean[members], strict=True))
        assert set(zip(x, y, strict=True)) <= there
        filled = counts(frame.std_now[members], frame.mean[members]) > 0
        np.testing.assert_array_equal(counts(x, y), filled)
        assert 0 < len(x) < members.sum()
    (hidden,) = (one for one in texts(drawn) if one.endswith(" not shown"))
    assert int(re.sub(r"\D", "", hidden)) == len(frame.mean) - every.sum() > 0
    printed = plot(many, frame, Request(size="print"))
    assert len(marks(printed)["plane_dots_plus"]["x"]) == frame.region_plus.sum()


def test_the_window_holds_r_plus_and_the_picks_and_never_steps_inside_a_batch(run: Replay) -> None:
    windows: dict[int, set[tuple[float, ...]]] = {}
    for i, event in enumerate(run.events):
        frame = run.frame(i)
        drawn = plot(run, frame)
        x, y = drawn.x, drawn.y
        if frame.region_plus is not None:
            std, mean = frame.std[frame.region_plus], frame.mean[frame.region_plus]
            assert x.low < 0 <= std.max() < x.high
            assert y.low < mean.min() <= mean.max() < y.high
        picks = marks(drawn)["picks_over"]
        assert all(x.low < one < x.high for one in picks["x"])
        assert all(y.low < one < y.high for one in picks["y"])
        if event.kind is not Kind.OBSERVE:  # which shows the posterior of the next batch
            windows.setdefault(event.t, set()).add((x.low, x.high, y.low, y.high))
    assert all(len(boxes) == 1 for boxes in windows.values())


@pytest.mark.parametrize(
    ("policy", "line"),
    [(GPUCB(), True), (GreedyUCB(batch_size=3), True), (RandomSearch(batch_size=3), False)],
)
def test_policies_without_a_region(policy: Policy, *, line: bool) -> None:
    replay = Replay(simulate(problems.figure1(), policy, batches=2, initial=0, seed=1))
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        drawn = marks(plot(replay, frame))
        assert ("equal_upper" in drawn) == (line and event.kind is Kind.PICK)
        assert not drawn.keys() & {"plus_edge", "half_plane", "plane_dots_plus", "guide"}
        if "equal_upper" in drawn:  # of the dots as they are now
            above = height(drawn["equal_upper"], frame.std_now) - frame.mean
            assert above.min() == pytest.approx(0, abs=1e-9)


def test_the_optimum_is_marked_while_the_truth_is_shown(six: Replay) -> None:
    best = six.trace.problem.optimum_index
    for kind in (LARGE_PLANE, SMALL_PLANE):
        for frame in frames(six, Kind.OBSERVE):
            square = marks(plot(six, frame, kind=kind))["optimum"]
            assert set(square["x"]) == {frame.std_now[best]}
            assert set(square["y"]) == {frame.mean[best]}
            hidden = plot(six, frame, Request(layers=Layers(truth=False)), kind)
            assert "optimum" not in marks(hidden)
            assert "true maximum" not in texts(hidden)


def test_what_a_person_chose_is_drawn(six: Replay) -> None:
    frame, other = at(six, 2, Kind.PICK, 2), at(six, 1, Kind.PICK, 1)
    asked = Request(pinned=other, pinned_label="other", pointed=7, highlight="upper")
    picture = LARGE_PLANE.draw(six.scene, frame, asked)
    drawn = picture.plots["large-plane"]
    assert picture.highlight == "equal_upper"
    assert set(marks(drawn)["pointed"]["x"]) == {frame.std_now[7]}
    indices = [pick.index for pick in other.picks]
    np.testing.assert_array_equal(marks(drawn)["pinned_over"]["x"], other.std_now[indices])
    assert "other" in texts(drawn)
    alone = plot(six, frame, kind=LARGE_PLANE)
    both = max(alone.x.high, plot(six, other, kind=LARGE_PLANE).x.high)
    assert drawn.x.high >= both
    shared = plot(six, frame, Request(others=((six.scene, other),)), SMALL_PLANE)
    assert shared.x.high >= both
    first = LARGE_PLANE.draw(six.scene, other, Request())
    held = plot(six, frame, replace(asked, locked=first), LARGE_PLANE)
    assert (held.x, held.y) == (first.plots["large-plane"].x, first.plots["large-plane"].y)


def test_the_pictures_of_a_batch(few: Replay, many: Replay, six: Replay) -> None:
    batch = [
        (Kind.POSTERIOR, 0),
        (Kind.PICK, 0),
        (Kind.REGION, 0),
        (Kind.PICK, 2),
        (Kind.OBSERVE, 0),
    ]
    drawn = {
        f"beside the curve, {kind.value} {k}": PLANE.draw(few.scene, at(few, 2, kind, k), Request())
        for kind, k in batch
    }
    drawn["alone, of six inputs"] = LARGE_PLANE.draw(
        six.scene, at(six, 2, Kind.PICK, 2), Request(size="present")
    )
    before = Request(pinned=at(six, 1, Kind.OBSERVE), pinned_label="other")
    drawn["alone, over another run"] = LARGE_PLANE.draw(six.scene, at(six, 2, Kind.PICK, 2), before)
    drawn["slices, presented"] = SLICES.draw(
        six.scene, at(six, 2, Kind.PICK, 2), Request(size="present")
    )
    drawn["of many candidates"] = PLANE.draw(many.scene, at(many, 2, Kind.REGION), Request())
    drawn["in a race"] = SMALL_PLANE.draw(six.scene, at(six, 2, Kind.OBSERVE), Request())
    check("plane", drawn)
