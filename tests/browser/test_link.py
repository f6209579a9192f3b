"""One link is one exact moment: copied in one page, opened in another, kept by the browser."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import pytest
from matplotlib.image import imread
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.conftest import PATIENCE, Lab
from tests.browser.student import Student, lesson_of, pictures_of, told, type_into
from ucbpe_app.lessons import find
from ucbpe_app.lessons.card import last
from ucbpe_app.links import Moment, decode, encode
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay

A_BADGE = 80  # pixels that differ at most: twice the number for a badge one pixel wider
_LAYERS = ("True f", "Measurement band", "Log regret", "Theorem 1")


@pytest.fixture(autouse=True)
def clipboard(context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])


def copied(page: Page) -> str:
    """What the clipboard has after a click on the button."""
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    return page.evaluate("navigator.clipboard.readText()")


def run_of(page: Page) -> Locator:
    return page.locator(".run")


def has_layers(page: Page, *names: str) -> None:
    """Which of the layers' buttons are pressed, no others."""
    for name in _LAYERS:
        button = page.get_by_role("button", name=name, exact=True)
        if button.count():  # a field shows no band
            expect(button).to_have_attribute("aria-pressed", str(name in names).lower())


def different_pixels(ours: str, theirs: str) -> int:
    """How many pixels of two canvases differ; all of them if their sizes do."""
    images = [imread(BytesIO(b64decode(one.partition(",")[2]))) for one in (ours, theirs)]
    if images[0].shape != images[1].shape:
        return images[0][..., 0].size
    return int((images[0] != images[1]).any(axis=-1).sum())


WRITE_EVERY = 400  # ms, as in address.js


def follows(page: Page, *fields: str) -> None:
    """The address has these fields."""
    for field in fields:
        expect(page).to_have_url(re.compile(rf"[?&]{re.escape(field)}(&|$)"))


