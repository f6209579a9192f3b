"""What all components of our own in the browser share: they say little, and cheaply.

A step changes values of four or five of them, and the server does that for every visitor. Panel
does each update for any component there may be, and three parts of that are nothing to these: it
counts the message among what keeps the server busy, which a page here does not show; it asks the
design for styles, though only style sheets could need them; and it looks for models among the old
and new values, which here are numbers and text. They are half of an update. Each part is left out
where it cannot matter, and Panel's own way taken where it can.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import panel as pn
import param
from panel.io.document import hold
from panel.io.state import set_curdoc

if TYPE_CHECKING:
    from bokeh.document import Document
    from bokeh.events import Event
    from bokeh.model import Model
    from pyviz_comms import Comm

_LAYOUT = frozenset(pn.custom.JSComponent.param)


class Component(pn.custom.JSComponent):
    """A JSComponent whose values are numbers, text, lists and dicts of them."""

    __abstract = True

    def set_values(self, **values: object) -> None:
        """Set parameters together: ``param.update``, but for the old values, which it gathers."""
        with param.parameterized.batch_call_watchers(self):
            for name, value in values.items():
                setattr(self, name, value)

    def _process_bokeh_event(self, doc: Document, event: Event) -> None:
        # A component can send messages while the page is still being drawn. What they change then
        # would not reach the browser: Panel drops changes until all of the page is there.
        with set_curdoc(doc):
            pn.state.onload(partial(self._process_event, event))

    def _update_properties(
        self, *events: param.parameterized.Event, doc: Document
    ) -> dict[str, Any]:
        if not _LAYOUT.isdisjoint(event.name for event in events):
            return super()._update_properties(*events, doc=doc)
        return self._process_param_change({event.name: event.new for event in events})

    def _update_model(
        self, events: dict[str, param.parameterized.Event], msg: dict[str, Any],
        root: Model, model: Model, doc: Document, comm: Comm | None,
    ) -> None:  # fmt: skip
        # While the browser's own change of a value is processed, Panel keeps it from going back.
        if not _LAYOUT.isdisjoint(events) or doc in self._in_process__events:
            super()._update_model(events, msg, root, model, doc, comm)
            return
        reference = root.ref["id"]
        self._changing[reference] = list(msg)  # by us: not to be taken for the browser's
        try:
            with hold(doc):
                model.data.update(**msg)
        finally:
            del self._changing[reference]
