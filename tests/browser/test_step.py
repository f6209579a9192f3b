"""The Step page in a real browser: what a student does, and what they must see."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.student import Student, lesson_of
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind


@pytest.mark.parametrize("slug", ["start", pytest.param("himmelblau", marks=pytest.mark.slow)])
def test_two_batches_forward_by_button_and_back_by_key(lab: Lab, slug: str) -> None:
    student = Student(lab, slug)
    lab.page.keyboard.press("Home")
    student.sees(0)
    end = student.replay.batch_start(3)
    pictures, seen = student.pictures(), [student.state()]
    for i in range(1, end + 1):
        student.button("Next event").click()
        student.sees(i)
        pictures = student.pictures_other_than(pictures, f"event {i}")
        seen.append(student.state())
        assert seen[-1] != seen[-2]
    for i in reversed(range(end)):
        lab.page.keyboard.press("ArrowLeft")
        student.sees(i)
        now = student.state()
        other = {name: (seen[i][name], now[name]) for name in now if now[name] != seen[i][name]}
        assert not other, f"event {i} is different on the way back"


def test_fast_keys_batch_keys_buttons_ends_and_slider(lab: Lab) -> None:
    student = Student(lab, "start")
    replay = student.replay
    for _ in range(5):
        lab.page.keyboard.press("ArrowRight")
    student.sees(5)
    lab.page.keyboard.press("Home")
    lab.page.keyboard.press("Shift+ArrowRight")
    student.sees(replay.batch_start(2))
    student.button("Next batch").click()
    student.sees(replay.batch_start(3))
    lab.page.keyboard.press("Shift+ArrowLeft")
    student.sees(replay.batch_start(2))
    student.button("Last event").click()
    student.sees(len(replay.events) - 1)
    lab.page.keyboard.press("Home")
    student.sees(0)
    lab.page.get_by_label("Event", exact=True).fill("9")
    student.sees(9)
    student.button("Previous batch").click()
    student.sees(replay.batch_start(2))
    lab.page.get_by_role("group", name="Events of this batch").get_by_role("button").nth(2).click()
    student.sees(replay.batch_start(2) + 2)


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["start", "himmelblau"])
def test_kernel_and_beta_change_picks_region_and_regret(lab: Lab, slug: str) -> None:
    student = Student(lab, slug)
    i = student.replay.batch_start(3) + 2
    lab.page.get_by_label("Event", exact=True).fill(str(i))
    student.sees(i)
    before = student.pictures()

    student.choose("Kernel", "Matérn")
    matern = load(replace(student.spec, kernel="Matérn"))
    assert matern.events[i] == Event(3, Kind.REGION)
    student.sees(i, matern)
    with_matern = student.pictures_other_than(before, "Matérn")

    student.type("Multiplier c", "0.2")
    greedier = load(replace(student.spec, kernel="Matérn", scale=0.2))
    student.sees(i, greedier)
    student.pictures_other_than(with_matern, "scale 0.2")
    assert matern.frame(i).status != greedier.frame(i).status
    assert list(matern.scene.simple) != list(greedier.scene.simple)


def test_bad_input_is_refused_beside_its_control_until_it_is_good(
    lab: Lab,
) -> None:
    student = Student(lab, "start")
    student.button("Next event").click()
    student.sees(1)
    for label, text, notice in (
        ("Lengthscale", "0", "above 0; got 0"),
        ("Lengthscale", "long", "got long"),
        ("Noise variance", "-1", "got -1"),
        ("Variance", "inf", "finite; got inf"),
        ("Prior mean", "nan", "got nan"),
        ("Batch size K", "2.5", "an integer from 1 to 50"),
        ("Initial points", "500", "at most 481 initial points"),
    ):
        student.type(label, text)
        start = f"(?:Expected|{label} must be)"
        words = re.compile(f"{start} .*{re.escape(notice)}", re.IGNORECASE)
        said = lab.page.get_by_text(words)
        expect(said).to_be_visible()
        box, control = said.bounding_box(), lab.page.get_by_label(label, exact=True).bounding_box()
        assert box is not None
        assert control is not None
        assert 0 < box["y"] - control["y"] < 80, f"the notice is not beside {label}"
        student.sees(1)
    student.type("Lengthscale", "0.5")
    expect(lab.page.get_by_text(re.compile("Expected Lengthscale"))).to_have_count(0)


@pytest.mark.slow
def test_fit_by_marginal_likelihood_changes_the_kernel_and_says_how(lab: Lab) -> None:
    student = Student(lab, "start")
    lab.page.get_by_label("Event", exact=True).fill(str(student.replay.batch_start(4)))
    before = lab.page.get_by_label("Lengthscale", exact=True).input_value()
    student.button("Fit by marginal likelihood").click()
    expect(lab.page.get_by_text(re.compile("15 measurements: log likelihood"))).to_be_visible()
    assert lab.page.get_by_label("Lengthscale", exact=True).input_value() != before
    expect(student.status).to_have_text(re.compile("Batch 4 of 8"))


@pytest.mark.slow
def test_a_long_run_shows_progress_and_stepping_goes_on(lab: Lab) -> None:
    student = Student(lab, "himmelblau")
    at = student.replay.events.index(lesson_of("himmelblau").event)
    student.type("Batches T", "90")
    expect(lab.page.get_by_role("progressbar", name="Computing")).to_be_visible()
    student.button("Next event").click()
    student.sees(at + 1)
    expect(student.status).to_have_text(re.compile("of 90"), timeout=60_000)


def test_layers_and_the_theme_change_the_picture(lab: Lab) -> None:
    student = Student(lab, "start")
    expect(student.status).to_have_count(1)  # no second live region
    last = len(student.replay.events) - 1
    student.button("Last event").click()
    student.sees(last)
    pictures = student.pictures()
    student.open_menu("Show")
    for name in ("Truth", "Measurement band", "Log regret", "Theorem 1"):
        student.button(name).click()
        pictures = student.pictures_other_than(pictures, name)
    lab.page.get_by_label("Toggle theme").click()
    student.pictures_other_than(pictures, "the theme")
    student.button("Previous event").click()
    student.sees(last - 1)
    student.button("Present").click()
    expect(lab.page.get_by_label("Lengthscale", exact=True)).to_be_hidden()


@pytest.mark.slow
def test_nothing_is_wider_than_the_window(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 390, "height": 844})
    student = Student(lab, "himmelblau")
    for width in (390, 1280, 1920, 390):
        lab.page.set_viewport_size({"width": width, "height": 844})
        expect(student.button("Next event")).to_be_visible()
        lab.page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.slow
def test_the_item_of_the_event_is_in_sight(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 390, "height": 844})
    student = Student(lab, "himmelblau")
    items = lab.page.get_by_role("group", name="Events of this batch")
    current = items.locator("[aria-current=step]")
    for key, item in (("Shift+ArrowRight", "fit"), ("ArrowLeft", "observe"), ("Home", "fit")):
        lab.page.keyboard.press(key)
        expect(current).to_have_text(item)
        expect(current).to_be_in_viewport(ratio=0.9)
    for i in range(1, student.replay.batch_start(2)):
        lab.page.keyboard.press("ArrowRight")
        student.sees(i)
        expect(current).to_be_in_viewport(ratio=0.9)
