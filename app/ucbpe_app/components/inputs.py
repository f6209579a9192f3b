"""The inputs of the pick that an event is about, for points that no picture has axes for."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.markup import Markup
from ucbpe_app.pictures.marks import mark_of
from ucbpe_app.run.sentences import coordinate, pick_label

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, PickMark, Scene
    from ucbpe_app.run.screen import Layers
    from ucbpe_core.validation import Floats

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_DRAWN = 2  # inputs that a picture can have axes for


class InputsView:
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
        self._panel.object = self._table(frame) if self._names else ""

    def point(self, index: int | None) -> None:
        """Show a candidate in place of the pick, or the pick again."""
        self._pointed = index
        if self._frame is not None:
            self.update(self._frame)

    def show(self, layers: Layers) -> None:
        """Inputs have no layers."""

    def _table(self, frame: Frame) -> str:
        pick, here = frame.subject, self._pointed
        subject = None if pick is None or here is not None else pick.index
        x = self._candidates[here] if here is not None else None if pick is None else pick.x
        at = None if here is None else (self._candidates[here] - self._low) / self._span
        ticks = [(mark, (mark.x - self._low) / self._span) for mark in frame.picks]
        # The subject comes last, on top of the others.
        ticks.sort(key=lambda placed: placed[0].index == subject)
        rows = (
            f'<tr><th scope="row">{escape(name)}</th>'
            f"<td>{'' if x is None else coordinate(float(x[i]), float(self._span[i]), 4)}</td>"
            f"<td>{_strip(_ticks(ticks, i, subject), at if at is None else at[i])}</td></tr>"
            for i, name in enumerate(self._names)
        )
        return f"<table><caption>{_caption(pick, here)}</caption>{''.join(rows)}</table>"


def _caption(pick: PickMark | None, here: int | None) -> str:
    if here is not None:
        return f"Candidate {here}"
    if pick is None:
        return "No pick yet in this batch"
    return f"{pick_label(pick.number)} = candidate {pick.index}"


def _ticks(ticks: list[tuple[PickMark, Floats]], i: int, subject: int | None) -> str:
    """SVG of input i of each pick; the subject's stands out."""
    return "".join(
        f'<rect x="{100 * float(at[i]):.4g}%" class="{"lit" if pick.index == subject else "tick"}" '
        f'fill="{mark_of(pick.role).color}"/>'
        for pick, at in ticks
    )


def _strip(ticks: str, here: float | None) -> str:
    """SVG of an input's range, least to greatest, with its ticks and where a candidate is.

    The position of a tick is enough: its colour only repeats the role.
    """
    mark = "" if here is None else f'<rect x="{100 * float(here):.4g}%" class="here"/>'
    return f'<svg aria-hidden="true"><rect class="range"/>{ticks}{mark}</svg>'
