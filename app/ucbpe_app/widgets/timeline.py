"""The transport: where we are in a run, and the keys and buttons that move there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import panel as pn
import param

from ucbpe_app import theme
from ucbpe_app.private.panel import Component


class Timeline(Component):
    """A player's transport over the events of a run.

    Set ``index``, ``total``, ``starts``, ``items`` and ``status`` together, by ``take``; watch
    ``index`` to draw. The browser moves at once and asks for the newest position only after the
    previous one was answered, so a held key never piles up frames.
    """

    index = param.Integer(default=0, bounds=(0, None), doc="Current event, counted from 0.")
    total = param.Integer(default=1, bounds=(1, None), doc="Number of events of the run.")
    starts = param.List(
        default=[0],
        item_type=int,
        doc="Event where each batch starts, ascending: batch buttons and labels follow from it.",
    )
    phases = param.List(
        default=[0],
        item_type=int,
        doc="Event where each phase of the policy starts, ascending; one for a run without phases.",
    )
    word = param.String(default="Batch", doc="What starts there.")
    items = param.List(
        default=[],
        item_type=dict,
        doc="Events of the current batch: dicts with `label`, `index`, `look` and, where the "
        "address follows the screen, `event`, as links write it.",
    )
    onwards = param.Integer(
        default=-1, doc="Event from which Next leads on to the next lesson, or -1."
    )
    status = param.String(default="", doc="Where we are and what happened, read out on change.")
    busy = param.Number(
        default=None, bounds=(0, 1), allow_None=True, doc="Progress of a computation, or None."
    )

    # Sequence number of the last request answered. A request may leave `index` as it was, which
    # sends nothing back, so the browser could not tell "answered" from "still drawing".
    _answered = param.Integer(default=0)

    _esm = "\n".join(
        Path(__file__).with_name(name).read_text(encoding="utf-8")
        for name in ("focused.js", "keys.js", "paper.js", "place.js", "timeline.js")
    )
    _stylesheets: ClassVar[list[str]] = [
        theme.variables(),
        *(
            Path(__file__).with_name(name).read_text(encoding="utf-8")
            for name in ("range.css", "timeline.css")
        ),
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter above; as wide as its container unless set otherwise."""
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})

    @property
    def batch(self) -> int:
        """Number of the current batch, counted from 1; 0 before the first one starts."""
        return sum(start <= self.index for start in self.starts)

    def receive(self, data: Any) -> None:
        """Move to the event the browser asks for, and say that it was answered.

        One hold sends the whole step as one message. The component's own watchers come first, so
        that the answer is sent even when drawing fails; else the browser would wait for it.
        """
        index = min(max(int(data["index"]), 0), self.total - 1)
        with pn.io.hold():
            self.param.update(index=index, _answered=int(data["request"]))
