"""Changes that Panel 1.9 would keep back until the next one.

While a message is being written, Panel puts later ones on a list and starts a task that writes the
list. The task of the message before takes the mark away by which that one knows that there is a
list. If it does so between its start and its first turn, the list stays unwritten: the page waits
for a result that is there, until something else changes. It takes two busy cores, a click and a
computation that ends just as the answer to the click has been written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel.io.document

if TYPE_CHECKING:
    from bokeh.document import Document

_write_list = panel.io.document._dispatch_msgs


def write_every_change() -> None:
    """Have this process write every list of messages; to be called before it serves."""
    panel.io.document._dispatch_msgs = _write_marked


async def _write_marked(document: Document) -> None:
    """Write what is on the list of a document, whether or not its mark is still there."""
    if document in panel.io.document._WRITE_MSGS:
        panel.io.document._WRITE_BLOCK[document] = True
    await _write_list(document)
