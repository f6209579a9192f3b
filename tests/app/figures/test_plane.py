"""The decision plane: its lines obey their equations, and its dots tell the algorithm."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.figures.plane import PlaneView
from ucbpe_app.figures.plane.dots import COLUMNS, INSIDE, NEUTRAL, OUTSIDE, ROWS
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.errors import grouped
from ucbpe_core.policies import GPUCB, GreedyUCB, RandomSearch

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


@pytest.fixture(params=["many", "few"])
def replay(request: pytest.FixtureRequest) -> Replay:
    return request.getfixturevalue(request.param)


def loaded(replay: Replay) -> PlaneView:
    view = PlaneView()
    view.load(replay.scene)
    return view


def frames(replay: Replay, kind: Kind, k: int = 0) -> list[Frame]:
    events = [Event(t, kind, k) for t in range(1, replay.events[-1].t + 1)]
    return [replay.frame(replay.events.index(event)) for event in events]


def state(view: PlaneView) -> list[object]:
    """All that a frame may change, comparable with ==."""
    sources = view.dots.markers, view.dots.image, view.picks.shapes, view.picks.numbers
    columns = [
        {name: [np.asarray(one).tolist() for one in column] for name, column in source.data.items()}
        for source in sources
    ]
    lines = [
        (line.visible, line.gradient, line.y_intercept, line.line_alpha) if line.visible else None
        for line in (view.ucb_line, view.y_dot_line, view.plus_line)
    ]
    guide = view.guide.location if view.guide.visible else None
    return [columns, lines, guide, view.figure.x_range.end, view.figure.y_range.start]


def test_the_ucb_line_touches_its_pick_and_no_dot_lies_above(replay: Replay) -> None:
    view = loaded(replay)
    for frame in frames(replay, Kind.PICK):
        view.update(frame)
        line, x0 = view.ucb_line, frame.picks[0]
        assert line.visible
        assert line.gradient == -frame.sqrt_beta
        reach = line.gradient * frame.std + line.y_intercept - frame.mean
        scale = np.abs(frame.upper).max()
        assert reach.min() >= -ROUNDING * scale
        assert abs(reach[x0.index]) <= ROUNDING * scale


def test_the_y_dot_line_is_the_highest_that_meets_a_dot(replay: Replay) -> None:
    view = loaded(replay)
    for frame in frames(replay, Kind.REGION):
        view.update(frame)
        line = view.y_dot_line
        assert line.gradient == frame.sqrt_beta
        assert line.y_intercept == frame.y_dot
        below = line.gradient * frame.std + line.y_intercept - frame.mean
        assert abs(below.min()) <= ROUNDING * np.abs(frame.lower).max()


def test_r_plus_is_the_half_plane_above_its_line(replay: Replay) -> None:
    view = loaded(replay)
    for frame in frames(replay, Kind.REGION):
        view.update(frame)
        line = view.plus_line
        assert line.gradient == -2 * np.sqrt(frame.beta_next)
        margin = frame.mean - (line.gradient * frame.std + line.y_intercept)
        clear = np.abs(margin) > ROUNDING * np.abs(frame.mean).max()
        np.testing.assert_array_equal((margin >= 0)[clear], frame.region_plus[clear])


def test_a_pe_pick_is_the_rightmost_dot_of_r_plus(replay: Replay) -> None:
    view = loaded(replay)
    for k in (1, 3):
        for frame in frames(replay, Kind.PICK, k):
            view.update(frame)
            assert view.guide.visible
            assert view.guide.location == pytest.approx(frame.std_now[frame.region_plus].max())
            shapes = view.picks.shapes.data
            assert (shapes["x"][-1], shapes["y"][-1]) == pytest.approx(
                (frame.std_now[frame.picks[k].index], frame.mean[frame.picks[k].index])
            )


def test_lines_come_with_their_events_and_fade_once_dots_move(many: Replay) -> None:
    view = loaded(many)
    lines = view.ucb_line, view.y_dot_line, view.plus_line, view.guide
    expected = {
        Event(2, Kind.FIT): (False, False, False, False),
        Event(2, Kind.PICK, 0): (True, False, False, False),
        Event(2, Kind.REGION): (True, True, True, False),
        Event(2, Kind.PICK, 1): (True, True, True, True),
        Event(2, Kind.OBSERVE): (False, False, False, False),
    }
    alphas = {}
    for event, visible in expected.items():
        view.update(many.frame(many.events.index(event)))
        assert tuple(line.visible for line in lines) == visible, event
        alphas[event] = view.ucb_line.line_alpha
    assert alphas[Event(2, Kind.PICK, 1)] < alphas[Event(2, Kind.REGION)] == 1


def test_few_candidates_are_markers(few: Replay) -> None:
    view = loaded(few)
    frame = frames(few, Kind.REGION)[0]
    view.update(frame)
    data = view.dots.markers.data
    assert view.dots.renderer.visible
    assert not view.dots._image.visible
    drawn = sorted(zip(data["x"], data["y"], data["kind"], strict=True))
    kinds = np.where(frame.region_plus, INSIDE, OUTSIDE)
    assert drawn == sorted(zip(frame.std_now, frame.mean, kinds, strict=True))
    assert data["kind"].tolist() == sorted(data["kind"])  # R+ on top
    view.update(frames(few, Kind.FIT)[0])
    assert set(view.dots.markers.data["kind"]) == {NEUTRAL}


def test_many_candidates_are_an_image_of_their_dots(many: Replay) -> None:
    view = loaded(many)
    frame = frames(many, Kind.REGION)[4]
    view.update(frame)
    data = view.dots.image.data
    image = data["image"][0]
    assert image.shape == (ROWS, COLUMNS)
    column = (frame.std_now - data["x"][0]) / data["dw"][0] * COLUMNS
    row = (frame.mean - data["y"][0]) / data["dh"][0] * ROWS
    seen = (column >= 0) & (column < COLUMNS) & (row >= 0) & (row < ROWS)
    out = np.count_nonzero(~seen)
    assert out > 0
    assert view._note.object == f"{grouped(out)} dots not shown."
    expected = np.zeros((ROWS, COLUMNS), dtype=int)
    for kind, members in ((OUTSIDE, ~frame.region_plus), (INSIDE, frame.region_plus)):
        shown = members & seen
        expected[row[shown].astype(int), column[shown].astype(int)] = kind
    np.testing.assert_array_equal(image, expected)
    assert data["x"] == [view.figure.x_range.start]
    assert data["x"][0] + data["dw"][0] == pytest.approx(view.figure.x_range.end)


def test_the_window_holds_r_plus_and_never_steps_inside_a_batch(replay: Replay) -> None:
    view = loaded(replay)
    windows: dict[int, set[tuple[float, ...]]] = {}
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        view.update(frame)
        x_range, y_range = view.figure.x_range, view.figure.y_range
        if frame.region_plus is not None:
            std, mean = frame.std[frame.region_plus], frame.mean[frame.region_plus]
            assert x_range.start < 0 <= std.max() < x_range.end
            assert y_range.start < mean.min() <= mean.max() < y_range.end
        for x, y in zip(view.picks.shapes.data["x"], view.picks.shapes.data["y"], strict=True):
            assert x_range.start < x < x_range.end
            assert y_range.start < y < y_range.end
        if event.kind is not Kind.OBSERVE:  # which shows the belief of the next batch
            box = x_range.start, x_range.end, y_range.start, y_range.end
            windows.setdefault(event.t, set()).add(box)
    assert all(len(boxes) == 1 for boxes in windows.values())


def test_forward_and_back_is_the_same_picture(replay: Replay) -> None:
    view, seen = loaded(replay), []
    for i in range(len(replay.events)):
        view.update(replay.frame(i))
        seen.append(state(view))
    for i in reversed(range(len(replay.events))):
        view.update(replay.frame(i))
        assert state(view) == seen[i], i


@pytest.mark.parametrize(
    ("policy", "line"),
    [(GPUCB(), True), (GreedyUCB(batch_size=3), True), (RandomSearch(batch_size=3), False)],
)
def test_policies_without_a_region(policy, line: bool) -> None:
    replay = Replay(simulate(problems.figure1(), policy, batches=2, initial=0, seed=1))
    view = loaded(replay)
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        view.update(frame)
        picking = event.kind is Kind.PICK
        assert view.ucb_line.visible == (line and picking)
        assert not view.plus_line.visible
        if line and picking:
            reach = frame.mean + frame.sqrt_beta * frame.std_now
            assert view.ucb_line.y_intercept == pytest.approx(reach.max())
            assert view.ucb_line.line_alpha == 1
