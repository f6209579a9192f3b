"""Maps in a browser: images are sent only when they change, sources are shared, a press swaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import pytest
from bokeh.core.properties import field
from bokeh.document import Document
from bokeh.document.events import ColumnDataChangedEvent, ModelChangedEvent
from panel.io.state import set_curdoc

from tests.app.problem.tables import begun
from tests.app.render.test_bokeh import check_steps
from ucbpe_app import theme
from ucbpe_app.pictures.field import FIELD, SCATTERED
from ucbpe_app.pictures.small import SMALL_FIELD
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.render.figures import redraw
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate

if TYPE_CHECKING:
    from ucbpe_app.pictures.picture import RunKind


@pytest.fixture(scope="module")
def himmelblau() -> Replay:
    policy = GPUCBPE(batch_size=4)
    return Replay(simulate(problems.himmelblau(), policy, batches=2, initial=30, seed=1))


@pytest.fixture
def view(himmelblau: Replay) -> PictureView:
    view = PictureView(FIELD)
    view.load(himmelblau.scene)
    return view


def index(replay: Replay, kind: Kind, k: int = 0) -> int:
    return replay.events.index(Event(2, kind, k))


def test_images_are_sent_only_when_they_change(view: PictureView, himmelblau: Replay) -> None:
    view.update(himmelblau.frame(index(himmelblau, Kind.PICK, 1)))
    document, sent = Document(), list[Any]()
    document.add_root(view.panel.get_root(document))
    document.on_change(sent.append)
    view.update(himmelblau.frame(index(himmelblau, Kind.PICK, 2)))
    kinds = ModelChangedEvent | ColumnDataChangedEvent
    changed = {event.model for event in sent if isinstance(event, kinds)}
    plots = view.rendered.plots
    replaced = {name for name, plot in plots.items() if plot.sources.get("values") in changed}
    assert replaced == {"map", "third"}  # std and the upper bound; truth and mean are the same
    assert not any(source in changed for source in (
        plots["map"].sources["outline"], plots["first"].sources["outline_small"]))  # fmt: skip
    sent.clear()
    view.update(himmelblau.frame(index(himmelblau, Kind.PICK, 2)))
    assert sent == []


def test_stepping_makes_no_model_and_back_is_the_identity(
    view: PictureView, himmelblau: Replay
) -> None:
    check_steps(view, himmelblau, "region_plus")


def test_small_maps_share_what_is_the_same_in_all(view: PictureView, himmelblau: Replay) -> None:
    view.update(himmelblau.frame(0))
    view.point(3)
    plots = view.rendered.plots
    for role in ("outline_small", "picks_small", "pointed"):
        assert len({plots[slot].sources[role].id for slot in ("first", "second", "third")}) == 1
    assert len({plot.figure.x_range.id for plot in plots.values()}) == 1
    names = [name for name in view.rendered.named if name.endswith(".outline_small")]
    assert names == ["first.outline_small"]


def test_a_casing_is_seen_on_both_sides_of_its_line(view: PictureView, himmelblau: Replay) -> None:
    view.update(himmelblau.frame(0))
    for plot, role in (("map", "outline"), ("first", "outline_small")):
        below, line = (one.glyph for one in view.rendered.plots[plot].renderers[role])
        assert below.line_width > line.line_width
        assert below.line_alpha == line.line_alpha > 0


def test_a_press_on_a_small_map_draws_it_large(view: PictureView, himmelblau: Replay) -> None:
    view.update(himmelblau.frame(index(himmelblau, Kind.PICK, 2)))
    plots = view.rendered.plots
    assert plots["map"].colors.palette == theme.PALETTES["magma"]
    assert plots["second"].labels.press == "mean: show it large"
    plots["second"].labels.receive({"do": "press"})
    assert view.request.featured == "mean"
    assert plots["map"].colors.palette == theme.PALETTES["viridis"]
    assert plots["second"].labels.press == "std: show it large"
    plots["second"].labels.receive({"do": "press"})
    assert view.request.featured == ""


def test_without_the_truth_a_place_stays_empty(view: PictureView, himmelblau: Replay) -> None:
    view.update(himmelblau.frame(0))
    view.show(Layers(truth=False))
    assert "lab-plot-hidden" in view.rendered.plots["third"].panel.css_classes
    assert "lab-has-third" not in view.rendered._laid_out.css_classes


def test_pictures_of_a_kind_can_pan_and_zoom_together() -> None:
    one, other = BokehPicture(SMALL_FIELD), BokehPicture(SMALL_FIELD)
    other.follow(one)
    assert other.figures[0].x_range is one.figures[0].x_range


@pytest.mark.parametrize("kind", [SCATTERED, SMALL_FIELD])
def test_dots_off_a_grid_have_the_colours_of_their_values(kind: RunKind) -> None:
    """Also those that are made late, and after the theme was changed."""
    state, document = begun(), Document()
    with set_curdoc(document):
        view = PictureView(kind)
        view.load(state.picture.scene)
        view.update(state.picture.known)
        plot = next(iter(view.rendered.plots.values()))
        (drawn,) = plot.renderers["dots"]
        for name in ("dark", "default"):
            pn.config.theme = name
            redraw(document)
            assert drawn.glyph.fill_color == field("value", plot.colors)
    values = state.picture.known.mean
    np.testing.assert_array_equal(drawn.data_source.data["value"], values)
    assert plot.colors.low <= values.min() < values.max() <= plot.colors.high