def draws(page: Page, pictures: list[str]) -> None:
    """The same pictures, as soon as they are painted.

    A badge may be a pixel wider: its width depends on when the browser had the font.
    """
    different = list[int]()
    for _ in range(PATIENCE // 100):
        now = pictures_of(page)
        if len(now) == len(pictures):
            different = list(map(different_pixels, pictures, now))
            if max(different) <= A_BADGE:
                return
        page.wait_for_timeout(100)
    pytest.fail(f"{len(pictures)} pictures, other pixels: {different} of {len(now)}")


def shows(page: Page, moment: Moment, replay: Replay | None = None) -> None:
    """The event and the digest of this moment's run."""
    replay = replay or load(moment.settings)
    lesson = find(moment.preset)
    i = replay.events.index(moment.event)
    words = told(lesson, replay, i, moment.layers) if lesson else replay.frame(i).tell()
    expect(page.get_by_role("status")).to_have_text(words.status)
    expect(run_of(page)).to_have_attribute("data-digest", replay.trace.digest)
    expect(page.get_by_text(words.sentence, exact=True)).to_be_visible()


@pytest.mark.slow
@pytest.mark.gate
def test_undo_ends_at_the_moment_that_a_link_opens(lab: Lab) -> None:
    """Also after a reload; and a change made there is undone to that moment."""
    page = lab.page
    lesson = find("himmelblau")
    assert lesson is not None
    event, layers = Event(2, Kind.PICK, 2), frozenset({"log"})
    moment = Moment(lesson.spec(), event, layers, preset=lesson.slug)

    def stays() -> None:
        shows(page, moment)
        page.keyboard.press("Control+z")
        page.keyboard.press("ArrowRight")  # the server has handled what was pressed before
        page.keyboard.press("ArrowLeft")
        shows(page, moment)
        expect(page.get_by_role("heading", name=lesson.title)).to_be_visible()
        expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()

    lab.open("?preset=himmelblau&event=2.pick.2&show=log&hide=Policy,Layers")
    stays()
    type_into(page, "Scale c", "2")
    shows(page, replace(moment, settings=replace(moment.settings, scale=2.0)))
    follows(page, "scale=2.0")
    page.keyboard.press("Control+z")
    stays()
    expect(page).not_to_have_url(re.compile("&scale=2"))
    follows(page, "event=2.pick.2", "show=log")
    page.reload()
    lab.wait()
    stays()


@pytest.mark.slow
@pytest.mark.parametrize("slug", [pytest.param("figure-2", marks=pytest.mark.gate), "himmelblau"])
def test_a_copied_link_opens_the_same_moment(lab: Lab, slug: str) -> None:
    student = Student(lab, slug)
    student.choose("Kernel", "Matérn")
    student.type("Noise variance", "0.3")
    spec = replace(student.spec, kernel="Matérn", noise_variance=0.3)
    replay = load(spec)
    at = replay.batch_start(2) + 3
    lab.page.get_by_label("Event", exact=True).fill(str(at))
    student.sees(at, replay)
    student.open_menu("Show")
    student.button("Log regret").click()
    student.button("True f").click()
    expect(student.button("True f")).to_have_attribute("aria-pressed", "true")
    link = copied(lab.page)
    assert link == lab.page.url
    moment, errors = decode(link.partition("?")[2])
    assert errors == ()
    assert (moment.settings, moment.event) == (spec, replay.events[at])
    assert replay.trace.digest.startswith(moment.digest)

    expect(student.button("Copy link")).to_be_visible()  # no longer "Link copied"
    has_layers(lab.page, "Log regret", "True f")
    pictures = student.pictures()
    with lab.page.context.new_page() as page:
        other = Lab(page, lab.url)
        other.open(link.removeprefix(f"{lab.url}/"))
        shows(page, moment)
        has_layers(page, "Log regret", "True f")
        expect(page.get_by_role("heading", name=lesson_of(slug).title)).to_be_visible()
        expect(page.get_by_text("Settings changed.")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        draws(page, pictures)
        assert copied(page) == link
        assert not other.errors
        assert not other.requests_that_left()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "name"),
    [
        (
            "() => { navigator.clipboard.writeText = () => Promise.reject();"
            " document.execCommand = () => false }",
            "Copy it from the address bar",
        ),
        (
            "() => { Object.defineProperty(navigator, 'clipboard', {value: undefined}) }",
            "Link copied",
        ),
    ],
    ids=["refused", "not of this machine and no https"],
)
def test_where_a_browser_does_not_let_a_page_copy(lab: Lab, script: str, name: str) -> None:
    student = Student(lab, "start")
    lab.page.evaluate(script)
    student.button("Copy link").click()
    expect(lab.page.get_by_role("button", name=name)).to_be_visible()
    shown = {"layers": student.lesson.layers, "hidden": student.lesson.hidden, "predict": "off"}
    moment = Moment(student.spec, preset="start", digest=student.replay.trace.digest, **shown)
    assert lab.page.url == f"{lab.url}/?{encode(moment)}"


@pytest.mark.slow
def test_an_address_stays_as_it_was_opened_until_something_changes(lab: Lab) -> None:
    student = Student(lab, "start")
    address = lab.page.url
    lab.page.wait_for_timeout(3 * WRITE_EVERY)
    assert lab.page.url == address
    student.button("Next event").click()
    follows(lab.page, "event=1.pick.0")
    student.button("Previous event").click()
    follows(lab.page, "event=1.posterior")


@pytest.mark.slow
def test_a_held_key_changes_the_address_seldom(lab: Lab) -> None:
    lab.page.add_init_script("""
        window.writes = []
        const replace = history.replaceState.bind(history)
        history.replaceState = (...all) => { writes.push(performance.now()); replace(...all) }
        history.pushState = () => { throw Error("the history got an entry") }
    """)
    student = Student(lab, "start")
    student.sees(0)
    end = last(student.lesson, student.replay)  # from which a key leads to the next lesson
    for _ in range(end):
        lab.page.keyboard.press("ArrowRight")
    student.sees(end)
    event = student.replay.events[end]
    follows(lab.page, f"event={event.t}.{event.kind}")
    writes = lab.page.evaluate("window.writes")
    gaps = [after - before for before, after in pairwise(writes)]
    assert len(writes) < end / 2
    assert min(gaps, default=WRITE_EVERY) > 0.9 * WRITE_EVERY
