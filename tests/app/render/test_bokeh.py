"""The renderer: its figures hold a picture's columns, and only what differs is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import panel as pn
import pytest
from bokeh.document import Document
from bokeh.document.events import ColumnDataChangedEvent, ModelChangedEvent
from bokeh.models import BasicTicker
from panel.io.state import set_curdoc

from ucbpe_app import theme
from ucbpe_app.pictures.compared import COMPARED
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.looks import STYLES
from ucbpe_app.pictures.picture import Axis, Picture, Plot
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.render.figures import in_dark, redraw
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers


def at(replay: Replay, kind: Kind, k: int = 0) -> Frame:
    return replay.frame(replay.events.index(Event(2, kind, k)))


@pytest.fixture
def view(replay: Replay) -> PictureView:
    view = PictureView(CURVE)
    view.load(replay.scene)
    return view


def state(view: PictureView) -> dict[str, Any]:
    """What each plot holds, as text: NaN is equal to NaN there."""
    return {
        name: (
            repr(
                {
                    (role, column): [np.asarray(one).tolist() for one in values]
                    for role, source in plot.sources.items()
                    for column, values in source.data.items()
                }
            ),
            (plot.figure.y_range.start, plot.figure.y_range.end),
            plot.labels.items,
            plot.panel.css_classes,
            plot.colors and (plot.colors.low, plot.colors.high),
        )
        for name, plot in view.rendered.plots.items()
    }


def check_steps(view: PictureView, replay: Replay, lit: str) -> None:
    """Forward and back is the identity, and neither a step nor a change of layers makes a model."""
    document = Document()
    view.update(replay.frame(0))
    view.show(Layers(noisy=True))
    view.point(3)  # what draws a rare layer is made once, when it is first shown
    view.point(None)
    document.add_root(view.panel.get_root(document))
    view.show(Layers(noisy=True))
    models, states = {model.id for model in document.models}, []
    for i in range(len(replay.events)):
        view.update(replay.frame(i))
        states.append(state(view))
    for i in reversed(range(len(states))):
        view.update(replay.frame(i))
        assert state(view) == states[i]
    view.show(Layers(truth=False, noisy=True))
    view.light(lit)
    view.enlarge(on=True)
    view.point(17)
    view.load(replay.scene)
    view.update(replay.frame(3))
    assert {model.id for model in document.models} == models


def test_figures_hold_the_columns_of_the_picture(view: PictureView, replay: Replay) -> None:
    for i in range(len(replay.events)):
        view.update(replay.frame(i))
        assert view.picture is not None
        for name, plot in view.picture.plots.items():
            sources = view.rendered.plots[name].sources
            given = {one.role: one.columns for one in plot.marks}
            for role, source in sources.items():
                for column, values in source.data.items():
                    wanted = given[role][column].tolist() if role in given else []
                    np.testing.assert_array_equal(np.asarray(values), np.asarray(wanted))


def test_stepping_makes_no_model_and_back_is_the_identity(any_replay: Replay) -> None:
    view = PictureView(CURVE)
    view.load(any_replay.scene)
    check_steps(view, any_replay, "mean")


def test_the_strips_show_only_where_there_is_a_region(any_replay: Replay) -> None:
    view = PictureView(CURVE)
    view.load(any_replay.scene)
    view.update(any_replay.frame(0))
    hidden = "lab-plot-hidden" in view.rendered.plots["region"].panel.css_classes
    policy = any_replay.trace.policy
    assert hidden != (policy.uses_region and policy.batch_size > 1)


@pytest.mark.parametrize(("plain", "ticks"), [(True, []), (False, ["R⁺", "R"])])
def test_strips_without_names_have_no_ticks(
    view: PictureView, replay: Replay, plain: bool, ticks: list[str]
) -> None:
    view.show(Layers(plain=plain))
    view.update(replay.frame(0))
    axis = view.rendered.plots["region"].figure.yaxis[0]
    assert [axis.major_label_overrides[at] for at in axis.ticker.ticks] == ticks


def test_ticks_that_are_taken_back_say_their_values() -> None:
    """Bokeh's script keeps labels of ticks that were: 10^0 is 1, and 0 is 0 on the next axis."""
    view = BokehPicture(COMPARED)
    axis = view.figures[0].yaxis[0]

    def draw(y: Axis) -> None:
        plot = Plot(Axis(0.0, 1.0), y, ())
        view.draw(Picture(COMPARED, {"compared": plot}, ""))

    draw(Axis(-1.0, 1.0, ((-1.0, "0.1"), (0.0, "1"))))
    assert dict(axis.major_label_overrides) == {-1.0: "0.1", 0.0: "1"}
    for _ in range(2):
        draw(Axis(0.0, 1.0))
        assert dict(axis.major_label_overrides) == {-1.0: "-1", 0.0: "0"}
        assert isinstance(axis.ticker, BasicTicker)
        draw(Axis(-1.0, 1.0, ((0.0, "1"),)))
        assert axis.ticker.ticks == [0.0]
        assert axis.major_label_overrides[0.0] == "1"


@pytest.fixture
def sent(view: PictureView) -> Callable[[], set[str]]:
    """Roles of the sources replaced since the last call."""
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
    view: PictureView, replay: Replay, sent: Callable[[], set[str]]
) -> None:
    view.update(at(replay, Kind.POSTERIOR))
    sent()
    view.update(at(replay, Kind.PICK, 0))
    assert sent() == {"picks", "guide"}
    view.update(at(replay, Kind.REGION))
    bands = {"band", "band_outside", "strip"}
    assert sent() == {"picks", "guide", "region", "region_plus", "y_dot", "std", *bands}
    view.update(at(replay, Kind.PICK, 1))
    assert sent() == {"picks", "guide", "std", "outside", "before", "updated"}
    frame = at(replay, Kind.PICK, 2)
    view.update(frame)
    sent()
    view.update(frame)
    assert sent() == set()


def test_what_stands_out_or_is_enlarged_is_put_back(view: PictureView, replay: Replay) -> None:
    view.update(at(replay, Kind.PICK, 2))
    models = [model for figure in view.rendered.figures for model in figure.references()]
    plain = [model.properties_with_values() for model in models]
    for change in (lambda on: view.light("mean" if on else ""), lambda on: view.enlarge(on=on)):
        change(True)
        assert [model.properties_with_values() for model in models] != plain
        change(False)
        assert [model.properties_with_values() for model in models] == plain


def test_on_a_dark_page_lines_are_lighter_and_a_toggle_draws_all_again(replay: Replay) -> None:
    document = Document()
    with set_curdoc(document):
        view = PictureView(CURVE)
        view.load(replay.scene)
        view.update(at(replay, Kind.PICK, 1))
        drawn = view.rendered.plots["function"].renderers
        assert drawn["mean"][0].glyph.line_color == theme.MEAN.color
        for dark in (True, False):
            pn.config.theme = "dark" if dark else "default"
            redraw(document)
            expected = theme.DARK if dark else {}
            for role in ("mean", "truth", "band", "picks"):
                glyph, color = drawn[role][0].glyph, STYLES[role].mark.color
                shown = glyph.fill_color if role == "band" else glyph.line_color
                assert shown == expected.get(color, color)
            fills = drawn["picks"][0].data_source.data["fill"]
            assert list(fills) == [theme.UCB_PICK.color, theme.PE_PICK.color]


def test_colours_are_lighter_on_a_dark_page_and_as_opaque() -> None:
    given = [theme.BLUE, f"{theme.BLUE}70", "#123456", "black"]
    light = theme.DARK[theme.BLUE]
    assert in_dark(given) == [light, f"{light}70", "#123456", "black"]
