"""Why this point, predict then reveal, and exploring fast, in a real browser.

And the arrows: they step whatever was clicked before, unless a caret or an open list needs them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Lab, Server
from tests.browser.pointing import number_field, place, point_at, reads, spots
from tests.browser.student import (
    Student,
    choose,
    enter,
    event_of,
    open_menu,
    stays,
    steps,
    thumb,
)
from ucbpe_app.links import DIGEST_DIGITS
from ucbpe_app.run.atlas import Atlas
from ucbpe_app.run.cache import load
from ucbpe_app.run.criterion import criterion
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.texts import percent
from ucbpe_app.run.settings import RunSpec


def go(student: Student, i: int) -> None:
    student.page.get_by_label("Event", exact=True).fill(str(i))
    student.sees(i)


@pytest.mark.slow
def test_pointing_holding_and_keys_tell_any_candidate_while_one_steps(lab: Lab) -> None:
    lab.keep_settings("closed")  # open, they lie over the plane
    student, page = Student(lab, "regions"), lab.page
    student.open_menu("Show")
    student.button("Decision plane").click()
    page.keyboard.press("Escape")
    replay = student.replay
    i = replay.events.index(Event(2, Kind.PICK, 1))
    go(student, i)
    frame, X = replay.frame(i), replay.scene.candidates[:, 0]
    # The pick itself, while nothing is pointed at; f comes at the end of the lesson.
    reads(page, replay, i, frame.subject.index, truth=False)
    assert not any(map(any, spots(page)))  # those that there are

    point_at(page, "curve", float(X[300]), float(frame.mean[300]))
    reads(page, replay, i, 300, truth=False)
    x, mean, std = float(X[300]), float(frame.mean[300]), float(frame.std_now[300])
    assert sorted(spots(page)) == sorted([[x, mean], [x, math.sqrt(std)], [std, mean]])
    page.mouse.move(5, 5)
    reads(page, replay, i, frame.subject.index, truth=False)

    # In the plane by its dot; a click holds it, and then the mouse changes nothing.
    held = int(np.where(frame.region_plus, frame.mean, np.inf).argmin())
    dot = (float(frame.std_now[held]), float(frame.mean[held]))
    page.mouse.click(*point_at(page, "plane", *dot))
    reads(page, replay, i, held, truth=False)
    point_at(page, "curve", x, mean)
    for j in (i + 1, i + 2, i + 3):
        page.keyboard.press("ArrowRight")
        student.sees(j)
        reads(page, replay, j, held, truth=False)
    student.open_menu("Show")
    student.button("True f").click()
    reads(page, replay, i + 3, held)
    page.keyboard.press("Escape")
    subject = replay.frame(i + 3).subject
    assert subject is not None
    reads(page, replay, i + 3, subject.index)

    # All of it by keys.
    field = number_field(page)
    field.focus()
    for key, further in (("ArrowUp", 1), ("ArrowUp", 2), ("PageUp", 12), ("PageDown", 2)):
        page.keyboard.press(key)
        reads(page, replay, i + 3, subject.index + further)
    field.fill("380")
    page.keyboard.press("Enter")
    reads(page, replay, i + 3, 380)
    page.keyboard.press("Escape")
    student.button("Release the candidate").wait_for(state="hidden")


@pytest.mark.slow
def test_a_tap_on_a_phone_is_told_at_the_top(browser: Browser, server_process: Server) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    lab = Lab(context.new_page(), server_process.url)
    student, page = Student(lab, "himmelblau"), lab.page
    i = student.replay.events.index(student.replay.frame(0).event)
    page.get_by_label("Event", exact=True).fill("0")
    student.sees(i)
    X = student.replay.scene.candidates
    page.touchscreen.tap(*place(page, "field", *X[4040].tolist()))
    reads(page, student.replay, i, 4040, truth=False)
    frame = student.replay.frame(i)
    on_plane = [float(frame.std_now[4040]), float(frame.mean[4040])]
    # In all maps, which have one source, and in the plane.
    assert sorted(spots(page)) == sorted([X[4040].tolist(), on_plane])
    box = page.get_by_role("region", name="One candidate").bounding_box()
    assert box is not None
    assert (box["x"], box["width"]) == (0, 390)
    bar = page.get_by_role("navigation", name="Pages").bounding_box()
    assert bar is not None
    assert 0 <= box["y"] - (bar["y"] + bar["height"]) < 10
    student.button("Release the candidate").tap()
    expect(number_field(page)).to_have_value("")
    assert lab.errors == []
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["figure-1", "himmelblau", "mackey-glass"])
def test_predict_then_reveal_by_keys_alone(lab: Lab, slug: str) -> None:
    """Nothing of a pick comes before its answer; then the gap is told by the core's numbers."""
    asked = list[int]()  # events, of the server

    def note(frame: str | bytes) -> None:
        if isinstance(frame, str):
            asked.extend(map(int, re.findall(r'"index"[:,] ?(\d+)', frame)))

    lab.page.on("websocket", lambda socket: socket.on("framesent", note))
    student, page = Student(lab, slug, predict="on"), lab.page
    replay, next_one = student.replay, student.button("Next event")
    start = replay.batch_start(3)
    page.get_by_label("Event", exact=True).fill(
        str(start)
    )  # a jump, which stops where it asks first
    opened = replay.events.index(student.lesson.event)
    at = next(i for i, e in enumerate(replay.events) if i > opened and e.kind is Kind.PICK)
    question = page.get_by_role("slider", name=re.compile("^Where would you measure"))
    expect(question).to_be_visible()
    expect(next_one).to_have_attribute("aria-disabled", "true")
    expect(next_one).to_have_accessible_description("Set your mark first, or skip")
    question.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(next_one).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("Escape")
    expect(next_one).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    said = question.get_attribute("aria-valuetext") or ""
    assert all(i < at for i in asked), "the server was asked for the pick"
    mark = int(question.get_attribute("data-mark") or -1)
    before = replay.frame(at - 1)
    numbers = f" {number(float(before.mean[mark]))}, std {number(float(before.std_now[mark]))}"
    assert said.endswith(numbers)
    page.keyboard.press("Enter")
    rule = criterion(replay, replay.frame(at))
    assert rule is not None
    share = rule.share(mark)
    assert share is not None
    told = f"Yours: {percent(share)} of the way up"
    if not rule.eligible[mark]:
        told = "Yours is ruled out"
    expect(student.status).to_contain_text(told)
    expect(page.get_by_text(number(rule.largest)).first).to_be_visible()
    assert max(asked) == at
    expect(page).to_have_url(re.compile(f"[?&]event={re.escape(replay.events[at].text)}(&|$)"))
    page.reload()
    lab.wait()
    expect(student.status).to_contain_text(told)  # the tab has kept the answer
    student.button("Previous event").click()
    expect(question).to_have_attribute("data-mark", str(mark))
    student.button("Skip").click()
    expect(student.status).not_to_contain_text("Yours")
    assert parse_qs(urlsplit(page.url).query)["run"] == [replay.trace.digest[:DIGEST_DIGITS]]
    assert lab.errors == []


