"""The transport: where we are in a run, and the keys and buttons that move there."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import panel as pn
import param

from ucbpe_app import theme
from ucbpe_app.private.panel import Component
from ucbpe_app.widgets.parts import script

# The state of what is asked, where it is asked, and the kinds of questions.
PREDICT = (
    "predict_place.js",
    "predict_draw.js",
    "predict_goal.js",
    "predict_class.js",
    "predict_stage.js",
    "predict.js",
)


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
    stops = param.List(
        default=None, item_type=int, allow_None=True,
        doc="Events to which the batch buttons lead, ascending; None: to the starts.",
    )  # fmt: skip
    stop = param.String("batch", constant=True, doc="What the batch buttons lead to.")
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
    facts = param.Dict({}, doc="Numbers of the event, see `run.facts`: a task is judged by them.")
    busy = param.Number(
        default=None, bounds=(0, 1), allow_None=True, doc="Progress of a computation, or None."
    )

    # What is asked before it is shown: see `pictures.asked`, and predict.js.
    asked = param.Dict(default={}, doc="The events that are asked, and their words; none if empty.")
    ask = param.Dict(default={}, doc="The question before the next event, if that is asked.")
    gap = param.Dict(default={}, doc="What an answer is held against, if this event was asked.")
    jump = param.Integer(default=-1, doc="An event that a click in a picture asks for, or -1.")

    # Sequence number of the last request answered. A request may leave `index` as it was, which
    # sends nothing back, so the browser could not tell "answered" from "still drawing".
    _answered = param.Integer(default=0)

    _esm = "\n".join(
        (
            f"const PREDICT_STYLE = {json.dumps(theme.variables() + script('predict.css'))}",
            script(
                "element.js",
                "stored.js",
                "numbers.js",
                "focused.js",
                "keys.js",
                "paper.js",
                "place.js",
                *PREDICT,
                "timeline.js",
            ),
        )
    )
    _stylesheets: ClassVar[list[str]] = [theme.variables(), script("range.css", "timeline.css")]

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
            self.param.update(index=index, jump=-1, _answered=int(data["request"]))
