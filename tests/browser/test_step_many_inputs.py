"""The Step page for problems that no function panel can show: the decision plane is the picture."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Lab
from tests.browser.pointing import point_at, reads
from tests.browser.student import Student
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Kind
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import coordinate
from ucbpe_app.run.settings import PROBLEM_NAMES
from ucbpe_core.problems.abalone import DATA_DIR

MACKEY_GLASS = PROBLEM_NAMES["mackey_glass"]


def table(page: Page) -> Locator:
    """The inputs of the pick, beside the reason."""
    return page.get_by_role("table")


def rows(table: Locator) -> dict[str, str]:
    """Names and values."""
    lines = [row.split("\t")[:2] for row in table.inner_text().splitlines() if "\t" in row]
    return {name.strip(): value.strip() for name, value in lines}


def told(replay: Replay, index: int) -> dict[str, str]:
    """What is to be read of a candidate."""
    scene = replay.scene
    of = scene.candidates
    extents, values = np.ptp(of, axis=0).tolist(), of[index].tolist()
    digits = [coordinate(*one, 4) for one in zip(values, extents, strict=True)]
    return dict(zip(scene.axes[:-1], digits, strict=True))


@pytest.mark.slow
def test_two_batches_forward_by_button_and_back_by_key(lab: Lab) -> None:
    student = Student(lab, "mackey-glass")
    lab.page.keyboard.press("Home")
    student.sees(0)
    end = student.replay.batch_start(3)
    seen = [(student.state(), table(lab.page).inner_html())]
    pictures = student.pictures()
    for i in range(1, end + 1):
        student.button("Next event").click()
        student.sees(i)
        pictures = student.pictures_other_than(pictures, f"event {i}")
        seen.append((student.state(), table(lab.page).inner_html()))
        assert seen[-1] != seen[-2]
    for i in reversed(range(end)):
        lab.page.keyboard.press("ArrowLeft")
        student.sees(i)
        state, words = student.state(), table(lab.page).inner_html()
        other = {name: (seen[i][0][name], state[name]) for name in state}
        assert not [name for name, (a, b) in other.items() if a != b], f"event {i} is different"
        assert words == seen[i][1]


@pytest.mark.slow
def test_the_table_names_the_inputs_of_every_pick(lab: Lab) -> None:
    student = Student(lab, "mackey-glass")
    for i in range(student.replay.batch_start(3), student.replay.batch_start(4)):
        lab.page.get_by_label("Event", exact=True).fill(str(i))
        student.sees(i)
        frame = student.replay.frame(i)
        if frame.subject is None:
            expect(table(lab.page)).to_contain_text("No pick yet")
        else:
            expect(table(lab.page)).to_contain_text(f"candidate {frame.subject.index}")
            assert rows(table(lab.page)) == told(student.replay, frame.subject.index)


def test_pointing_at_a_dot_or_at_a_pick_tells_its_inputs_and_numbers(lab: Lab) -> None:
    student = Student(lab, "mackey-glass")
    i = next(
        i for i, event in enumerate(student.replay.events)
        if (event.t, event.kind, event.k) == (3, Kind.PICK, 4)
    )  # fmt: skip
    lab.page.get_by_label("Event", exact=True).fill(str(i))
    student.sees(i)
    frame = student.replay.frame(i)
    # A dot by itself, at the left, and a pick's mark, where the dot has moved on.
    alone = int(frame.std_now.argmin())
    for index, x in ((alone, frame.std_now[alone]), (frame.picks[2].index, frame.picks[2].std)):
        point_at(lab.page, "plane", float(x), float(frame.mean[index]))
        reads(lab.page, student.replay, i, index)
        expect(table(lab.page)).to_contain_text(f"Candidate {index}")
        assert rows(table(lab.page)) == told(student.replay, index)
    lab.page.mouse.move(5, 5)
    expect(table(lab.page)).to_contain_text(f"candidate {frame.subject.index}")
    assert rows(table(lab.page)) == told(student.replay, frame.subject.index)


@pytest.mark.slow
def test_problems_of_one_two_and_many_inputs_take_turns(lab: Lab) -> None:
    student = Student(lab, "start")
    settings = student.spec
    plane = lab.page.locator(".lab-plane")
    for problem in ("mackey_glass", "himmelblau", "mackey_glass", "multimodal"):
        student.choose("Problem", PROBLEM_NAMES[problem])
        student.choice("Problem").blur()  # which takes keys for itself
        spec = type(settings)(**{**vars(settings), **suggested(problem)})
        replay = load(spec)
        student.sees(0, replay)
        many = problem == "mackey_glass"
        expect(plane).to_have_count(int(many))
        expect(table(lab.page)).to_have_count(int(many))
        student.open_menu("Show")
        expect(student.button("Measurement band")).to_have_count(int(problem == "multimodal"))
        lab.page.keyboard.press("Shift+ArrowRight")
        student.sees(replay.batch_start(2), replay)
        lab.page.keyboard.press("ArrowRight")
        student.sees(replay.batch_start(2) + 1, replay)
        student.button("Previous event").click()
        student.sees(replay.batch_start(2), replay)
        items = lab.page.get_by_role("group", name="Events of this batch").get_by_role("button")
        items.first.click()
        lab.page.keyboard.press("Home")
        student.sees(0, replay)


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["start", "mackey-glass"])
def test_a_problem_without_its_data_is_refused_beside_its_name_and_the_run_kept(
    lab: Lab, slug: str
) -> None:
    student = Student(lab, slug)
    at = student.replay.batch_start(2) + 2
    lab.page.get_by_label("Event", exact=True).fill(str(at))
    student.sees(at)
    student.pictures()
    before = student.state()
    name = PROBLEM_NAMES[student.spec.problem]
    for _ in range(2):  # one can try again
        student.choose("Problem", PROBLEM_NAMES["abalone"])
        notice = lab.page.get_by_text(re.compile(r"Expected abalone\.data at .*; got "))
        expect(notice).to_be_visible()
        expect(notice).to_contain_text(f"set {DATA_DIR} to the folder that holds abalone.data")
        expect(student.choice("Problem")).to_have_text(name)
        student.sees(at)
        assert student.state() == before
    student.choose("Problem", PROBLEM_NAMES["himmelblau"])
    expect(notice).to_have_count(0)
    expect(lab.page.locator(".lab-plane")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080), (390, 844)])
def test_the_plane_is_the_large_picture_in_any_window(lab: Lab, width: int, height: int) -> None:
    lab.keep_settings("closed")
    lab.page.set_viewport_size({"width": width, "height": height})
    student = Student(lab, "mackey-glass")
    expect(student.button("Next event")).to_be_visible()
    inner = lab.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert inner[0] <= inner[1]
    plane = lab.page.locator(".lab-plane").bounding_box()
    column = lab.page.locator(".lab-pictures").bounding_box()
    timeline = lab.page.locator(".lab-timeline").bounding_box()
    assert plane is not None
    assert column is not None
    assert timeline is not None
    assert plane["width"] > 0.9 * column["width"]
    assert plane["height"] >= 380
    if width >= 1000:  # in sight, and little room left over
        assert 0 <= timeline["y"] - (plane["y"] + plane["height"]) < 120
