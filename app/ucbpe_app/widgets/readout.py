"""The numbers of one candidate, and the inputs of a pick that no picture has axes for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import panel as pn
import param

from ucbpe_app import theme
from ucbpe_app.html import EMPTY, Html, joined, table
from ucbpe_app.pictures.looks import STYLES
from ucbpe_app.pictures.marks import mark_of
from ucbpe_app.private.panel import Component
from ucbpe_app.render import legends
from ucbpe_app.render.markup import Markup
from ucbpe_app.render.sending import Place
from ucbpe_app.render.view import View
from ucbpe_app.run.sentences import coordinate, pick_label
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.run.criterion import ReadingRow
    from ucbpe_app.run.frames import Frame, PickMark, Scene
    from ucbpe_core.support.validation import Floats


_CSS = script("inputs.css")
_DRAWN = 2  # inputs that a picture can have axes for
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
            (
                name,
                "" if x is None else coordinate(float(x[i]), float(self._span[i]), 4),
                _strip(_ticks(ticks, i, subject), at if at is None else at[i]),
            )
            for i, name in enumerate(self._names)
        )
        return table(rows, caption=_caption(pick, here))


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


# The mark of the candidate that is pointed at, as on a field.
_STYLE = STYLES["pointed"]
_SWATCH = legends.swatch(
    tuple(
        shape
        for color, more in ((theme.OVER_FIELD_CASING, _STYLE.casing), (_STYLE.mark.color, 0.0))
        for shape in legends.point(
            _STYLE.mark.marker, "none", line=color, width=_STYLE.width + more
        )
    )
)


class Readout(Component):
    """A candidate's numbers, the same wherever it is pointed at.

    The browser asks where the mouse is in a figure with the class `lab-at-<picture>`; `find` says
    which candidate that is. A click holds it, and so does its number typed in; then the mouse
    changes nothing until it is released. One request is open at a time, and the newest follows.
    Watch `pointed` and `pinned_candidate`, and call `show_candidate` with its numbers.
    """

    pointed = param.Integer(None, allow_None=True, doc="The candidate under the mouse.")
    pinned_candidate = param.Integer(None, allow_None=True, doc="The candidate that is pinned.")
    count = param.Integer(0, doc="Number of candidates.")
    column = param.Integer(10, doc="How far PageUp and PageDown go: a column of a grid.")

    # What is on screen, in one piece: the candidate, whether it is pinned, its labels and its rows.
    # As text: in anything else Bokeh looks for models, at every step.
    shown = param.String("{}", doc="JSON with the keys `index`, `pinned`, `labels` and `rows`.")
    swatch = param.String(_SWATCH, constant=True)
    _answered = param.Integer(0, doc="Number of the last question answered.")

    _esm = script("fragment.js", "readout.js")
    _stylesheets: ClassVar[list[str]] = [script("readout.css")]

    def __init__(self, find: Callable[[str, Place], int | None], **params: Any) -> None:
        """Take any parameter above."""
        layout = {"sizing_mode": "stretch_width", "margin": 0, "css_classes": ["lab-numbers"]}
        super().__init__(**{**layout, **params})
        self._find = find

    @property
    def chosen(self) -> int | None:
        """The candidate that a person chose to look at."""
        return self.pointed if self.pinned_candidate is None else self.pinned_candidate

    def load(self, count: int, column: int, *, keep: bool) -> None:
        """Offer `count` candidates; with `keep` they are the same, and a pinned one stays so."""
        pinned = self.pinned_candidate if keep else None
        self.param.update(count=count, column=column, pointed=None, pinned_candidate=pinned)

    def release(self) -> None:
        """Release the candidate that is pinned."""
        self._pin(None)

    def show_candidate(
        self, index: int | None, labels: Sequence[str], rows: Sequence[ReadingRow]
    ) -> None:
        """Show the numbers of a candidate; the labels say which picks of the batch it is."""
        shown = {
            "index": index,
            "pinned": self.pinned_candidate is not None,
            "labels": list(labels),
            "rows": [list(row) for row in rows],
        }
        self.shown = json.dumps(shown)

    def receive(self, data: Any) -> None:
        """Do what the browser asks, and say that it is done: as one message."""
        with pn.io.hold():
            try:
                getattr(self, f"_do_{data['do']}")(data)
            finally:
                self._answered = int(data["request"])

    def _do_point(self, data: Any) -> None:
        if self.pinned_candidate is None:
            self.pointed = self._at(data)

    def _do_pin(self, data: Any) -> None:
        index = self._at(data)
        self._pin(None if index == self.pinned_candidate else index)

    def _do_choose(self, data: Any) -> None:
        index = int(data["index"])
        self._pin(min(max(index, 0), self.count - 1))

    def _do_leave(self, data: Any) -> None:
        self.pointed = None

    def _do_release(self, data: Any) -> None:
        self.release()

    def _pin(self, index: int | None) -> None:
        self.param.update(pinned_candidate=index, pointed=None)

    def _at(self, data: Any) -> int | None:
        place = Place(*(float(data[name]) for name in ("x", "y", "dx", "dy")))
        return self._find(str(data["picture"]), place)
