"""The picture of a run over two inputs: golden values, and what must hold in each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.app.pictures.golden import check, check_marks
from ucbpe_app.links import usual
from ucbpe_app.pictures.field import FIELD, MAPS, field, maximised, press
from ucbpe_app.pictures.maps import Grid, edges
from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import Mark, Picture, Plot, Request
from ucbpe_app.pictures.small import SMALL_FIELD, small_field
from ucbpe_app.render.printed_marks import outline
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, RBF, GaussianProcess, simulate
from ucbpe_core.problems import Problem

NX, NY = 23, 17  # unequal, so that a transposed image cannot pass
PLAIN = Request()


def make_problem() -> Problem:
    x, y = np.linspace(-1, 3, NX), np.linspace(0, 1, NY)
    points = np.stack([part.ravel() for part in np.meshgrid(x, y, indexing="ij")], axis=1)
    values = np.exp(-((points[:, 0] - 1.7) ** 2) - 8 * (points[:, 1] - 0.3) ** 2) * 3
    gp = GaussianProcess(RBF(lengthscale=[0.9, 0.35]), noise_variance=1e-4)
    return Problem("hill", points, values, 1e-4, gp, "test", axes=("u", "v", "f"), grid=(NX, NY))


def run(problem: Problem) -> Replay:
    return Replay(simulate(problem, GPUCBPE(batch_size=4), batches=4, initial=8, seed=3))


@pytest.fixture(scope="module")
def hill() -> Replay:
    return run(make_problem())


@pytest.fixture(scope="module")
def scattered() -> Replay:
    """The same run, told that its candidates are no grid."""
    return run(replace(make_problem(), grid=()))


@pytest.fixture(scope="module")
def lowest() -> Replay:
    """The least value of the function upside down is looked for."""
    problem = make_problem()
    return run(replace(problem, values=-problem.values, direction="minimize"))


def at(replay: Replay, kind: Kind, k: int = 0, t: int = 2) -> Frame:
    return replay.frame(replay.events.index(Event(t, kind, k)))


def narrowed(replay: Replay) -> Frame:
    """A region event with R+ neither empty nor all of X, and R smaller than it."""
    for i, event in enumerate(replay.events):
        if event.kind is Kind.REGION:
            frame = replay.frame(i)
            plus = frame.region_plus
            if plus is not None and not plus.all() and (frame.region != plus).any():
                return frame
    raise AssertionError("this run never narrows down: choose another")


def mark(plot: Plot, role: str) -> Mark | None:
    return next((one for one in plot.marks if one.role == role), None)


def columns(plot: Plot, role: str) -> dict[str, np.ndarray]:
    found = mark(plot, role)
    assert found is not None
    return dict(found.columns)


def by_name(picture: Picture, frame: Frame, *, truth: bool = True) -> dict[str, Plot]:
    """The plots of a picture by what they show."""
    large = maximised(frame)
    small = [one for one in MAPS if one != large and (truth or one != "truth")]
    slots = ("map", "first", "second", "third")
    return {name: picture.plots[slot] for name, slot in zip([large, *small], slots, strict=False)}


def title(plot: Plot) -> str:
    return next(one.text for one in plot.labels if one.place == "title")


def test_golden(hill: Replay, scattered: Replay) -> None:
    scene, events = (
        hill.scene,
        [Event(2, Kind.POSTERIOR), Event(2, Kind.PICK, 2), Event(2, Kind.OBSERVE)],
    )
    pictures = {
        str(event.text): field(scene, hill.frame(hill.events.index(event)), PLAIN)
        for event in events
    }
    other = Request(
        layers=Layers(truth=False), pinned=at(hill, Kind.PICK, 1, t=1), pinned_label="A",
        pointed=5, highlight="std", featured="mean",
    )  # fmt: skip
    pictures["region, in other layers"] = field(scene, narrowed(hill), other)
    stop = Request(layers=Layers(stop=True))
    pictures["no grid"] = field(scattered.scene, narrowed(scattered), PLAIN)
    printed = Request(layers=Layers(draws=True), size="print")
    pictures["printed"] = field(scene, at(hill, Kind.PICK, 1), printed)
    pictures["to stop"] = field(scene, at(hill, Kind.PICK, 1), stop)
    pictures["small"] = small_field(
        scene, at(hill, Kind.OBSERVE), Request(decision=at(hill, Kind.REGION))
    )
    check("field", pictures)


@pytest.mark.parametrize("name", ["hill", "scattered", "lowest"])
def test_marks_have_their_places_and_shared_ones_are_equal(
    name: str, request: pytest.FixtureRequest
) -> None:
    replay: Replay = request.getfixturevalue(name)
    pinned = at(replay, Kind.PICK, 2)
    asked = Request(pinned=pinned, pinned_label="A", pointed=3, highlight="region")
    for i in range(len(replay.events)):
        for kind in (FIELD, SMALL_FIELD):
            picture = kind.draw(replay.scene, replay.frame(i), asked)
            check_marks(picture)
            for role in kind.shared - {"x", "y"}:
                drawn = [one for plot in picture.plots.values() if (one := mark(plot, role))]
                assert all(one == drawn[0] for one in drawn)


def painted(plot: Plot, x: np.ndarray) -> float:
    """What the image shows at a point, read as a renderer paints it."""
    image = columns(plot, "values")
    ((left, bottom, width, height),) = zip(*(image[n] for n in ("x", "y", "dw", "dh")), strict=True)
    (cells,) = image["image"]
    rows, across = cells.shape
    column, row = int((x[0] - left) / width * across), int((x[1] - bottom) / height * rows)
    return float(cells[row, column])


def test_every_candidate_is_painted_where_it_is(hill: Replay) -> None:
    frame = at(hill, Kind.PICK, 2)
    plots = by_name(field(hill.scene, frame, PLAIN), frame)
    shown = {
        "truth": hill.scene.truth,
        "mean": frame.mean,
        "std": frame.std_now,
        "upper": frame.mean + frame.sqrt_beta * frame.std_now,
    }
    assert plots.keys() == shown.keys()
    for name, values in shown.items():
        found = [painted(plots[name], x) for x in hill.scene.candidates]
        np.testing.assert_array_equal(found, values.astype(np.float32))


@pytest.mark.parametrize("name", ["hill", "lowest"])
def test_scales_hold_every_value_and_stay_within_a_batch(
    name: str, request: pytest.FixtureRequest
) -> None:
    replay: Replay = request.getfixturevalue(name)
    before = None
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        picture = field(replay.scene, frame, PLAIN)
        plots = by_name(picture, frame)
        for plot in plots.values():
            image, colors = columns(plot, "values")["image"], plot.colors
            assert colors is not None
            assert colors.low - 1e-5 <= image.min() <= image.max() <= colors.high + 1e-5
        now = {one: plot.colors for one, plot in plots.items()}
        # f fills its scale, however far the bound lies from it.
        assert now["truth"] == now["mean"] not in (now["upper"], now["std"])
        assert (now["mean"].low, now["mean"].high) == replay.scene.means
        beside = "mean" if maximised(frame) in ("std", "upper") else "std"
        assert picture.plots["map"].colors == now[maximised(frame)]
        assert picture.plots["scale"].colors == now[beside]
        if event.kind not in (
            Kind.POSTERIOR,
            Kind.OBSERVE,
        ):  # which shows the belief of the next batch
            assert now == before
        before = now


def test_the_large_map_is_what_the_event_is_about(hill: Replay) -> None:
    for i, event in enumerate(hill.events):
        frame = hill.frame(i)
        large = title(field(hill.scene, frame, PLAIN).plots["map"])
        if event.kind is Kind.PICK:
            # The pick is where this very map is largest, inside R+.
            values = columns(field(hill.scene, frame, PLAIN).plots["map"], "values")["image"][0]
            inside = np.ones(NX * NY, bool) if frame.region_plus is None else frame.region_plus
            pick = frame.picks[-1].index
            assert values.T.ravel()[pick] == values.T.ravel()[inside].max()
            assert large.startswith("std after x⁰" if event.k else "upper bound: mean + ")
        else:
            known = {Kind.POSTERIOR: "mean", Kind.REGION: "upper bound", Kind.OBSERVE: "mean"}
            assert large.startswith(known[event.kind])


def test_a_press_swaps_two_maps_until_the_next_press_there(hill: Replay) -> None:
    frame = at(hill, Kind.PICK, 2)
    before = field(hill.scene, frame, PLAIN).plots
    asked = press(hill.scene, frame, PLAIN, "second")
    after = field(hill.scene, frame, asked).plots
    assert [title(after[slot]) for slot in ("map", "first", "second", "third")] == [
        "mean", "true f", "std", "upper bound"
    ]  # fmt: skip
    assert title(before["second"]) == "mean"
    assert title(field(hill.scene, at(hill, Kind.PICK, 0), asked).plots["map"]) == "mean"
    assert press(hill.scene, frame, asked, "second").featured == ""


def inside(x: np.ndarray, y: np.ndarray, point: np.ndarray) -> bool:
    """Even-odd rule, the textbook's."""
    crosses = (y[:-1] > point[1]) != (y[1:] > point[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        at = x[:-1] + (point[1] - y[:-1]) / (y[1:] - y[:-1]) * (x[1:] - x[:-1])
    return bool(np.count_nonzero(crosses & (point[0] < at)) % 2)


def random_set(fraction: float) -> tuple[np.ndarray, Mark, np.ndarray]:
    """A set of points of a grid, as it is drawn, and the points."""
    margin = fraction - np.random.default_rng(7).random(NX * NY)
    margin[5] = 0.0  # on the boundary: the mask decides
    x, y = np.linspace(-1, 3, NX), np.linspace(0, 1, NY)
    drawn = Grid(x, y).around("outline", margin >= 0, margin)
    assert drawn is not None
    return margin >= 0, drawn, np.array([(a, b) for a in x for b in y])


@pytest.mark.parametrize("name", ["hill", "lowest"])
def test_the_outlines_enclose_exactly_the_regions(
    name: str, request: pytest.FixtureRequest
) -> None:
    replay: Replay = request.getfixturevalue(name)
    frame = narrowed(replay)
    large = field(replay.scene, frame, Request(highlight="region")).plots["map"]
    for role, mask in (("outline", frame.region_plus), ("outline_region", frame.region)):
        line = outline(columns(large, role))
        found = [inside(*line, point) for point in replay.scene.candidates]
        np.testing.assert_array_equal(found, mask)
    alone = field(replay.scene, replace(frame, region_plus=None), PLAIN).plots["map"]
    np.testing.assert_array_equal(
        columns(alone, "outline")["image"], columns(large, "outline_region")["image"]
    )
    later = at(replay, Kind.OBSERVE)
    small = small_field(replay.scene, later, Request(decision=frame)).plots["small"]
    np.testing.assert_array_equal(
        columns(small, "outline_small")["image"], columns(large, "outline")["image"]
    )


@pytest.mark.parametrize("fraction", [0.02, 0.3, 0.9])
def test_outlines_of_random_sets_are_closed_and_exact(fraction: float) -> None:
    mask, drawn, points = random_set(fraction)
    line = outline(dict(drawn.columns))
    np.testing.assert_array_equal([inside(*line, point) for point in points], mask)
    for loop in np.split(np.column_stack(line), np.flatnonzero(np.isnan(line[0]))):
        corners = loop[~np.isnan(loop[:, 0])]
        np.testing.assert_array_equal(corners[0], corners[-1])
    low, high = edges(np.unique(points[:, 0]))
    assert low <= np.nanmin(line[0]) <= np.nanmax(line[0]) <= high


def test_a_line_is_where_the_margin_is_zero() -> None:
    """Of a circle, whose margin is no straight line, to 3 % of a cell."""
    axis = np.linspace(-1, 1, 41)
    x, y = (part.ravel() for part in np.meshgrid(axis, axis, indexing="ij"))
    margin = 0.6 - np.hypot(x, y)
    drawn = Grid(axis, axis).around("outline", margin >= 0, margin)
    assert drawn is not None
    line = outline(dict(drawn.columns))
    np.testing.assert_allclose(np.hypot(*line), 0.6, atol=0.03 * 0.05)


def test_no_line_is_drawn_around_all_or_nothing() -> None:
    grid = Grid(np.linspace(0, 1, 4), np.linspace(0, 1, 3))
    for mask in (np.zeros(12, bool), np.ones(12, bool)):
        assert grid.around("outline", mask, np.where(mask, 1.0, -1.0)) is None


def test_the_std_alone_is_veiled_outside_r_plus(hill: Replay) -> None:
    frame = narrowed(hill)
    plots = by_name(field(hill.scene, frame, PLAIN), frame)
    assert [name for name, plot in plots.items() if mark(plot, "veil")] == ["std"]
    np.testing.assert_array_equal(
        columns(plots["std"], "veil")["image"][0].T.ravel(), frame.region_plus
    )


def test_off_a_grid_it_is_said_why_no_outline_is_drawn(hill: Replay, scattered: Replay) -> None:
    for replay, line in ((hill, "dash-dot: "), (scattered, "no outline of the correlation: ")):
        picture = field(replay.scene, narrowed(replay), replace(PLAIN, pointed=3))
        (note,) = (one for one in picture.plots["map"].labels if one.place == "note")
        assert note.text.startswith(line)


def test_off_a_grid_dots_outside_r_plus_are_veiled(scattered: Replay) -> None:
    frame, X = narrowed(scattered), scattered.scene.candidates
    for plot in by_name(field(scattered.scene, frame, PLAIN), frame).values():
        dots, veiled = columns(plot, "dots"), columns(plot, "veiled")
        np.testing.assert_array_equal(np.stack([dots["x"], dots["y"]], axis=1), X)
        outside = X[~frame.region_plus]
        np.testing.assert_array_equal(np.stack([veiled["x"], veiled["y"]], axis=1), outside)
        assert veiled["size"].min() > dots["size"].max()  # the whole dot is below its veil
        assert mark(plot, "outline") is mark(plot, "values") is None
    relevant = replace(frame, region_plus=None)
    (plot,) = small_field(scattered.scene, relevant, PLAIN).plots.values()
    dots, veiled = columns(plot, "dots"), columns(plot, "veiled")
    assert veiled["size"].min() > dots["size"].max()
    np.testing.assert_array_equal(np.stack([veiled["x"], veiled["y"]], axis=1), X[~frame.region])


def test_words_say_what_no_outline_can(hill: Replay) -> None:
    frame = narrowed(hill)
    everything = replace(frame, region_plus=np.ones_like(frame.region_plus))
    notes = [
        next(one.text for one in field(hill.scene, f, PLAIN).plots["map"].labels
             if one.place == "note")
        for f in (at(hill, Kind.POSTERIOR), frame, everything, replace(frame, region_plus=None))
    ]  # fmt: skip
    share = f"{100 * frame.region_plus.mean():.0f} %"
    assert notes == [
        "× measured",
        f"inside the line: R⁺, {share} of X; × measured",
        "R⁺ is all of X; × measured",
        f"inside the line: R, {100 * frame.region.mean():.0f} % of X; × measured",
    ]


def test_picks_and_data_are_where_they_were_made(hill: Replay) -> None:
    frame, X = at(hill, Kind.PICK, 3), hill.scene.candidates
    picture = field(hill.scene, frame, PLAIN)
    for slot, role in (("map", "picks_over"), ("first", "picks_small")):
        picks = columns(picture.plots[slot], role)
        wanted = [tuple(X[pick.index]) for pick in frame.picks]
        assert list(zip(picks["x"], picks["y"], strict=True)) == wanted
        assert picks["marker"].tolist() == ["star", "diamond", "diamond", "diamond"]
    large = picture.plots["map"]
    ring = columns(large, "ring")
    assert [(ring["x"][0], ring["y"][0])] == [tuple(frame.picks[3].x)]
    names = columns(large, "numbers")["text"].tolist()
    assert names[:3] == ["x⁰", "x¹", "x²"]
    assert names[3].startswith("x³ = (")
    data = columns(field(hill.scene, at(hill, Kind.OBSERVE), PLAIN).plots["map"], "data_over")
    seen = X[at(hill, Kind.OBSERVE).observed]
    np.testing.assert_array_equal(np.stack([data["x"], data["y"]], axis=1), seen)
    assert data["size"][-4:].min() > data["size"][:-4].max()


def test_a_run_behind_has_its_own_outline_and_picks(hill: Replay) -> None:
    behind = narrowed(hill)
    asked = Request(pinned=behind, pinned_label="pinned: c = 0.5")
    large = field(hill.scene, at(hill, Kind.POSTERIOR), asked).plots["map"]
    itself = field(hill.scene, behind, PLAIN).plots["map"]
    np.testing.assert_array_equal(
        columns(large, "pinned_outline")["image"], columns(itself, "outline")["image"]
    )
    wanted = [pick.x[0] for pick in behind.picks]
    assert columns(large, "pinned_over")["x"].tolist() == wanted
    assert any("pinned: c = 0.5" in label.text for label in large.labels)


def test_the_colours_of_a_race_hold_the_means_of_all_runs(hill: Replay, lowest: Replay) -> None:
    frame, other = at(hill, Kind.POSTERIOR), at(lowest, Kind.POSTERIOR)
    race = small_field(hill.scene, frame, Request(others=((lowest.scene, other),)))
    held = race.plots["small"].colors
    assert held is not None
    assert (held.low, held.high) == (
        min(hill.scene.means[0], lowest.scene.means[0]),
        max(hill.scene.means[1], lowest.scene.means[1]),
    )


def test_locked_scales_stay_whichever_map_is_large(hill: Replay) -> None:
    locked = field(hill.scene, at(hill, Kind.POSTERIOR, t=1), PLAIN)
    later = at(hill, Kind.PICK, 2, t=4)
    free = field(hill.scene, later, PLAIN)
    kept = field(hill.scene, later, Request(locked=locked))
    assert kept.plots["map"].colors == locked.plots["scale"].colors != free.plots["map"].colors
    assert kept.plots["scale"].colors == locked.plots["map"].colors


def test_a_map_whose_name_is_pointed_at_is_framed(hill: Replay) -> None:
    frame = at(hill, Kind.PICK, 2)
    plots = by_name(field(hill.scene, frame, Request(highlight="mean")), frame)
    assert [name for name, plot in plots.items() if mark(plot, "lit")] == ["mean"]


def test_of_very_many_picks_the_current_one_alone_has_a_name() -> None:
    spec = replace(usual("himmelblau"), batch_size=60, batches=1)
    replay = Replay(spec.simulate())
    for k, many in ((GEOMETRY.most_named - 1, False), (GEOMETRY.most_named, True)):
        frame = replay.frame(replay.events.index(Event(1, Kind.PICK, k)))
        texts = columns(field(replay.scene, frame, Request()).plots["map"], "numbers")["text"]
        assert len(frame.picks) == k + 1
        assert (len(texts) == 1) == many
        assert sum(" = (" in text for text in texts) == 1