@pytest.mark.slow
def test_a_pinned_run_undo_and_redo(lab: Lab) -> None:
    student, page = Student(lab, "regions"), lab.page
    first = student.replay
    i = first.events.index(Event(2, Kind.PICK, 1))
    go(student, i)
    student.open_menu("Show")
    student.button("True f").click()  # without it no regret is compared
    expect(page.get_by_role("heading", name="Best result so far")).to_have_count(0)
    before = student.state()
    student.open_menu("Compare")
    student.button("Pin this run").click()
    expect(page.get_by_text("pinned: this run").first).to_be_visible()
    enter(page, "Scale c", "5")
    wider = load(replace(student.spec, scale=5.0))
    student.sees(i, wider)
    expect(page.get_by_text("pinned: β scale c 1")).to_have_count(2)
    page.keyboard.press("Control+z")
    student.sees(i, first)
    page.keyboard.press("Control+Shift+Z")
    student.sees(i, wider)
    # In a text field these keys are the field's own.
    seed = page.get_by_label("Noise seed", exact=True)
    seed.fill("12")
    page.keyboard.press("Control+z")
    expect(seed).to_have_value(str(student.spec.seed))
    student.sees(i, wider)
    seed.blur()
    student.button("Undo").click()
    student.sees(i, first)
    student.button("Pin this run").click()
    expect(page.get_by_text(re.compile("^pinned"))).to_have_count(0)
    after = student.state()
    assert {name: after[name] for name in before} == before


