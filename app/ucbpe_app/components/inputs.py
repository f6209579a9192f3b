"""The inputs of the pick that an event is about, for points that no picture has axes for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.html import EMPTY, Html, joined
from ucbpe_app.markup import Markup
from ucbpe_app.pictures.marks import mark_of
from ucbpe_app.render.view import View
from ucbpe_app.run.sentences import coordinate, pick_label

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, PickMark, Scene
    from ucbpe_core.support.validation import Floats

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_DRAWN = 2  # inputs that a picture can have axes for
_TABLE = Html("<table><caption>{}</caption>{}</table>")
_ROW = Html('<tr><th scope="row">{}</th><td>{}</td><td>{}</td></tr>')
_TICK = Html('<rect x="{:.4g}%" class="{}" fill="{}"/>')
_HERE = Html('<rect x="{:.4g}%" class="here"/>')
_STRIP = Html('<svg aria-hidden="true"><rect class="range"/>{}{}</svg>')


class InputsView(View):
    """A row per input: its name, its value, and where all picks of the batch lie in its range.

    Empty for problems of one or two inputs, whose pictures have axes to read them from.
    """

    def __init__(self) -> None:
        self._panel = Markup(
            css_classes=["inputs"], stylesheets=[_CSS], margin=0, sizing_mode="stretch_width"
        )
        self._names: tuple[str, ...] = ()
        self._frame: Frame | None = None
        self._pointed: int | None = None
        self._candidates = np.empty((0, 0))
        self._low = self._span = np.empty(0)

    @property
    def panel(self) -> Markup:
        """The Panel object to lay out; the same one every time."""
        return self._panel

    def load(self, scene: Scene) -> None:
        """Take the inputs of another run, and their ranges over the candidates."""
        self._names = scene.axes[:-1] if scene.dimension > _DRAWN else ()
        self._frame, self._pointed = None, None
        self._candidates = scene.candidates
        self._low = scene.candidates.min(axis=0)
        span = np.ptp(scene.candidates, axis=0)
        self._span = np.where(span > 0, span, 1.0)

    def update(self, frame: Frame) -> None:
        """Show the pick; without one the names stay, so that nothing moves."""
        self._frame = frame
        self._panel.object = self._table(frame) if self._names else EMPTY

    def point(self, index: int | None) -> None:
        """Show a candidate in place of the pick, or the pick again."""
        self._pointed = index
        if self._frame is not None:
            self.update(self._frame)

    def _table(self, frame: Frame) -> Html:
        pick, here = frame.subject, self._pointed
        subject = None if pick is None or here is not None else pick.index
        x = self._candidates[here] if here is not None else None if pick is None else pick.x
        at = None if here is None else (self._candidates[here] - self._low) / self._span
        ticks = [(mark, (mark.x - self._low) / self._span) for mark in frame.picks]
        # The subject comes last, on top of the others.
        ticks.sort(key=lambda placed: placed[0].index == subject)
        rows = (
            _ROW.format(
                name,
                "" if x is None else coordinate(float(x[i]), float(self._span[i]), 4),
                _strip(_ticks(ticks, i, subject), at if at is None else at[i]),
            )
            for i, name in enumerate(self._names)
        )
        return _TABLE.format(_caption(pick, here), joined(rows))


def _caption(pick: PickMark | None, here: int | None) -> str:
    if here is not None:
        return f"Candidate {here}"
    if pick is None:
        return "No pick yet in this batch"
    return f"{pick_label(pick.number)} = candidate {pick.index}"


def _ticks(ticks: list[tuple[PickMark, Floats]], i: int, subject: int | None) -> Html:
    """SVG of input i of each pick; the subject's stands out."""
    return joined(
        _TICK.format(
            100 * float(at[i]),
            "lit" if pick.index == subject else "tick",
            mark_of(pick.role).color,
        )
        for pick, at in ticks
    )


def _strip(ticks: Html, here: float | None) -> Html:
    """SVG of an input's range, least to greatest, with its ticks and where a candidate is.

    The position of a tick is enough: its colour only repeats the role.
    """
    return _STRIP.format(ticks, EMPTY if here is None else _HERE.format(100 * float(here)))
