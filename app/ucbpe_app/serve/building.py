"""Pages, made one at a time in a thread of their own, and who waits for one.

To make a page takes a few tenths of a second. Bokeh makes it on the event loop, where everybody's
step then waits for it, and for the pages of all who came before. So the document of a session is
filled before the session begins: Bokeh waits for that, and its loop goes on.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import panel as pn
from bokeh.application.handlers.handler import Handler
from panel.io.resources import Resources
from panel.io.server import DocHandler, server_html_page_for_session
from tornado.web import authenticated

from ucbpe_app.html import EMPTY, Html, escape
from ucbpe_app.render.markup import Markup

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from bokeh.application.application import SessionContext
    from bokeh.document import Document
    from bokeh.server.session import ServerSession
    from panel.viewable import Viewable

_LOG = logging.getLogger(__name__)

AT_ONCE = 1  # more would take as long together, and leave less of the interpreter to a step
MOST = 5  # pages of a process being made or about to be: the last is there in some 2 s
AGAIN = 2  # s until a browser that waits asks again
_PATIENCE = 2 * AGAIN  # s after which one that has not is no longer waited for
_MOST_WAITING = 1000
_TURN = "ucbpe-turn"  # the cookie of a browser that waits
_NOTICE = Html(Path(__file__).with_name("notice.html").read_text(encoding="utf-8"))
_REFRESH = Html('<meta http-equiv="refresh" content="{}">')
_WAITING = Html(
    '<p role="status">Many pages are being opened at the moment. Yours opens by itself: its place '
    "in the queue is {}.</p>"
)
_FAILED = "This page could not be made. The log of the server says why; other pages may work."

T = TypeVar("T")

_BUILDERS = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="page")


class Pages(Handler):
    """Has each session of an application begin with what `page` returns.

    Parameters
    ----------
    page
        Called in a thread, with the session's document as Panel's current one.
    """

    def __init__(self, page: Callable[[], Viewable]) -> None:
        super().__init__()
        self._page = page
        self.making = 0  # and about to be
        self._turn = asyncio.Semaphore(AT_ONCE)
        self._turns: dict[str, float] = {}  # browsers that wait, in order, and when they last asked

    def place(self, browser: str) -> int:
        """The place in the queue of a browser that asks for a page; 0 if it is its turn."""
        now = monotonic()
        turns = {one: last for one, last in self._turns.items() if now - last < _PATIENCE}
        if browser in turns or len(turns) < _MOST_WAITING:
            turns[browser] = now
        self._turns = turns
        before = list(turns).index(browser) if browser in turns else len(turns)
        if before + self.making < MOST or not self.making:  # those before may not come back
            turns.pop(browser, None)
            return 0
        return before + 1

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """The block in which a page is made, once those begun before are."""
        self.making += 1
        try:
            async with self._turn:
                yield
        finally:
            self.making -= 1

    async def on_session_created(self, session_context: SessionContext) -> None:
        """Fill the document of a session that is about to begin."""
        await session_context.with_locked_document(self._fill)

    def modify_document(self, doc: Document) -> None:
        """Nothing: it has been filled."""

    async def _fill(self, document: Document) -> None:
        await in_thread(document, lambda: self._make(document))

    def _make(self, document: Document) -> None:
        try:
            pn.io.init_doc(document)
            # Panel's model of the address is not used, and reads the Host that a browser sent.
            self._page().servable(location=False)
        except Exception:  # noqa: BLE001 - whatever a link made it raise
            _LOG.exception("a page could not be made")
            document.clear()
            Markup(escape(_FAILED)).server_doc(document, location=False)
            document.title = _FAILED


async def in_thread(document: Document, make: Callable[[], T]) -> T:
    """What `make` returns, called in the thread of pages with the document as Panel's current."""

    def made() -> T:
        pn.state.curdoc = document
        try:
            return make()
        finally:
            pn.state.curdoc = None

    return await asyncio.get_running_loop().run_in_executor(_BUILDERS, made)


def notice(title: str, message: Html, refresh: Html = EMPTY) -> Html:
    """A page of the server's own, which says one thing."""
    return _NOTICE.format(title=title, message=message, refresh=refresh)


class PageHandler(DocHandler):
    """The answer with a page, or with one that says that others come first."""

    def initialize(self, *_: object, pages: Pages, **__: object) -> None:
        self._pages = pages

    @authenticated
    async def get(self, *args: Any, **named: Any) -> None:
        """As Bokeh's, but that the HTML is made in the thread, too.

        Panel asks the system for 1,600 files then. On the loop, each time Python would let the
        thread run, and the loop wait.
        """
        self.set_header("Cache-Control", "no-store")
        browser = self.get_cookie(_TURN) or secrets.token_urlsafe(16)
        path, prefix = self.request.path, self.application.prefix
        if path == prefix:  # what the page loads has relative addresses
            self.redirect(f"{path}/?{self.request.query}".removesuffix("?"))
        elif place := self._pages.place(browser):
            self._wait(browser, place)
        elif pn.config.authorize_callback:  # of a plugin
            await super().get(*args, **named)
        else:
            async with self._pages.turn():
                session = await self.get_session()
                self.set_status(500 if session.document.title == _FAILED else 200)
                self.write(await in_thread(session.document, lambda: self._html(session)))

    def _html(self, session: ServerSession) -> str:
        document = session.document
        return server_html_page_for_session(
            session, resources=Resources.from_bokeh(self.application.resources()),
            title=document.title, template=document.template,
            template_variables=document.template_variables,
        )  # fmt: skip

    def _wait(self, browser: str, place: int) -> None:
        self.set_status(503)
        self.set_header("Retry-After", str(AGAIN))
        self.set_cookie(_TURN, browser, max_age=_PATIENCE, httponly=True, samesite="Lax")
        self.write(notice("Please wait", _WAITING.format(place), _REFRESH.format(AGAIN)))
