"""Serve one page function in one or several processes, and stop all of them together."""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import panel as pn
from bokeh.server.util import create_hosts_allowlist
from bokeh.settings import settings
from panel.auth import AUTH_PROVIDERS
from panel.io.resources import LOCAL_DIST
from tornado.ioloop import PeriodicCallback
from tornado.process import task_id

from ucbpe_app.classroom.offer import rooms, sweep_classes, withdraw_classes
from ucbpe_app.classroom.routes import class_routes
from ucbpe_app.private.panel import tornado_of, write_every_change
from ucbpe_app.serve.gate import SECRET, TOKEN_SECONDS, guard
from ucbpe_app.serve.lifecycle import (
    Health,
    Lifecycle,
    ParentWatchdog,
    Ready,
    Users,
    leave_out_diagnostics,
    share_the_interpreter,
    stop_on_signal,
)
from ucbpe_app.serve.logs import log_to_stderr
from ucbpe_app.study.session import SERVERS
from ucbpe_app.widgets.kept import COOKIE

TITLE = "GP-UCB-PE laboratory"
_PROVIDERS = sorted(AUTH_PROVIDERS.keys() - {"pam"})  # which knows this machine's users, not OAuth
_SWEEP = 60_000  # ms between looks for rooms that nobody uses any more
_LOGIN = Path(__file__).with_name("login.html")  # Panel's own asks a content network for pictures


class CannotListenError(OSError):
    """The server cannot listen as asked; the message says expected, got and remedy."""


@dataclass(frozen=True)
class Access:
    """Who may use a server, and how.

    Attributes
    ----------
    origins
        ``HOST[:PORT]`` names, besides localhost, the address, this machine's name and numeric
        addresses, that browsers may come by.
    frames
        Origins, as ``https://course.example.org``, whose pages may frame the laboratory's.
    prefix
        Of every path, as ``/lab``; "" for none.
    users
        Who may sign in; None: everybody is let in.
    oauth_provider
        One of Panel's, whose key, secret and redirection it takes from its environment variables.
    """

    origins: Sequence[str] = ()
    frames: Sequence[str] = ()
    prefix: str = ""
    users: Users | None = None
    oauth_provider: str | None = None

    def check(self, port: int) -> None:
        """Raise `CannotListenError` if what is to protect the server would not."""
        try:
            create_hosts_allowlist(self.origins, port)
        except ValueError as error:
            wanted = "expected HOST or HOST:PORT after --allow-websocket-origin"
            raise CannotListenError(f"{wanted}, got: {error}") from error
        if self.oauth_provider is None:
            return
        if self.oauth_provider not in _PROVIDERS:
            raise CannotListenError(
                f"expected --oauth-provider to be one of {', '.join(_PROVIDERS)}, got "
                f"{self.oauth_provider!r}; name one of them"
            )
        needed = {"PANEL_OAUTH_KEY": pn.config.oauth_key}
        if self.oauth_provider != "auth_code":  # which proves itself without
            needed["PANEL_OAUTH_SECRET"] = pn.config.oauth_secret
        for name, value in needed.items():
            if not value:
                raise CannotListenError(
                    f"expected {name} in the environment, for {self.oauth_provider}, got none; "
                    "set what the provider has given you"
                )

    @property
    def cookie_secret(self) -> str | None:
        """What signs the cookie of who has signed in; all processes of a server share it."""
        named = os.environ.get("PANEL_COOKIE_SECRET")
        return named or (SECRET if self.users or self.oauth_provider else None)


