"""The 1-D view: its sources hold the frame's numbers, and stepping changes nothing else."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from bokeh.document import Document
from bokeh.document.events import ColumnDataChangedEvent, ModelChangedEvent

from ucbpe_app.figures.curve import LineView
from ucbpe_app.figures.curve.badges import badges
from ucbpe_app.lessons import find
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate


def shown(view: LineView) -> dict[str, dict[str, list[Any]]]:
    """What every source holds, NaN as None so that equal data compare equal."""
    return {
        name: {
            column: [None if value != value else value for value in np.asarray(values).tolist()]
            for column, values in source.data.items()
        }
        for name, source in view.sources.items()
    }


def at(replay: Replay, kind: Kind, k: int = 0, t: int = 2) -> Frame:
    return replay.frame(replay.events.index(Event(t, kind, k)))


@pytest.fixture
def view(replay: Replay) -> LineView:
    view = LineView()
    view.load(replay.scene)
    return view


def test_mean_band_and_truth_are_the_frames(view: LineView, replay: Replay) -> None:
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        view.update(frame)
        belief = view.sources["posterior"].data
        for column in ("mean", "lower", "upper"):
            assert np.array_equal(belief[column], getattr(frame, column))
    assert np.array_equal(view.sources["truth"].data["y"], replay.scene.truth)


def test_updated_bounds_appear_once_a_pick_is_counted(view: LineView, replay: Replay) -> None:
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        view.update(frame)
        updated = view.sources["updated"].data
        if event.kind is Kind.PICK and event.k > 0:
            half = frame.sqrt_beta * frame.std_now
            assert np.array_equal(updated["lower"], frame.mean - half)
            assert np.array_equal(updated["upper"], frame.mean + half)
        else:
            assert len(updated["x"]) == 0
        assert ("visibility:hidden" in entry(view, "updated bounds")) is (len(updated["x"]) == 0)


def test_std_is_split_at_r_plus(view: LineView, replay: Replay) -> None:
    frame = at(replay, Kind.PICK, 2)
    view.update(frame)
    data = view.sources["std"].data
    assert np.array_equal(data["now"], frame.std_now)
    assert np.array_equal(data["before"], frame.std_before)
    assert np.array_equal(np.isfinite(data["inside"]), frame.region_plus)
    assert np.array_equal(data["inside"][frame.region_plus], frame.std_now[frame.region_plus])


def test_strips_cover_exactly_the_masks(view: LineView, replay: Replay) -> None:
    frame = at(replay, Kind.REGION)
    view.update(frame)
    x = replay.scene.candidates[:, 0]
    for name, mask in (("region", frame.region), ("region_plus", frame.region_plus)):
        strip = view.sources[name].data
        ends = list(zip(strip["left"], strip["right"], strict=True))
        assert [any(a <= value < b for a, b in ends) for value in x] == mask.tolist()
    view.update(at(replay, Kind.FIT))
    assert view.sources["region"].data == {"left": [], "right": []}


def test_picks_stand_at_bound_and_mean(view: LineView, replay: Replay) -> None:
    frame = at(replay, Kind.PICK, 2)
    view.update(frame)
    first, *others = frame.picks
    star, diamonds = view.sources["ucb"].data, view.sources["pe"].data
    assert star["x"] == [first.x[0]]
    assert star["y"] == pytest.approx([frame.upper[first.index]], abs=1e-12)
    assert diamonds["y"] == [frame.mean[pick.index] for pick in others]
    assert diamonds["std"] == [pick.std for pick in others]
    assert diamonds["alpha"] == [0.0, 1.0]
    assert view.sources["guide"].data == {"x": [others[-1].x[0]]}
    assert view.sources["badges"].data["text"] == ["x⁰", "x¹", "x²"]


def test_the_newest_measurements_are_apart(view: LineView, replay: Replay) -> None:
    frame = at(replay, Kind.OBSERVE)
    view.update(frame)
    old, fresh = view.sources["data"].data, view.sources["fresh"].data
    assert old["y"] + fresh["y"] == frame.observed_y.tolist()
    assert fresh["x"] == [pick.x[0] for pick in frame.picks]
    assert np.isnan(view.sources["pe"].data["y"]).all()
    assert view.sources["badges"].data["y"] == fresh["y"]


def test_y_dot_is_a_line_with_its_name(view: LineView, replay: Replay) -> None:
    frame = at(replay, Kind.REGION)
    view.update(frame)
    assert view.sources["y_dot"].data["y"] == [frame.y_dot, frame.y_dot]
    label = view.figures.y_dot_label
    assert (label.text, label.y, label.visible) == ("y•", frame.y_dot, True)
    assert label in view.figures.main.right
    view.update(at(replay, Kind.FIT))
    assert label.y < view.figures.main.y_range.start
    assert label.visible  # else the figure is laid out anew whenever y• comes and goes


def test_the_band_of_a_measurement_fits_its_axis(view: LineView, replay: Replay) -> None:
    frame = replay.frame(0)
    view.update(frame)
    assert len(view.sources["noisy"].data["x"]) == 0
    view.show(Layers(noisy=True))
    noisy, y_range = view.sources["noisy"].data, view.figures.main.y_range
    half = frame.sqrt_beta * np.sqrt(frame.std**2 + replay.scene.noise_variance)
    assert np.array_equal(noisy["upper"], frame.mean + half)
    assert y_range.start < noisy["lower"].min() < noisy["upper"].max() < y_range.end


@pytest.mark.parametrize("noisy", [False, True])
def test_axes_hold_the_batch_and_stay_still_within_it(
    view: LineView, replay: Replay, noisy: bool
) -> None:
    figures = view.figures
    ranges = (figures.x_range, figures.main.y_range, figures.std.y_range)
    view.show(Layers(noisy=noisy))
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        view.update(frame)
        now = [(one.start, one.end) for one in ranges]
        if event.kind is Kind.FIT:
            before = now
        assert now == before
        assert ranges[1].start < frame.lower.min() <= frame.upper.max() < ranges[1].end
        assert frame.std_now.max() < ranges[2].end


def test_the_strips_show_only_where_there_is_a_region(any_replay: Replay) -> None:
    view = LineView()
    view.load(any_replay.scene)
    policy = any_replay.trace.policy
    without = "lab-no-region" in view.panel.css_classes
    assert without != (policy.uses_region and policy.batch_size > 1)


def test_forward_and_back_is_the_identity(any_replay: Replay) -> None:
    view = LineView()
    view.load(any_replay.scene)
    total = len(any_replay.events)
    states = []
    for i in range(total):
        view.update(any_replay.frame(i))
        states.append((shown(view), view.legend.object))
    for i in reversed(range(total)):
        view.update(any_replay.frame(i))
        assert (shown(view), view.legend.object) == states[i]


def test_stepping_makes_no_model(view: LineView, replay: Replay) -> None:
    document = Document()
    document.add_root(view.panel.get_root(document))
    models = {model.id for model in document.models}
    for i in range(len(replay.events)):
        view.update(replay.frame(i))
    view.show(Layers(truth=False, noisy=True))
    view.load(replay.scene)
    view.update(replay.frame(3))
    assert {model.id for model in document.models} == models


@pytest.fixture
def sent(view: LineView) -> Callable[[], set[str]]:
    """Names of the sources replaced since the last call."""
    document, names = Document(), set[str]()
    document.add_root(view.panel.get_root(document))

    def note(event: Any) -> None:
        if isinstance(event, ModelChangedEvent | ColumnDataChangedEvent) and event.model.name:
            names.add(event.model.name)

    document.on_change(note)

    def take() -> set[str]:
        taken = set(names)
        names.clear()
        return taken

    return take


def test_what_did_not_change_is_not_sent(
    view: LineView, replay: Replay, sent: Callable[[], set[str]]
) -> None:
    view.update(at(replay, Kind.FIT))
    sent()
    view.update(at(replay, Kind.PICK, 0))
    assert sent() == {"ucb", "guide", "badges"}
    view.update(at(replay, Kind.REGION))
    assert sent() == {"ucb", "guide", "region", "region_plus", "y_dot", "std"}
    view.update(at(replay, Kind.PICK, 1))
    assert sent() == {"pe", "guide", "badges", "std", "updated"}
    frame = at(replay, Kind.PICK, 2)
    view.update(frame)
    sent()
    view.update(frame)
    assert sent() == set()


def test_candidates_may_come_in_any_order() -> None:
    problem = problems.multimodal()
    rng = np.random.default_rng(0)
    some = rng.permutation(len(problem.candidates))[:120]
    shuffled = replace(
        problem, candidates=problem.candidates[some], values=problem.values[some], grid=()
    )
    replay = Replay(simulate(shuffled, GPUCBPE(batch_size=3), batches=1, initial=3, seed=0))
    view, frame = LineView(), at(replay, Kind.PICK, 2, t=1)
    view.load(replay.scene)
    view.update(frame)
    x, order = shuffled.candidates[:, 0], np.argsort(shuffled.candidates[:, 0])
    for name, column, values in (
        ("truth", "y", shuffled.values),
        ("posterior", "mean", frame.mean),
        ("std", "now", frame.std_now),
    ):
        assert np.array_equal(view.sources[name].data["x"], x[order])
        assert np.array_equal(view.sources[name].data[column], values[order])
    strip = view.sources["region_plus"].data
    covered = [
        any(a <= value < b for a, b in zip(strip["left"], strip["right"], strict=True))
        for value in x
    ]
    assert covered == frame.region_plus.tolist()
    assert view.sources["data"].data["x"] == x[frame.observed].tolist()


def test_picks_of_one_candidate_share_a_badge(replay: Replay) -> None:
    frame = at(replay, Kind.PICK, 3)
    pick = frame.picks[-1]
    twice = (replace(pick, number=1, current=False), pick)
    columns = badges(replace(frame, picks=twice), (2.7, 7.5), (-7.0, 7.0))
    assert columns["text"] == ["x¹, x³"]


def entry(view: LineView, label: str) -> str:
    """The opening tag of a legend's entry, or nothing if it has none."""
    items = view.legend.object.split("<li")[1:]
    return next((item.split(">")[0] + ">" for item in items if f"{label}</li>" in item), "")


