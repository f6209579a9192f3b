"""The teacher's side of a class without a browser: its phones are the test."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import panel as pn
import pytest

from tests.app.waiting import in_a_session
from ucbpe_app.classroom import taps
from ucbpe_app.classroom.offer import offer_classes, rooms, withdraw_classes
from ucbpe_app.classroom.room import Room
from ucbpe_app.classroom.store import Rooms
from ucbpe_app.run.events import Kind
from ucbpe_app.step.page import StepPage

BASE = "http://lab.example.org/lab/"
KEYS = [f"the key of phone {i}" for i in range(5)]


@dataclass
class Teacher:
    """A presented page, and the class that it has opened."""

    page: StepPage
    rooms: Rooms
    polls: list[Callable[[], None]] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)

    def do(self, what: str, about: Any = None) -> None:
        """As the browser asks for it."""
        in_a_session(lambda: self.page.classroom.panel.receive({"do": what, "about": about}))

    def go(self, event: str) -> None:
        names = [one.text for one in self.page.session.replay.events]
        in_a_session(lambda: self.page.session.go(names.index(event)))

    def poll(self) -> None:
        in_a_session(self.polls[-1])

    def join(self) -> None:
        for key in KEYS:
            self.rooms.change(self.shown["code"], lambda room, key=key: room.join(key, time.time()))

    def answer(self, *values: int) -> None:
        number, vote = len(self.room.rounds), len(self.room.rounds[-1].votes)
        for key, value in zip(KEYS, values, strict=False):
            self.rooms.change(
                self.shown["code"],
                lambda room, key=key, value=value: room.answer(
                    key, number, vote, value, time.time()
                ),
            )
        self.poll()

    @property
    def room(self) -> Room:
        room = self.rooms.find(self.shown["code"])
        assert room is not None
        return room

    @property
    def shown(self) -> dict[str, Any]:
        return self.page.classroom.panel.shown

    @property
    def buttons(self) -> list[str]:
        asks = self.shown["offers"] if self.shown["stage"] == "waiting" else []
        return [*asks, *(label for _, label in self.shown["buttons"])]

    @property
    def keys(self) -> list[str]:
        return [one[1] for one in self.page.classroom.keys.stage]

    @property
    def ask(self) -> dict[str, Any]:
        return self.page.view.timeline.ask


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Rooms]:
    offer_classes(tmp_path / "rooms.sqlite")
    found = rooms()
    assert found is not None
    yield found
    withdraw_classes()


@pytest.fixture
def polls(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """What a session would call twice a second; nothing once it is stopped."""
    found: list[Callable[[], None]] = []

    def add(call: Callable[[], None], period: int) -> SimpleNamespace:
        found.append(call)
        return SimpleNamespace(stop=lambda: found.append(lambda: None))

    monkeypatch.setattr(pn.state, "add_periodic_callback", add)
    return found


@pytest.fixture
def present(
    stored: Rooms, polls: list[Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Teacher]:
    def opened(query: str) -> Teacher:
        page = StepPage(query)
        teacher = Teacher(page, stored, polls)
        note = SimpleNamespace(warning=lambda words, **_: teacher.warned.append(words))
        monkeypatch.setattr(type(pn.state), "notifications", note)
        in_a_session(lambda: setattr(page.present, "presented", True))
        return teacher

    return opened


@pytest.fixture
def teacher(present: Callable[[str], Teacher]) -> Teacher:
    made = present("preset=start")
    made.do("begin", {"base": BASE})
    made.join()
    made.poll()
    return made


def test_a_class_is_opened_with_its_address_and_code(teacher: Teacher) -> None:
    code, shown = teacher.shown["code"], teacher.shown
    assert shown["addresses"] == ["lab.example.org/lab/class"]
    assert len(shown["squares"]) == len(shown["squares"][0]) >= 25
    assert shown["joined"] == 5
    assert shown["sentence"].startswith("Open the address on your phone")
    assert teacher.buttons == ["Ask for a place", "End class"]
    assert teacher.keys == ["A", "B"]
    kept = teacher.page.classroom.panel.kept
    assert kept["code"] == code
    assert teacher.rooms.own(code, kept["owner"]) is not None
    assert "lab-classed" in teacher.page.panel.css_classes
    assert teacher.page.view.timeline.asked == {}  # in a class nobody is asked alone


def test_where_phones_cannot_come_the_strip_says_how_to_start(
    present: Callable[[str], Teacher], tmp_path: Path
) -> None:
    made = present("preset=start")
    offer_classes(tmp_path / "alone.sqlite", address="127.0.0.1")
    made.do("begin", {"base": "http://localhost:5006"})
    assert made.shown["addresses"] == []
    assert "ucbpe app --class" in made.shown["sentence"]
    assert "on your phone" not in made.shown["sentence"]


def test_without_classes_it_is_said_why(present: Callable[[str], Teacher]) -> None:
    made = present("preset=start")
    offer_classes(None, why_not="Somebody signs in.")
    made.do("begin", {"base": BASE})
    assert made.warned == ["Somebody signs in."]
    assert made.shown == {}
    made.do("close")  # is nothing without a class
    assert "lab-classed" not in made.page.panel.css_classes


def test_a_round_of_two_votes_is_revealed_by_the_step_to_its_event(teacher: Teacher) -> None:
    replay = teacher.page.session.replay
    teacher.do("ask", 0)
    asked = teacher.room.round
    assert asked is not None
    assert (asked.event, asked.kind, asked.run) == ("1.pick.0", "place", replay.trace.digest)
    assert teacher.rooms.moment(teacher.room.code, asked.asked) is not None
    (mark,) = teacher.page.view.timeline.asked["marks"]
    assert mark == {"index": 1, "event": "1.pick.0"}
    first, second = (10, 11, 12, 200, 400), (100, 101, 102, 103, 400)
    teacher.answer(*first[:3])
    assert (teacher.shown["answered"], teacher.shown["joined"]) == (3, 5)
    assert (teacher.ask["kind"], teacher.ask["votes"]) == ("class", [])  # nobody sees one yet
    assert teacher.buttons == ["Close", "Cancel"]
    teacher.answer(*first)
    teacher.do("close")
    assert teacher.ask["votes"] == [list(first)]
    assert "pick" not in teacher.ask
    assert (teacher.buttons, teacher.keys) == (["Vote again", "Reveal"], ["V", "→"])
    assert teacher.shown["told"] == taps.agreement(replay, [first])
    teacher.do("again")
    assert teacher.ask["votes"] == []
    teacher.answer(*second)
    teacher.do("close")
    assert teacher.ask["votes"] == [list(first), list(second)]
    assert teacher.buttons == ["Reveal"]
    assert (teacher.shown["arrow"], teacher.shown["votes"]) == ("", 2)
    teacher.do("reveal")
    lead, head, text = taps.closeness(replay, 1, second)
    points = taps.points(replay, 1)
    room = teacher.room
    assert room.round is not None
    assert (room.stage, room.round.points) == ("revealed", points)
    assert room.round.sentence == f"{lead} {head}. {text}"
    assert [room.view(key)["won"] for key in KEYS] == [points[one] for one in second]


def test_the_step_reveals_a_round_that_is_still_open(teacher: Teacher) -> None:
    teacher.do("ask", 0)
    teacher.answer(10, 20)
    teacher.go("1.pick.0")
    room = teacher.room
    assert room.stage == "revealed"
    assert teacher.page.view.timeline.gap["votes"] == [[10, 20]]
    assert (
        teacher.page.view.timeline.gap["pick"]
        == teacher.page.session.replay.trace.decisions[0].indices[0]
    )
    assert teacher.buttons == ["Board", "Next"]
    teacher.do("board")
    best = [points for _, _, points in teacher.shown["board"]]
    assert best == sorted((phone.points for phone in room.phones.values()), reverse=True)
    assert teacher.shown["sentence"] == ""  # but the reason of the pick
    teacher.go("1.region")
    assert teacher.buttons == ["Ask for a place", "End class"]


def test_another_run_cancels_what_is_asked(teacher: Teacher) -> None:
    teacher.do("ask", 0)
    in_a_session(lambda: teacher.page.session.settings.accept(lengthscale=1.0))
    assert teacher.room.stage == "waiting"
    assert teacher.page.view.timeline.asked == {}
    teacher.do("ask", 0)
    assert teacher.room.stage == "open"
    teacher.do("cancel")
    assert teacher.room.stage == "waiting"


def test_a_reload_goes_on_with_the_class_and_nobody_else_can(
    teacher: Teacher, present: Callable[[str], Teacher]
) -> None:
    teacher.do("ask", 0)
    teacher.answer(1, 2, 3)
    teacher.do("close")
    kept = dict(teacher.page.classroom.panel.kept)
    again = present("preset=start")
    again.do("begin", {**kept, "owner": "somebody else", "base": BASE})
    assert (again.shown, again.page.classroom.panel.kept) == ({}, {"code": ""})
    again.do("begin", {**kept, "base": BASE})
    assert again.shown["code"] == teacher.shown["code"]
    assert again.ask["votes"] == [[1, 2, 3]]
    assert again.buttons == ["Vote again", "Reveal"]
    again.go("1.pick.0")
    assert again.room.stage == "revealed"
    teacher.poll()  # the page before sees it, too
    assert teacher.room.stage == "revealed"


def test_a_class_that_is_over_leaves_the_page_as_it_was(teacher: Teacher) -> None:
    code = teacher.shown["code"]
    teacher.do("end")
    assert teacher.rooms.find(code) is None
    assert (teacher.shown, teacher.keys) == ({}, [])
    assert teacher.page.classroom.panel.kept == {"code": ""}
    assert "lab-classed" not in teacher.page.panel.css_classes
    assert teacher.page.view.timeline.asked["marks"]  # the lesson's own
    teacher.do("begin", {"base": BASE})
    assert teacher.shown["code"] != code


def test_a_question_of_the_lesson_is_revealed_without_a_step(
    present: Callable[[str], Teacher],
) -> None:
    made = present("preset=first-pick")
    made.do("begin", {"base": BASE})
    made.join()
    made.go("1.pick.0")
    assert made.buttons == ["Question", "End class"]
    made.do("ask", 0)
    asked = made.page.classroom.panel.shown
    assert (asked["arrow"], asked["sentence"]) == ("wait", made.page.guide.lesson.questions[1].text)
    made.answer(0, 0, 1, 2)
    assert "bars" not in made.shown
    made.do("close")
    assert [bar["votes"] for bar in made.shown["bars"]] == [[2], [1], [1]]
    assert made.shown["arrow"] == "reveal"
    index = made.page.session.index
    made.do("reveal")
    assert made.page.session.index == index
    right = [bar["right"] for bar in made.shown["bars"]]
    assert sum(right) == 1
    assert made.shown["sentence"] == made.page.guide.lesson.questions[1].answer
    assert (
        made.shown["told"][1]
        == f"{made.shown['bars'][right.index(True)]['votes'][0]} of 4 are right"
    )
    made.do("ask", 0)  # once more, as another round
    assert (made.room.stage, len(made.room.rounds)) == ("open", 2)


def test_a_setting_has_the_places_of_its_slider(present: Callable[[str], Teacher]) -> None:
    made = present("preset=beta-small")
    made.do("begin", {"base": BASE})
    made.go("2.region")
    assert made.buttons == ["Ask for a place", "Set β", "End class"]
    made.do("ask", 1)
    slider = made.page.controls.fields["beta"].slider
    scale = made.page.controls.fields["beta"].along(21)
    ends = (slider.factor * 10 ** (slider.power * end) for end in (slider.start, slider.end))
    assert [scale[0], scale[-1]] == pytest.approx(list(ends), rel=1e-2)
    assert made.room.round is not None
    assert (made.room.round.kind, made.room.round.count) == ("set", 21)


def test_the_class_as_a_rule_waits_until_f_is_known(teacher: Teacher) -> None:
    teacher.do("ask", 0)
    teacher.answer(10, 10, 200, 201)
    teacher.go("1.pick.0")
    assert "R" not in teacher.keys
    teacher.do("rule")
    assert "chart" not in teacher.shown  # nothing that tells of f
    in_a_session(lambda: teacher.page.layers.toggle("truth"))
    assert "R" in teacher.keys
    teacher.do("rule")
    chart = teacher.shown["chart"]
    run = taps.class_run(teacher.page.session.replay, teacher.room.rounds)
    assert chart["lines"] == [[run.start, *run.regret], [run.start, *run.rule]]
    assert [[taps for _, taps in row] for row in chart["places"]] == [[2, 2]]
    assert teacher.buttons == ["Pictures", "End class"]
    assert "One game proves nothing." in teacher.shown["told"][2]
    teacher.go("1.region")
    assert "chart" not in teacher.shown


def test_phones_see_of_f_what_the_page_shows(
    teacher: Teacher, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    for name in ("step.classroom.ask_moment", "classroom.questions.reveal_moment"):
        made = lambda replay, index, layers, **_: seen.append(layers) or {}  # noqa: E731
        monkeypatch.setattr(f"ucbpe_app.{name}", made)
    teacher.do("ask", 0)
    teacher.go("1.pick.0")
    assert [(layers.truth, layers.secret) for layers in seen] == [(False, True)] * 2
    assert all(layers.plain for layers in seen)
    events = teacher.page.session.replay.events
    assert teacher.page.view.layers_at(len(events) - 1).truth
    assert events[1].kind is Kind.PICK
