"""Links on a page: the button that copies one, and what could not be used of an opened one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ucbpe_app.components.address import CopyLink
from ucbpe_app.links import Moment, encode
from ucbpe_app.pages.popups import LINK, Notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.components.address import Navigation
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.pages.layers import LayerChoice
    from ucbpe_app.pages.session import Session
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import UCBPEError


class Links:
    """The moment on screen as a link; `copy` and `notice.panel` are to be laid out.

    `origin` is the moment that what is on screen began with, and has what no control shows: the
    slug of a lesson, empty where no link can name one, and what is hidden. The address follows the
    screen, but while a link is `opening` it is that link.
    """

    def __init__(
        self,
        session: Session,
        layers: LayerChoice,
        lesson: Lesson,
        navigation: Navigation | None = None,
        *,
        presents: bool = False,
    ) -> None:
        self._session, self._layers, self._navigation = session, layers, navigation
        self._taken: Replay | None = None  # the run that the other pages are offered
        self.origin = Moment(session.spec, hidden=lesson.hidden, preset=lesson.slug)
        self.opening = False
        self.copy = CopyLink(lambda: self.query, presents=presents)
        self.notice = Notice()

    @property
    def moment(self) -> Moment:
        """What is on screen: the run shown, not one that is still computed."""
        session = self._session
        return replace(
            self.origin,
            settings=session.spec,
            event=session.replay.events[session.index],
            layers=self._layers.chosen,
            digest=session.replay.trace.digest,
            data=session.data if session.replay.trace.hold_data else None,
            moved=session.moved,
        )

    @property
    def query(self) -> str:
        """Of a link that opens the moment on this page."""
        return encode(self.moment)

    def update(self) -> None:
        """Make the other pages open the run on screen, and show its digest."""
        if self._taken is not (replay := self._session.replay):
            self._taken = replay
            self.copy.digest = replay.trace.digest
            if self._navigation is not None:
                self._navigation.update(encode(self.moment))
        self.follow()

    def follow(self) -> None:
        """Have the address follow what is shown of the run."""
        if not self.opening:
            self.copy.follow()

    async def bring(self) -> None:
        """Wait for a function of the visitor's own that the page's link names."""
        if self._navigation is not None:
            await self._navigation.kept.bring()

    def begin(self, origin: Moment) -> None:
        """Note the moment that what is on screen comes from; notices of another link go."""
        self.origin = origin
        self._taken = None  # the run is there already, and the pages have it as another lesson's
        self.show_errors(())
        self.update()

    def show_errors(self, errors: Sequence[UCBPEError], title: str = LINK) -> None:
        """Say for each field what was expected and found, and what is done instead or to do."""
        self.notice.show(title, errors)
