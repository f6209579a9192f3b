"""What the server answers: known host names, its own routes, and sessions that it made itself.

Bokeh and Panel serve notebooks, embedding pages and other servers too. Of what that takes, this
laboratory needs two handlers and static files; the rest is closed here, in one place for
`ucbpe app` (`ucbpe_app.serve.serve`) and for `panel serve app` (`ucbpe_app.app_hooks`).
"""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from bokeh.server.tornado import BokehTornado
from bokeh.server.util import match_host
from bokeh.server.views.ico_handler import IcoHandler
from bokeh.server.views.multi_root_static_handler import MultiRootStaticHandler
from bokeh.server.views.static_handler import StaticHandler
from bokeh.settings import settings
from bokeh.util.token import generate_secret_key
from panel.io.server import DocHandler, RootHandler, WSHandler
from tornado.routing import Matcher, Rule
from tornado.web import RequestHandler, StaticFileHandler

from ucbpe_app.classroom.routes import ClassHandler
from ucbpe_app.html import Html
from ucbpe_app.serve.building import PageHandler, Pages, notice
from ucbpe_app.serve.content import MOST_BYTES, OneWay, protect, session_has_ended
from ucbpe_app.serve.lifecycle import Health, SignIn
from ucbpe_app.tasks.worker import leave

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from panel.viewable import Viewable
    from tornado.httputil import HTTPServerRequest

    from ucbpe_app.serve.lifecycle import Users

_LOG = logging.getLogger(__name__)

# Made when the module is imported, before any worker is forked: all processes of a server share it.
SECRET = generate_secret_key()
# A session's token is signed, and good for so long: between a page's HTML and its websocket there
# may be a slow network, and a class that waits its turn.
TOKEN_SECONDS = 300

# Not in it: Panel's component route, which imports the module that a path names; autoload.js, which
# gives sessions to pages of other origins; metadata; and whatever a later version adds.
_SERVED = (
    DocHandler, WSHandler, RootHandler, StaticHandler, StaticFileHandler, MultiRootStaticHandler,
    IcoHandler,
)  # fmt: skip
_OF_A_SESSION = ("bokeh-session-id", "bokeh-token")
_LOCAL = ("localhost", "127.0.0.1")
_HOST = re.compile(r"([^\s\[\]:/?#@]+)(?::(?:\d*|\*))?")
_MISSING = Html('<p>There is nothing at this address. <a href="{}">Open the laboratory</a></p>')
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")


class Socket(WSHandler):
    """A session's websocket that takes no markup from the browser, and sends at once.

    A message of Bokeh's has many parts, each written by itself. The system would hold back the
    second small one until the browser has confirmed the first (Nagle's algorithm), which a browser
    puts off for up to 40 ms: longer than a step takes.
    """

    handler: Any

    def open(self) -> Any:
        self.set_nodelay(True)
        return super().open()

    async def on_message(self, fragment: str | bytes) -> None:
        if isinstance(fragment, bytes):  # no page of ours sends any, and they would be collected
            _LOG.warning("a browser sent binary data: its connection was closed")
            self.close(1003, "expected text")
            return
        if not isinstance(self.handler, OneWay):  # Bokeh makes its own once the session is there
            self.handler = OneWay()
        await super().on_message(fragment)

    def on_close(self) -> None:
        """End what a tab's session computes with the tab, and the session soon: none is resumed."""
        left = self.connection
        session = None if left is None or session_has_ended(left) else left.session
        super().on_close()
        if session is not None and session.connection_count == 0:
            leave(session.document)
            session.request_expiration()


