"""What a lesson has a student draw or bring about: by mouse and keyboard, against NumPy."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Lab, from_disk
from tests.browser.pointing import place, settled_place
from tests.browser.student import button, enter, lesson_of
from tests.browser.test_live_lesson import written
from ucbpe_app.run.cache import load
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import coordinate, number
from ucbpe_app.run.sentences.texts import percent, say


def task(slug: str) -> Any:
    return lesson_of(slug).tasks[0]


def of(slug: str) -> tuple[Replay, Frame]:
    """The run of a lesson, and the frame at its task's event."""
    replay = load(lesson_of(slug).spec())
    return replay, replay.frame(replay.events.index(task(slug).at))


def field(page: Page, slug: str) -> Locator:
    """What a curve is drawn in: a group of sliders, one for each point."""
    return page.get_by_role("group", name=task(slug).text, exact=True)


def known(slug: str) -> Any:
    """The line that is on screen before a curve is drawn, at its points."""
    replay, frame = of(slug)
    x = replay.scene.candidates[:, 0]
    points, order = np.linspace(x.min(), x.max(), 13), np.argsort(x)
    return np.interp(points, x[order], replay.frame(frame.index - 1).mean[order])


def kept(page: Page, slug: str) -> dict[str, Any]:
    """What the browser keeps of the answers."""
    found = page.evaluate("(key) => sessionStorage.getItem(key)", f"ucbpe-answers:{slug}")
    return dict(json.loads(found))


def told(slug: str, stroke: list[float]) -> list[str]:
    """The sentences of a gap, by NumPy."""
    replay, frame = of(slug)
    X = replay.scene.candidates[:, 0]
    x, order = np.sort(X), np.argsort(X)
    handles = np.linspace(x[0], x[-1], len(stroke))
    own = np.interp(x, handles, stroke)
    away = np.abs(own - frame.mean[order])
    place = f"x = {coordinate(x[away.argmax()], replay.scene.extents[0])}"
    inside = np.mean((frame.lower[order] <= own) & (own <= frame.upper[order]))
    facts = {"average": number(away.mean()), "largest": number(away.max()), "place": place}
    return [say("ask.draw.apart", **facts), say("ask.draw.within", share=percent(inside))]


def test_a_curve_is_drawn_with_the_mouse_and_held_against_what_comes_out(lab: Lab) -> None:
    page = lab.page
    lab.open("?preset=start&event=1.pick.3")
    expect(field(page, "start")).to_be_visible()
    expect(button(page, "Next event")).to_have_attribute("aria-disabled", "true")
    expect(button(page, "Next event")).to_have_accessible_description(say("ask.need.draw"))
    page.mouse.move(*settled_place(page, "curve", 3.0, 1.0))
    page.mouse.down()
    for at in ((4.1, -0.5), (5.1, 2.1), (6.3, -1.0)):
        page.mouse.move(*place(page, "curve", *at), steps=8)
    page.mouse.up()
    stroke = kept(page, "start")["mark"]
    kept_as_it_was = np.isclose(stroke, known("start"), atol=0.05)
    assert kept_as_it_was[[0, -3, -2, -1]].all()
    assert not kept_as_it_was[2:9].any()
    button(page, "Next event").click()
    for sentence in told("start", stroke):
        expect(page.get_by_text(sentence).first).to_be_attached()
    assert kept(page, "start")["answers"]["draw 1.observe"] == stroke


