"""Printed pictures: the data, colours and words of the dashboard's frames, at print size."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.lines import Line2D

from ucbpe_app import theme
from ucbpe_app.export.sheet import FigureRequest, draw, offered, picture
from ucbpe_app.render.printed import drawing
from ucbpe_app.run.cache import Bounds
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers

WIDTH = 17.0  # cm
INCH = 2.54  # cm


def drawn(name: str, shot: FigureRequest) -> Figure:
    with drawing():
        return draw(name, shot)


def lines(figure: Figure, color: str) -> list[Line2D]:
    """Lines of all axes with this colour."""
    found = [line for axes in figure.axes for line in axes.get_lines()]
    return [line for line in found if to_rgba(line.get_color()) == to_rgba(color)]


def marks(axes: Axes, color: str) -> list[PathCollection]:
    """Markers whose outline has this colour, groups that look alike together."""
    groups = [one for one in axes.collections if isinstance(one, PathCollection)]
    return [one for one in groups if to_hex(one.get_edgecolor()[0]) == color.lower()]


def places(groups: list[PathCollection]) -> list[tuple[float, float]]:
    return [tuple(map(float, place)) for group in groups for place in group.get_offsets()]


def index_of(replay: Replay, event: Event) -> int:
    return replay.events.index(event)


def texts(svg: bytes) -> str:
    """All words of an SVG that are text."""
    root = ET.fromstring(svg)
    return " ".join(
        "".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")
    )


def test_each_run_is_offered_the_pictures_that_can_show_it(curve, field, scattered, many) -> None:
    assert offered(curve) == ("curve", "plane", "covariance", "regret")
    assert offered(field) == offered(scattered) == ("field", "plane", "regret")
    assert offered(many) == ("plane", "slices", "regret")


@pytest.mark.slow
def test_every_picture_of_every_event_is_drawn(any_run: Replay) -> None:
    kinds = {event.kind: i for i, event in enumerate(any_run.events)}  # the last of each
    assert set(kinds) == set(Kind)
    for name in offered(any_run):
        for index in kinds.values():
            figure = drawn(name, FigureRequest(any_run, index))
            assert figure.axes
            said = [text.get_text() for text in figure.texts]
            assert any(text.startswith(any_run.scene.name) for text in said)


@pytest.mark.parametrize(
    "name", ["curve", *(pytest.param(one, marks=pytest.mark.slow) for one in ("plane", "regret"))]
)
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
    file = picture("curve", shot, "svg")
    said = texts(file)
    for words in (
        "Multimodal curve: GP-UCB-PE", "Batch 2 of 3, PE pick 2 of 2", "true f", "x⁰", "x¹",
        f"band: ± {shot.frame.sqrt_beta:.3g} std", "dashed: x⁰, x¹ taken", "std", "R⁺", "x² = ",
        "lengthscale 0.65", f"run\u00a0{curve.trace.digest[:8]}",
    ):  # fmt: skip
        assert words in said, words
    assert b"font-family: 'DejaVu Sans', Verdana, sans-serif" in file.replace(b"&apos;", b"'")
    assert shot.words("curve").encode() in file


def test_hiding_the_truth_leaves_two_small_maps(field: Replay) -> None:
    for layers, count in ((Layers(), 4), (Layers(truth=False), 3)):
        figure = drawn("field", FigureRequest(field, 0, layers))
        assert len([axes for axes in figure.axes if axes.images]) == count
        assert ("true f" in [text.get_text() for text in figure.texts]) == layers.truth


def test_the_plane_has_every_dot_and_its_lines_have_their_slopes(field: Replay) -> None:
    shot = FigureRequest(field, index_of(field, Event(2, Kind.REGION)))
    (axes,), frame = drawn("plane", shot).axes, shot.frame
    outside, inside = [one for one in axes.collections if isinstance(one, PathCollection)][:2]
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    seen = (left <= frame.std) & (frame.std <= right) & (bottom <= frame.mean) & (frame.mean <= top)
    everyone = np.column_stack([frame.std, frame.mean])
    np.testing.assert_array_equal(outside.get_offsets(), everyone[seen & ~frame.region_plus])
    np.testing.assert_array_equal(inside.get_offsets(), everyone[seen & frame.region_plus])
    assert to_hex(inside.get_facecolor()[0]) == theme.ORANGE.lower()
    assert outside.get_facecolor()[0][3] < inside.get_facecolor()[0][3]
    slopes = {}
    for line in axes.get_lines():
        if len(line.get_xdata()) == 2 and line.get_marker() == "None":
            run, rise = np.ptp(line.get_xdata()), np.diff(line.get_ydata())[0]
            slopes[line.get_color()] = rise / run if run else np.inf
    assert slopes[theme.GREEN] == pytest.approx(frame.sqrt_beta)
    assert slopes[theme.ORANGE] == pytest.approx(-2 * np.sqrt(frame.beta_next))


def test_regret_is_that_of_the_batches_measured_with_bounds_where_they_are_shown(
    curve: Replay,
) -> None:
    last = len(curve.events) - 1
    bounds = Bounds(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    shot = FigureRequest(curve, last, Layers(log=True, bounds=True), bounds)
    cumulative = drawn("regret", shot).axes[1]
    data = [tuple(line.get_ydata()) for line in cumulative.get_lines()]
    for values in ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], curve.trace.batch_cumulative_regret):
        assert tuple(np.log10(values)) in data
    assert "10" in [label.get_text() for label in cumulative.get_yticklabels()]
    early = drawn("regret", FigureRequest(curve, index_of(curve, Event(2, Kind.OBSERVE))))
    shown = [tuple(line.get_ydata()) for line in early.axes[0].get_lines()]
    assert tuple(curve.trace.simple_regret[:2]) in shown
    assert tuple(curve.trace.simple_regret) not in shown


@pytest.mark.slow
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
    index = index_of(scattered, Event(1, Kind.PICK, 2))
    assert "gain $" in texts(picture("field", FigureRequest(scattered, index), "svg", 72))
