"""A page for each visitor, made once and beside the event loop.

Bokeh makes a page's document when its HTML is asked for, and once more if the websocket reaches
another process; meanwhile it answers nobody. The HTML names no more of a document than how many
roots it has, which depends on the page's kind alone: here it is kept, and a document is made where
its websocket arrives, in a thread. One thread: steps share the interpreter with one page at most.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from types import MethodType
from typing import TYPE_CHECKING, Any

import bokeh.core.property.bases
import bokeh.io.doc
import bokeh.server.contexts
from bokeh.core.property.bases import Property
from bokeh.core.property.validation import validate
from bokeh.document import Document
from bokeh.server.contexts import ApplicationContext, BokehSessionContext
from bokeh.server.session import ServerSession
from bokeh.util.token import generate_jwt_token, generate_session_id
from panel.io.resources import Resources
from panel.io.server import DocHandler, server_html_page_for_session
from panel.io.state import set_curdoc, state
from tornado.concurrent import Future

from ucbpe_app.server.defaults import remember_defaults

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.server.tornado import BokehTornado
    from tornado.httputil import HTTPServerRequest

_BUILDING = ThreadPoolExecutor(max_workers=1, thread_name_prefix="page")
_TOKEN = "token-of-the-visitor"
_THEMES, _THEME_COOKIE = ("default", "dark"), "ucbpe-theme"


class PageHandler(DocHandler):
    """Answers with the HTML of a page, whose document its websocket will ask for."""

    kinds: frozenset[str] = frozenset()  # names of pages in an address
    shells: dict[tuple[str, str], str]

    async def get(self, *args: Any, **kwargs: Any) -> None:
        self.set_header("Cache-Control", "no-store")
        self.set_header("Content-Type", "text/html")
        kind = self._one_of("page", self.kinds), self._theme
        if kind in self.shells:
            self.write(self.shells[kind].replace(_TOKEN, self._new_token()))
            return
        session = await self.get_session()
        self.shells[kind] = shell = self._shell(session)
        self.write(shell.replace(_TOKEN, session.token))

    @property
    def _theme(self) -> str:
        """The theme that the address asks for, or the one that the browser remembers."""
        remembered = self.get_cookie(_THEME_COOKIE, "")
        return self._one_of("theme", _THEMES) or (remembered if remembered in _THEMES else "")

    def _one_of(self, name: str, known: Any) -> str:
        """The value of a field of the address, if it is one that makes another page."""
        return next((value for value in self.get_arguments(name) if value in known), "")

    def _shell(self, session: ServerSession) -> str:
        document = session.document
        with set_curdoc(document):
            html: str = server_html_page_for_session(
                session,
                resources=Resources.from_bokeh(self.application.resources()),
                title=document.title,
                token=_TOKEN,
                template=document.template,
                template_variables=document.template_variables,
            )
        return html

    def _new_token(self) -> str:
        """Of a session that does not exist yet."""
        app = self.application
        return generate_jwt_token(
            generate_session_id(secret_key=app.secret_key, signed=app.sign_sessions),
            secret_key=app.secret_key,
            signed=app.sign_sessions,
            expiration=app.session_token_expiration,
            extra_payload=dict(self._generate_token_payload()),
        )


def build_beside_the_loop(application: BokehTornado, kinds: frozenset[str]) -> None:
    """Have a server, not yet started, make its pages so; `kinds` are their names in an address."""
    remember_defaults()
    bokeh.io.doc._PATCHED_CURDOCS = _Stack()
    validate_by_thread()
    handler = type("_PageHandler", (PageHandler,), {"kinds": kinds, "shells": {}})
    for rule in application.wildcard_router.rules:
        if rule.target is DocHandler:
            rule.target = handler
    for context in application.applications.values():
        create = MethodType(_create_session_if_needed, context)
        context.create_session_if_needed = create


async def beside(function: Callable[..., Any], *args: Any) -> Any:
    """Call in the thread that makes pages, with this task's context."""
    run = copy_context().run
    return await asyncio.get_running_loop().run_in_executor(_BUILDING, run, function, *args)


async def _create_session_if_needed(
    context: ApplicationContext,
    session_id: Any,
    request: HTTPServerRequest | None = None,
    token: str | None = None,
) -> ServerSession:
    """As Bokeh's own, but that the document is made in a thread, and an error reaches all."""
    if session_id in context._sessions:
        return context._sessions[session_id]
    if session_id in context._pending_sessions:
        return await context._pending_sessions[session_id]
    future: Future[ServerSession] = Future()
    context._pending_sessions[session_id] = future
    try:
        session = await _new_session(context, session_id, request, token)
    except BaseException as error:
        future.set_exception(error)
        future.exception()  # seen: there may be nobody else who waits
        raise
    finally:
        del context._pending_sessions[session_id]
    future.set_result(session)
    return session


async def _new_session(
    context: ApplicationContext,
    session_id: Any,
    request: HTTPServerRequest | None,
    token: str | None,
) -> ServerSession:
    document = Document()
    # Its checks only log what nobody here reads, and go through all models.
    document.validate = lambda: None
    session_context = BokehSessionContext(
        session_id, context.server_context, document, logout_url=context._logout_url
    )
    session_context._token = token
    if request is not None:
        payload = session_context.token_payload if token else {}
        # Panel's own class by now, which knows more of a request.
        session_context._request = bokeh.server.contexts._RequestProxy(
            request,
            arguments=payload.get("arguments"),
            cookies=payload.get("cookies"),
            headers=payload.get("headers"),
        )
    document._session_context = weakref.ref(session_context)
    application = context.application
    await application.on_session_created(session_context)
    await beside(application.initialize_document, document)
    # From here on it belongs to the loop again.
    state._thread_id_[document] = threading.get_ident()
    session = ServerSession(session_id, document, io_loop=context._loop, token=token)
    context._sessions[session_id] = session
    session_context._set_session(session)
    context._session_contexts[session_id] = session_context
    return session


def validate_by_thread() -> None:
    """Have Bokeh's `validate(False)` hold for the thread that it is called in.

    Bokeh sets it for all: a title set on the loop while the page thread has switched validation
    off, as it does for each class of model that it imports, would stay a str.
    """
    own = threading.local()

    def begin(block: validate, value: bool) -> None:
        block.old, own.on = getattr(own, "on", True), value

    def end(block: validate, *error: object) -> None:
        own.on = block.old

    validate.__init__, validate.__exit__ = begin, end
    # Panel's option to validate nothing sets it for all, and may.
    bokeh.core.property.bases.validation_on = lambda: (
        Property._should_validate and getattr(own, "on", True)
    )


class _Stack(threading.local):
    """The documents that Bokeh's callbacks are about, for each thread its own.

    Bokeh keeps one list of them, which a page in its thread and a step on the loop would share.
    """

    def __init__(self) -> None:
        self._documents: list[Any] = []

    def append(self, document: Any) -> None:
        self._documents.append(document)

    def pop(self) -> Any:
        return self._documents.pop()

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, i: int) -> Any:
        return self._documents[i]
