"""Lessons as a class uses them: one after the other, along the links, and from a teacher's file.

And by a student who has only the keyboard and a screen reader: no mouse, no selector and no text of
the page's code. What is pressed was found in the browser's accessibility tree, by role and name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.app.lessons.texts import WHOLE, without, written
from tests.browser.conftest import Lab, Server, running
from tests.browser.layout import is_whole
from tests.browser.reader import Node, Reader
from tests.browser.student import told
from ucbpe_app.lessons import Change, Lesson, Question, changes_of, find, offered, read
from ucbpe_app.links import decode
from ucbpe_app.run.cache import load
from ucbpe_app.run.replay import Replay

CAPTION = (
    r"'<img src=x onerror=alert(1)> [There](event=1.observe) and [two](K=2&T=5). "
    r"**Wide** where $\sqrt{\beta_t}\,\sigma(x)$ is.'"
)
MINE = written(written(WHOLE, "caption", CAPTION), "policy", '"gp-ucb-pe"')


OURS = written(written(MINE, "slug", '"ours"'), "title", '"Ours"')
# The first two, which follow each other; of other rules, one of one input and one of two; ours.
_SOME = ("start", "band", "figure-2", "mixture", "ours")


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


def shows(
    page: Page, lesson: Lesson, change: Change | None = None, *, known: bool = True
) -> Replay:
    """The event of a lesson, or of a link in its caption, and no notice; or of its link alone."""
    change = change or Change()
    replay = load(lesson.changed(change))
    index = replay.events.index(change.event or lesson.event)
    status = told(find(change.lesson) or lesson, replay, index).status
    status = status if known else replay.frame(index).status
    expect(page.get_by_role("status").filter(has_text="Batch")).to_have_text(status)
    expect(page.locator(".run")).to_have_attribute("data-digest", replay.trace.digest)
    expect(page.get_by_role("alert")).to_have_count(0)
    return replay


# What opens the shelves: a lesson's number.
PLACE = re.compile(r"^[^,]*,? \d+ of \d+$")


def choose_file(page: Page, path: Path) -> None:
    """By the keyboard alone, up to the chooser of the system."""
    page.get_by_role("button", name=PLACE).press("Enter")
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
        expect(heading(page, "Figure 2 of the paper")).to_be_visible()
    choose_file(page, good)
    expect(heading(page, "My own")).to_be_visible()
    shows(page, mine)
    expect(card(page)).to_contain_text("<img src=x onerror=alert(1)> There and two.")
    expect(card(page).locator(".caption b")).to_have_text("Wide")
    expect(card(page).locator("math")).to_have_text("√βtσ(x)")
    sign, under = card(page).locator("math mo").first, card(page).locator(".radicand")
    assert all(box and box["height"] > 8 for box in (sign.bounding_box(), under.bounding_box()))
    expect(page.get_by_role("combobox", name="Kernel", exact=True)).to_be_hidden()
    page.get_by_role("button", name="From a file, 1 of 1").press("Enter")
    expect(page.get_by_role("dialog", name="Lessons")).to_be_visible()
    expect(page.get_by_role("button", name="My own, not begun")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Lessons")).to_be_hidden()
    expect(page.get_by_role("button", name="From a file, 1 of 1")).to_be_focused()
    (_, two), (_, link) = changes_of(mine.caption), card(page).get_by_role("link").all()
    with context.expect_page() as tab:  # with a key of the browser's own
        link.click(modifiers=["Control"])
    tab.value.wait_for_url(re.compile("K=2&T=5"))
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
    shows(page, mine, two, known=False)
    expect(page.get_by_role("region", name="Lesson", exact=True)).to_have_count(0)


def spoken(text: str) -> str:
    return " ".join(text.split())


class Listener(Reader):
    """Reads a lesson's card and the status of the run."""

    lesson: Lesson  # on screen

    @cached_property
    def _status(self) -> Node:
        """Where the timeline says what is on screen."""
        (found,) = (one for one in self.all("status") if one.text.startswith("Batch"))
        return found

    def status(self) -> str:
        return self.again(self._status).text

    def is_told(self, replay: Replay, i: int) -> None:
        """The status is read out: that of event i, no other."""
        self.hears(spoken(told(self.lesson, replay, i).status), self.status)

    def card(self) -> str:
        """All words of the lesson."""
        return self.the("region", "Lesson").text

    def forward(self, key: str, replay: Replay, i: int) -> None:
        """To event i; whatever is asked on the way is skipped."""
        wanted = spoken(told(self.lesson, replay, i).status)

        def asked() -> bool:
            return any(one.name == "Skip" for one in self.all("button"))

        self.press(key)
        while True:
            self.waits(lambda: self.status() == wanted or asked(), self.status)
            if self.status() == wanted:
                return
            before = self.status()
            self.go("button", "Skip")
            self.press("Enter")
            self.waits(lambda before=before: self.status() != before, self.status)
            if self.status() != wanted:
                self.press(key)

    def steps(self, lesson: Lesson, replay: Replay) -> None:
        """From the start: the first batch event by event, the others batch by batch.

        From the lesson's last card the next event would be the next lesson.
        """
        last, end = len(replay.events) - 1, replay.events.index(lesson.last(replay.events))
        starts = [replay.batch_start(t) for t in range(1, replay.events[-1].t + 1)]
        self.press("Home")
        self.is_told(replay, 0)
        for i in range(1, min(starts[1], end + 1)):
            self.forward("ArrowRight", replay, i)
        for i in (*starts[1:], last):
            self.forward("Shift+ArrowRight", replay, i)
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

    def answers(self, question: Question) -> None:
        """Wrongly, with what is said of that, and then rightly."""
        assert spoken(question.text) in self.card()
        assert spoken(question.answer) not in self.card()
        self.go("button", "Choose an answer" if question.choices else "Write an answer")
        self.press("Enter")
        self.press("Tab")
        if question.choices:
            order = question.shuffled
            right = order.index(question.choices[0])
            wrong = 0 if right else 1
            back = "Tab" if right > wrong else "Shift+Tab"
            for away, key, choice, said in (
                (wrong, "Tab", order[wrong], order[wrong].reason),
                (abs(right - wrong), back, order[right], question.answer),
            ):
                for _ in range(away):
                    self.press(key)
                self.press("Space")
                self.waits(lambda said=said: spoken(said) in self.card(), self.card)
                assert spoken(choice.text).lower() in self.focus().name.lower(), "the focus stays"
        else:
            assert question.number is not None
            off = question.number + 2 * question.tolerance
            for value, said in ((off, question.wrong), (question.number, question.answer)):
                self.go("spinbutton", spoken(question.text))
                self.press("Control+a")
                self.page.keyboard.type(f"{value:.6g}")
                self.press("Enter")
                self.waits(lambda said=said: spoken(said) in self.card(), self.card)
        self.go("button", "Go on")
        self.press("Enter")


