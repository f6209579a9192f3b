"""Links on a page: the button that makes one, and what an opened one could not keep."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from app.link import Moment, encode
from app.views.copy_link import CopyLink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.lessons import Lesson
    from app.pages.layers import LayerChoice
    from app.replay import Replay
    from app.session import Session
    from app.views.navigation import Navigation
    from ucbpe_core import UCBPEError

_MOST_SAID = 8
_LIST = "ul { margin: 0; padding-left: 1.1em; font-size: 0.875rem; }"
_TITLE = "The link is not opened quite as it is written"


class Links:
    """The moment on screen as a link; `copy` and `notice` are to be laid out.

    `preset` is the slug of the lesson that it began with, empty where no link can name one.
    """

    def __init__(
        self,
        session: Session,
        layers: LayerChoice,
        lesson: Lesson,
        navigation: Navigation | None = None,
    ) -> None:
        self._session, self._layers, self._navigation = session, layers, navigation
        self._taken: Replay | None = None  # the run that the other pages are offered
        self.preset, self.hidden = lesson.slug, lesson.hidden
        self.copy = CopyLink()
        # Not the alert's own text: that is Markdown and HTML, and a link can say anything.
        self._said = pn.pane.HTML("", stylesheets=[_LIST], margin=0, sizing_mode="stretch_width")
        self.notice = pmui.Alert(
            self._said, title=_TITLE, severity="warning", closeable=True, visible=False,
            sizing_mode="stretch_width", margin=(0, 0, 8, 0),
        )  # fmt: skip

    @property
    def moment(self) -> Moment:
        """What is on screen: the run shown, not one that is still computed."""
        session = self._session
        return Moment(
            session.spec,
            session.replay.events[session.index],
            self._layers.chosen,
            self.hidden,
            self.preset,
            session.replay.trace.digest,
        )

    def update(self) -> None:
        """Have the button copy what is on screen now, and the other pages take the run."""
        query, replay = encode(self.moment), self._session.replay
        self.copy.param.update(query=query, digest=replay.trace.digest)
        if self._navigation is not None and self._taken is not replay:
            self._taken = replay
            self._navigation.take(query)

    def begin(self, preset: str, hidden: frozenset[str]) -> None:
        """Note where what is on screen comes from; notices of another link go."""
        self.preset, self.hidden = preset, hidden
        self._taken = None  # the run is there already, and the pages have it as another lesson's
        self.tell(())
        self.update()

    def tell(self, errors: Sequence[UCBPEError], title: str = _TITLE) -> None:
        """Say of each field what was expected, what was got and what is done instead, or to do."""
        items = [f"<li>{escape(_sentences(error))}</li>" for error in errors[:_MOST_SAID]]
        if len(errors) > _MOST_SAID:
            items.append(f"<li>And {len(errors) - _MOST_SAID} more.</li>")
        self._said.object = f"<ul>{''.join(items)}</ul>"
        self.notice.param.update(title=title, visible=bool(errors), closed=False)


def _sentences(error: UCBPEError) -> str:
    remedy = f"{error.remedy[:1].upper()}{error.remedy[1:]}"
    return f"Expected {error.expected}; got {error.got}. {remedy}."
