"""A page for each visitor, made once and beside the event loop.

Bokeh makes a page's document when its HTML is asked for, and once more if the websocket reaches
another process; meanwhile it answers nobody. The HTML names no more of a document than how many
roots it has, which depends on the page's kind alone: here it is kept, and a document is made where
its websocket arrives, in a thread. One thread: steps share the interpreter with one page at most.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from bokeh.settings import settings
from bokeh.util.token import generate_jwt_token, generate_session_id
from panel.io.resources import Resources
from panel.io.server import DocHandler, server_html_page_for_session
from panel.io.state import set_curdoc
from tornado.web import authenticated

from ucbpe_app.private.bokeh import initialize_by, remember_defaults
from ucbpe_app.private.panel import (
    belongs_here,
    forget_unused,
    make_parts_light,
    objects_of,
    token_payload,
)
from ucbpe_app.private.param import forget_copies, share_watchers
from ucbpe_app.private.references import refer_on_demand
from ucbpe_app.private.writes import tell_only_its_model, write_in_one_piece

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.application import Application
    from bokeh.document import Document
    from bokeh.server.session import ServerSession
    from bokeh.server.tornado import BokehTornado

_BUILDING = ThreadPoolExecutor(max_workers=1, thread_name_prefix="page")
_TOKEN = "token-of-the-visitor"
THEME_COOKIE = "ucbpe-theme"
_THEMES = ("default", "dark")


class PageHandler(DocHandler):
    """Answers with the HTML of a page, whose document its websocket will ask for."""

    kinds: frozenset[str] = frozenset()  # names of pages in an address
    shells: dict[tuple[str, str], str]

    @authenticated
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
        remembered = self.get_cookie(THEME_COOKIE, "")
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
            extra_payload=token_payload(self),
        )


def build_beside_the_loop(application: BokehTornado, kinds: frozenset[str]) -> None:
    """Have a server, not yet started, make its pages so; `kinds` are their names in an address."""
    # Bokeh looks for names like one that a model does not have, and Panel asks for such names
    # whenever a widget changes.
    settings.perform_error_diagnostics = False
    remember_defaults()
    tell_only_its_model()
    refer_on_demand()
    write_in_one_piece()
    share_watchers()
    make_parts_light()
    handler = type("_PageHandler", (PageHandler,), {"kinds": kinds, "shells": {}})
    for rule in application.wildcard_router.rules:
        if rule.target is DocHandler:
            rule.target = handler
    initialize_by(application, _initialize)


async def _initialize(application: Application, document: Document) -> None:
    await beside(_fill, application, document)
    # From here on it belongs to the loop again.
    belongs_here(document)


def _fill(application: Application, document: Document) -> None:
    application.initialize_document(document)
    objects = objects_of(document)
    forget_copies(objects)
    forget_unused(objects)


async def beside(function: Callable[..., Any], *args: Any) -> Any:
    """Call in the thread that makes pages, with this task's context."""
    run = copy_context().run
    return await asyncio.get_running_loop().run_in_executor(_BUILDING, run, function, *args)