@pytest.mark.slow
@pytest.mark.parametrize("some", [_SOME, None], ids=["some", "every"])
def test_a_student_with_the_keyboard_and_the_tree_alone_finishes_lessons(
    taught: Lab, some: tuple[str, ...] | None
) -> None:
    taught.keep_settings("closed")
    taught.page.set_viewport_size({"width": 1280, "height": 720})
    taught.open()
    student, every = Listener(taught.page), (*offered(), read(OURS, "ours.toml"))
    student.press("Tab")
    first = student.focus()
    assert first.name, first
    shelves = {"method": "Lesson", "rules": "Other rules,", "": "From this server,"}
    places = {
        lesson.slug: f"{name} {i} of {len(own)}"
        for shelf, name in shelves.items()
        if (own := [one for one in every if one.shelf == shelf])
        for i, lesson in enumerate(own, start=1)
    }
    lessons = [lesson for lesson in every if some is None or lesson.slug in some]
    for lesson, following in zip(lessons, (*lessons[1:], None), strict=True):
        place, student.lesson = f"{places[lesson.slug]}{lesson.title}", lesson
        student.waits(lambda place=place: student.card().startswith(place), student.card)
        assert student.the("heading", lesson.title)
        replay = load(lesson.spec())
        student.is_told(replay, replay.events.index(lesson.event))
        if lesson in offered():
            is_whole(taught.page, lesson, 1280, 720)
        student.steps(lesson, replay)
        student.follows_links(lesson)
        for question in lesson.questions:
            student.answers(question)
        if following is None:
            continue
        after = every[every.index(lesson) + 1]
        if following is after and after.shelf == lesson.shelf:
            student.go("button", f"Next lesson: {following.title}", "Shift+Tab")
        else:
            student.go("button", places[lesson.slug], "Shift+Tab")
            student.press("Enter")
            assert f"{lesson.title}, done" in student.focus().name
            student.go("button", f"{following.title}, not begun")
        student.press("Enter")


