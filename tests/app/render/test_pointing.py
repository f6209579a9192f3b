"""Pointing at a candidate: found where it is drawn, and marked at the same one in every picture."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.pictures.field import FIELD
from ucbpe_app.pictures.picture import RunKind
from ucbpe_app.pictures.plane import LARGE_PLANE, PLANE
from ucbpe_app.render.sending import Place
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.widgets.readout import Readout
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.problems.base import regular_grid


@pytest.fixture(scope="module")
def two() -> Replay:
    """Two inputs of very different ranges."""
    X, _ = regular_grid([[0, 1], [0, 50]], 13)
    f = np.sin(5 * X[:, 0]) + np.cos(X[:, 1] / 9)
    table = problems.from_table(X, f, noise_variance=0.01)
    return Replay(simulate(table, GPUCBPE(batch_size=4), batches=2, initial=4, seed=1))


def test_the_nearest_is_nearest_on_screen() -> None:
    x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 100.0, 0.0])
    assert Place(1.2, 0.0, dx=0.01, dy=1.0).nearest(x, y) == 2  # 80 px, and 102 px to the other
    assert Place(1.2, 0.0, dx=0.01, dy=10.0).nearest(x, y) == 1
    assert Place(1.2, 0.0, dx=0.01, dy=1.0).nearest(x, y, reach=79.0) is None
    assert Place(1.2, 0.0, dx=0.01, dy=1.0).nearest(x, y, reach=81.0) == 2
    assert Place(0.0, 0.0, 1.0, 1.0).nearest(np.empty(0), np.empty(0)) is None


def test_the_maps_find_every_candidate(two: Replay) -> None:
    view = PictureView(FIELD)
    assert view.at(Place(0, 0, 1, 1)) is None
    view.load(two.scene)
    view.update(two.frame(0))
    for j, (x, y) in enumerate(two.scene.candidates):
        assert view.at(Place(x + 0.03, y - 1.5, 1 / 200, 50 / 200)) == j


@pytest.mark.parametrize("kind", [PLANE, LARGE_PLANE])
def test_the_plane_finds_dots_and_the_marks_on_top_of_them(replay: Replay, kind: RunKind) -> None:
    view = PictureView(kind)
    assert view.at(Place(0, 0, 1, 1)) is None
    view.load(replay.scene)
    i = next(i for i, e in enumerate(replay.events) if (e.t, e.kind, e.k) == (2, Kind.PICK, 2))
    frame = replay.frame(i)
    view.update(frame)
    dx, dy = frame.std_now.max() / 250, np.ptp(frame.mean) / 200
    for pick in frame.picks:
        std, mean = float(frame.std_now[pick.index]), float(frame.mean[pick.index])
        assert view.at(Place(std + 5 * dx, mean, dx, dy)) == pick.index
    alone = int(frame.std_now.argmin())
    place = Place(float(frame.std_now[alone]) - 2 * dx, float(frame.mean[alone]), dx, dy)
    near = view.at(place)
    gaps = np.hypot((frame.std_now - place.x) / dx, (frame.mean - place.y) / dy)
    assert near is not None
    assert gaps[near] == gaps.min() < 12
    assert view.at(Place(-100 * dx, place.y, dx, dy)) is None


def test_in_two_dimensions_it_is_marked_in_all_maps(two: Replay) -> None:
    view = PictureView(FIELD)
    view.load(two.scene)
    view.update(two.frame(3))
    view.point(30)
    for name in ("map", "first", "second", "third"):
        data = view.rendered.plots[name].sources["pointed"].data
        assert list(zip(data["x"], data["y"], strict=True)) == [tuple(two.scene.candidates[30])]
    view.load(two.scene)
    view.update(two.frame(3))
    assert not any(map(len, view.rendered.plots["map"].sources["pointed"].data.values()))


def ask(readout: Readout, do: str, **data: object) -> None:
    request = readout._answered + 1
    readout.receive({"do": do, "request": request, **data})
    assert readout._answered == request


HERE = {"picture": "curve", "x": 1.0, "y": 2.0, "dx": 0.1, "dy": 0.2}


@pytest.fixture
def readout() -> Readout:
    """One of 50 candidates, that finds the one of the number x."""
    readout = Readout(lambda picture, place: int(place.x) if place.x >= 0 else None)
    readout.load(50, 7, keep=False)
    return readout


def test_the_mouse_points_and_a_click_holds(readout: Readout) -> None:
    ask(readout, "point", **HERE)
    assert (readout.pointed, readout.pinned_candidate, readout.chosen) == (1, None, 1)
    ask(readout, "pin", **{**HERE, "x": 4.0})
    assert (readout.pointed, readout.pinned_candidate, readout.chosen) == (None, 4, 4)
    ask(readout, "point", **HERE)
    assert readout.chosen == 4
    ask(readout, "pin", **{**HERE, "x": 4.0})  # a second click lets go
    assert readout.chosen is None
    ask(readout, "pin", **{**HERE, "x": 9.0})
    ask(readout, "release")
    assert readout.chosen is None
    ask(readout, "point", **HERE)
    ask(readout, "leave")
    assert readout.chosen is None


def test_one_that_is_held_stays_so_only_among_the_same_candidates(readout: Readout) -> None:
    ask(readout, "choose", index=3)
    readout.load(50, 7, keep=True)
    assert readout.pinned_candidate == 3
    readout.load(50, 7, keep=False)
    assert readout.pinned_candidate is None