def test_a_curve_is_drawn_by_keys_and_counts_once(lab: Lab) -> None:
    page = lab.page
    lab.open("?preset=start&event=1.pick.3")
    points = field(page, "start").get_by_role("slider")
    points.nth(6).focus()
    expect(points.nth(6)).to_have_accessible_name("x = 5.1")
    expect(points.nth(6)).to_have_attribute("aria-valuetext", "x = 5.1, nothing drawn yet")
    page.keyboard.press("ArrowUp")
    before, mark = known("start"), np.array(kept(page, "start")["mark"])
    assert (np.abs(mark - before) > 0.02).nonzero()[0].tolist() == [6]
    assert mark[6] > before[6]
    expect(points.nth(6)).to_have_attribute("aria-valuetext", re.compile("^x = 5.1, your curve"))
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    first = kept(page, "start")["answers"]["draw 1.observe"]
    assert (first[6], first[7] < before[7]) == (mark[6], True)
    button(page, "Previous event").click()
    expect(field(page, "start")).to_be_visible()  # the curve as it was
    lab.wait()
    told = points.first.get_attribute("aria-valuetext")
    assert told is not None
    points.first.press("ArrowUp")
    expect(points.first).not_to_have_attribute("aria-valuetext", told)
    points.first.press("Enter")
    expect(page.get_by_text("apart on average").first).to_be_attached()
    assert kept(page, "start")["answers"]["draw 1.observe"] == first
    assert kept(page, "start")["latest"]["draw 1.observe"][0] != first[0]


def test_after_a_tap_the_arrows_move_the_mark_and_enter_goes_on(lab: Lab) -> None:
    page = lab.page
    lab.open("?preset=start")
    expect(page.get_by_role("slider", name="Where would you measure first?")).to_be_attached()
    page.mouse.click(*settled_place(page, "curve", 6.0, None))
    tapped = kept(page, "start")["mark"]
    page.keyboard.press("ArrowRight")
    assert kept(page, "start")["mark"] == tapped + 1
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("% of the way up")


SET = "preset=noise&event=2.region"


def test_a_setting_is_changed_until_it_is_so(lab: Lab) -> None:
    lab.open(f"?{SET}")
    sets_the_noise(lab.page, lambda variance: enter(lab.page, "Noise variance", f"{variance:g}"))


def test_a_setting_is_changed_in_a_lesson_file(browser: Browser, tmp_path: Path) -> None:
    """That computes its results."""
    _, file = written(SET, tmp_path)
    with from_disk(browser, file) as disk:
        slider = disk.page.get_by_role("slider", name="Noise variance", exact=True)

        def slide(variance: float) -> None:  # from that of the lesson, 100 for a factor of ten
            slider.fill(f"{100 * math.log10(variance / 0.0001):.0f}")

        sets_the_noise(disk.page, slide)


def sets_the_noise(page: Page, change: Callable[[float], None]) -> None:
    own = task("noise")
    following, text = button(page, "Next event"), page.get_by_text
    expect(text(own.text).first).to_be_visible()
    expect(following).to_have_attribute("aria-disabled", "true")
    expect(following).to_have_accessible_description(say("ask.need.set"))
    change(0.0004)
    expect(text(own.near).first).to_be_visible()
    expect(following).to_have_attribute("aria-disabled", "true")
    change(0.001)
    expect(text(own.done).first).to_be_visible()
    expect(following).to_have_attribute("aria-disabled", "false")
    change(0.0001)  # what is on the screen counts
    expect(text(say("ask.set.do")).first).to_be_visible()
    button(page, "Skip").click()
    expect(text(own.text)).to_have_count(0)
    assert kept(page, "noise")["answers"]["set 2.region"] == "skipped"


@pytest.mark.slow
def test_a_cross_is_dragged_until_it_is_so_by_the_runs_of_the_browser(lab: Lab) -> None:
    page, own = lab.page, task("first-pick")
    lab.open("?preset=first-pick&event=2.pick.0")
    replay, frame = of("first-pick")
    cross = frame.observed[0]
    x, y = float(replay.scene.candidates[cross, 0]), float(frame.observed_y[0])
    expect(page.get_by_text(own.text).first).to_be_visible()
    page.mouse.move(*settled_place(page, "curve", x, y))
    page.mouse.down()
    for high in np.linspace(y, 1.5, 6)[1:]:
        page.mouse.move(*place(page, "curve", x, float(high)))
    expect(page.get_by_text(own.done).first).to_be_visible()  # before it is let go
    page.mouse.up()
    expect(button(page, "Next event")).to_have_attribute("aria-disabled", "false")
    button(page, "Next event").click()
    assert kept(page, "first-pick")["answers"]["drag 2.pick.0"] == "done"
