"""The regret view: whose numbers it draws, what a step changes, and what a click does."""

from collections.abc import Callable

import numpy as np
import pytest
from bokeh.events import Tap
from bokeh.models import ColumnDataSource, Model

from ucbpe_app.figures.regret import RegretView
from ucbpe_app.figures.regret.iterations import IterationChart
from ucbpe_app.figures.regret.log_axis import LogAxis
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate

T = 4


@pytest.fixture(scope="module")
def replay() -> Replay:
    trace = simulate(problems.multimodal(), GPUCBPE(batch_size=3), batches=T, initial=2, seed=0)
    return Replay(trace)


@pytest.fixture
def view(replay: Replay) -> RegretView:
    view = RegretView()
    view.load(replay.scene)
    view.update(replay.frame(0))
    return view


def charts(view: RegretView) -> tuple[IterationChart, IterationChart]:
    return view.simple, view.cumulative


def snapshot(view: RegretView) -> dict[str, dict[str, list[str]]]:
    """All that the sources hold, as text, where nan equals nan."""
    return {
        f"{place} {name}": {
            column: [str(value) for value in data] for column, data in source.data.items()
        }
        for place, chart in enumerate(charts(view))
        for name, source in vars(chart).items()
        if isinstance(source, ColumnDataSource)
    }


def models(view: RegretView) -> set[Model]:
    return {m for chart in charts(view) for m in chart.figure.references()}


def test_the_sources_hold_the_numbers_of_the_scene(view: RegretView, replay: Replay) -> None:
    scene = replay.scene
    for source, column, expected in [
        (view.simple.ahead, "simple", scene.simple),
        (view.simple.ahead, "running", scene.running),
        (view.cumulative.ahead, "batch", scene.batch_cumulative),
        (view.cumulative.ahead, "full", scene.full_cumulative),
    ]:
        assert expected.shape == (T,)
        np.testing.assert_array_equal(source.data[column], expected)
        np.testing.assert_array_equal(source.data["t"], np.arange(1, T + 1))


def test_the_strong_part_is_what_was_measured(view: RegretView, replay: Replay) -> None:
    for i in range(len(replay.events)):
        frame = replay.frame(i)
        view.update(frame)
        for chart in charts(view):
            assert chart.now.data == {"t": [frame.event.t]}
            for name, column in chart.ahead.data.items():
                np.testing.assert_array_equal(chart.done.data[name], column[: frame.done])


def test_forward_and_back_draws_the_same(view: RegretView, replay: Replay) -> None:
    steps = range(len(replay.events))
    forward = []
    for i in steps:
        view.update(replay.frame(i))
        forward.append(snapshot(view))
    for i in reversed(steps):
        view.update(replay.frame(i))
        assert snapshot(view) == forward[i]


def test_steps_layers_and_bounds_build_no_model(
    view: RegretView, replay: Replay, count_models: Callable[[], list[str]]
) -> None:
    before, built = models(view), count_models()
    view.update(replay.frame(9))
    view.show(Layers(log=True, bounds=True))
    view.set_bounds(np.full(T, 50.0), np.full(T, 80.0))
    view.load(replay.scene)
    view.show(Layers())
    assert built == []
    assert models(view) == before


def test_another_run_replaces_the_first_one(view: RegretView, replay: Replay) -> None:
    view.update(replay.frame(len(replay.events) - 1))
    view.set_bounds(np.full(T, 50.0), None)
    longer = Replay(
        simulate(problems.thin_peak(), GPUCBPE(batch_size=2), batches=T + 2, initial=2, seed=1)
    )
    view.load(longer.scene)
    view.update(longer.frame(0))
    view.show(Layers(bounds=True))
    assert view.simple.figure.x_range.end == T + 2.5
    assert list(view.simple.done.data["simple"]) == []
    assert np.isnan(view.cumulative.references.data["printed"]).all()
    assert "bound" not in view.cumulative.panel[0].object


@pytest.mark.parametrize("log", [False, True])
def test_every_curve_is_inside_the_range(view: RegretView, log: bool) -> None:
    bounds = np.linspace(100, 200, T)
    view.set_bounds(bounds, 2 * bounds)
    view.show(Layers(bounds=True, log=log))
    for chart in charts(view):
        for source in (chart.ahead, chart.references):
            for name, column in source.data.items():
                if name != "t":
                    assert chart.figure.y_range.start < min(column)
                    assert chart.figure.y_range.end > max(column)