@pytest.mark.slow
def test_the_atlas_fills_in_and_a_cell_is_reached_by_keys(lab: Lab) -> None:
    lab.open("?problem=multimodal&schedule=constant&T=4&event=2.pick.1")
    page = lab.page
    lengthscale = page.get_by_label("Lengthscale", exact=True)
    open_menu(page, "Atlas")
    expect(page.get_by_text("13 × 13 settings")).to_be_visible()
    expect(
        page.get_by_text(re.compile("This run: lengthscale 0.65, c = 1. Its cell: reg"))
    ).to_be_visible()
    cells = page.get_by_role("application")
    page.keyboard.press("Tab")
    cells.focus()
    for key in ("ArrowLeft", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    own = Atlas.of(RunSpec(schedule="Constant", batches=4)).at((8, 5))
    settings = f"lengthscale {number(own.lengthscale)}, c = {number(own.scale)}"
    expect(cells).to_have_text(re.compile(f"^{settings}: regret"))
    page.keyboard.press("Enter")
    expect(lengthscale).to_have_value(number(own.lengthscale))
    expect(page.get_by_text(f"This run: {settings}.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(lengthscale).to_have_value("0.65")
    assert lab.errors == []


CLICKS: dict[str, Callable[[Page], None]] = {
    "a menu": lambda page: open_menu(page, "Show"),
    "a layer": lambda page: page.get_by_role("button", name="Log regret", exact=True).click(),
    "a slider": lambda page: page.mouse.click(*thumb(page, "Lengthscale slider")),
    "a number and Enter": lambda page: enter(page, "Lengthscale", "0.4"),
    "a candidate and Enter": lambda page: enter(page, "Candidate", "12"),
    "a choice": lambda page: choose(page, "Kernel", "RBF"),
    "the timeline": lambda page: event_of(page).click(),
}


@pytest.mark.slow
def test_arrows_step_after_a_click_and_are_kept_where_they_are_needed(lab: Lab) -> None:
    student, page = Student(lab, "batch-size"), lab.page
    student.sees(0)
    for act in CLICKS.values():
        act(page)
        steps(page)
        steps(page, "ArrowLeft", -1)
        steps(page, "PageDown")
    lengthscale = page.get_by_label("Lengthscale", exact=True)
    lengthscale.click()
    for key in ("ArrowRight", "Home", "End"):
        stays(page, key)
    student.choice("Kernel").click()
    stays(page)
    stays(page, "End")
    page.keyboard.press("Escape")
    steps(page)

    # What the keyboard has focused keeps its arrows.
    lengthscale.click()
    before = lengthscale.input_value()
    page.keyboard.press("Tab")
    slider = page.get_by_label("Lengthscale slider", exact=True)
    expect(slider).to_be_focused()
    stays(page)
    expect(lengthscale).not_to_have_value(before)
    expect(slider).to_be_focused()
    # Of a group of buttons the keyboard reaches all but one by arrows alone.
    student.open_menu("Show")
    student.button("True f").click()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(student.button("True f")).to_be_focused()
    stays(page)
    expect(student.button("Measurement band")).to_be_focused()
    # A click ends that. A screen reader's command focuses a slider without a Tab key.
    student.button("True f").click()
    steps(page)
    slider.focus()
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):
        before = lengthscale.input_value()
        stays(page, key)
        expect(lengthscale).not_to_have_value(before)
    expect(slider).to_be_focused()
