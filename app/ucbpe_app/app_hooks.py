"""What `panel serve app` runs before it listens, so that it is protected like `ucbpe app`.

Its sessions are signed by Bokeh's own options: ``BOKEH_SIGN_SESSIONS=yes`` with a
``BOKEH_SECRET_KEY`` of `bokeh secret`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ucbpe_app.main import laboratory
from ucbpe_app.serve.gate import guard_every_server
from ucbpe_app.serve.lifecycle import decide_on_downloads, leave_out_diagnostics
from ucbpe_app.widgets.kept import COOKIE

if TYPE_CHECKING:
    from tornado.httputil import HTTPServerRequest


def process_request(request: HTTPServerRequest) -> dict[str, Any]:
    """What a session's token has of a request, in place of all headers and cookies.

    The token is in the page, and in a header of its websocket that proxies may log.
    """
    cookies = {name: cookie.value for name, cookie in request.cookies.items() if name == COOKIE}
    return {"headers": {}, "cookies": cookies}


decide_on_downloads()
leave_out_diagnostics()
# By the folder that is served: a checkout's, or the package's.
guard_every_server({"/app": laboratory, "/ucbpe_app": laboratory})
