"""The numbers of one candidate: of the one under the mouse, of one held, or of the pick itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from ucbpe_app import theme
from ucbpe_app.components.parts import script
from ucbpe_app.pictures.styles import STYLES
from ucbpe_app.private.panel import Component
from ucbpe_app.render import legends
from ucbpe_app.render.pointing import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.run.reading import ReadingRow


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
    Watch `pointed` and `held`, and call `show_candidate` with its numbers.
    """

    pointed = param.Integer(None, allow_None=True, doc="The candidate under the mouse.")
    held = param.Integer(None, allow_None=True, doc="The candidate that is held.")
    count = param.Integer(0, doc="Number of candidates.")
    column = param.Integer(10, doc="How far PageUp and PageDown go: a column of a grid.")

    # What is on screen, in one piece: the candidate, whether it is held, its labels and its rows.
    # As text: in anything else Bokeh looks for models, at every step.
    shown = param.String("{}", doc="JSON with the keys `index`, `held`, `labels` and `rows`.")
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
        return self.pointed if self.held is None else self.held

    def load(self, count: int, column: int, *, keep: bool) -> None:
        """Offer `count` candidates; with `keep` they are the same, and a held one stays held."""
        held = self.held if keep else None
        self.param.update(count=count, column=column, pointed=None, held=held)

    def release(self) -> None:
        """Release the candidate that is held."""
        self._hold(None)

    def show_candidate(
        self, index: int | None, labels: Sequence[str], rows: Sequence[ReadingRow]
    ) -> None:
        """Show the numbers of a candidate; the labels say which picks of the batch it is."""
        shown = {
            "index": index,
            "held": self.held is not None,
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
        if self.held is None:
            self.pointed = self._at(data)

    def _do_hold(self, data: Any) -> None:
        index = self._at(data)
        self._hold(None if index == self.held else index)

    def _do_choose(self, data: Any) -> None:
        index = int(data["index"])
        self._hold(min(max(index, 0), self.count - 1))

    def _do_leave(self, data: Any) -> None:
        self.pointed = None

    def _do_release(self, data: Any) -> None:
        self.release()

    def _hold(self, index: int | None) -> None:
        self.param.update(held=index, pointed=None)

    def _at(self, data: Any) -> int | None:
        place = Place(*(float(data[name]) for name in ("x", "y", "dx", "dy")))
        return self._find(str(data["picture"]), place)
