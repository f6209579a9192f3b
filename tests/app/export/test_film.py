"""A film has a frame for each event, in colours that do not flicker."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from ucbpe_app import theme
from ucbpe_app.export import film as film_module
from ucbpe_app.export.film import film
from ucbpe_app.render.printed_labels import INK
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.errors import InputError

PACE, PAUSE, END = 800, 2000, 4000  # ms


@pytest.fixture(scope="module")
def short() -> Replay:
    """2 batches of 1: of a film each event takes a second of Matplotlib's."""
    trace = simulate(problems.multimodal(), GPUCBPE(batch_size=1), batches=2, initial=3, seed=1)
    return Replay(trace)


@pytest.fixture(scope="module")
def frames(short: Replay) -> list[Image.Image]:
    gif = Image.open(io.BytesIO(film("curve", short)))
    assert (gif.format, gif.info["loop"], gif.size[0]) == ("GIF", 0, 900)
    found = []
    for i in range(gif.n_frames):
        gif.seek(i)
        found.append(gif.convert("RGB"))
        found[-1].info["duration"] = gif.info["duration"]
    return found


def test_a_frame_for_each_event_results_longer_and_the_end_longest(frames, short) -> None:
    assert len(frames) == len(short.events)
    for frame, event in zip(frames[:-1], short.events[:-1], strict=True):
        expected = PAUSE if event.kind is Kind.OBSERVE else PACE
        assert frame.info["duration"] == expected
    assert frames[-1].info["duration"] == END


def test_what_stays_the_same_keeps_its_colour(frames: list[Image.Image]) -> None:
    title = [np.asarray(frame)[:60] for frame in frames]
    for one in title[1:]:
        # The first line is the same, the second names the event.
        np.testing.assert_array_equal(one[:40], title[0][:40])
    assert np.asarray(frames[0])[-1, -1].tolist() == [255, 255, 255]


def test_colours_of_marks_are_exact(frames: list[Image.Image], short: Replay) -> None:
    first_pick = short.events.index(Event(1, Kind.PICK, 0))
    pixels = {tuple(color) for _, color in frames[first_pick].getcolors(2**24)}
    for color in (theme.BLUE, theme.VERMILLION, theme.INK):
        assert tuple(round(255 * part) for part in to_rgb(color)) in pixels
    label = tuple(round(255 * INK * part) for part in to_rgb(theme.VERMILLION))
    assert label in pixels


def test_a_map_has_the_whole_of_its_colour_scale() -> None:
    """Also the bright end, which no pixel of the map has once something is known everywhere."""
    problem = problems.himmelblau(resolution=21)
    trace = simulate(problem, GPUCBPE(batch_size=1), batches=1, initial=12, seed=1)
    gif = Image.open(io.BytesIO(film("field", Replay(trace))))
    gif.seek(gif.n_frames - 1)
    columns = np.asarray(gif.convert("RGB")).transpose(1, 0, 2)
    most = max(len(np.unique(column, axis=0)) for column in columns[590:640])
    assert most > 50


def test_progress_is_told_and_a_run_too_long_is_refused(short, monkeypatch) -> None:
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        film("regret", short, progress=progress)
    assert [done for done, _ in told] == [1, 2, 3]
    assert told[0][1] == len(short.events)  # each is drawn once
    monkeypatch.setattr(film_module, "MOST_FRAMES", len(short.events) - 1)
    with pytest.raises(InputError, match="lower the number of batches or K"):
        film("curve", short)