def test_the_first_answer_counts_and_progress_is_kept_over_a_reload(lab: Lab) -> None:
    page, lesson = lab.page, find("figure-2")
    lab.open("?preset=figure-2&event=1.pick.1&predict=off")
    assert lesson is not None
    (asked,) = lesson.questions
    shows(page, lesson, Change(event=asked.at))  # once the link has been opened
    right = asked.shuffled.index(asked.choices[0])
    choices, said = page.get_by_role("group", name=asked.text), card(page).get_by_role("status")
    choice = choices.get_by_role("button")
    page.get_by_role("button", name="Choose an answer").click()
    choice.nth((right + 1) % len(asked.choices)).click()
    expect(said).to_contain_text("✗ Not quite.")
    expect(said).to_contain_text(asked.shuffled[(right + 1) % len(asked.choices)].reason)
    choice.nth(right).click()
    expect(choices.get_by_role("button", pressed=True)).to_have_count(1)
    expect(said).to_contain_text(f"✓ Yes. {asked.answer}")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="✓ Answered")).to_be_focused()
    page.keyboard.press("End")
    page.reload()
    lab.wait()
    expect(page.get_by_role("button", name="Answer again")).to_be_visible()
    page.get_by_role("button", name=PLACE).click()
    row = page.get_by_role("button", name=re.compile(f"^{lesson.title}, done, 0 of"))
    expect(row).to_be_focused()
    expect(row).to_have_attribute("aria-current", "page")
    page.get_by_role("button", name="Forget it").click()
    expect(page.get_by_role("button", name=f"{lesson.title}, not begun")).to_be_visible()
    assert page.evaluate("localStorage.getItem('ucbpe-lessons')") is None
    page.get_by_role("button", name="The thin peak, not begun").click()
    expect(heading(page, "The thin peak")).to_be_visible()
    expect(page.get_by_role("dialog", name="Lessons")).to_be_hidden()


def test_the_last_card_leads_on_and_what_is_found_is_the_runs(lab: Lab) -> None:
    page = lab.page
    lab.open("?preset=figure-2&predict=off")
    lesson, after = (find(slug) for slug in ("figure-2", "thin-peak"))
    assert lesson is not None
    assert after is not None
    replay = shows(page, lesson)  # once the link has been opened
    last = replay.events.index(lesson.last(replay.events))
    event = page.get_by_role("slider", name="Event", exact=True)
    event.fill(str(last))
    ending = page.get_by_role("region", name="End of the lesson")
    expect(ending).to_contain_text(f"with {len(replay.frame(last).observed)} measurements")
    expect(page.get_by_role("region", name="Why this point")).to_be_hidden()
    expect(ending.get_by_role("button", name=after.title)).to_be_visible()
    page.wait_for_timeout(1000)  # a key that is held would pass the card
    page.get_by_role("button", name="Next event").click()
    expect(heading(page, after.title)).to_be_visible()
    shows(page, after)
