"""Lessons as a class uses them: one after the other, along the links, and from a teacher's file.

And by a student who has only the keyboard and a screen reader: no mouse, no selector and no text of
the page's code. What is pressed was found in the browser's accessibility tree, by role and name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.app.lessons.texts import WHOLE, without, written
from tests.browser.conftest import Lab, Server, running
from tests.browser.layout import is_whole
from tests.browser.reader import Node, Reader
from ucbpe_app.lessons import Change, Lesson, changes_of, find, offered, read
from ucbpe_app.links import decode
from ucbpe_app.run.cache import load
from ucbpe_app.run.replay import Replay

CAPTION = (
    r"'<img src=x onerror=alert(1)> [There](event=1.observe) and [two](K=2&T=5). "
    r"**Wide** where $\sqrt{\beta_t}\,\sigma(x)$ is.'"
)
MINE = written(written(WHOLE, "caption", CAPTION), "policy", '"gp-ucb-pe"')


OURS = written(written(MINE, "slug", '"ours"'), "title", '"Ours"')


@pytest.fixture(scope="module")
def taught_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A dashboard that offers a teacher's lesson after its own."""
    folder = tmp_path_factory.mktemp("lessons")
    (folder / "ours.toml").write_text(OURS, encoding="utf-8")
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with running(log, "--lessons", str(folder)) as server:
        yield server


@pytest.fixture
def taught(page: Page, taught_server: Server) -> Iterator[Lab]:
    """A page of it."""
    lab = Lab(page, taught_server.url)
    yield lab
    assert not lab.errors, lab.errors


def card(page: Page) -> Locator:
    return page.get_by_role("region", name="Lesson")


def heading(page: Page, title: str) -> Locator:
    return card(page).get_by_role("heading", name=title, exact=True)


def shows(page: Page, lesson: Lesson, change: Change | None = None) -> Replay:
    """The event of a lesson, or of a link in its caption, and no notice."""
    change = change or Change()
    replay = load(lesson.changed(change))
    frame = replay.frame(replay.events.index(change.event or lesson.event))
    plain = (find(change.lesson) or lesson).plain
    expect(page.get_by_role("status")).to_have_text(frame.tell(plain).status)
    expect(page.locator(".run")).to_have_attribute("data-digest", replay.trace.digest)
    expect(page.get_by_role("alert")).to_have_count(0)
    return replay


def choose_file(page: Page, path: Path) -> None:
    """By the keyboard alone, up to the chooser of the system."""
    button = page.get_by_role("button", name="Open a lesson file")
    with page.expect_file_chooser() as chooser:
        button.press("Enter")
    chooser.value.set_files(path)


@pytest.mark.slow
def test_a_file_good_and_bad(lab: Lab, context: BrowserContext, tmp_path: Path) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page, mine = lab.page, read(MINE, "mine.toml")
    good, bad, large = (tmp_path / f"{name}.toml" for name in ("good", "<b>bad", "large"))
    good.write_text(MINE, encoding="utf-8")
    bad.write_text(written(without(MINE, "title"), "slug", '"<b>"'), encoding="utf-8")
    large.write_text("#" * 70_000, encoding="utf-8")
    lab.open("?preset=figure-2")
    said = page.get_by_role("alert")
    for path, words in (
        (
            bad,
            "got <b>. Rename it, as in my-lesson. Expected title; got none. Add title to the file.",
        ),
        (large, "Expected a file of at most 64 kB; got 68 kB."),
    ):
        choose_file(page, path)
        expect(said).to_contain_text(f"{path.name} was not opened; nothing has changed")
        for word in words.split(". "):
            expect(said).to_contain_text(word)
        expect(heading(page, "Paper, Figure 2")).to_be_visible()
    choose_file(page, good)
    expect(heading(page, "My own")).to_be_visible()
    shows(page, mine)
    expect(card(page)).to_contain_text("<img src=x onerror=alert(1)> There and two.")
    expect(card(page).locator("b")).to_have_text("Wide")
    expect(card(page).locator("math")).to_have_text("√βtσ(x)")
    sign, under = card(page).locator("math mo").first, card(page).locator(".radicand")
    assert all(box and box["height"] > 8 for box in (sign.bounding_box(), under.bounding_box()))
    expect(page.get_by_role("combobox", name="Kernel", exact=True)).to_be_hidden()
    expect(page.get_by_role("combobox", name="Lesson", exact=True)).to_have_text("My own (file)")
    (_, two), (_, link) = changes_of(mine.caption), card(page).get_by_role("link").all()
    with context.expect_page() as tab:  # with a key of the browser's own
        link.click(modifiers=["Control"])
    assert "K=2&T=5" in tab.value.url
    tab.value.close()
    link.click()
    shows(page, mine, two)
    expect(heading(page, "My own")).to_be_visible()
    # The link of such a lesson is whole: it opens where nobody knows the lesson.
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    query = page.url.partition("?")[2]
    moment, errors = decode(query)
    assert (moment.settings, moment.hidden, errors) == (mine.changed(two), mine.hidden, ())
    page.reload()
    lab.wait()
    shows(page, mine, two)
    expect(heading(page, "Opened from a link")).to_be_visible()


def spoken(text: str) -> str:
    return " ".join(text.split())


class Listener(Reader):
    """Reads a lesson's card and the status of the run."""

    plain = False  # the words of the lesson on screen

    @cached_property
    def _status(self) -> Node:
        """Where the timeline says what is on screen."""
        (found,) = (one for one in self.all("status") if one.text.startswith("Batch"))
        return found

    def status(self) -> str:
        return self.again(self._status).text

    def is_told(self, replay: Replay, i: int) -> None:
        """The status is read out: that of event i, no other."""
        self.hears(spoken(replay.frame(i).tell(self.plain).status), self.status)

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
        asked = lesson.questions[0]
        assert spoken(asked.text) in self.card()
        assert spoken(asked.answer) not in self.card()
        self.go("button", "Choose an answer")
        self.press("Enter")
        self.press("Tab")
        self.press("Space")
        for _ in range(asked.shuffled.index(asked.choices[0])):
            self.press("ArrowDown")
        self.waits(lambda: spoken(asked.answer) in self.card(), self.card)


@pytest.mark.slow
def test_a_student_with_the_keyboard_and_the_tree_alone_finishes_every_lesson(taught: Lab) -> None:
    taught.keep_settings("closed")
    taught.page.set_viewport_size({"width": 1280, "height": 720})
    taught.open()
    student, lessons = Listener(taught.page), (*offered(), read(OURS, "ours.toml"))
    student.press("Tab")
    first = student.focus()
    assert first.name, first
    for number, lesson in enumerate(lessons, start=1):
        place, student.plain = f"Lesson {number} of {len(lessons)}{lesson.title}", lesson.plain
        student.waits(lambda place=place: student.card().startswith(place), student.card)
        assert student.the("heading", lesson.title)
        replay = load(lesson.spec())
        student.is_told(replay, replay.events.index(lesson.event))
        if lesson in offered():
            is_whole(taught.page, lesson, 1280, 720)
        student.steps(replay)
        student.follows_links(lesson)
        student.asks_for_the_answer(lesson)
        if number < len(lessons):
            student.go("button", f"Next lesson: {lessons[number].title}", "Shift+Tab")
            student.press("Enter")
