"""The picture of a run over one input: golden values, and what must hold in each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.app.pictures.golden import check, check_marks
from ucbpe_app.pictures.curve import CURVE, curve
from ucbpe_app.pictures.picture import Mark, Picture, Plot, Request
from ucbpe_app.pictures.picture import mark as mark_of
from ucbpe_app.pictures.small import SMALL_CURVE, small_curve
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences.texts import at_least
from ucbpe_core import GPUCBPE, problems, simulate

PLAIN = Request()


def at(replay: Replay, kind: Kind, k: int = 0, t: int = 2) -> Frame:
    return replay.frame(replay.events.index(Event(t, kind, k)))


def mark(plot: Plot, role: str) -> Mark | None:
    return next((one for one in plot.marks if one.role == role), None)


def drawn(picture: Picture, plot: str, role: str) -> dict[str, np.ndarray]:
    found = mark(picture.plots[plot], role)
    assert found is not None
    return dict(found.columns)


def test_golden(replay: Replay) -> None:
    scene, pinned = replay.scene, at(replay, Kind.POSTERIOR, t=1)
    events = [Event(2, Kind.POSTERIOR), Event(2, Kind.PICK, 2), Event(2, Kind.OBSERVE)]
    pictures = {
        str(event.text): curve(scene, replay.frame(replay.events.index(event)), PLAIN)
        for event in events
    }
    other = Request(
        layers=Layers(truth=False, noisy=True, stop=True), pinned=pinned, pinned_label="A",
        pointed=5, highlight="upper",
    )  # fmt: skip
    pictures["region, in other layers"] = curve(scene, at(replay, Kind.REGION), other)
    pictures["small"] = small_curve(
        scene, at(replay, Kind.OBSERVE), Request(decision=at(replay, Kind.REGION))
    )
    check("curve", pictures)


def test_every_mark_has_a_place_and_columns_of_one_length(any_replay: Replay) -> None:
    for i in range(len(any_replay.events)):
        frame = any_replay.frame(i)
        for kind in (CURVE, SMALL_CURVE):
            check_marks(kind.draw(any_replay.scene, frame, Request(layers=Layers(noisy=True))))


def test_strips_cover_exactly_the_masks(replay: Replay) -> None:
    frame, x = at(replay, Kind.REGION), replay.scene.candidates[:, 0]
    picture = curve(replay.scene, frame, PLAIN)
    for role, mask in (("region", frame.region), ("region_plus", frame.region_plus)):
        strip = drawn(picture, "region", role)
        ends = list(zip(strip["left"], strip["right"], strict=True))
        assert [any(a <= value < b for a, b in ends) for value in x] == mask.tolist()


def test_without_r_plus_there_is_one_strip_of_r(replay: Replay) -> None:
    """Of an experiment whose policy does not pick inside R+."""
    frame = replace(at(replay, Kind.REGION), region_plus=None)
    scene = replace(replay.scene, uses_region=False)
    picture = curve(scene, frame, PLAIN)
    strips = picture.plots["region"]
    assert [text for _, text in strips.y.ticks] == ["R"]
    (strip,) = [one.columns for one in strips.marks if one.role not in ("strip", "guide")]
    small = drawn(small_curve(scene, frame, PLAIN), "small", "allowed")
    for name in ("left", "right"):
        np.testing.assert_array_equal(strip[name], small[name])
    ends = list(zip(strip["left"], strip["right"], strict=True))
    inside = [any(a <= x < b for a, b in ends) for x in scene.candidates[:, 0]]
    assert inside == frame.region.tolist()
    assert "region" not in curve(scene, at(replay, Kind.POSTERIOR), PLAIN).plots


def test_std_is_split_at_r_plus(replay: Replay) -> None:
    frame = at(replay, Kind.PICK, 2)
    picture = curve(replay.scene, frame, PLAIN)
    inside = drawn(picture, "std", "std")["y"]
    assert np.array_equal(np.isfinite(inside), frame.region_plus)
    roots = np.sqrt(frame.std_now[frame.region_plus])
    assert np.array_equal(inside[frame.region_plus], roots)
    assert np.array_equal(drawn(picture, "std", "before")["y"], np.sqrt(frame.std_before))


def test_the_whole_std_is_on_its_axis_in_every_event(replay: Replay) -> None:
    """Its ticks are named by the std, and the axis is one of square roots, the same in the run."""
    axes = set()
    for i in range(len(replay.events)):
        plot = curve(replay.scene, replay.frame(i), PLAIN).plots["std"]
        heights = np.concatenate([one.columns["y"] for one in plot.marks if "y" in one.columns])
        assert plot.y.low < np.nanmin(heights) <= np.nanmax(heights) < plot.y.high
        axes.add(plot.y)
    (axis,) = axes
    assert axis.high > 1.05 * np.sqrt(replay.frame(0).std.max())
    assert [name for _, name in axis.ticks[:1]] == ["0"]
    for place, name in axis.ticks:
        assert place**2 == pytest.approx(float(name))
    assert axis.low < axis.ticks[0][0] < axis.ticks[1][0] < axis.ticks[2][0] < axis.high


def test_updated_bounds_appear_once_a_pick_is_counted(replay: Replay) -> None:
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        updated = mark(curve(replay.scene, frame, PLAIN).plots["function"], "updated")
        assert (updated is not None) == (event.kind is Kind.PICK and event.k > 0)
        if updated is not None:
            half = np.where(frame.region_plus, frame.sqrt_beta * frame.std_now, np.nan)
            lower, upper = np.split(updated.columns["y"], [len(half)])
            assert np.array_equal(lower, frame.mean - half, equal_nan=True)
            assert np.array_equal(upper[1:], frame.mean + half, equal_nan=True)


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_star_is_at_the_best_bound_of_the_band(direction: str) -> None:
    problem = replace(problems.multimodal(), direction=direction)
    replay = Replay(simulate(problem, GPUCBPE(batch_size=3), batches=1, initial=3, seed=0))
    frame = at(replay, Kind.PICK, 2, t=1)
    picks = drawn(curve(replay.scene, frame, PLAIN), "function", "picks")
    best = frame.upper.max() if direction == "maximize" else frame.lower.min()
    assert picks["y"][0] == pytest.approx(best, abs=1e-12)
    assert picks["y"][1:].tolist() == [frame.mean[one.index] for one in frame.picks[1:]]
    assert picks["size"][2] > picks["size"][1]


def test_the_band_is_fainter_outside_r_plus_and_whole_before_it_is_known(replay: Replay) -> None:
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        plot = curve(replay.scene, frame, PLAIN).plots["function"]
        strong, faint = mark(plot, "band"), mark(plot, "band_outside")
        assert strong is not None
        whole = frame.upper - frame.lower
        heights = strong.columns["upper"] - strong.columns["lower"]
        if frame.region_plus is None:
            assert faint is None
            assert np.array_equal(heights, whole)
        else:
            assert faint is not None
            assert np.array_equal(heights > 0, frame.region_plus)
            rest = faint.columns["upper"] - faint.columns["lower"]
            assert np.allclose(heights + rest, whole, rtol=1e-12)


def test_picks_lie_on_the_std_that_counts_the_earlier_ones(replay: Replay) -> None:
    frame = at(replay, Kind.PICK, 2, t=1)
    picks = drawn(curve(replay.scene, frame, PLAIN), "std", "picks")
    assert picks["y"].tolist() == [np.sqrt(frame.std_now[one.index]) for one in frame.picks]
    assert picks["y"][0] ** 2 < frame.picks[0].std
    assert picks["y"][2] == np.sqrt(frame.picks[2].std)


def test_axes_hold_the_batch_and_stay_still_within_it(any_replay: Replay) -> None:
    for noisy in (False, True):
        request = Request(layers=Layers(noisy=noisy))
        before = None
        for i, event in enumerate(any_replay.events):
            frame = any_replay.frame(i)
            plots = curve(any_replay.scene, frame, request).plots
            now = plots["function"].y, plots["std"].y
            assert event.kind is Kind.POSTERIOR or now == before
            before = now
            assert now[0].low < frame.lower.min() <= frame.upper.max() < now[0].high
            assert np.sqrt(frame.std_now.max()) < now[1].high


def test_locked_axes_stay(replay: Replay) -> None:
    first = curve(replay.scene, at(replay, Kind.POSTERIOR, t=1), PLAIN)
    later = curve(replay.scene, at(replay, Kind.POSTERIOR), Request(locked=first))
    assert later.plots["function"].y == first.plots["function"].y
    assert later != first


def test_a_pick_label_says_where_the_current_one_is(replay: Replay) -> None:
    frame = at(replay, Kind.PICK, 3)
    pick = frame.picks[-1]
    twice = replace(frame, picks=(replace(pick, number=1, current=False), pick))
    labels = curve(replay.scene, twice, PLAIN).plots["function"].labels
    (one,) = (label for label in labels if label.place == "point")
    assert one.text.startswith("x¹, x³ = ")
    assert one.strong


def test_candidates_may_come_in_any_order() -> None:
    problem = problems.multimodal()
    some = np.random.default_rng(0).permutation(len(problem.candidates))[:120]
    shuffled = replace(
        problem, candidates=problem.candidates[some], values=problem.values[some], grid=()
    )
    replay = Replay(simulate(shuffled, GPUCBPE(batch_size=3), batches=1, initial=3, seed=0))
    frame = at(replay, Kind.PICK, 2, t=1)
    picture = curve(replay.scene, frame, PLAIN)
    x, order = shuffled.candidates[:, 0], np.argsort(shuffled.candidates[:, 0])
    for plot, role, values in (
        ("function", "truth", shuffled.values),
        ("function", "mean", frame.mean),
        ("std", "outside", np.sqrt(frame.std_now)),
    ):
        columns = drawn(picture, plot, role)
        assert np.array_equal(columns["x"], x[order])
        assert np.array_equal(columns["y"], values[order])


@pytest.mark.parametrize(
    ("value", "sign", "text"),
    [(0.9989, 1, "0.998"), (1.839, 1, "1.83"), (-1.239, 1, "−1.24"), (1.231, -1, "1.24"),
     (0.0, 1, "0"), (1234.5, 1, "1230"), (-0.00123456, -1, "−0.00123")],
)  # fmt: skip
def test_a_bound_is_rounded_so_that_it_stays_one(value: float, sign: float, text: str) -> None:
    assert at_least(value, sign) == text


def test_marks_are_equal_where_all_their_columns_are() -> None:
    one = mark_of("data", x=[1.0, np.nan], y=[2.0, 3.0])
    assert one == mark_of("data", x=[1.0, np.nan], y=[2.0, 3.0])
    for other in (
        mark_of("pick", x=[1.0, np.nan], y=[2.0, 3.0]),
        mark_of("data", x=[1.0, np.nan]),
        mark_of("data", x=[1.0, np.nan], z=[2.0, 3.0]),
        mark_of("data", x=[1.0, 2.0], y=[2.0, 3.0]),
        mark_of("data", x=[1.0, np.nan, 2.0], y=[2.0, 3.0, 4.0]),
        Mark("data", {}),
    ):
        assert one != other
        assert other != one
