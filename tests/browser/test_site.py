"""A site from a disk: its index, and an exercise in each kind of picture.

And its package in a course system: the grade arrives, answers are there the next time, and no error
is raised by another's implementation of SCORM 1.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect

from tests.browser.conftest import VIEWPORT, from_disk
from tests.browser.course import course, frame, value
from tests.browser.pointing import place
from tests.browser.test_accessible import findings
from tools.npm import NoPackageError, package
from ucbpe_app.export.site.exercise import Round, rounds_of
from ucbpe_app.export.site.write import Site, make, write_package
from ucbpe_app.lessons import Lesson, read
from ucbpe_app.run.cache import load

LESSON = '''version = 1
slug = "{slug}"
title = "On {problem}"
problem = "{problem}"
caption = """Press Next. Then [there](event=2.posterior)."""
question = "How many?"
answer = "As the run has it."
number = 3
tolerance = 0.25

[settings]
K = 3
T = 3
initial = 5
'''
PICTURES = {"curve": "multimodal", "field": "himmelblau", "plane": "mackey_glass"}
SIZES = {"phone": (390, 844), "laptop": (1366, 768), "projector": (1920, 1080)}


@pytest.fixture(scope="module")
def lessons() -> dict[str, Lesson]:
    return {
        slug: read(LESSON.format(slug=slug, problem=problem), slug)
        for slug, problem in PICTURES.items()
    }


@pytest.fixture(scope="module")
def folder(lessons: dict[str, Lesson], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    site = Site(folder)
    site.finish([site.lesson(lesson) for lesson in lessons.values()])
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme"), [("phone", "dark"), ("projector", "light")])
def test_the_index_is_accessible_fits_and_stays_in_its_folder(
    browser: Browser, folder: Path, size: str, scheme: Literal["light", "dark"]
) -> None:
    index = folder / "index.html"
    with from_disk(browser, index, SIZES[size], scheme, figures=False) as lab:
        page = lab.page
        expect(page.get_by_role("listitem")).to_have_count(3)
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        assert all(
            page.locator("img").nth(i).evaluate("e => e.naturalWidth > 100") for i in range(3)
        )
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page).to_have_title("On multimodal")


def bar_of(place: Page | FrameLocator) -> Locator:
    return place.get_by_role("region", name="Exercise")


def status_of(page: Page) -> Locator:
    """Where the run is; other parts of a page have news of their own."""
    return page.get_by_role("status").and_(page.locator(".status"))


def press(page: Page, name: str) -> None:
    bar_of(page).get_by_role("button", name=name, exact=True).click()


def rounds(lesson: Lesson) -> tuple[Round, ...]:
    return rounds_of(load(lesson.spec()), lesson)


@pytest.mark.slow
@pytest.mark.parametrize("picture", PICTURES)
def test_guesses_are_clicked_marked_and_judged(
    browser: Browser, folder: Path, lessons: dict[str, Lesson], picture: str
) -> None:
    """The first is the pick itself, the second one is the worst candidate there is."""
    lesson = lessons[picture]
    replay, (first, second, *_) = load(lesson.spec()), rounds(lesson)
    with from_disk(browser, folder / f"lessons/{picture}.html") as lab:
        page = lab.page
        press(page, "Begin")
        before = replay.frame(first.index - 1)
        expect(status_of(page)).to_have_text(before.status)
        candidate = replay.scene.candidates[first.pick]
        x, y = {
            "curve": (candidate[0], None),
            "field": tuple(candidate[:2]),
            "plane": (before.std_now[first.pick], before.mean[first.pick]),
        }[picture]
        page.mouse.click(*place(page, picture, float(x), None if y is None else float(y)))
        line = bar_of(page).get_by_label("Candidate")
        expect(line).not_to_have_value("")
        guess = int(line.input_value())
        assert 0 < first.ranks[guess] <= max(1, first.size // 50)  # within a pixel of it
        press(page, "Answer")
        expect(status_of(page)).to_have_text(replay.frame(first.index).status)
        expect(bar_of(page)).to_contain_text("1 of 1 point.")
        press(page, "Next")
        worst = int(second.ranks.argmax())
        line.fill(str(worst))
        press(page, "Answer")
        expect(bar_of(page)).to_contain_text(
            f"your point is number {second.ranks[worst]} of {second.size}."
        )
        expect(bar_of(page)).to_contain_text("1 of 2 points so far.")
        assert findings(page) == []
        assert lab.requests_that_left() == [lab.url]


@pytest.mark.slow
def test_what_is_asked_cannot_be_looked_up_and_a_pause_ends_that(
    browser: Browser, folder: Path, lessons: dict[str, Lesson]
) -> None:
    lesson = lessons["curve"]
    replay, (first, *_) = load(lesson.spec()), rounds(lesson)
    before = replay.frame(first.index - 1).status
    with from_disk(browser, folder / "lessons/curve.html") as lab:
        page = lab.page
        press(page, "Begin")
        status = status_of(page)
        for key in ("ArrowRight", "End", "Shift+ArrowRight"):
            page.keyboard.press(key)
            expect(status).to_have_text(before)
            expect(bar_of(page)).to_contain_text("Guess first.")
        press(page, "Pause")
        expect(bar_of(page).get_by_role("button", name="Begin")).to_be_focused()
        page.keyboard.press("End")
        expect(status).to_have_text(replay.frame(-1).status)
        expect(page.get_by_text("Press Next.")).to_be_visible()
        press(page, "Begin")
        expect(status).to_have_text(before)
        expect(page.get_by_text("Press Next.")).to_be_hidden()


@pytest.mark.slow
def test_with_settings_of_ones_own_it_waits_and_a_click_is_a_guess(
    browser: Browser, folder: Path, lessons: dict[str, Lesson]
) -> None:
    replay, (first, *_) = load(lessons["curve"].spec()), rounds(lessons["curve"])
    with from_disk(browser, folder / "lessons/curve.html") as lab:
        page = lab.page
        bar, undo = bar_of(page), page.get_by_role("button", name="Undo")
        press(page, "Begin")
        x = float(replay.scene.candidates[first.pick, 0])
        page.mouse.click(*place(page, "curve", x, None))
        expect(bar).to_contain_text("Your guess for")
        expect(undo).to_be_disabled()  # nothing was measured
        # Nor is a measurement left out where it is: the place may be a good guess.
        at = float(replay.scene.candidates[replay.trace.posterior.conditioned_indices[0], 0])
        page.mouse.click(*place(page, "curve", at, float(replay.trace.y[0])))
        expect(bar).to_contain_text("Your guess for")
        expect(bar).to_contain_text(f" at {at:.3g}.")
        page.mouse.click(*place(page, "curve", x, None))
        expect(bar).to_contain_text("Your guess for")
        K = page.get_by_role("slider", name="Batch size K")
        K.fill("4")
        expect(bar).to_contain_text("The settings are not those of the lesson")
        expect(bar.get_by_role("button", name="Answer")).to_have_attribute("aria-disabled", "true")
        page.get_by_role("button", name="Reset to the lesson").click()
        expect(bar).to_contain_text("Your guess for")
        press(page, "Answer")
        expect(bar).to_contain_text("1 of 1 point.")


@pytest.mark.slow
def test_the_score_is_shown_and_by_the_keyboard_alone(
    browser: Browser, folder: Path, lessons: dict[str, Lesson]
) -> None:
    asked = rounds(lessons["curve"])
    with from_disk(browser, folder / "lessons/curve.html", SIZES["laptop"], "dark") as lab:
        page, bar = lab.page, bar_of(lab.page)
        bar.get_by_role("button", name="Begin").focus()
        page.keyboard.press("Enter")
        for one in asked:
            line = bar.get_by_label("Candidate")
            line.focus()
            page.keyboard.type(str(one.pick))
            page.keyboard.press("Enter")
            expect(bar).to_contain_text("Exact: ")
            bar.get_by_role("button", name="Next").focus()
            page.keyboard.press("Enter")
        line = bar.get_by_label("Answer", exact=True)
        line.fill("3.5")  # off by more than the tolerance
        line.press("Enter")
        expect(bar).to_contain_text("No: it is 3. As the run has it.")
        press(page, "Score")
        expect(bar).to_contain_text("Exercise: 5 of 6 points, 83 %.")
        expect(bar).not_to_contain_text("course")
        assert findings(page) == []


def test_points_fall_with_the_rank_from_the_best_two_percent_to_the_median(page: Page) -> None:
    source = (files("ucbpe_app.export.site") / "guesses.js").read_text(encoding="utf-8")
    script = f"""([size, ranks]) => {{
      {source}
      return ranks.map((_, guess) => pointsOf({{ranks, size, pick: -1}}, guess))
    }}"""
    assert page.evaluate(script, [100, [0, 1, 2, 14, 26, 38, 50, 100]]) == [
        0, 1, 1, 0.75, 0.5, 0.25, 0, 0,
    ]  # fmt: skip
    assert page.evaluate(script, [21, [1, 2, 11]]) == [1, (10.5 - 2) / (10.5 - 1), 0]


SMALL = '''version = 1
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
    write_package(folder / "lessons.zip", [make(read(SMALL, "small.toml"))])
    with course(folder / "course", folder / "lessons.zip", api) as url:
        yield f"{url}?lesson=lessons/small.html"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=VIEWPORT) as context:
        yield context.new_page()


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
