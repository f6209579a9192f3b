"""What to see, a button per layer that a picture can show; and the button that copies a link."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import panel_material_ui as pmui
import param

from ucbpe_app.links import Moment, encode
from ucbpe_app.run.screen import LAYERS, Layers, controls_of
from ucbpe_app.widgets.address import CopyLink
from ucbpe_app.widgets.layouts import LINK, Notice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_app.lessons import Lesson
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_app.widgets.address import Navigation
    from ucbpe_app.widgets.session import Session
    from ucbpe_core import UCBPEError


_LABELS = {
    "True f": "truth",
    "Measurement band": "noisy",
    "Log regret": "log",
    "Theorem 1": "bounds",
    "Decision plane": "plane",
    "May I stop?": "stop",
    "Draws of the posterior": "draws",
    "Draws of the prior": "prior",
}
# Of more, no picture can show it, or the main one does.
_MOST_INPUTS = {"noisy": 1, "plane": 2, "draws": 2, "prior": 2}
# Material's capitals are too loud. Each has a shape of its own, as they stand in several rows.
PLAIN_WORDS = {
    "flexFlow": "row wrap", "gap": "6px",
    "&& .MuiToggleButton-root": {
        "width": "auto", "margin": 0, "padding": "5px 12px",
        "border": "1px solid", "borderColor": "divider",
        "borderRadius": "18px", "fontSize": "14px", "textTransform": "none", "whiteSpace": "nowrap",
    },
    "&& .Mui-selected, && .Mui-selected:hover": {
        "color": "text.primary", "backgroundColor": "tint.main", "borderColor": "primary.main",
        "fontWeight": 700,
    },
}  # fmt: skip


class LayerChoice(param.Parameterized):
    """The layers chosen; a choice is kept while a picture that cannot show it is on screen."""

    chosen = param.ClassSelector(
        class_=frozenset, default=frozenset(), doc="Names of fields of `Layers`."
    )
    plain = param.Boolean(False, doc="Whether the words of the lesson on screen are plain.")
    offered = param.Boolean(True, doc="Whether there is any to choose.")

    def __init__(self, chosen: Iterable[str], *, plain: bool = False) -> None:
        super().__init__(chosen=frozenset(chosen), plain=plain)
        self._inputs, self._hidden = 1, frozenset[str]()
        self.panel = pmui.CheckButtonGroup(
            **self._buttons, size="small", variant="outlined", margin=0, sx=PLAIN_WORDS
        )
        self.param.watch(self._show, "chosen")
        self.panel.param.watch(self._choose, "value")

    @property
    def layers(self) -> Layers:
        """The choice, for views."""
        return Layers.of(self.chosen, plain=self.plain)

    @property
    def _offered(self) -> frozenset[str]:
        unfit = {name for name, most in _MOST_INPUTS.items() if self._inputs > most}
        return frozenset(LAYERS) - unfit - self._hidden

    def offer(self, *, inputs: int) -> None:
        """Offer what a picture of so many inputs can show."""
        if inputs != self._inputs:
            self._inputs = inputs
            self._show()

    def hide(self, names: Iterable[str]) -> None:
        """Offer all layers but these; what is shown is kept."""
        self._hidden = controls_of(names)
        self._show()

    def toggle(self, name: str) -> None:
        """Show a layer or not, if it is offered."""
        if name in self._offered:
            self.chosen = self.chosen ^ {name}

    @property
    def _buttons(self) -> dict[str, Any]:
        options = {label: name for label, name in _LABELS.items() if name in self._offered}
        value = [name for name in options.values() if name in self.chosen]
        return {"options": options, "value": value, "visible": bool(options)}

    def _show(self, *_: param.parameterized.Event) -> None:
        buttons = self._buttons
        self.offered = buttons["visible"]
        self.panel.param.update(**buttons)

    def _choose(self, event: param.parameterized.Event) -> None:
        kept = self.chosen - self._offered.intersection(_LABELS.values())
        chosen = kept | frozenset(event.new)
        if chosen != self.chosen:  # which param cannot tell of sets
            self.chosen = chosen


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
        self.predict = ""  # whether picks are asked: as the lesson says, or ON or OFF
        self.pinned: RunSpec | None = None  # settings of the run that is drawn behind
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
            pinned=self.pinned,
            predict=self.predict,
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

    def begin(self, origin: Moment) -> None:
        """Note the moment that what is on screen comes from; notices of another link go."""
        self.origin = origin
        self._taken = None  # the run is there already, and the pages have it as another lesson's
        self.show_errors(())
        self.update()

    def show_errors(self, errors: Sequence[UCBPEError], title: str = LINK) -> None:
        """Say for each field what was expected and found, and what is done instead or to do."""
        self.notice.show(title, errors)
