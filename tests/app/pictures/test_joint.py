"""Pictures of several points together: draws, what a point tells, and slices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.app.pictures.golden import check_marks
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import FIELD, SCATTERED
from ucbpe_app.pictures.picture import Picture, Request, RunKind
from ucbpe_app.pictures.slices import SLICES
from ucbpe_app.render.printed_marks import outline
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.policies import ThompsonSampling

PICK = Event(2, Kind.PICK, 2)
BOTH = Request(layers=Layers(draws=True, prior=True))


@pytest.fixture(scope="module")
def line() -> Replay:
    return Replay(simulate(problems.multimodal(), GPUCBPE(4), batches=2, initial=3, seed=0))


@pytest.fixture(scope="module")
def maps() -> Replay:
    return Replay(simulate(problems.himmelblau(), GPUCBPE(4), batches=2, initial=8, seed=0))


@pytest.fixture(scope="module")
def scattered() -> Replay:
    X = np.random.default_rng(0).uniform(-1, 1, (40, 2))
    problem = problems.from_table(X, X[:, 0] - X[:, 1] ** 2)
    return Replay(simulate(problem, GPUCBPE(4), batches=2, initial=4, seed=0))


@pytest.fixture(scope="module")
def six() -> Replay:
    X = np.random.default_rng(0).uniform(0, 1, (60, 6))
    problem = problems.from_table(X, -((X - 0.4) ** 2).sum(axis=1))
    return Replay(simulate(problem, GPUCBPE(4), batches=2, initial=10, seed=0))


def frame_of(replay: Replay, event: Event = PICK) -> Frame:
    return replay.frame(replay.events.index(event))


def picture(kind: RunKind, replay: Replay, request: Request, event: Event = PICK) -> Picture:
    return kind.draw(replay.scene, frame_of(replay, event), request)


def columns(picture: Picture, plot: str, role: str) -> dict[str, np.ndarray]:
    return dict(next(one for one in picture.plots[plot].marks if one.role == role).columns)


def roles(picture: Picture) -> set[str]:
    return {one.role for plot in picture.plots.values() for one in plot.marks}


def texts(picture: Picture, plot: str) -> list[str]:
    return [one.text for one in picture.plots[plot].labels]


def test_every_mark_has_a_place_and_columns_of_one_length(
    line: Replay, maps: Replay, scattered: Replay, six: Replay
) -> None:
    draw = replace(BOTH, pointed=5, featured="draws")
    asked = (CURVE, line), (FIELD, maps), (SCATTERED, scattered), (SLICES, six)
    for kind, replay in asked:
        for request in (draw, replace(draw, featured="prior")):
            drawn = picture(kind, replay, request)
            assert drawn == picture(kind, replay, request)
            check_marks(drawn)


def test_off_there_is_nothing_of_it(line: Replay, maps: Replay) -> None:
    late = {
        role
        for kind in (CURVE, FIELD, SCATTERED)
        for one in kind.plots.values()
        for role in one.rare
    }
    joint = {"draws", "told", "draw", "draw_dots", "told_prior", "told_over"}
    pinned = {"pinned", "pinned_outline", "pinned_over", "pinned_picks"}
    other = {"noisy", "bracket_over", "bracket_name", "outline_compared"}
    assert joint | pinned | other <= late
    layers = joint | pinned | other | {"compared"}
    for kind, replay in ((CURVE, line), (FIELD, maps)):
        assert not layers & roles(picture(kind, replay, Request()))
        scene = replace(replay.scene, joint=None)
        assert not layers & roles(kind.draw(scene, frame_of(replay), replace(BOTH, pointed=3)))


def test_the_axis_holds_eight_draws_of_each_kind(line: Replay) -> None:
    drawn = picture(CURVE, line, BOTH)
    rows = columns(drawn, "function", "draws")
    assert len(rows["ys"]) == 16
    axis = drawn.plots["function"].y
    assert line.scene.joint is not None
    known = [line.scene.joint.draws(frame_of(line), prior=prior) for prior in (True, False)]
    for y, f in zip(rows["ys"], (f for one in known if one for f in one.values), strict=True):
        np.testing.assert_array_equal(y, f)
        assert axis.low < y.min() < y.max() < axis.high
    names = ["grey: draws of the prior", "thin: eight draws of f"]
    assert [one for one in texts(drawn, "function") if "draws" in one] == names


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_thompsons_pick_is_at_the_best_point_of_its_draw(direction: str) -> None:
    problem = replace(problems.multimodal(), direction=direction)
    replay = Replay(simulate(problem, ThompsonSampling(4), batches=2, initial=3, seed=0))
    drawn = picture(CURVE, replay, replace(BOTH, layers=Layers(draws=True)))
    rows, picks = columns(drawn, "function", "draws"), columns(drawn, "function", "picks")
    assert len(rows["ys"]) == len(picks["x"]) == 3
    sign = replay.scene.sign
    for x, y, at, top in zip(rows["xs"], rows["ys"], picks["x"], picks["y"], strict=True):
        best = np.nanargmax(sign * y)
        assert (x[best], y[best]) == (at, top)
    assert rows["width"].tolist() == [1.2, 1.2, 2.5]
    fit = picture(CURVE, replay, BOTH, Event(2, Kind.POSTERIOR))
    assert len(columns(fit, "function", "draws")["ys"]) == 16  # no pick yet: those of the layers


def test_what_a_point_tells_touches_its_std_and_is_nowhere_above_std(line: Replay) -> None:
    for index in (30, 200, 471):
        frame = frame_of(line)
        drawn = picture(CURVE, line, Request(pointed=index))
        rows = columns(drawn, "std", "told")
        positive, negative, prior = (row**2 for row in rows["ys"])  # the axis is one of roots
        either = np.where(np.isnan(positive), negative, positive)
        assert np.isnan(positive[np.isfinite(negative)]).all()
        assert (either <= frame.std_now + 1e-9).all()  # Cauchy and Schwarz
        assert either[index] == pytest.approx(frame.std_now[index])
        assert prior[index] == pytest.approx(frame.std_now[index])
        # Scaled, it is the RBF kernel by its formula.
        x, kernel = line.scene.candidates[:, 0], line.trace.gp.kernel
        shape = np.exp(-((x - x[index]) ** 2) / (2 * kernel.lengthscale**2))
        np.testing.assert_allclose(prior, shape * frame.std_now[index], atol=1e-12)
        assert [one for one in texts(drawn, "std") if "told" in one] == [
            f"told by f({x[index]:.3g})"
        ]


def test_outlines_are_where_the_correlation_is_above_a_half(maps: Replay) -> None:
    frame, scene = frame_of(maps), maps.scene
    index = int(frame.std_now.argmax())
    drawn = picture(FIELD, maps, Request(pointed=index))
    # The prior's is a circle whose radius the formula gives: exp(-r^2 / 2 l^2) = 1/2.
    line = outline(columns(drawn, "map", "told_prior"))
    away = np.hypot(*(a - c for a, c in zip(line, scene.candidates[index], strict=True)))
    radius = maps.trace.gp.kernel.lengthscale * np.sqrt(2 * np.log(2))
    inside = (np.abs(line) < 4.9).all(axis=0)
    np.testing.assert_allclose(away[inside], radius, rtol=2e-3)
    assert "|correlation|" in texts(drawn, "map")[1]
    assert columns(drawn, "map", "told_over")["image"].max() == 127


@pytest.mark.parametrize("name", ["draws", "prior"])
def test_a_draw_is_large_and_all_maps_of_the_event_are_beside(maps: Replay, name: str) -> None:
    request = replace(BOTH, featured=name)
    drawn, plain = picture(FIELD, maps, request), picture(FIELD, maps, Request())
    assert "values" not in {one.role for one in drawn.plots["map"].marks}
    image = columns(drawn, "map", "draw")
    assert maps.scene.joint is not None
    found = maps.scene.joint.draws(frame_of(maps), prior=name == "prior")
    assert found is not None
    f = found.values[0].reshape(maps.scene.grid).T
    np.testing.assert_allclose(image["image"][0], f, rtol=1e-4, atol=1e-4)
    assert texts(drawn, "first") == ["std"]  # of the pick that the event makes
    assert texts(plain, "map")[0] == "std after x⁰ and x¹"
    other = picture(FIELD, maps, replace(request, layers=Layers()))
    assert other.plots["map"] == plain.plots["map"]


def test_thompsons_draw_over_two_inputs_is_best_at_the_pick(scattered: Replay) -> None:
    problem = scattered.trace.problem
    replay = Replay(simulate(problem, ThompsonSampling(4), batches=2, initial=4, seed=0))
    drawn = picture(FIELD, replay, replace(BOTH, featured="draws"))
    dots = columns(drawn, "map", "draw_dots")
    best = int(np.nanargmax(dots["value"]))
    assert (dots["x"][best], dots["y"][best]) == tuple(frame_of(replay).picks[-1].x)
    assert texts(drawn, "map")[0] == "draw of x²: its highest point is the pick"


@pytest.mark.parametrize("pointed", [None, 11])
def test_slices_lie_in_their_frames_on_one_scale(six: Replay, pointed: int | None) -> None:
    drawn, frame = picture(SLICES, six, Request(pointed=pointed)), frame_of(six)
    assert six.scene.joint is not None
    found = six.scene.joint.slices(frame, pointed)
    frames, line = columns(drawn, "slices", "strip"), columns(drawn, "slices", "mean")
    band, dots = columns(drawn, "slices", "band"), columns(drawn, "slices", "start")
    edges = found.mean - frame.sqrt_beta * found.std, found.mean + frame.sqrt_beta * found.std
    low, high = edges[0].min(), edges[1].max()

    def values(i: int, y: np.ndarray) -> np.ndarray:
        bottom, top = frames["bottom"][i], frames["top"][i]
        return low + (y - bottom) / (top - bottom) * (high - low)

    for i in range(6):
        own = slice(42 * i, 42 * i + 41)
        np.testing.assert_allclose(values(i, line["y"][own]), found.mean[i])
        share = (line["x"][own] - frames["left"][i]) / (frames["right"][i] - frames["left"][i])
        np.testing.assert_allclose(share, np.linspace(0, 1, 41), atol=1e-12)
        whole = slice(43 * i + 1, 43 * i + 42)
        for name, edge in zip(("lower", "upper"), edges, strict=True):
            np.testing.assert_allclose(values(i, band[name][whole]), edge[i])
        # The point lies on the line.
        assert np.interp(dots["x"][i], line["x"][own], line["y"][own]) == pytest.approx(
            dots["y"][i], abs=0.01
        )
    at = "the best mean" if pointed is None else "candidate 11"
    assert at in texts(drawn, "slices")[0]
    assert len(texts(drawn, "slices")) == 7
    assert drawn.text.count("mean") == 7
