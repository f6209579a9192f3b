"""Export: what is on screen as a file to keep."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.components.export_menu import ExportDialog
from ucbpe_app.export.products import Source, make
from ucbpe_app.export.sheet import PICTURES, offered
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import FILES, Worker
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable

    import param

    from ucbpe_app.export.products import Product
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.pages.link_bar import Links
    from ucbpe_app.pages.session import Session


class ExportMenu(Worker):
    """The dialog of a page, bound to what is on screen."""

    def __init__(
        self, session: Session, links: Links, lesson: Callable[[], Lesson | None] = lambda: None
    ) -> None:
        super().__init__()
        self._session, self._links, self._lesson = session, links, lesson
        self.dialog = ExportDialog(self._ask, self.stop)
        self.param.watch(self._show_share, "busy")
        pn.state.on_session_destroyed(lambda _: self.stop())

    def load(self) -> None:
        """Offer the pictures of the run on screen."""
        replay = self._session.replay
        self.dialog.views = {PICTURES[name].label: name for name in offered(replay)}

    async def make(self, kind: str, view: str = "") -> Product | None:
        """Make a file in a worker thread and have the browser save it; None if there was none.

        A file that is being made is finished first: the dialog asks for one at a time.
        """
        if self.dialog.share is not None:
            return None
        self.dialog.share = 0.0
        with self.latest(Job()) as job:
            try:
                product = await self._made(kind, view, job)
            except UCBPEError as error:
                text = f"Expected {error.expected}; got {error.got}. To do: {error.remedy}."
                self.dialog.said = text
                return None
            finally:
                # Shown before the file is there: then the next one can be asked for at once.
                self.dialog.share = None
            self.dialog.deliver(product.name, product.media, product.data)
            return product
        return None

    def stop(self) -> None:
        """Cancel the file that is being made."""
        self.give_up()

    async def _made(self, kind: str, view: str, job: Job) -> Product:
        # What is on screen now, whatever is on screen when the file is ready.
        moment, replay, lesson = self._links.moment, self._session.replay, self._lesson()
        bounds = await self._session.bounds() if "bounds" in moment.layers else None
        source = Source(moment, replay, bounds, lesson)
        product: Product = await self.work(make, kind, source, view, job, job=job, executor=FILES)
        return product

    def _show_share(self, event: param.parameterized.Event) -> None:
        if event.new is not None:  # the end is told by `make`
            self.dialog.share = event.new

    def _ask(self, kind: str, view: str) -> None:
        pn.state.execute(partial(self.make, kind, view))
