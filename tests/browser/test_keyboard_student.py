"""A student who has only the keyboard and a screen reader finishes every lesson.

No mouse, no selector and no text of the page's code: what is pressed was found in the browser's
accessibility tree, by role and name, from the first stop of the Tab key on.
"""

from __future__ import annotations

from functools import cached_property

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Lab
from tests.browser.reader import Node, Reader
from ucbpe_app.lessons import Lesson, offered
from ucbpe_app.run.cache import load
from ucbpe_app.run.replay import Replay


def spoken(text: str) -> str:
    return " ".join(text.split())


class Student(Reader):
    """Reads a lesson's card and the status of the run."""

    @cached_property
    def _status(self) -> Node:
        """Where the timeline says what is on screen."""
        (found,) = (one for one in self.all("status") if one.text.startswith("Batch"))
        return found

    def status(self) -> str:
        return self.again(self._status).text

    def is_told(self, replay: Replay, i: int) -> None:
        """The status is read out: that of event i, no other."""
        self.hears(spoken(replay.frame(i).status), self.status)

    def card(self) -> str:
        """All words of the lesson."""
        return self.the("region", "Lesson").text

    def steps(self, replay: Replay) -> None:
        """From the start: the first batch event by event, the others batch by batch."""
        last = len(replay.events) - 1
        starts = [replay.batch_start(t) for t in range(1, replay.events[-1].t + 1)]
        self.press("Home")
        self.is_told(replay, 0)
        for i in range(1, starts[1]):
            self.press("ArrowRight")
            self.is_told(replay, i)
        for i in (*starts[1:], last):
            self.press("Shift+ArrowRight")
            self.is_told(replay, i)
        self.press("ArrowLeft")
        self.is_told(replay, last - 1)

    def follows_links(self, lesson: Lesson) -> None:
        """Each link of the caption, by Enter: its event of its run."""
        spans = [span for paragraph in lesson.caption for span in paragraph if span.change]
        for span in spans:
            if span.change.lesson:  # it ends this lesson
                assert spoken(span.words) in [one.name for one in self.all("link")]
                continue
            self.go("link", spoken(span.words))
            self.press("Enter")
            replay = load(lesson.changed(span.change))
            self.is_told(replay, replay.events.index(span.change.event or lesson.event))

    def asks_for_the_answer(self, lesson: Lesson) -> None:
        assert spoken(lesson.question) in self.card()
        assert spoken(lesson.answer) not in self.card()
        self.go("DisclosureTriangle", f"{spoken(lesson.question)} Show answer")
        self.press("Enter")
        self.waits(lambda: spoken(lesson.answer) in self.card(), self.card)


@pytest.mark.slow
def test_a_student_with_the_keyboard_and_the_tree_alone_finishes_every_lesson(
    page: Page, server: str
) -> None:
    lab = Lab(page, server)
    lab.open()
    student, lessons = Student(lab.page), offered()
    student.press("Tab")
    first = student.focus()
    assert first.name, first
    for number, lesson in enumerate(lessons, start=1):
        place = f"{lesson.title}{number} of {len(lessons)}"
        student.waits(lambda place=place: student.card().startswith(place), student.card)
        assert student.the("heading", lesson.title)
        replay = load(lesson.spec())
        student.is_told(replay, replay.events.index(lesson.event))
        student.steps(replay)
        student.follows_links(lesson)
        student.asks_for_the_answer(lesson)
        if number < len(lessons):
            student.go("button", f"Next lesson: {lessons[number].title}", "Shift+Tab")
            student.press("Enter")
    assert lab.errors == []
