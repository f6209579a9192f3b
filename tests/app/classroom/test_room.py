"""A room beside a model of it, whatever is done in whatever order, on two connections at once."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ucbpe_app.classroom.room import (
    ANIMALS,
    COLOURS,
    MOST_PHONES,
    Room,
    RoomError,
    Round,
)
from ucbpe_app.classroom.store import Rooms

KEYS = [f"the key of phone {number}" for number in range(6)]
KEY = KEYS[0]
POINTS = st.lists(st.integers(0, 100), min_size=6, max_size=6)
ASKED = Round(event="3.pick.2", kind="place", count=5, run="digest", asked="asked")


@dataclass
class Model:
    """What a room should be, by other means: one dict for each vote, by key."""

    joined: list[str] = field(default_factory=list)
    rounds: int = 0
    count: int = 0
    votes: list[dict[str, int]] = field(default_factory=list)
    stage: str = "waiting"
    points: dict[str, int] = field(default_factory=dict)
    table: tuple[int, ...] = ()
    times: dict[str, list[float]] = field(default_factory=dict)

    def view(self, key: str) -> dict[str, Any]:
        """What is known of the phone's view, but its version and what it is called."""
        is_on = self.stage in ("open", "closed", "revealed")
        is_revealed = self.stage == "revealed"
        now = self.votes[-1] if is_on else {}
        moment = f"{'reveal' if is_revealed else 'ask'} {self.rounds}" if is_on else ""
        return {
            "stage": self.stage,
            "round": self.rounds if is_on else 0,
            "vote": len(self.votes) if is_on else 1,
            "kind": "place" if is_on else "",
            "count": self.count if is_on else 0,
            "moment": moment,
            "joined": len(self.joined),
            "answered": len(now),
            "yours": now.get(key),
            "points": self.points.get(key, 0),
            "won": self.table[now[key]] if is_revealed and key in now else None,
            "sentence": f"sentence {self.rounds}" if is_revealed else "",
        }