def test_a_log_axis_holds_exponents_and_its_ticks_say_values(
    view: RegretView, replay: Replay
) -> None:
    before = snapshot(view)
    view.show(Layers(log=True))
    scene = replay.scene
    drawn = np.asarray(view.cumulative.ahead.data["full"])
    np.testing.assert_allclose(10.0**drawn, scene.full_cumulative, rtol=1e-12)
    axis = view.cumulative.figure.yaxis[0]
    assert set(axis.ticker.ticks) == set(axis.major_label_overrides)
    for tick, label in axis.major_label_overrides.items():
        assert 10.0**tick == pytest.approx(float(label))
    view.show(Layers())
    assert snapshot(view) == before
    assert view.cumulative.figure.yaxis[0].major_label_overrides == {}


def test_bounds_show_when_given_and_wanted(view: RegretView) -> None:
    def shown() -> tuple[set[str], bool]:
        heading = view.cumulative.panel[0].object
        words = {word for word in ("printed", "proved") if word in heading}
        glyphs = [
            glyph
            for glyph in view.cumulative.figure.renderers
            if glyph.data_source is view.cumulative.references and glyph.visible
        ]
        assert len(glyphs) == len(words)
        return words, "log axis" in heading

    far = np.full(T, 1e4)
    view.set_bounds(far, None)
    assert shown() == (set(), False)
    view.show(Layers(bounds=True))
    assert shown() == ({"printed"}, True)
    assert view.cumulative.figure.y_range.end > 1e4
    view.set_bounds(far, far + 1)
    assert shown() == ({"printed", "proved"}, True)
    view.show(Layers(bounds=True, log=True))
    assert shown() == ({"printed", "proved"}, False)
    view.set_bounds(None, None)
    assert shown() == (set(), False)


@pytest.mark.parametrize(
    ("x", "selected"), [(2.4, [2]), (2.6, [3]), (-7.0, [1]), (99.0, [T]), (None, [])]
)
def test_a_click_selects_the_nearest_iteration(
    replay: Replay, x: float | None, selected: list[int]
) -> None:
    calls: list[int] = []
    view = RegretView(calls.append)
    view.load(replay.scene)
    for chart in charts(view):
        calls.clear()
        chart.figure._trigger_event(Tap(chart.figure, x=x))
        assert calls == selected


def test_zeros_have_a_place_of_their_own_on_a_log_axis() -> None:
    values = np.array([3.0, 0.02, 0.0])
    axis = LogAxis.of(values)
    drawn = axis.place(values)
    np.testing.assert_array_equal(drawn[:2], values[:2])
    assert axis.start < drawn[2] < 0.02
    assert axis.labels[drawn[2]] == "0"
    assert axis.start < min(axis.labels)
    assert max(axis.labels) < axis.end


def test_zeros_alone_can_be_drawn() -> None:
    axis = LogAxis.of(np.zeros(3))
    assert 0 < axis.start < axis.place(np.zeros(3))[0] < axis.end


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (1.0, 20.0, ["1", "2", "5", "10", "20"]),
        (0.01, 2e4, ["0.01", "1", "100", "10⁴"]),
        (1e-6, 1e6, ["10⁻⁶", "0.001", "1", "1000", "10⁶"]),
    ],
)
def test_ticks_are_round_and_few(low: float, high: float, labels: list[str]) -> None:
    assert list(LogAxis.of(np.array([low, high])).labels.values()) == labels


def test_what_is_ahead_is_hidden_while_picks_are_predicted(replay: Replay) -> None:
    view = RegretView()
    view.load(replay.scene)
    view.update(replay.frame(6))
    for predict in (True, False):
        view.show(Layers(predict=predict))
        view.update(replay.frame(7))
        for chart in (view.simple, view.cumulative):
            drawn = {True: [], False: []}
            for one in chart.figure.renderers:
                if one.data_source in (chart.ahead, chart.done):
                    drawn[one.data_source is chart.ahead].append(one.visible)
            assert len(drawn[True]) > 2
            assert set(drawn[True]) == {not predict}
            assert set(drawn[False]) == {True}


def test_a_view_that_is_loaded_while_picks_are_predicted_hides_what_is_ahead(
    replay: Replay,
) -> None:
    """As the page does it: cleared, shown, and only then loaded."""
    view = RegretView()
    view.clear()
    view.show(Layers(predict=True))
    view.load(replay.scene)
    ahead = [r for r in view.simple.figure.renderers if r.data_source is view.simple.ahead]
    assert not any(one.visible for one in ahead)


def test_the_name_of_a_pinned_run_can_be_cut_and_read_whole(replay: Replay) -> None:
    """Of any length, in a chart that has another beside it."""
    view, name = RegretView(), "pinned: lengthscale = 1, β < 9, prior mean = −0.5 and 3 more"
    view.load(replay.scene)
    view.pin(replay.scene, name)
    for chart in (view.simple, view.cumulative):
        said = name.replace("<", "&lt;")
        assert f'<li class="long" title="{said}">' in chart.heading.object
        assert f"<span>{said}</span>" in chart.heading.object
