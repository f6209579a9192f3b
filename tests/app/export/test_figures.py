"""Printed pictures: the data, colours and words of the dashboard's figures, at print size."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import matplotlib as mpl
import numpy as np
import pytest
from bokeh.plotting import figure as bokeh_figure
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.lines import Line2D

from ucbpe_app import theme
from ucbpe_app.export.printing import PICTURES, FigureRequest, glyphs, legend, offered, picture
from ucbpe_app.export.printing.style import drawing
from ucbpe_app.figures.curve import LineView
from ucbpe_app.markup import Markup
from ucbpe_app.run.cache import Bounds
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers

WIDTH = 17.0  # cm
INCH = 2.54  # cm


def drawn(name: str, shot: FigureRequest) -> Figure:
    view = PICTURES[name].prepared(shot)
    view.update(shot.frame)
    with drawing():
        return PICTURES[name].draw(view, shot).figure


def lines(figure: Figure, **look: object) -> list[Line2D]:
    """Lines of all axes with this colour, dash or marker."""
    found = [line for axes in figure.axes for line in axes.get_lines()]
    for name, value in look.items():
        found = [line for line in found if getattr(line, f"get_{name}")() == value]
    return found


def index_of(replay: Replay, event: Event) -> int:
    return replay.events.index(event)


def texts(svg: bytes) -> str:
    """All words of an SVG that are text."""
    root = ET.fromstring(svg)
    return " ".join(
        "".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")
    )


def test_each_run_is_offered_the_pictures_that_can_show_it(curve, field, scattered, many) -> None:
    assert offered(curve) == ("curve", "plane", "regret")
    assert offered(field) == offered(scattered) == ("field", "plane", "regret")
    assert offered(many) == ("plane", "regret")


@pytest.mark.slow
def test_every_picture_of_every_event_is_drawn(any_run: Replay) -> None:
    kinds = {event.kind: i for i, event in enumerate(any_run.events)}  # the last of each
    assert set(kinds) == set(Kind)
    for name in offered(any_run):
        for index in kinds.values():
            figure = drawn(name, FigureRequest(any_run, index))
            assert figure.axes
            assert figure.texts[0].get_text().startswith(any_run.scene.name)


@pytest.mark.parametrize("name", ["curve", "plane", "regret"])
def test_files_are_17_cm_wide_and_the_same_twice(curve: Replay, name: str) -> None:
    shot = FigureRequest(curve, 5)
    png, svg = picture(name, shot, "png"), picture(name, shot, "svg")
    assert imread(io.BytesIO(png)).shape[1] == pytest.approx(WIDTH / INCH * 300, abs=1)
    width = float(re.search(rb'<svg [^>]*width="([\d.]+)pt"', svg)[1])
    assert width == pytest.approx(WIDTH / INCH * 72, abs=0.1)
    assert picture(name, shot, "png") == png
    assert picture(name, shot, "svg") == svg


def test_text_of_an_svg_is_text(curve: Replay) -> None:
    shot = FigureRequest(curve, index_of(curve, Event(2, Kind.PICK, 2)))
    said = texts(picture("curve", shot, "svg"))
    beta = shot.frame.beta
    for words in (
        "Multimodal curve: GP-UCB-PE", "Batch 2 of 3, PE pick 2 of 2", "truth", "UCB pick",
        f"± {shot.frame.sqrt_beta:.3g} std (β = {beta:.3g})", "std σ", "R⁺", "x²",
        "lengthscale 0.65", f"run\u00a0{curve.trace.digest[:8]}",
    ):  # fmt: skip
        assert words in said, words
    assert re.search(r"font-family: 'DejaVu Sans', Verdana, sans-serif", str(
        picture("curve", shot, "svg")
    ).replace("\\'", "'"))  # fmt: skip


def test_a_curve_has_the_data_of_the_view_in_its_colours_and_dashes(curve: Replay) -> None:
    shot = FigureRequest(curve, index_of(curve, Event(2, Kind.PICK, 1)), Layers(noisy=True))
    figure, frame = drawn("curve", shot), shot.frame
    mean = [one for one in lines(figure, color=to_rgba(theme.BLUE)) if len(one.get_xdata()) > 100]
    assert any(np.array_equal(one.get_ydata(), frame.mean) for one in mean)
    half = frame.sqrt_beta * frame.std_now
    updated = [one for one in mean if one.is_dashed()]
    edges = [one.get_ydata() for one in updated]
    assert any(np.array_equal(edge, frame.mean - half) for edge in edges)
    assert any(np.array_equal(edge, frame.mean + half) for edge in edges)
    (truth,) = [one for one in lines(figure, color=to_rgba(theme.INK)) if
                np.array_equal(one.get_ydata(), curve.scene.truth)]  # fmt: skip
    assert truth.is_dashed()
    stars = lines(figure, marker="*")
    assert [float(one.get_xdata()[0]) for one in stars] == [float(frame.picks[0].x[0])] * 2
    assert {one.get_markeredgecolor() for one in stars} == {to_rgba(theme.VERMILLION)}


def test_a_field_has_the_picture_of_the_view_and_its_outline(field: Replay) -> None:
    shot = FigureRequest(field, index_of(field, Event(2, Kind.PICK, 1)))
    figure, frame = drawn("field", shot), shot.frame
    images = [axes.images[0].get_array() for axes in figure.axes if axes.images]
    assert len(images) == 4
    nx, ny = field.scene.grid
    upper = frame.mean + frame.sqrt_beta * frame.std_now
    expected = (field.scene.truth, frame.mean, frame.std_now, upper)
    for image, values in zip(images, expected, strict=True):
        np.testing.assert_array_equal(image, values.reshape(nx, ny).T.astype(np.float32))
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert next(filter(None, titles)) == "Truth f"
    # R+ where it is: the outline separates the candidates by their margin.
    assert lines(figure, color=to_rgba(theme.OVER_FIELD))


def test_hiding_the_truth_leaves_three_squares(field: Replay) -> None:
    figure = drawn("field", FigureRequest(field, 0, Layers(truth=False)))
    titles = [axes.get_title(loc="left") for axes in figure.axes if axes.images]
    assert len(titles) == 3
    assert "Truth f" not in titles


def test_off_a_grid_every_candidate_is_a_dot_with_its_colour(scattered: Replay) -> None:
    shot = FigureRequest(scattered, 0)
    figure, frame = drawn("field", shot), shot.frame
    mean = next(axes for axes in figure.axes if axes.get_title(loc="left").startswith("Mean"))
    dots = [line for line in mean.get_lines() if line.get_marker() == "o"]
    assert sum(len(line.get_xdata()) for line in dots) >= len(scattered.scene.candidates)
    low, high = scattered.scene.means
    step = int((frame.mean[0] - low) / (high - low) * 256)
    at = scattered.scene.candidates[0]
    (dot,) = [one for one in dots if (one.get_xdata()[0], one.get_ydata()[0]) == tuple(at)]
    assert to_hex(dot.get_markerfacecolor()) == theme.FIELD[min(step, 255)].lower()
    assert figure.axes[0].get_title(loc="left") == r"Truth gain \$"


def test_the_plane_has_every_dot_and_its_lines_have_their_slopes(field: Replay) -> None:
    shot = FigureRequest(field, index_of(field, Event(2, Kind.REGION)))
    (axes,), frame = drawn("plane", shot).axes, shot.frame
    dots = [line for line in axes.get_lines() if line.get_marker() == "o"]
    points = np.concatenate([line.get_xydata() for line in dots])
    everyone = np.column_stack([frame.std, frame.mean])
    assert len(points) == len(everyone)
    np.testing.assert_allclose(np.sort(points, axis=0), np.sort(everyone, axis=0))
    slopes = {}
    for line in axes.get_lines():
        if len(line.get_xdata()) == 2 and line.get_marker() == "None":
            run, rise = np.ptp(line.get_xdata()), np.diff(line.get_ydata())[0]
            slopes[line.get_color()] = rise / run if run else np.inf
    assert slopes[theme.GREEN] == pytest.approx(frame.sqrt_beta)
    assert slopes[theme.VERMILLION] == pytest.approx(-frame.sqrt_beta)
    assert slopes[theme.ORANGE] == pytest.approx(-2 * np.sqrt(frame.beta_next))


def test_regret_is_strong_where_it_is_measured_and_logarithmic_on_request(curve: Replay) -> None:
    last = len(curve.events) - 1
    bounds = Bounds(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    shot = FigureRequest(curve, last, Layers(log=True, bounds=True), bounds)
    figure = drawn("regret", shot)
    cumulative = figure.axes[1]
    data = [tuple(line.get_ydata()) for line in cumulative.get_lines()]
    for values in ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], curve.trace.batch_cumulative_regret):
        assert tuple(np.log10(values)) in data
    at_2 = [tick for tick in cumulative.get_yticks() if tick == pytest.approx(np.log10(2))]
    assert len(at_2) == 1
    assert "2" in [label.get_text() for label in cumulative.get_yticklabels()]
    linear = drawn("regret", FigureRequest(curve, 0))
    simple = [tuple(line.get_ydata()) for line in linear.axes[0].get_lines()]
    assert tuple(curve.trace.simple_regret) in simple
    faint = [line for line in linear.axes[0].get_lines() if to_rgba(line.get_color())[3] < 1]
    assert any(len(line.get_xdata()) == 3 for line in faint)


def test_legends_have_the_entries_that_the_view_shows(curve: Replay) -> None:
    view, frame = LineView(), curve.frame(index_of(curve, Event(1, Kind.FIT)))
    view.load(curve.scene)
    view.update(frame)
    shown, _ = (legend.read(pane.object) for pane in view.panel.select(Markup))
    labels = [entry.label for entry in shown.entries]
    assert "mean" in labels
    assert "PE pick" not in labels  # it keeps its room on screen, unseen
    mean = shown.entries[labels.index("mean")]
    assert [tag for tag, _ in mean.shapes] == ["path"]
    assert mean.shapes[0][1]["stroke"] == theme.BLUE


def test_symbols_of_a_heading_become_formulas() -> None:
    html = (
        '<h3>Title</h3><ul><li><svg><circle r="4"/></svg><span>best <i>R</i>'
        '<span class="scripts"><span>K</span><span>T</span></span></span></li>'
        '<li aria-hidden="true"><svg></svg>later</li><li><span>all <i>R</i>'
        '<span class="scripts low"><span>TK</span></span></span></li></ul><p>a &amp; b</p>'
    )
    words = legend.read(html)
    assert words.heading == "Title"
    assert [entry.label for entry in words.entries] == ["best $R^{K}_{T}$", "all $R_{TK}$"]
    assert words.entries[0].shapes == [("circle", {"r": "4"})]
    assert words.note == "a & b"


def test_a_glyph_that_no_view_uses_is_refused_and_not_left_out() -> None:
    plot = bokeh_figure()
    renderer = plot.wedge([0], [0], 1, 0, 1)
    with drawing(), pytest.raises(TypeError, match="cannot show a Wedge"):
        glyphs.draw(Figure().add_subplot(), renderer, 1)


def test_settings_of_matplotlib_are_as_before(curve: Replay) -> None:
    before = dict(mpl.rcParams)
    picture("regret", FigureRequest(curve, 0), "svg")
    assert dict(mpl.rcParams) == before


def test_threads_draw_the_same_pictures(curve: Replay, field: Replay) -> None:
    jobs = [
        ("curve", FigureRequest(curve, 4)),
        ("regret", FigureRequest(field, 3)),
        ("plane", FigureRequest(curve, 7)),
    ] * 2
    alone = [picture(*job, "svg", 72) for job in jobs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda job: picture(*job, "svg", 72), jobs))
    assert together == alone


def test_dollar_signs_of_names_are_no_formula(scattered: Replay) -> None:
    for name in ("field", "plane"):
        assert "gain $" in texts(picture(name, FigureRequest(scattered, 2), "svg", 72))
