"""What counts as an exception in the server's log."""

from __future__ import annotations

from tests.browser.conftest import exceptions

_LEFT = """\
WARNING:bokeh.server.views.ws:Failed sending message as connection was closed
Uncaught exception GET /ws?preset=start (127.0.0.1)
Traceback (most recent call last):
  File "tornado/websocket.py", line 605, in on_connection_close
    self.on_close()
  File "bokeh/server/views/ws.py", line 310, in on_close
    self.connection.session.notify_connection_lost()
    ^^^^^^^^^^^^^^^^^^^^^^^
  File "bokeh/server/connection.py", line 65, in session
    assert self._session is not None
AssertionError
"""
_CLOSED = """\
Traceback (most recent call last):
  File "tornado/websocket.py", line 1, in write
    raise WebSocketClosedError()
tornado.websocket.WebSocketClosedError
"""
_OURS = """\
Traceback (most recent call last):
  File "app/ucbpe_app/pages/session.py", line 1, in step
    assert frame
AssertionError: no frame
ERROR: something else
Traceback (most recent call last):
  File "app/ucbpe_app/pages/session.py", line 2, in step
    raise InputError
ucbpe_core.errors.InputError: expected a number
"""


def test_a_browser_that_left_is_no_exception() -> None:
    assert exceptions(_LEFT + _CLOSED) == []


def test_any_other_exception_is_one() -> None:
    assert exceptions(_LEFT + _OURS + _CLOSED) == [
        "AssertionError: no frame",
        "ucbpe_core.errors.InputError: expected a number",
    ]
