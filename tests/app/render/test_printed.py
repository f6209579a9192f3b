"""The print renderer draws what a picture has, and no more, in the looks of the one table."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import holoviews as hv
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from ucbpe_app import theme
from ucbpe_app.files.products import FigureRequest, draw
from ucbpe_app.notebook import picture
from ucbpe_app.pictures.chart import batches
from ucbpe_app.pictures.compared import COMPARED, over_time
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import FIELD
from ucbpe_app.pictures.looks import STYLES
from ucbpe_app.pictures.picture import Axis, Picture, Plot, Request
from ucbpe_app.pictures.plane import LARGE_PLANE
from ucbpe_app.render import printed
from ucbpe_app.render.printed import draw_plot, drawing, elements
from ucbpe_app.render.printed_labels import spread
from ucbpe_app.render.printed_marks import outline
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_core import GPUCBPE, problems, simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.pictures.looks import Style

# The columns of a mark, in the order of the dimensions of its elements.
DIMENSIONS = {
    "line": ("x", "y"),
    "contour": ("x", "y"),
    "step": ("x", "y"),
    "area": ("x", "lower", "upper"),
    "points": ("x", "y"),
    "rects": ("left", "bottom", "right", "top"),
    "vline": ("x",),
    "hline": ("y",),
    "text": ("x", "y"),
}


@pytest.fixture(scope="module")
def run() -> Replay:
    trace = simulate(problems.multimodal(), GPUCBPE(batch_size=4), batches=3, initial=3, seed=1)
    return Replay(trace)


@pytest.fixture(scope="module")
def minimised() -> Replay:
    problem = replace(problems.multimodal(), direction="minimize")
    return Replay(simulate(problem, GPUCBPE(batch_size=3), batches=2, initial=3, seed=1))


def pictured(run: Replay, event: Event, request: Request | None = None) -> Picture:
    frame = run.frame(run.events.index(event))
    return CURVE.draw(run.scene, frame, request or Request(size="print"))


EVENTS = (
    Event(1, Kind.POSTERIOR),
    Event(2, Kind.PICK, 2),
    Event(2, Kind.REGION),
    Event(2, Kind.OBSERVE),
)


def check_elements(drawn: Picture) -> None:
    """What is drawn of each plot is the columns of its marks, a casing once more below."""
    for name, plot in drawn.plots.items():
        rest = list(elements(plot, drawn.kind.plots[name]))
        given = {mark.role: mark.columns for mark in plot.marks}
        for role in drawn.kind.plots[name].roles:
            style = STYLES[role]
            cased = style.casing > 0 and style.shape != "text"
            for _ in range(1 + cased if role in given else 0):
                check_mark(style, given[role], rest)
        assert not rest


def check_mark(style: Style, columns: Mapping[str, np.ndarray], rest: list[hv.Element]) -> None:
    """The next elements have the rows of a mark; those of several looks are several elements."""
    if style.shape in ("image", "mask"):
        image = rest.pop(0)
        np.testing.assert_array_equal(image.dimension_values(2, flat=False), columns["image"][0])
        left, bottom, right, top = image.bounds.lbrt()
        wanted = [float(columns[one][0]) for one in ("x", "y", "dw", "dh")]
        assert [left, bottom, right - left, top - bottom] == pytest.approx(wanted)
        return
    if style.shape == "lines":
        for line in zip(columns["xs"], columns["ys"], strict=True):
            one = rest.pop(0)
            np.testing.assert_array_equal([one.dimension_values(i) for i in range(2)], line)
        return
    names = DIMENSIONS[style.shape]
    given = outline(columns) if style.shape == "contour" else [columns[one] for one in names]
    wanted = np.column_stack(given).astype(float)
    found = np.empty((0, len(names)))
    while len(found) < len(wanted):
        one = rest.pop(0)
        rows = [one.dimension_values(i, flat=True) for i in range(len(names))]
        found = np.concatenate([found, np.column_stack(rows).astype(float)])
    order = [np.lexsort(rows.T[::-1]) for rows in (found, wanted)]
    np.testing.assert_array_equal(found[order[0]], wanted[order[1]])


@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_elements_are_the_columns_of_the_picture(run: Replay, event: Event) -> None:
    asked = Request(layers=Layers(noisy=True), pinned=run.frame(0), pointed=7)
    check_elements(pictured(run, event, asked))


def test_maps_and_planes_have_the_columns_of_the_picture_and_their_colours() -> None:
    grid = Replay(simulate(problems.himmelblau(), GPUCBPE(3), batches=1, initial=8, seed=0))
    x = np.random.default_rng(0).uniform(-1, 1, (40, 2))
    table = problems.from_table(x, x[:, 0] + x[:, 1] ** 2)
    points = Replay(simulate(table, GPUCBPE(batch_size=3), batches=1, initial=4, seed=0))
    for run in (grid, points):
        frame = run.frame(run.events.index(Event(1, Kind.PICK, 2)))
        drawn = FIELD.draw(run.scene, frame, Request(size="print", pointed=3))
        check_elements(drawn)
        check_elements(LARGE_PLANE.draw(run.scene, frame, Request(size="print", pointed=3)))
        first = next(iter(elements(drawn.plots["map"], drawn.kind.plots["map"])))
        look = hv.Store.lookup_options("matplotlib", first, "style").kwargs
        plot = hv.Store.lookup_options("matplotlib", first, "plot").kwargs
        colors = drawn.plots["map"].colors
        assert look["cmap"] == list(theme.PALETTES[colors.palette])
        assert plot["clim"] == (colors.low, colors.high)


def test_marks_have_the_looks_of_the_table(run: Replay) -> None:
    drawn = pictured(run, Event(2, Kind.PICK, 1))
    plot = drawn.plots["function"]
    found = {
        one: hv.Store.lookup_options("matplotlib", one, "style").kwargs
        for one in elements(plot, CURVE.plots["function"])
    }
    bands = [look for one, look in found.items() if isinstance(one, hv.Area)]
    assert [(look["facecolor"], look["alpha"]) for look in bands] == [
        (STYLES[role].mark.color, STYLES[role].alpha) for role in ("band_outside", "band")
    ]
    mean = next(mark for mark in plot.marks if mark.role == "mean").columns["y"]
    (look,) = [
        look for one, look in found.items()
        if type(one) is hv.Curve and np.array_equal(one.dimension_values(1), mean)
    ]  # fmt: skip
    assert look["color"] == STYLES["mean"].mark.color
    assert look["linewidth"] == pytest.approx(printed.PT * STYLES["mean"].width)
    star, diamond = [
        look for one, look in found.items()
        if isinstance(one, hv.Scatter) and look["edgecolors"] == STYLES["picks"].mark.color
    ]  # fmt: skip
    assert to_rgba(star["facecolors"]) == to_rgba(theme.UCB_PICK.color)  # an earlier pick
    assert to_rgba(diamond["facecolors"]) == to_rgba(theme.PE_PICK.color)
    assert diamond["s"] > star["s"] * 0.7


def test_page_and_notebook_show_the_same_picture(monkeypatch) -> None:
    """Both draw one value: that of the event, at the size of print."""
    policy, shown = GPUCBPE(batch_size=2), list[Picture]()
    run = Replay(simulate(problems.multimodal(), policy, batches=1, initial=3, seed=1))
    original = printed.printed

    def keeping(pictures: list[Picture], *args: float) -> Figure:
        shown.extend(pictures)
        return original(pictures, *args)

    monkeypatch.setattr(printed, "printed", keeping)
    event = Event(1, Kind.PICK, 1)
    index = run.events.index(event)
    with drawing():
        draw("curve", FigureRequest(run, index))
    picture(run.trace, "1.pick.1")
    page, cell = shown
    assert page == cell == pictured(run, event)


@pytest.mark.parametrize(
    ("name", "event", "layers"),
    [
        ("run", Event(1, Kind.POSTERIOR), Layers()),
        ("run", Event(3, Kind.PICK, 3), Layers(noisy=True)),
        ("run", Event(3, Kind.OBSERVE), Layers()),
        ("minimised", Event(2, Kind.REGION), Layers(noisy=True)),
        ("minimised", Event(2, Kind.PICK, 0), Layers(truth=False)),
    ],
)
def test_labels_at_line_ends_keep_apart_and_nothing_is_cut(
    name: str, event: Event, layers: Layers, request: pytest.FixtureRequest
) -> None:
    run = request.getfixturevalue(name)
    with drawing():
        figure = draw("curve", FigureRequest(run, run.events.index(event), layers))
        figure.draw_without_rendering()
        boxes = {one.get_text(): one.get_window_extent() for one in figure.texts if one.get_text()}
    labels = [
        one.text for plot in pictured(run, event, Request(layers=layers)).plots.values()
        for one in plot.labels if one.place == "end"
    ]  # fmt: skip
    assert labels
    found = [box for text, box in boxes.items() if text.replace("\n", " ") in labels]
    for one, two in combinations(found, 2):
        assert not one.shrunk(0.9, 0.8).overlaps(two.shrunk(0.9, 0.8))
    for box in boxes.values():
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= figure.bbox.x1
        assert box.y1 <= figure.bbox.y1


def test_labels_at_one_place_are_spread_in_order_and_near_it() -> None:
    placed = spread([50.0, 50.0, 49.0, 90.0], [10.0] * 4, 100.0)
    assert placed[2] < placed[0] < placed[1] < placed[3] == 90.0
    assert min(np.diff(sorted(placed))) >= 10.0
    low, high = spread([-20.0, 130.0], [10.0, 10.0], 100.0)
    assert (low, high) == (5.0, 95.0)


@pytest.mark.parametrize(
    ("x", "narrow"),
    [
        (over_time(13.4), ["0", "2", "4", "6", "8", "10", "12"]),
        (batches(12), ["2", "4", "6", "8", "10", "12"]),
        (batches(12, "start"), ["start", "2", "4", "6", "8", "10", "12"]),
    ],
    ids=["time", "batches", "from a start"],
)
def test_names_of_ticks_keep_apart_in_a_narrow_chart(x: Axis, narrow: list[str]) -> None:
    """As Matplotlib lays them out, each at its place; in a wide one all are there."""
    plot, kind = Plot(x, Axis(0.0, 1.0, ()), (), ()), COMPARED.plots["compared"]
    for width, expected in ((2.6, narrow), (7.0, [name for _, name in x.ticks])):
        with drawing():
            figure = Figure((width, 2.0), layout="constrained")
            axes = figure.subplots()
            draw_plot(axes, plot, kind)
            figure.draw_without_rendering()
            labels = [one for one in axes.get_xticklabels() if one.get_text()]
            boxes = [one.get_window_extent() for one in labels]
        assert [one.get_text() for one in labels] == expected
        assert {one.get_position()[0]: one.get_text() for one in labels}.items() <= dict(
            x.ticks
        ).items()
        gaps = [two.x0 - one.x1 for one, two in pairwise(boxes)]
        assert min(gaps) > 4 * figure.dpi / 72  # points: half a number's height
