"""A class that plays along with a presented page: its room, what is asked, and what came out."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

import panel as pn
import param

from ucbpe_app.classroom import offer, questions, taps
from ucbpe_app.classroom.room import RoomError, Round
from ucbpe_app.pictures.asked import Taps
from ucbpe_app.private.panel import Component
from ucbpe_app.step.class_screen import Seen
from ucbpe_app.widgets.bar_buttons import PresentKeys
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ucbpe_app.classroom.questions import Ask, Scale
    from ucbpe_app.classroom.room import Room
    from ucbpe_app.classroom.taps import ClassRun
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.pictures.asked import Asking
    from ucbpe_app.widgets.run_view import RunView
    from ucbpe_app.widgets.session import Session

_HERE = Path(__file__).parent
_POLL = 500  # ms from one look at the room to the next
_AT_HOME = ("localhost", "127.0.0.1", "[::1]", "::1")
_VERBS = {"close": "close", "again": "vote_again", "cancel": "cancel", "end": "end"}


class ClassPanel(Component):
    """The teacher's side of a class, right of the pictures of a presented page.

    `on_do` is called with what a button or a key asks for, and about what; see classroom.js.
    """

    presented = param.Boolean(False, doc="Whether the page is: keys and the panel are there then.")
    shown = param.Dict({}, doc="All that is on it, as `Seen.shown` has it; {} without a class.")
    kept = param.Dict({}, doc="Code and owner's key, which the tab keeps; {} before there are any.")

    _esm = script("element.js", "stored.js", "class_chart.js", "classroom.js", folder=_HERE)
    _stylesheets: ClassVar[list[str]] = [script("classroom.css", folder=_HERE)]

    def __init__(self, on_do: Callable[[str, Any], None], **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._on_do = on_do

    def receive(self, data: Any) -> None:
        with pn.io.hold():
            self._on_do(str(data["do"]), data.get("about"))


class Classroom:
    """The class of one presented page. `panel` and `keys` are to be laid out.

    A round for a place is an event that is asked as by `widgets/predict.js`: `asking` has it, and
    the page asks anew at each call of `changed`. The step to that event reveals it. `scale` gives
    the values that a setting can have.
    """

    def __init__(
        self,
        session: Session,
        view: RunView,
        lesson: Callable[[], Lesson | None],
        scale: Scale,
        changed: Callable[[], None],
    ) -> None:
        self._session, self._view, self._lesson = session, view, lesson
        self._scale, self._changed = scale, changed
        self._room: Room | None = None
        self._base = ""  # the address of the page
        self._busy = False  # a moment is being made
        self._at = -1  # the event at which the last round was revealed
        self._has_board = self._is_rule = False
        self._polling: Any = None
        self.panel = ClassPanel(self.do)
        self.keys = PresentKeys(classes=offer.rooms() is not None)

    @property
    def is_open(self) -> bool:
        """Whether there is a class."""
        return self._room is not None

    def do(self, what: str, about: Any = None) -> None:
        """Do what a key or a button asks for, if that can be done now."""
        if what == "open":
            self._open(str(about))
        elif what == "take":
            self._take(**about)
        elif self._room is not None:
            self._act(what, about)

    def _act(self, what: str, about: Any) -> None:
        if what in _VERBS:
            verb = _VERBS[what]
            self._change(lambda room: getattr(room, verb)(time.time()))
        elif what == "board":
            self._has_board = not self._has_board
        elif what == "rule":
            self._is_rule = self._run is not None and not self._is_rule
        elif what == "ask" and self._stage in ("waiting", "revealed"):
            for one in self._offers[about or 0 :][:1]:
                pn.state.execute(partial(self._ask, one))
        elif what == "reveal" and self._stage == "closed":
            pn.state.execute(self._reveal)
        self._draw()

    def asking(self, asking: Asking) -> Asking:
        """What is asked on the page: without a class as it would be."""
        room = self._room
        if room is None:
            return asking
        one, found = self._asked, None
        if one is not None and room.round is not None and one.kind == "place":
            votes = [] if room.stage == "open" else room.round.votes
            event = self._session.replay.events[one.index + 1]
            found = Taps(event, one.question, tuple(tuple(vote.values()) for vote in votes))
        key = f"class {room.code} {len(room.rounds)}"
        return replace(asking, events=(), tasks=(), key=key, taps=found)

    def follow(self) -> None:
        """Reveal a round once its event is on screen, and cancel one of another run."""
        self._is_rule = False
        room, one = self._room, self._asked
        if room is not None and room.stage in ("open", "closed"):
            if one is None:
                self._change(lambda room: room.cancel(time.time()))
            elif one.kind == "place" and self._session.index > one.index:
                pn.state.execute(self._reveal)
        self._draw()

    @property
    def _asked(self) -> Ask | None:
        """What the last round asks, if that is of this run."""
        asked = None if self._room is None else self._room.round
        known = self._lesson(), self._session.replay, self._scale
        return None if asked is None else questions.found(asked, *known)

    @property
    def _offers(self) -> list[Ask]:
        session = self._session
        return questions.offered(self._lesson(), session.replay, session.index, self._scale)

    @property
    def _run(self) -> ClassRun | None:
        """The class as a rule, once it has played, and where f is no secret."""
        if self._room is None or self._view.layers.secret:
            return None
        found = taps.class_run(self._session.replay, self._room.rounds)
        return found if found.places else None

    @property
    def _stage(self) -> str:
        stage = "over" if self._room is None else self._room.stage
        gone = self._asked is None or self._session.index != self._at
        return "waiting" if stage == "revealed" and gone else stage

    def _draw(self) -> None:
        if self._room is None:
            self.panel.shown, self.keys.stage = {}, []
            return
        run = self._run
        seen = Seen(
            self._room, self._session.replay, self._stage, self._addresses(), self._offers,
            self._asked, run, self._has_board, self._is_rule and run is not None,
        )  # fmt: skip
        self.panel.shown, self.keys.stage = seen.shown(), seen.keys()

    def _addresses(self) -> list[str]:
        """Those of this machine for who presents on it, else that by which the page was found."""
        parts = urlsplit(self._base)
        if parts.hostname not in _AT_HOME:
            return [f"{self._base}/class"]
        return offer.addresses(parts.port or 80, parts.path)

    def _open(self, base: str) -> None:
        rooms = offer.rooms()
        if rooms is None:
            _warn(offer.why_not())
        elif self._room is None:
            with _warned():
                room, owner = rooms.open(time.time())
                self._begin(room, owner, base)

    def _take(self, code: str, owner: str, base: str) -> None:
        """Go on with the class that this tab of the browser has opened before."""
        rooms = offer.rooms()
        room = rooms.own(code, owner) if rooms else None
        if room is None or room.is_over:
            self.panel.kept = {"code": ""}
        elif self._room is None:
            self._at = self._session.index
            self._begin(room, owner, base)

    def _begin(self, room: Room, owner: str, base: str) -> None:
        self._base = base.rstrip("/")
        self.panel.kept = {"code": room.code, "owner": owner}
        self._polling = pn.state.add_periodic_callback(self._poll, period=_POLL)
        self._see(room)
        self.follow()

    def _poll(self) -> None:
        rooms, room = offer.rooms(), self._room
        if rooms is not None and room is not None:
            now = rooms.find(room.code)
            if now is None or now.version != room.version:
                self._see(now)

    def _see(self, room: Room | None) -> None:
        """Show the room as it is now; None once it is deleted."""
        self._room = None if room is None or room.is_over else room
        if self._room is None:
            self._polling.stop()
            self._has_board = self._is_rule = False
            self.panel.kept = {"code": ""}
        with pn.io.hold():
            self._changed()
            self._draw()

    def _change(self, verb: Callable[[Room], Room]) -> None:
        """Change the room, or say why not."""
        rooms, room = offer.rooms(), self._room
        if rooms is not None and room is not None:
            with _warned():
                self._see(rooms.change(room.code, verb))

    async def _ask(self, one: Ask) -> None:
        session, rooms, room = self._session, offer.rooms(), self._room
        if self._busy or rooms is None or room is None:
            return
        with self._working(), _warned():
            about = session.replay, session.index, self._view.layers
            moment = await session.work(one.moment, *about)
            if about[0] is session.replay:
                asked = rooms.put(room.code, moment)
                made = Round(one.event, one.kind, one.count, about[0].trace.digest, asked)
                self._has_board = self._is_rule = False
                self._change(lambda room: room.ask(made, time.time()))

    async def _reveal(self) -> None:
        """Give points, and have phones see what came out."""
        session, rooms, one = self._session, offer.rooms(), self._asked
        if self._busy or rooms is None or one is None:
            return
        with self._working(), _warned():
            if self._room and self._room.stage == "open":
                self._change(lambda room: room.close(time.time()))
            room = self._room
            if room is None or room.round is None or room.stage != "closed":
                return
            replay, index = session.replay, session.index
            index = one.index + 1 if one.kind == "place" else index
            about = room.round, replay, session.spec, index, self._view.layers_at(index)
            points, moment = await session.work(one.outcome, *about)
            told = one.told(replace(room.round, stage="revealed", points=points), replay)
            name, self._at = rooms.put(room.code, moment), index
            self._change(lambda room: room.reveal(name, points, _line(told, one), time.time()))

    @contextmanager
    def _working(self) -> Iterator[None]:
        self._busy = True
        try:
            yield
        finally:
            self._busy = False


def _line(told: taps.Told, one: Ask) -> str:
    """What phones are told of the class."""
    parts = f"{told.lead} {told.head}.".lstrip(), told.text, one.after
    return " ".join(part for part in parts if part)


@contextmanager
def _warned() -> Iterator[None]:
    """Say what a room refuses."""
    try:
        yield
    except RoomError as error:
        _warn(str(error))


def _warn(message: str) -> None:
    if pn.state.notifications is not None:
        pn.state.notifications.warning(message, duration=8000)
