"""One link is one exact moment: copied in one page, opened in another, kept by the browser."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace
from io import BytesIO

import pytest
from matplotlib.image import imread
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.conftest import Lab
from tests.browser.student import Student, lesson_of, open_menu, pictures_of
from ucbpe_app.links import Moment, decode, encode, usual
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay

A_BADGE = 80  # pixels that differ at most: twice the number for a badge one pixel wider
_LAYERS = ("Truth", "Measurement band", "Log regret", "Theorem 1")


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


def draws(page: Page, pictures: list[str]) -> None:
    """The same pictures, as soon as they are painted.

    A badge may be a pixel wider: its width depends on when the browser had the font.
    """
    different = list[int]()
    for _ in range(50):
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
    frame = replay.frame(replay.events.index(moment.event))
    expect(page.get_by_role("status")).to_have_text(frame.status)
    expect(run_of(page)).to_have_attribute("data-digest", replay.trace.digest)
    expect(page.get_by_text(frame.sentence, exact=True)).to_be_visible()


@pytest.mark.parametrize("slug", ["figure-2", pytest.param("himmelblau", marks=pytest.mark.slow)])
def test_a_copied_link_opens_the_same_moment(lab: Lab, slug: str) -> None:
    student = Student(lab, slug)
    student.choose("Kernel", "Matérn")
    student.type("Multiplier c", "0.3")
    spec = replace(student.spec, kernel="Matérn", scale=0.3)
    replay = load(spec)
    at = replay.batch_start(2) + 3
    lab.page.get_by_label("Event", exact=True).fill(str(at))
    student.sees(at, replay)
    student.open_menu("Show")
    student.button("Log regret").click()
    student.button("Truth").click()
    expect(student.button("Truth")).to_have_attribute("aria-pressed", "false")
    link = copied(lab.page)
    assert link == lab.page.url
    moment, errors = decode(link.partition("?")[2])
    assert errors == ()
    assert (moment.settings, moment.event) == (spec, replay.events[at])
    assert replay.trace.digest.startswith(moment.digest)

    expect(student.button("Copy link")).to_be_visible()  # no longer "Link copied"
    has_layers(lab.page, "Log regret")
    pictures = student.pictures()
    with lab.page.context.new_page() as page:
        other = Lab(page, lab.url)
        other.open(link.removeprefix(f"{lab.url}/"))
        shows(page, moment)
        has_layers(page, "Log regret")
        expect(page.get_by_role("heading", name=lesson_of(slug).title)).to_be_visible()
        expect(page.get_by_text("Settings changed.")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        draws(page, pictures)
        assert copied(page) == link
        assert not other.errors
        assert not other.requests_that_left()


def test_a_bad_field_changes_only_itself_and_is_told(lab: Lab) -> None:
    spec = replace(lesson_of("start").spec(), seed=77)
    moment = Moment(spec, Event(2, Kind.REGION), frozenset({"truth", "log"}), preset="start")
    query = encode(moment).replace("K=4", "K=%3Cb%3Efour") + "&colour=red"
    lab.open(f"?{query}")
    shows(lab.page, moment)
    said = lab.page.get_by_role("alert")
    expect(said).to_contain_text("Expected a field that links have; got colour. It is left out")
    expect(said).to_contain_text("from 1 to 50; got K=<b>four. The link opens with K=4.")
    said.get_by_role("button", name="Close").click()
    expect(said).to_be_hidden()
    shows(lab.page, moment)


@pytest.mark.slow
def test_another_run_than_the_links_is_told(lab: Lab) -> None:
    moment = Moment(replace(usual("multimodal"), seed=78), digest="0" * 16)
    lab.open(f"?{encode(moment)}")
    shows(lab.page, moment)
    digest = load(moment.settings).trace.digest[:16]
    said = lab.page.get_by_role("alert")
    expect(said).to_contain_text(f"Expected run 0000000000000000; got run {digest}.")


@pytest.mark.slow
def test_back_and_forward_go_between_the_moments_of_two_links(lab: Lab) -> None:
    moments = [
        Moment(replace(usual("multimodal"), seed=79), Event(3, Kind.PICK, 1)),
        Moment(replace(usual("figure1"), initial=0, seed=80), Event(2, Kind.OBSERVE)),
    ]
    left = []
    for moment in moments:
        lab.open(f"?{encode(moment)}")
        shows(lab.page, moment)
        # What is done in between makes no entry of the history: the address follows.
        lab.page.keyboard.press("ArrowRight")
        following = load(moment.settings)
        at = following.events.index(moment.event) + 1
        left.append(replace(moment, event=following.events[at]))
        shows(lab.page, left[-1])
        expect(lab.page).to_have_url(re.compile(rf"event={left[-1].event.text}&"))
    for go, moment in (
        (lab.page.go_back, left[0]),
        (lab.page.go_forward, left[1]),
        (lab.page.go_back, left[0]),
    ):
        go()
        lab.wait()
        shows(lab.page, moment)
        opened, _ = decode(lab.page.url.partition("?")[2])
        assert (opened.settings, opened.event) == (moment.settings, moment.event)


@pytest.mark.slow
def test_changes_make_no_entry_in_the_history(lab: Lab) -> None:
    student = Student(lab, "start")
    before = lab.page.evaluate("history.length")
    student.open_menu("Show")
    for name in ("Next event", "Next batch", "Log regret"):
        student.button(name).click()
    student.type("Lengthscale", "0.5")
    replay = load(replace(student.spec, lengthscale=0.5))
    at = replay.batch_start(2)
    student.sees(at, replay)
    link = copied(lab.page)
    expect(lab.page).to_have_url(link)  # it follows within half a second
    other = lesson_of("figure-2")
    student.choose("Lesson", other.title)
    shows(lab.page, Moment(other.spec(), other.event))
    expect(lab.page).to_have_url(re.compile("preset=figure-2"))
    assert lab.page.evaluate("history.length") == before


@pytest.mark.slow
def test_hidden_controls_are_not_offered(lab: Lab) -> None:
    lab.open("?preset=start&hide=Belief,K,truth&show=")
    page = lab.page
    expect(page.get_by_label("Batches T", exact=True)).to_be_visible()
    expect(page.get_by_label("Batch size K", exact=True)).to_be_hidden()
    expect(page.get_by_text("Prior", exact=True)).to_be_hidden()
    expect(page.get_by_role("button", name="Fit by marginal likelihood")).to_be_hidden()
    open_menu(page, "Show")
    expect(page.get_by_role("button", name="Log regret", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Truth", exact=True)).to_have_count(0)
    assert "hide=Belief,K,truth" in copied(page)
    lab.open("?hide=Start,Problem,Policy,Belief,Confidence,Layers")
    expect(page.get_by_label("Problem", exact=True)).to_be_hidden()
    next_event = page.get_by_role("button", name="Next event")
    expect(next_event).to_be_visible()
    for _ in range(50):  # the page may still be laying itself out
        box = next_event.bounding_box()
        if box is not None and box["x"] < 280:
            break
        page.wait_for_timeout(100)
    else:
        pytest.fail("the room of the settings is left empty")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "name"),
    [
        (
            "() => { navigator.clipboard.writeText = () => Promise.reject() }",
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
    moment = Moment(student.spec, preset="start", digest=student.replay.trace.digest)
    assert lab.page.url == f"{lab.url}/?{encode(moment)}"


@pytest.mark.slow
def test_a_page_that_the_browser_has_kept_is_loaded_again(lab: Lab) -> None:
    """Its connection is gone: it would show what was, and answer to nothing."""
    student = Student(lab, "start")
    student.button("Next event").click()
    student.sees(1)
    expect(lab.page).to_have_url(re.compile("event=1.pick.0"))
    with lab.page.expect_navigation():
        lab.page.evaluate(
            "window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))"
        )
    lab.wait()
    student.sees(1)