class _Refusal(RequestHandler):
    """The answer to a request that is not allowed."""

    def initialize(self, reason: str, status: int = 403) -> None:
        self._why, self._status = reason, status

    def prepare(self) -> None:
        self.set_status(self._status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.finish(self._why + "\n")


class _Missing(RequestHandler):
    """The answer where there is nothing: a page that leads home."""

    def initialize(self, home: str) -> None:
        self._home = home

    def prepare(self) -> None:
        self.set_status(404)
        self.finish(notice("Nothing here", _MISSING.format(self._home)))


class _Unknown(Matcher):
    """Matches requests by a name that is not this server's: a page elsewhere that had its own name
    resolve to this machine (DNS rebinding) sends that name.

    Ports are not compared: a container or a proxy may publish another, and rebinding needs a name.
    A numeric address cannot be rebound, and is how a class reaches a lecturer's machine.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {name_of(name) for name in names} | set(_LOCAL)

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        host = request.headers.get("Host", "")
        name = name_of(host)
        if _numeric(name) or any(match_host(name, pattern) for pattern in self._names):
            return None
        return {"target_kwargs": {"reason": f"{_asked(name or host)} {_REMEDY}"}}


class _Fixed(Matcher):
    """Matches requests that name a session: the sender of such a link would share the page."""

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        brought = [name for name in _OF_A_SESSION if name in request.arguments]
        if not brought and "Bokeh-Session-Id" not in request.headers:
            return None
        return {"target_kwargs": {"reason": "Sessions begin here: open the address without one."}}


class _Malformed(Matcher):
    """Matches requests for a path that no file can have, on which a file system raises errors."""

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        if not _CONTROL.search(unquote_to_bytes(request.path)):
            return None
        reason = "Expected a path without control characters."
        return {"target_kwargs": {"reason": reason, "status": 400}}


_REMEDY = (
    "Open it by a name or an IPv4 address; the server's operator can add a name with "
    "--allow-websocket-origin."
)


def guard(
    application: BokehTornado,
    names: Iterable[str] = (),
    frames: Iterable[str] = (),
    users: Users | None = None,
    pages: Mapping[str, Callable[[], Viewable]] = MappingProxyType({}),
) -> None:
    """Close a server, before it starts, to everything that the laboratory does not need.

    Parameters
    ----------
    application
        Of the server.
    names
        Names or ``HOST:PORT``, besides those of its websocket's origins, localhost and every
        numeric address, by which browsers may ask for it; ``*`` as in an origin.
    frames
        Origins of pages that may frame the laboratory's.
    users
        Who may sign in, of a server that has Panel's page to sign in.
    pages
        What a session at each of these paths shows; its own application adds nothing.
    """
    protect(application, frames)
    application.settings["websocket_max_message_size"] = MOST_BYTES
    application.settings["default_handler_class"] = _Missing
    application.settings["default_handler_args"] = {"home": f"{application.prefix}/"}
    names = [*names, *application.websocket_origins, *(settings.allowed_ws_origin() or ())]
    wildcard = application.wildcard_router
    sign_in = (application.auth_provider.login_handler, application.auth_provider.logout_handler)
    wildcard.rules = [
        rule
        for rule in wildcard.rules
        if getattr(rule.target, "as_made", rule.target) in (*_SERVED, *sign_in) or _ours(rule)
    ]
    for rule in wildcard.rules:
        if users is not None and rule.target is sign_in[0]:
            rule.target, rule.target_kwargs = SignIn, {"users": users}
        elif rule.target is DocHandler:
            context = rule.target_kwargs["application_context"]
            if context.url in pages:
                made = Pages(pages[context.url])
                context.application.add(made)
                rule.target, rule.target_kwargs = PageHandler, {**rule.target_kwargs, "pages": made}
        rule.target = Socket if rule.target is WSHandler else _with_head(rule.target)
    matchers = (_Unknown(names), _Malformed(), _Fixed())
    refusing = [Rule(matcher, _Refusal) for matcher in matchers]
    application.default_router.rules[:0] = refusing


def guard_every_server(pages: Mapping[str, Callable[[], Viewable]]) -> None:
    """Have every server of this process guarded when it starts, with these pages."""
    start = BokehTornado.start

    def guarded(application: BokehTornado) -> None:
        guard(application, [socket.gethostname()], pages=pages)
        start(application)

    BokehTornado.start = guarded


def name_of(host: str) -> str:
    """The name or address in ``HOST[:PORT]``, in small letters; empty where there is none.

    An IPv6 address is none: Bokeh's list of origins cannot hold one, and its page would stay blank.
    """
    found = _HOST.fullmatch(host.lower())
    return found[1].removesuffix(".") if found else ""


def _ours(rule: Rule) -> bool:
    return isinstance(rule.target, type) and issubclass(
        rule.target, (ClassHandler, Health, PageHandler, SignIn, Socket)
    )


def _with_head(handler: Any) -> Any:
    """A handler that also answers HEAD, as GET but without the content (RFC 9110, section 9.3.2).

    Monitors of servers ask so. Tornado leaves the content out itself.
    """
    if handler.head is not RequestHandler.head or issubclass(handler, WSHandler):
        return handler
    # A server can be guarded twice, which has to know what this was.
    return type(handler.__name__, (handler,), {"head": handler.get, "as_made": handler})


def _numeric(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _asked(name: str) -> str:
    shown = name[:80] if name.isprintable() else "?"
    return f"Expected a name of this server, got {shown!r}."
