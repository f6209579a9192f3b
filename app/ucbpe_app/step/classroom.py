"""A class that plays along with a presented page: its room, what is asked, and what came out."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import panel as pn

from ucbpe_app.classroom import offer, questions, taps
from ucbpe_app.classroom.moments import ask_moment
from ucbpe_app.classroom.room import RoomError, Round
from ucbpe_app.pictures.asked import Taps
from ucbpe_app.step.class_panel import ClassPanel, Seen
from ucbpe_app.tasks.job import Job
from ucbpe_app.widgets.bar_buttons import PresentKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ucbpe_app.classroom.questions import Ask, Scale
    from ucbpe_app.classroom.room import Room
    from ucbpe_app.classroom.store import Rooms
    from ucbpe_app.classroom.taps import ClassRun
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.pictures.asked import Asking
    from ucbpe_app.widgets.run_view import RunView
    from ucbpe_app.widgets.session import Session

_POLL = 500  # ms from one look at the room to the next
_AT_HOME = ("localhost", "127.0.0.1", "::1")
_VERBS = {"close": "close", "again": "vote_again", "cancel": "cancel"}


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
        self._at: int | None = None  # the event at which the last round was revealed, if known
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
        with _refusals():
            if what == "begin":
                self._begin(**about)
            elif self._room is not None:
                self._act(what, about, self._room.code)
                self._draw()

    def _act(self, what: str, about: Any, code: str) -> None:
        if what in _VERBS:
            verb = _VERBS[what]
            self._change(code, lambda room: getattr(room, verb)(time.time()))
        elif what == "end":
            self._rooms.sweep(time.time(), code)
            self._see(None)
        elif what == "board":
            self._has_board = not self._has_board
        elif what == "rule":
            self._is_rule = self._run is not None and not self._is_rule
        elif what == "ask" and self._stage in ("waiting", "revealed", "rule"):
            for one in self._offers[about or 0 :][:1]:
                pn.state.execute(partial(self._ask, one))
        elif what == "reveal" and self._stage == "closed":
            pn.state.execute(self._reveal)

    def asking(self, asking: Asking) -> Asking:
        """What is asked on the page: without a class as it would be."""
        room, one, found = self._room, self._asked, None
        if room is None:
            return asking
        if one is not None and room.round is not None and one.kind == "place":
            votes = [] if room.stage == "open" else room.round.votes
            event = self._session.replay.events[one.index + 1]
            tapped = tuple(tuple(vote.values()) for vote in votes)
            found = Taps(event, one.about["question"], tapped)
        key = f"class {room.code} {len(room.rounds)}"
        return replace(asking, events=(), tasks=(), key=key, taps=found)

    def follow(self) -> None:
        """Reveal a round once its event is on screen, and cancel one of another run."""
        self._is_rule = False
        one, index = self._asked, self._session.index
        if self._room is not None and self._room.stage in ("open", "closed"):
            if one is None:
                self.do("cancel")
            elif one.kind == "place" and index > one.index:
                pn.state.execute(self._reveal)
        self._draw()

    @property
    def _asked(self) -> Ask | None:
        """What the last round asks, if that is of this run."""
        asked = self._room.round if self._room else None
        known = self._lesson(), self._session.replay, self._scale
        return questions.found(asked, *known) if asked else None

    @property
    def _offers(self) -> list[Ask]:
        session = self._session
        return questions.offered(self._lesson(), session.replay, session.index, self._scale)

    @property
    def _run(self) -> ClassRun | None:
        """The class as a rule, once it has played, and where f is no secret."""
        rounds = () if self._room is None or self._view.layers.secret else self._room.rounds
        found = taps.class_run(self._session.replay, rounds)
        return found if found.places else None

    @property
    def _stage(self) -> str:
        """Of the room; another one where the page has gone on, or shows the class as a rule."""
        stage = self._room.stage if self._room else ""
        if self._is_rule and self._run and stage not in ("open", "closed"):
            return "rule"
        one, index = self._asked, self._session.index
        here = one.index + 1 if one is not None and one.kind == "place" else self._at
        has_gone_on = one is None or here not in (None, index)
        return "waiting" if stage == "revealed" and has_gone_on else stage

    def _draw(self) -> None:
        if self._room is None:
            self.panel.shown, self.keys.stage = {}, []
            return
        about = self._room, self._session.replay, self._stage, self._addresses(), self._offers
        board = self._room.board() if self._has_board else ()
        seen = Seen(*about, self._asked, self._run, board)
        self.panel.shown, self.keys.stage = seen.shown(), seen.keys()

    def _addresses(self) -> list[str]:
        """Those of this machine for who presents on it, else that by which the page was found."""
        parts = urlsplit(self._base)
        if parts.hostname in _AT_HOME:
            return offer.addresses(parts.port or 80, parts.path)
        return [f"{self._base}/class"]

    @property
    def _rooms(self) -> Rooms:
        """Those of this server, which has some once a class is open."""
        rooms = offer.rooms()
        assert rooms is not None, "a class is open"
        return rooms

    def _begin(self, base: str, code: str = "", owner: str = "") -> None:
        """Open a class, or go on with the one that this tab of the browser has opened before."""
        rooms = offer.rooms()
        if rooms is None:
            _warn(offer.why_not())
        elif self._room is None:
            room = rooms.own(code, owner) if code else None
            if not code:
                room, owner = rooms.open(time.time())
            self._base = base.rstrip("/")
            self._polling = pn.state.add_periodic_callback(self._poll, period=_POLL)
            self.panel.kept = {"code": room.code if room else "", "owner": owner}
            self._see(room)
            self.follow()

    def _poll(self) -> None:
        if self._room is not None:
            now = self._rooms.find(self._room.code)
            if now is None or now.version != self._room.version:
                self._see(now)

    def _see(self, room: Room | None) -> None:
        """Show the room as it is now; None once it is deleted."""
        self._room = room
        if room is None:
            self._polling.stop()
            self._has_board = self._is_rule = False
            self.panel.kept = {"code": ""}
        with pn.io.hold():
            self._changed()
            self._draw()

    def _change(self, code: str, verb: Callable[[Room], Room]) -> None:
        self._see(self._rooms.change(code, verb))

    async def _ask(self, one: Ask) -> None:
        session, shown = self._session, partial(ask_moment, **one.about)
        replay, index, layers = session.replay, session.index, self._view.layers
        with session.latest(Job(), "class") as job, _refusals():
            moment = await session.work(shown, replay, index, layers, job=job)
            if self._room is not None and replay is session.replay:
                code, digest = self._room.code, replay.trace.digest
                name = self._rooms.put(code, moment)
                asked = Round(one.event, one.kind, one.count, digest, name)
                self._has_board = self._is_rule = False
                self._change(code, lambda room: room.ask(asked, time.time()))

    async def _reveal(self) -> None:
        """Give points, and have phones see what came out."""
        session, one = self._session, self._asked
        if self._room and self._room.stage == "open":
            self.do("close")
        if self._room is None or one is None or not self._room.round:
            return
        code, asked, replay = self._room.code, self._room.round, session.replay
        index = one.index + 1 if one.kind == "place" else session.index
        about = asked, replay, session.spec, index, self._view.layers_at(index)
        with session.latest(Job(), "class") as job, _refusals():
            points, moment = await session.work(one.outcome, *about, job=job)
            lead, head, text = one.told(replace(asked, stage="revealed", points=points), replay)
            told = " ".join(part for part in (lead, f"{head}.", text, one.after) if part)
            name, self._at = self._rooms.put(code, moment), index
            self._change(code, lambda room: room.reveal(name, points, told, time.time()))


@contextmanager
def _refusals() -> Iterator[None]:
    """Say what a room refuses."""
    try:
        yield
    except RoomError as error:
        _warn(str(error))


def _warn(message: str) -> None:
    if pn.state.notifications is not None:
        pn.state.notifications.warning(message, duration=8000)