class Class(RuleBasedStateMachine):
    """A teacher and phones, each of whose requests comes to one of two processes."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / "rooms.sqlite"
        self.processes = [Rooms(self.file), Rooms(self.file)]
        self.model, self.now, self.version = Model(), 1000.0, 1

    @initialize()
    def open(self) -> None:
        room, self.owner = self.processes[0].open(self.now)
        self.code = room.code
        for key in KEYS[:3]:
            self.join(0, key)

    def do(self, process: int, is_allowed: bool, verb: str, *given: Any) -> bool:
        """Have one process do it; whether it was allowed, which the model has said."""

        def change(room: Room) -> Room:
            after: Room = getattr(room, verb)(*given, self.now)
            return after

        try:
            self.processes[process].change(self.code, change)
        except RoomError:
            assert not is_allowed, verb
            return False
        assert is_allowed, verb
        return True

    @rule(step=st.sampled_from([0.0, 0.4, 1.0, -0.3]))
    def wait(self, step: float) -> None:
        self.now += step

    @rule(process=st.integers(0, 1), key=st.sampled_from(KEYS))
    def join(self, process: int, key: str) -> None:
        is_there = key in self.model.joined
        self.do(process, True, "join", key)
        if not is_there:
            self.model.joined.append(key)

    @rule(process=st.integers(0, 1), count=st.integers(1, 6))
    def ask(self, process: int, count: int) -> None:
        model = self.model
        asked = replace(ASKED, count=count, asked=f"ask {model.rounds + 1}")
        self.do(process, True, "ask", asked)
        model.rounds, model.count, model.votes = model.rounds + 1, count, [{}]
        model.stage, model.table = "open", ()

    @rule(
        process=st.integers(0, 1),
        key=st.sampled_from(KEYS),
        value=st.integers(-1, 6),
        before=st.sampled_from([0, 0, 0, 0, 1, -1]),
        vote=st.sampled_from([0, 0, 0, 0, 1, -1]),
        times=st.sampled_from([1, 1, 2, 12]),
    )
    def answer(
        self, process: int, key: str, value: int, before: int, vote: int, times: int
    ) -> None:
        """Once, twice, or many times at once: by turns with another value."""
        model = self.model
        is_on = model.stage == "open" and before == 0 and vote == 0 and key in model.joined
        for i in range(times):
            answered = (value + i % 2) if times > 2 else value
            recent = [one for one in model.times.get(key, []) if abs(self.now - one) < 1]
            is_allowed = is_on and 0 <= answered < model.count
            is_same = is_allowed and model.votes[-1].get(key) == answered
            is_allowed = is_same or (is_allowed and len(recent) < 10)
            number, of = model.rounds - before, len(model.votes) - vote
            self.do((process + i) % 2, is_allowed, "answer", key, number, of, answered)
            if is_allowed and not is_same:
                model.votes[-1][key] = answered
                model.times[key] = [*recent, self.now]

    @precondition(lambda self: self.model.stage == "open")
    @rule(process=st.integers(0, 1), phone=st.integers(0, 5), value=st.integers(0, 6))
    def answer_as_asked(self, process: int, phone: int, value: int) -> None:
        """By a phone that is there, to the round and vote that are on."""
        self.now += 1.0
        key = self.model.joined[phone % len(self.model.joined)]
        self.answer(process, key, value, 0, 0, 1)

    @rule(process=st.integers(0, 1), points=POINTS, is_again=st.booleans())
    def go_on(self, process: int, points: list[int], is_again: bool) -> None:
        """What a teacher does next."""
        stage = self.model.stage
        if stage == "open":
            self.close(process)
        elif stage == "closed" and is_again:
            self.vote_again(process)
        elif stage == "closed":
            self.reveal(process, points)
        else:
            self.ask(process, 6)

    @rule(process=st.integers(0, 1))
    def close(self, process: int) -> None:
        if self.do(process, self.model.stage == "open", "close"):
            self.model.stage = "closed"

    @rule(process=st.integers(0, 1))
    def vote_again(self, process: int) -> None:
        model = self.model
        if self.do(process, model.stage == "closed" and len(model.votes) == 1, "vote_again"):
            model.votes, model.stage = [*model.votes, {}], "open"

    @rule(process=st.integers(0, 1), points=POINTS)
    def reveal(self, process: int, points: list[int]) -> None:
        model = self.model
        table = tuple(points[: model.count])
        given = (f"reveal {model.rounds}", table, f"sentence {model.rounds}")
        if self.do(process, model.stage == "closed", "reveal", *given):
            model.stage, model.table = "revealed", table
            for key, value in model.votes[-1].items():
                model.points[key] = model.points.get(key, 0) + table[value]

    @rule(process=st.integers(0, 1))
    def cancel(self, process: int) -> None:
        if self.do(process, self.model.stage in ("open", "closed"), "cancel"):
            self.model.stage = "waiting"

    @rule(process=st.integers(0, 1))
    def restart(self, process: int) -> None:
        """A process ends, and another takes its place."""
        self.processes[process].close()
        self.processes[process] = Rooms(self.file)
        assert self.processes[process].own(self.code, self.owner) is not None

    @invariant()
    def both_show_what_they_should(self) -> None:
        model, seen = self.model, []
        for process in self.processes:
            room = process.find(self.code)
            assert room is not None
            seen.append(room)
            assert Room.from_json(room.to_json()) == room
            assert (room.stage, room.joined) == (model.stage, len(model.joined))
            for number, key in enumerate(model.joined, 1):
                view = room.view(key)
                assert view.pop("version") == room.version
                assert view.pop("phone")["number"] == number
                assert view == model.view(key)
            if model.stage in ("open", "closed", "waiting"):  # nor is it there to be found
                assert f"reveal {model.rounds}" not in room.to_json()
        assert seen[0] == seen[1]
        assert seen[0].version >= self.version
        self.version = seen[0].version

    @invariant()
    def best_ones_are_on_the_board(self) -> None:
        room = self.processes[0].find(self.code)
        assert room is not None
        points = [self.model.points.get(key, 0) for key in self.model.joined]
        ranks = sorted(range(len(points)), key=lambda one: -points[one])[:3]  # a stable sort
        assert [phone.number - 1 for phone in room.board(3)] == ranks

    def teardown(self) -> None:
        for process in self.processes:
            process.close()
        self.folder.cleanup()


TestClass = Class.TestCase
TestClass.settings = settings(max_examples=80, stateful_step_count=50, deadline=None)


def test_three_hundred_phones_are_called_differently_and_no_more_come() -> None:
    room = Room("KRTM")
    for number in range(MOST_PHONES):
        room = room.join(f"the key of phone {number}", 1.0)
    names = {(phone.animal, phone.colour) for phone in room.phones.values()}
    assert len(names) == MOST_PHONES == len(ANIMALS) * len(COLOURS)
    assert len(set(ANIMALS)) == len(ANIMALS)
    with pytest.raises(RoomError, match="at most 300 phones"):
        room.join("the key of one more", 1.0)
    assert room.join("the key of phone 7", 1.0) is room


@pytest.mark.parametrize("key", ["", "short", "x" * 65])
def test_a_key_that_could_be_guessed_or_is_long_is_refused(key: str) -> None:
    with pytest.raises(RoomError, match="16 to 64 letters"):
        Room("KRTM").join(key, 1.0)


def test_a_clock_that_is_set_back_holds_no_phone_back() -> None:
    room = Room("KRTM").join(KEY, 100.0).ask(ASKED, 100.0)
    for number in range(10):
        room = room.answer(KEY, 1, 1, number % 2, 100.0)
    with pytest.raises(RoomError, match="at most 10 answers a second"):
        room.answer(KEY, 1, 1, 2, 100.5)
    assert room.answer(KEY, 1, 1, 2, 90.0).view(KEY)["yours"] == 2


def test_a_key_is_not_kept() -> None:
    assert KEY not in Room("KRTM").join(KEY, 1.0).to_json()


def test_the_second_vote_counts_and_the_first_is_kept() -> None:
    room = Room("KRTM").join(KEYS[0], 1.0).join(KEYS[1], 1.0).ask(ASKED, 1.0)
    room = room.answer(KEYS[0], 1, 1, 4, 1.0).answer(KEYS[1], 1, 1, 4, 1.0).close(1.0)
    room = room.vote_again(2.0).answer(KEYS[0], 1, 2, 2, 2.0).close(2.0)
    room = room.reveal("reveal", (0, 10, 20, 30, 40), "", 2.0)
    assert [room.view(key)["won"] for key in KEYS[:2]] == [20, None]
    assert [phone.points for phone in room.board()] == [20, 0]
    assert room.rounds[0].votes == ({1: 4, 2: 4}, {1: 2})
