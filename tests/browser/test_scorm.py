"""A package in a course system: the grade arrives, answers are there the next time, and no error is
raised by another's implementation of SCORM 1.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect

from tests.browser.conftest import VIEWPORT
from tests.browser.course import course, frame, value
from tools.npm import NoPackageError, package
from ucbpe_app.export.site.write import make, write_package
from ucbpe_app.lessons import read

LESSON = '''version = 1
slug = "small"
title = "A small lesson"
problem = "multimodal"
caption = """Press Next."""
question = "Which?"
answer = "The one."
choices = ["this", "that"]

[settings]
K = 3
T = 3
initial = 3
'''


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        api = package("scorm-again")
    except NoPackageError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("course")
    write_package(folder / "lessons.zip", [make(read(LESSON, "small.toml"))])
    with course(folder / "course", folder / "lessons.zip", api) as url:
        yield f"{url}?lesson=lessons/small.html"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=VIEWPORT) as context:
        yield context.new_page()


def bar_of(place: Page | FrameLocator) -> Locator:
    return place.get_by_role("region", name="Exercise")


def answer(bar: Locator, guess: int | str) -> None:
    """A candidate's number, or the words of a choice."""
    if isinstance(guess, int):
        bar.get_by_label("Candidate").fill(str(guess))
    else:
        bar.get_by_label(guess).check()
    bar.get_by_role("button", name="Answer").click()


def go_on(bar: Locator, name: str = "Next") -> None:
    bar.get_by_role("button", name=name, exact=True).click()


def test_the_grade_arrives_and_what_was_answered_is_there_the_next_time(
    page: Page, address: str
) -> None:
    page.goto(address)
    bar = bar_of(frame(page))
    go_on(bar, "Begin")
    assert value(page, "cmi.core.lesson_status") == "incomplete"
    answer(bar, 0)
    expect(bar).to_contain_text("Reported to the course.")
    told = {one[1]: one[2] for one in page.evaluate("calls") if one[0] == "LMSSetValue"}
    assert told["cmi.interactions.0.id"] == "pick-1.pick.0"
    assert told["cmi.interactions.0.type"] == "numeric"
    assert told["cmi.interactions.0.student_response"] == "0"
    assert told["cmi.interactions.0.result"] in ("correct", "wrong") or (
        0 < float(told["cmi.interactions.0.result"]) < 1
    )
    go_on(bar)
    answer(bar, 100)
    so_far = points(bar)
    assert value(page, "cmi.core.score.raw") == f"{round(100 * so_far / 6)}"
    assert (value(page, "cmi.core.score.min"), value(page, "cmi.core.score.max")) == ("0", "100")
    assert value(page, "cmi.core.exit") == "suspend"
    saved = value(page, "cmi.suspend_data")
    assert json.loads(saved)["answers"] == [0, 100]
    assert len(saved) < 4096 / 10  # the standard's limit

    page.reload()  # the frame goes, and with it the lesson
    told = json.loads(page.evaluate("localStorage.getItem('last')"))
    assert [one[0] for one in told[-2:]] == ["LMSSetValue", "LMSFinish"]
    assert re.fullmatch(r"0000:00:\d\d\.\d\d", told[-2][2])
    assert told[-1][-1] == "true"
    bar = bar_of(frame(page))
    expect(bar).to_contain_text(f"{so_far:g} of 2 points so far.")
    go_on(bar, "Go on")
    expect(bar).to_contain_text("3 of 6.")
    for guess in (200, 300, 400):
        answer(bar, guess)
        go_on(bar)
    assert value(page, "cmi.core.lesson_status") == "incomplete"
    answer(bar, "this")
    expect(bar).to_contain_text("Right. The one.")
    go_on(bar, "Score")
    percent = re.search(r"(\d+) %", bar.inner_text())
    assert percent is not None
    assert value(page, "cmi.core.score.raw") == percent[1]
    assert value(page, "cmi.core.lesson_status") == "completed"
    assert page.evaluate("said") == []

    page.reload()
    bar = bar_of(frame(page))
    expect(bar).to_contain_text(f"{percent[1]} %")
    expect(bar.get_by_role("button")).to_have_count(0)
    assert value(page, "cmi.core.lesson_status") == "completed"
    assert value(page, "cmi.core.total_time") > "0000:00:00"


def points(bar: Locator) -> float:
    said = re.search(r"([\d.]+) of \d points? so far", bar.inner_text())
    assert said is not None
    return float(said[1])


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["review", "browse"])
def test_a_look_at_it_changes_nothing(page: Page, address: str, mode: str) -> None:
    page.goto(f"{address}&mode={mode}")
    bar = bar_of(frame(page))
    go_on(bar, "Begin")
    answer(bar, 0)
    expect(bar).to_contain_text("Shown for review: nothing is reported.")
    assert not [one for one in page.evaluate("calls") if one[0] == "LMSSetValue"]


@pytest.mark.slow
def test_a_system_that_fails_is_told_of_and_does_not_end_the_exercise(
    page: Page, address: str
) -> None:
    page.goto(f"{address}&broken=1")
    bar = bar_of(frame(page))
    go_on(bar, "Begin")
    answer(bar, 0)
    expect(bar).to_contain_text("The course system has not accepted the score: General Exception")
    page.evaluate("for (const name in API) { if (name.startsWith('LMS')) { API[name] = null } }")
    go_on(bar)
    answer(bar, 0)
    expect(bar).to_contain_text("The course system has not accepted the score: it gives no reason")
    go_on(bar)
    expect(bar).to_contain_text("3 of 6.")


@pytest.mark.slow
@pytest.mark.parametrize("where", ["nested", "opened"])
def test_the_api_is_found_frames_above_and_in_the_window_that_opened_it(
    page: Page, address: str, where: str
) -> None:
    if where == "nested":
        page.goto(f"{address}&nested=1")
        lesson = frame(page).frame_locator("iframe")
    else:
        with page.expect_popup() as popup:
            page.goto(f"{address}&opened=1")
        lesson = popup.value
    bar = bar_of(lesson)
    go_on(bar, "Begin")
    answer(bar, 0)
    expect(bar).to_contain_text("Reported to the course.")
    assert json.loads(value(page, "cmi.suspend_data"))["answers"] == [0]
    assert page.evaluate("said") == []


@pytest.mark.slow
def test_of_another_run_no_answer_is_taken(page: Page, address: str) -> None:
    kept = {
        "suspend_data": '{"v":1,"run":"0123456789abcdef","answers":[1,2,3]}',
        "core": {"lesson_status": "incomplete", "score": {"raw": "50"}, "total_time": "0000:01:00"},
    }
    page.goto(address)
    bar_of(frame(page)).wait_for()
    page.add_init_script(f"localStorage.setItem('kept', {json.dumps(json.dumps(kept))})")
    page.reload()
    bar = bar_of(frame(page))
    expect(bar).to_contain_text("has changed since your answers: the exercise starts again.")
    expect(bar.get_by_role("button", name="Begin")).to_be_visible()
