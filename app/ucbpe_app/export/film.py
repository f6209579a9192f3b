"""A run as an animated GIF: a picture of every event, one after the other."""

from __future__ import annotations

from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from PIL import Image

from ucbpe_app import theme
from ucbpe_app.export.sheet import FigureRequest, draw
from ucbpe_app.render.printed import WIDTH, drawing
from ucbpe_app.render.printed_labels import INK
from ucbpe_app.run.events import Kind
from ucbpe_app.run.screen import Layers
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ucbpe_app.run.cache import Bounds
    from ucbpe_app.run.replay import Replay
    from ucbpe_core.support.validation import Integers

MOST_FRAMES = 200
PIXELS = 900  # across
_PACE, _PAUSE, _END = 800, 2000, 4000  # ms: an event, one that brings results, the last
_SAMPLES = 6


def film(
    name: str,
    replay: Replay,
    *,
    layers: Layers | None = None,
    bounds: Bounds | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> bytes:
    """A GIF of a run, 900 pixels wide, with the reason below the picture; it repeats endlessly.

    All frames share one palette, without dithering: what stays the same does not flicker.

    Parameters
    ----------
    name : of a picture in `sheet.offered(replay)`
    layers, bounds : what is shown
    progress : called as progress(done, total); raising in it cancels

    Raises
    ------
    InputError
        For a run of more than `MOST_FRAMES` events.
    """
    total = len(replay.events)
    if total > MOST_FRAMES:
        wanted = f"at most {MOST_FRAMES} events in a film"
        raise InputError(wanted, f"{total}", "lower the number of batches or K")

    def drawn() -> Iterator[Image.Image]:
        for done, i in enumerate(order, start=1):
            shown = FigureRequest(replay, i, layers or Layers(), bounds, reason=True)
            picture = _drawn(name, shown)
            if progress is not None:
                progress(done, total)
            yield picture

    # Those that tell the palette come first.
    first = np.unique(np.linspace(0, total - 1, _SAMPLES, dtype=int)).tolist()
    order = [*first, *(i for i in range(total) if i not in first)]
    pictures = drawn()
    samples = [next(pictures) for _ in first]
    palette = _palette(samples)
    frames = [
        picture.quantize(palette=palette, dither=Image.Dither.NONE)
        for picture in chain(samples, pictures)
    ]
    return _gif([frames[order.index(i)] for i in range(total)], _durations(replay))


def _drawn(name: str, request: FigureRequest) -> Image.Image:
    with drawing():
        figure = draw(name, request)
        # A little more than 900 pixels: Matplotlib before 3.11 cuts 899.99 to 899.
        figure.set_dpi(72 * (PIXELS + 0.01) / WIDTH)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def _palette(samples: list[Image.Image]) -> Image.Image:
    """256 colours: those of the marks exactly, and the others such that they suit all samples.

    Counted by their pixels alone, a field would leave no orange for the one star on it, and of the
    colours of its own scale only those that it has now: a colour counts as `_MOST` pixels at most.
    """
    pixels = np.concatenate([np.asarray(sample.convert("RGBX")) for sample in samples])
    colors, counts = np.unique(pixels.view(np.uint32), return_counts=True)
    counted = np.repeat(colors, np.minimum(counts, _MOST))
    together = Image.fromarray(counted.view(np.uint8).reshape(1, -1, 4)[:, :, :3].copy())
    quantized = together.quantize(_COLORS - len(_OWN), method=Image.Quantize.MEDIANCUT).getpalette()
    others = np.array(quantized, int).reshape(-1, 3)
    near = np.abs(others[:, None] - _OWN).max(axis=2).min(axis=1) < _NEAR
    palette = Image.new("P", (1, 1))
    palette.putpalette([*_OWN.ravel().tolist(), *others[~near].ravel().tolist()][: 3 * _COLORS])
    return palette


def _own() -> Integers:
    """White, black, and every colour of a mark: in four strengths, and as that of its label."""
    named = (theme.BLUE, theme.VERMILLION, theme.GREEN, theme.PURPLE, theme.ORANGE, theme.INK)
    marks = np.array([to_rgb(color) for color in named])
    strengths = [255 * (1 - strength * (1 - marks)) for strength in (1, 0.75, 0.5, 0.3)]
    plain = [[255.0] * 3, [0.0] * 3]
    return np.rint(np.concatenate([plain, *strengths, 255 * INK * marks])).astype(int)


_COLORS, _OWN = 256, _own()
_MOST = 60  # pixels: six pictures of a line of a colour scale, 10 pixels long
_NEAR = 8  # of 256: Pillow compares in steps of 4, and would take the one for the other


def _durations(replay: Replay) -> list[int]:
    """How long each event is shown."""
    times = [_PAUSE if event.kind is Kind.OBSERVE else _PACE for event in replay.events]
    return [*times[:-1], _END]


def _gif(frames: list[Image.Image], durations: list[int]) -> bytes:
    buffer = BytesIO()
    first, *others = frames
    first.save(
        buffer, format="GIF", save_all=True, append_images=others, duration=durations, loop=0,
        disposal=1,
    )  # fmt: skip
    return buffer.getvalue()
