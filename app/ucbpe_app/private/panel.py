"""What the app uses of Panel 1.9 that it does not document."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import panel.io.document
import param
from panel.io.document import hold
from panel.io.notifications import NotificationAreaBase
from panel.io.state import set_curdoc
from panel.pane.base import PaneBase
from panel.reactive import Syncable
from panel_material_ui import Typography
from panel_material_ui.base import MaterialComponent
from panel_material_ui.widgets.base import MaterialWidget

from ucbpe_app.private.param import UNUSED, name_of
from ucbpe_app.theme import region

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bokeh.document import Document
    from bokeh.events import Event
    from bokeh.model import Model
    from panel.io.server import DocHandler
    from pyviz_comms import Comm

# JavaScript with one function each, ``setUpReact`` and ``setUpCanvases``, which a page calls once.
SET_UP_REACT, SET_UP_CANVASES = (
    Path(__file__).with_name(name).read_text(encoding="utf-8")
    for name in ("react.js", "canvases.js")
)
_LAYOUT = frozenset(pn.custom.JSComponent.param)
# What a browser changes of a widget. Its looks the server alone sets.
CHANGED_BY_BROWSERS = frozenset({"dropdown_open", "filter_str", "value", "value_input"})

_NO_ROW = pn.Row()


class Component(pn.custom.JSComponent):
    """A JSComponent whose values are numbers, text, lists and dicts of them.

    A step changes values of four or five of them, and the server does that for every visitor. Panel
    does each update for any component there may be, and three parts of that are nothing to these:
    it counts the message among what keeps the server busy, which a page here does not show; it asks
    the design for styles, though only style sheets could need them; and it looks for models among
    the old and new values, which here are numbers and text. They are half of an update. Each part
    is left out where it cannot matter, and Panel's own way taken where it can.
    """

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
            # Where changes are held already, Panel would look through all of them once more.
            with nullcontext() if doc.callbacks.hold_value else hold(doc):
                model.data.update(**msg)
        finally:
            del self._changing[reference]


def make_parts_light() -> None:
    """Have Panel keep less of each part of a page: a seventh of what a page takes.

    Of its model, it follows only what the browser may change, and not some 25 properties, each with
    a function of its own. Its JavaScript, and where that finds more, is one for each class.
    """
    for one in (MaterialWidget, Typography, pn.Column):
        one._link_props = _link_props
    for one, method in (
        (MaterialComponent, MaterialComponent._process_importmap),
        (Component, Component._render_esm),
    ):
        find: Any = cache(method.__func__)
        setattr(one, method.__name__, classmethod(find))


def _link_props(
    view: Syncable, model: Model, properties: Sequence[str], *where: Any, **more: Any
) -> None:
    changed = [name for name in properties if name in CHANGED_BY_BROWSERS]
    Syncable._link_props(view, model, changed, *where, **more)


def belongs_here(document: Document) -> None:
    """Have Panel take the present thread for the one in which a document is changed."""
    pn.state._thread_id_[document] = threading.get_ident()


def objects_of(document: Document) -> list[pn.viewable.Viewable]:
    """All that a document shows, down to the parts of its pages."""
    views = [view for view, _, one, _ in pn.state._views.values() if one is document]
    return [part for view in views for part in view.select()]


def forget_unused(objects: Iterable[pn.viewable.Viewable]) -> None:
    """Release what no page uses of its parts: functions, and the row that each pane is in alone.

    A page lays out the panes, and none of these rows.
    """
    for one in objects:
        followers = one._internal_callbacks
        followers[:] = [each for each in followers if name_of(each.fn) not in UNUSED]
        if isinstance(one, PaneBase):
            one.layout = _NO_ROW


def forget_notifications(document: Document) -> None:
    """Release the notifications of a session that has ended, which Panel keeps alive."""
    views = pn.state._views
    for reference, (view, _, one, _) in list(views.items()):
        if one is document and isinstance(view, NotificationAreaBase):
            del views[reference]


def model_of(component: pn.viewable.Viewable) -> Model | None:
    """The model of a component that is on one page at most; None if it is on none."""
    found = [model for model, _ in component._models.values()]
    return found[0] if found else None


def answer_at_once(component: Component) -> None:
    """Have a component's changes taken up when they arrive.

    Panel waits 50 ms for more of them. Those of a slider that is dragged are drawn one by one, and
    the wait would be half of the time until then.
    """
    component._debounce = 0


def token_payload(handler: DocHandler) -> dict[str, Any]:
    """What a session's token says of the request for its page."""
    return dict(handler._generate_token_payload())


def is_loaded() -> bool:
    """Whether the notebook has Panel's scripts; to load them again would add 3 MB to it."""
    return bool(pn.extension._loaded)


class Region(pn.Column):
    """A column that assistive technology finds by its name."""

    label = param.String("", doc="The name.")

    _rename: ClassVar[dict[str, str | None]] = {"label": None}

    def _get_properties(self, doc: Document | None) -> dict[str, Any]:
        return {**super()._get_properties(doc), "html_attributes": region(self.label)}


class NotebookViewer(pn.viewable.Viewer):
    """A Viewer whose HTML in a notebook can be added to.

    Attributes
    ----------
    connects : whether a page can reach the kernel; if not, the HTML is what `html_around` adds
    """

    connects = True

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        if not self.connects:
            return {"text/html": self.html_around("")}, {}
        bundle = super()._repr_mimebundle_(include, exclude)
        if not isinstance(bundle, tuple):
            return bundle
        data, metadata = bundle
        return {**data, "text/html": self.html_around(data.get("text/html", ""))}, metadata

    def html_around(self, html: str) -> str:
        """The HTML of a cell, around the viewer's own, which is empty where that is a widget."""
        return html