def serve(
    page: Callable[[], Any],
    *,
    port: int,
    address: str,
    access: Access,
    num_procs: int,
    log_level: str = "warning",
    announced: Sequence[str] = (),
) -> NoReturn:
    """Serve `page`, called for each new session, until SIGINT or SIGTERM; then exit with 0.

    Parameters
    ----------
    page
        Takes nothing and returns what a session shows.
    port, address
        Where to listen.
    access
        Who may come, and by which names.
    num_procs
        With more than one, forked workers share the port and their parent waits for them.
    log_level
        The lowest that is written to standard error.
    announced
        Lines that are printed once it listens.

    Raises
    ------
    CannotListenError
        The port is taken or forbidden, the address is not this machine's, an origin is malformed,
        or nobody could sign in as asked.
    """
    access.check(port)
    if access.oauth_provider and pn.config.oauth_encryption_key:
        pn.state.encryption = _encryption(pn.config.oauth_encryption_key)  # as `panel serve` does
    os.environ[SERVERS] = str(num_procs)
    watchdog = ParentWatchdog() if num_procs > 1 else None
    share_the_interpreter()
    leave_out_diagnostics()
    log_to_stderr(log_level)
    write_every_change()
    lifecycle = Lifecycle()
    server = _listen(page, port, address, access, num_procs, lifecycle)
    application = tornado_of(server)
    if access.prefix:  # a container's own check knows the port, and not what a proxy adds
        application.add_handlers(".*", _own_routes(lifecycle))
    names = [address, socket.gethostname()]
    pages = {"/": _with_local_resources(page)}
    guard(application, names, access.frames, access.users, pages)
    loop = server.io_loop
    stop = partial(lifecycle.stop, application, loop)
    if watchdog:
        watchdog.hold(loop, stop)
    stop_on_signal(loop, stop)
    if not task_id():  # None when alone, else 0 in the first worker
        said = (f"{TITLE}: http://{address}:{port}{server.prefix}", *announced)
        loop.add_callback(print, *said, sep="\n", flush=True)
    loop.add_callback(PeriodicCallback(sweep_classes, _SWEEP).start)
    server.start()
    loop.start()
    server.stop()
    withdraw_classes()
    # A run may still be computing in a thread. Python would wait for it, but nobody reads it now.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _encryption(key: str) -> Any:
    from cryptography.fernet import Fernet

    try:
        return Fernet(key)
    except ValueError as error:
        raise CannotListenError(
            f"expected PANEL_OAUTH_ENCRYPTION to be a key of Fernet's, got another ({error}); "
            "make one with `panel oauth-secret`"
        ) from error


def _listen(
    page: Callable[[], Any],
    port: int,
    address: str,
    access: Access,
    num_procs: int,
    lifecycle: Lifecycle,
) -> Any:
    """A server that listens, not yet started."""
    try:
        # With several processes only the workers return from here: the parent stays inside, in
        # Tornado's loop that waits for them, and leaves by SystemExit when the last has ended.
        return pn.serve(
            {"/": lambda: None},  # `guard` has each document filled
            title=TITLE,
            port=port,
            address=address,
            websocket_origin=[*_own_origins(address, port), *access.origins],
            prefix=access.prefix,
            basic_auth=access.users and access.users.passwords,
            login_template=str(_LOGIN) if access.users else None,
            oauth_provider=access.oauth_provider,
            cookie_secret=access.cookie_secret,
            sign_sessions=True,
            secret_key=settings.secret_key_bytes() or SECRET.encode(),
            session_token_expiration=TOKEN_SECONDS,
            # The token is in the page: of what the browser sent, it has this alone.
            include_cookies=[COOKIE],
            include_headers=[],
            extra_patterns=[*_own_routes(lifecycle), *class_routes(rooms())],
            num_procs=num_procs,
            start=False,
            show=False,
            verbose=False,
            # A session ends so soon after its tab (`gate.Socket`), and with it its study.
            check_unused_sessions_milliseconds=1_000,
        )
    except OSError as error:
        raise CannotListenError(_explain(error, address, port)) from error


def _own_routes(lifecycle: Lifecycle) -> list[Any]:
    return [("/health", Health), ("/ready", Ready, {"lifecycle": lifecycle})]


def _with_local_resources(page: Callable[[], Any]) -> Callable[[], Any]:
    """Have every session take style sheets from this server, never from a content network.

    Panel says so when it renders a session's HTML. With several processes the websocket may reach
    another worker, which builds the session again without rendering; there the default holds, the
    content network, and the page would need a connection to the outside.
    """

    def local_page() -> Any:
        document = pn.state.curdoc
        if document is not None:
            document.template_variables.setdefault("dist_url", LOCAL_DIST)
        return page()

    return local_page


def _own_origins(address: str, port: int) -> list[str]:
    # Without these, Bokeh accepts "localhost" alone and a page at 127.0.0.1 stays blank.
    return [f"{host}:{port}" for host in dict.fromkeys(("localhost", "127.0.0.1", address))]


def _explain(error: OSError, address: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"expected a free port, got {address}:{port}, which is in use; "
            f"stop the other server, or choose another port with --port"
        )
    if error.errno == errno.EACCES:
        return f"expected a port that this user may open, got {port}; use --port 1024 or above"
    return (
        f"expected an address of this machine, got {address!r} ({error.strerror}); "
        f"use --address 127.0.0.1 (this machine only) or 0.0.0.0 (every interface)"
    )
