"""A bug of Panel 1.9: a list of messages can stay unwritten. The text below is fit to be filed.

Title: *A change stays unsent when a message ends between the start and the first turn of the task
that writes the next ones.*

While a message is being written, ``panel.io.document`` puts later ones on a list, ``_WRITE_MSGS``,
and starts a task, ``_dispatch_msgs``, that writes the list. It sets the mark ``_WRITE_BLOCK`` when
it starts that task; the task of the message before deletes the mark when it ends. If it does so
after the start of the new task and before its first turn, that one finds no mark and returns, and
the list stays as it is: the page waits for a result that is there, until something else changes.
It takes two busy cores, a click, and a computation that ends just as the answer to the click has
been written. Remedy: have ``_dispatch_msgs`` ask for the list, and not for the mark.
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
