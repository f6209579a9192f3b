"""Printed pictures: the data, colours and words of the dashboard's frames, at print size."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from ucbpe_app.files.products import FigureRequest, draw, offered, picture
from ucbpe_app.render.printed import drawing
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay

WIDTH = 17.0  # cm
INCH = 2.54  # cm


def drawn(name: str, shot: FigureRequest) -> Figure:
    with drawing():
        return draw(name, shot)


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
