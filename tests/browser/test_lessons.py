"""Lessons as a class uses them: one after the other, along the links, and from a teacher's file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.app.lessons.texts import WHOLE, without, written
from tests.browser.conftest import Lab, Server, running
from tests.browser.student import Student, lesson_of
from ucbpe_app.lessons import Change, Lesson, changes_of, offered, read
from ucbpe_app.links import decode, query_of
from ucbpe_app.run.cache import load
from ucbpe_app.run.replay import Replay

RUN = 20_000  # ms; a run beside other work
CAPTION = '"<img src=x onerror=alert(1)> [There](event=1.observe) and [two](K=2&T=5)."'
MINE = written(written(WHOLE, "caption", CAPTION), "policy", '"gp-ucb-pe"')


OURS = written(written(MINE, "slug", '"ours"'), "title", '"Ours"')


@pytest.fixture(scope="module")
def server_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A dashboard that offers a teacher's lesson after its own."""
    folder = tmp_path_factory.mktemp("lessons")
    (folder / "ours.toml").write_text(OURS, encoding="utf-8")
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with running(log, "--lessons", str(folder)) as server:
        yield server


def card(page: Page) -> Locator:
    return page.get_by_role("region", name="Lesson")


def heading(page: Page, title: str) -> Locator:
    return card(page).get_by_role("heading", name=title, exact=True)


def shows(page: Page, lesson: Lesson, change: Change | None = None) -> Replay:
    """The event of a lesson, or of a link in its caption, and no notice."""
    change = change or Change()
    replay = load(lesson.changed(change))
    frame = replay.frame(replay.events.index(change.event or lesson.event))
    expect(page.get_by_role("status")).to_have_text(frame.status, timeout=RUN)
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
def test_every_lesson_one_after_the_other(lab: Lab) -> None:
    """In one page, along the button that leads to the next one; a teacher's comes last."""
    page, lessons = lab.page, (*offered(), read(OURS, "ours.toml"))
    lab.open()
    for number, lesson in enumerate(lessons, start=1):
        expect(heading(page, lesson.title)).to_be_visible(timeout=RUN)
        shows(page, lesson)
        expect(card(page)).to_contain_text(f"{number} of {len(lessons)}")
        for spans in lesson.caption:
            words = "".join(span.words for span in spans)
            expect(card(page).get_by_role("paragraph").filter(has_text=words)).to_be_visible()
        links = card(page).get_by_role("link")
        expect(links).to_have_count(len(lesson.links))
        queries = [f"?{query_of(lesson, change)}" for change in lesson.links]
        assert [link.get_attribute("href") for link in links.all()] == queries
        if number < len(lessons):
            page.get_by_role("button", name="Next lesson").click()


@pytest.mark.slow
def test_along_the_links_of_a_caption(lab: Lab) -> None:
    student, lesson = Student(lab, "beta-small"), lesson_of("beta-small")
    before, after, _, bold = lesson.links
    page = lab.page
    link = {
        name: card(page).get_by_role("link", name=name) for name in ("batch 2", "batch 3", "β = 9")
    }
    expect(link["batch 3"]).to_have_attribute("aria-current", "step")
    length = page.evaluate("history.length")
    link["batch 2"].click()
    shows(page, lesson, before)
    expect(link["batch 2"]).to_have_attribute("aria-current", "step")
    expect(link["batch 3"]).not_to_have_attribute("aria-current", "step")
    # By the keyboard, into another run; the arrows still step, and the caption still holds.
    link["β = 9"].focus()
    page.keyboard.press("Enter")
    replay = shows(page, lesson, bold)
    page.keyboard.press("ArrowLeft")
    student.sees(len(replay.events) - 2, replay)
    changed = page.get_by_text("Settings changed.")
    expect(changed).to_be_hidden()
    assert page.evaluate("history.length") == length
    # With a key of the browser's own the same link opens another tab.
    with page.context.expect_page() as opened:
        link["batch 3"].click(modifiers=["Control"])
    tab = opened.value
    assert tab.url == f"{lab.url}/?preset=beta-small&event=3.region"
    Lab(tab, lab.url).wait()
    shows(tab, lesson, after)
    tab.close()
    # Other settings are told, and taken back.
    student.type("β", "1")
    expect(changed).to_be_visible(timeout=RUN)
    card(page).get_by_role("button", name="Reset").click()
    shows(page, lesson)
    expect(changed).to_be_hidden()


@pytest.mark.slow
def test_what_a_lesson_hides_and_its_answer(lab: Lab) -> None:
    student, page = Student(lab, "beta-small"), lab.page
    for label in ("Problem", "Policy", "Kernel"):
        expect(page.get_by_role("combobox", name=label, exact=True)).to_be_hidden()
    expect(page.get_by_role("combobox", name="β schedule", exact=True)).to_be_visible()
    answer = page.get_by_text(lesson_of("beta-small").answer)
    expect(answer).to_be_hidden()
    page.get_by_text("Show answer").click()
    expect(answer).to_be_visible()
    student.choose("Lesson", lesson_of("regions").title)
    shows(page, lesson_of("regions"))
    expect(page.get_by_role("combobox", name="Kernel", exact=True)).to_be_visible()
    expect(page.get_by_text(lesson_of("regions").answer)).to_be_hidden()
    expect(page.get_by_text("Show answer")).to_be_visible()


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
    expect(heading(page, "My own")).to_be_visible(timeout=RUN)
    shows(page, mine)
    expect(card(page)).to_contain_text("<img src=x onerror=alert(1)> There and two.")
    expect(page.get_by_role("combobox", name="Kernel", exact=True)).to_be_hidden()
    expect(page.get_by_role("combobox", name="Lesson", exact=True)).to_have_text("My own (file)")
    (_, two), (_, link) = changes_of(mine.caption), card(page).get_by_role("link").all()
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


@pytest.mark.slow
def test_on_a_phone_all_words_are_there_at_once(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 390, "height": 844})
    Student(lab, "thin-peak")
    lesson = lesson_of("thin-peak")
    for spans in lesson.caption:
        expect(lab.page.get_by_text("".join(span.words for span in spans))).to_be_in_viewport(
            ratio=1
        )
    expect(card(lab.page).get_by_text(lesson.question)).to_be_in_viewport(ratio=1)
    inner = lab.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert inner[0] <= inner[1]


@pytest.mark.slow
def test_bold_words_and_maths_of_a_caption(lab: Lab, tmp_path: Path) -> None:
    caption = r"'''**Wide** where $\sqrt{\beta_t}\,\sigma(x)$ is, [here](event=1.pick.1).'''"
    path = tmp_path / "maths.toml"
    path.write_text(written(MINE, "caption", caption), encoding="utf-8")
    Student(lab, "start")
    choose_file(lab.page, path)
    said = card(lab.page)
    expect(said.locator("b")).to_have_text("Wide")
    expect(said.locator("math")).to_have_text("√βtσ(x)")
    sign, under = said.locator("math mo").first, said.locator(".radicand")
    assert all(box and box["height"] > 8 for box in (sign.bounding_box(), under.bounding_box()))
    expect(said.get_by_role("link", name="here")).to_be_visible()
