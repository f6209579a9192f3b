"""What the app uses of Panel 1.9 that it does not document, and what mends bugs of it.

One function is replaced, by `write_every_change`, and one method overridden, of `Region`. The rest
is read, or is documented. A report for Panel's maintainers is with each.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import panel.io.document
import param
from panel.io.notifications import NotificationAreaBase

from ucbpe_app.theme import region

if TYPE_CHECKING:
    from bokeh.document import Document
    from bokeh.model import Model
    from bokeh.server.server import BaseServer
    from bokeh.server.tornado import BokehTornado


class Component(pn.custom.JSComponent):
    """A JSComponent whose script can send messages at any time, for `receive`.

    Messages that come while the page is still being drawn wait until Panel sends changes of it.
    """

    __abstract = True

    def _handle_msg(self, data: Any) -> None:
        pn.state.onload(partial(self.receive, data))

    def receive(self, data: Any) -> None:
        """Take up what the script sent; the page has been loaded."""


def forget_notifications(document: Document) -> None:
    """Release the notifications of a session that has ended.

    Title: *The notification area of a session is kept for as long as the server runs.*

    With `pn.extension(notifications=True)` each session has a notification area, which is a view of
    ``pn.state._views``. Nothing takes it from there when the session ends; the document, and so all
    models of the page, are kept with it. Remedy: have the end of a session delete its views.
    """
    views = pn.state._views
    for reference, (view, _, one, _) in list(views.items()):
        if one is document and isinstance(view, NotificationAreaBase):
            del views[reference]


_write_list = panel.io.document._dispatch_msgs


def write_every_change() -> None:
    """Have this process write every list of messages; to be called before it serves.

    Title: *A change stays unsent when a message ends between the start and the first turn of the
    task that writes the next ones.*

    While a message is being written, ``panel.io.document`` puts later ones on a list,
    ``_WRITE_MSGS``, and starts a task, ``_dispatch_msgs``, that writes the list. It sets the mark
    ``_WRITE_BLOCK`` when it starts that task; the task of the message before deletes the mark when
    it ends. If it does so after the start of the new task and before its first turn, that one finds
    no mark and returns, and the list stays as it is: the page waits for a result that is there,
    until something else changes. It takes two busy cores, a click, and a computation that ends just
    as the answer to the click has been written. Remedy: have ``_dispatch_msgs`` ask for the list,
    and not for the mark.
    """
    panel.io.document._dispatch_msgs = _write_marked


async def _write_marked(document: Document) -> None:
    """Write what is on the list of a document, whether or not its mark is still there."""
    if document in panel.io.document._WRITE_MSGS:
        panel.io.document._WRITE_BLOCK[document] = True
    await _write_list(document)


def tornado_of(server: BaseServer) -> BokehTornado:
    """The Tornado application of a server."""
    return server._tornado


def model_of(component: pn.viewable.Viewable) -> Model | None:
    """The model of a component that is on one page at most; None if it is on none."""
    found = [model for model, _ in component._models.values()]
    return found[0] if found else None


class Region(pn.Column):
    """A column that assistive technology finds by its name.

    Title: *A layout cannot be given an accessible name.*

    Bokeh's models take ``html_attributes``, as ``role`` and ``aria-label``, but no component of
    Panel has a parameter for them, and the landmarks of a page are layouts. Remedy: let every
    component take ``html_attributes``.
    """

    label = param.String("", doc="The name.")
    scrolls = param.Boolean(False, doc="Whether the Tab key reaches it, to be scrolled by keys.")

    _rename: ClassVar[dict[str, str | None]] = {"label": None, "scrolls": None}

    def _get_properties(self, doc: Document | None) -> dict[str, Any]:
        attributes = region(self.label) | ({"tabindex": "0"} if self.scrolls else {})
        return {**super()._get_properties(doc), "html_attributes": attributes}