# Of windows of 1280 x 720, 1366 x 768 and 1920 x 1080.
@pytest.mark.parametrize("frame", [(620, 146), (714, 182), (1000, 360)])
def test_badges_are_inside_the_frame_of_a_window(frame: tuple[int, int]) -> None:
    """The paper's Figure 2, whose x0 is near the top: each badge and its padding, in px."""
    lesson = find("figure-2")
    assert lesson is not None
    replay, view = load(lesson.spec()), LineView()
    view.load(replay.scene)
    for i in range(len(replay.events)):
        view.update(replay.frame(i))
        across, upwards = view.figures.x_range, view.figures.main.y_range
        data = view.sources["badges"].data
        for x, y, anchor, dx, dy, text in zip(
            *(data[name] for name in ("x", "y", "anchor", "dx", "dy", "text")), strict=True
        ):
            if np.isnan(y):
                continue
            left = frame[0] * (x - across.start) / (across.end - across.start) + dx
            low = frame[1] * (y - upwards.start) / (upwards.end - upwards.start) - dy
            width = 8 * len(text) + 8
            left -= width if anchor.endswith("right") else 0
            low -= 19 if anchor.startswith("top") else 0
            assert 0 <= left <= left + width <= frame[0], (replay.events[i], text)
            assert 0 <= low <= low + 19 <= frame[1], (replay.events[i], text)
