"""The Step page in a real browser: what a student does, and what they must see."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.conftest import Lab
from tests.browser.pointing import point_at, reads
from tests.browser.student import Student, lesson_of
from ucbpe_app.lessons.card import last
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Kind
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import coordinate
from ucbpe_app.run.settings import PROBLEM_NAMES

# Of every text: what it is told, as the browser writes it, and what it shows.
TEXTS = """
() => {
  const found = []
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.matches(".markup")) { found.push(node) }
      if (node.shadowRoot) { walk(node.shadowRoot) }
    }
  }
  walk(document)
  // In one order: an attribute that is set later stands later.
  const written = (node) => {
    const copy = node.cloneNode(true)
    for (const one of copy.querySelectorAll("*")) {
      const all = [...one.attributes].map(({name, value}) => [name, value]).sort()
      for (const [name] of all) { one.removeAttribute(name) }
      for (const [name, value] of all) { one.setAttribute(name, value) }
    }
    return copy.innerHTML
  }
  const told = [...Bokeh.documents[0].all_models]
    .filter((model) => model.type.startsWith("Markup")).map((model) => {
      const wanted = document.createElement("div")
      wanted.innerHTML = model._html
      return written(wanted)
    })
  return [told.sort(), found.map(written).sort()]
}
"""


SLUGS = [
    "start",
    *(pytest.param(s, marks=pytest.mark.slow) for s in ("himmelblau", "mackey-glass")),
]


def texts(page: Page) -> list[str]:
    """Every text, which is what the browser was told."""
    told, shown = page.evaluate(TEXTS)
    assert Counter(shown) <= Counter(told)  # a closed menu has what nobody sees
    assert any("Why this point" in one for one in shown)
    return list(shown)


# What stays is not written again.
_MARK = "(all) => all.forEach((heading) => { heading.kept = true })"
_KEPT = "(all) => all.length > 0 && all.every((one) => one.kept)"


@pytest.mark.parametrize("slug", SLUGS)
def test_two_batches_forward_by_button_and_back_by_key(lab: Lab, slug: str) -> None:
    """Each event draws something new; the same event looks and reads the same again."""
    student, page = Student(lab, slug), lab.page
    expect(page.get_by_label("Prior mean", exact=True)).to_be_visible()  # the drawer is filled
    page.keyboard.press("Home")
    student.sees(0)
    headings = page.locator(".markup h2")
    headings.evaluate_all(_MARK)
    # From the end of a lesson, Next leads to the next one.
    end = min(student.replay.batch_start(3), last(student.lesson, student.replay))
    pictures, seen = student.pictures(), [(student.state(), texts(page))]
    for i in range(1, end + 1):
        student.button("Next event").click()
        student.sees(i)
        pictures = student.pictures_other_than(pictures, f"event {i}")
        seen.append((student.state(), texts(page)))
        assert seen[-1][0] != seen[-2][0]
        assert seen[-1][1] != seen[-2][1]
        if i == end - 1:  # at the end the last card comes, and regret
            assert headings.evaluate_all(_KEPT)
    for i in reversed(range(end)):
        page.keyboard.press("ArrowLeft")
        student.sees(i)
        state, now = seen[i][0], student.state()
        # What comes only with the end of the lesson stays in the browser, out of sight.
        other = {name: (one, now[name]) for name, one in state.items() if now[name] != one}
        assert not other, f"event {i} is different on the way back"
        assert texts(page) == seen[i][1]
        if i == end - 1:
            headings.evaluate_all(_MARK)
    assert headings.evaluate_all(_KEPT)


@pytest.mark.parametrize("slug", ["batch-size", *SLUGS[1:]])
def test_it_goes_by_keys_buttons_ends_and_slider(lab: Lab, slug: str) -> None:
    """Where all buttons are: the first lesson has only three."""
    student, page = Student(lab, slug), lab.page
    replay = student.replay
    page.keyboard.press("Home")
    student.sees(0)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    student.sees(5)
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    student.sees(replay.batch_start(2))
    student.button("Next batch").click()
    student.sees(replay.batch_start(3))
    page.keyboard.press("Shift+ArrowLeft")
    student.sees(replay.batch_start(2))
    student.button("Last event").click()
    student.sees(len(replay.events) - 1)
    page.keyboard.press("Home")
    student.sees(0)
    inside = replay.batch_start(2) + 2
    page.get_by_label("Event", exact=True).fill(str(inside))
    student.sees(inside)
    student.button("Previous batch").click()
    student.sees(replay.batch_start(2))
    page.get_by_role("group", name="Events of this batch").get_by_role("button").nth(2).click()
    student.sees(inside)


_WIDTH = """
() => Bokeh.documents.flatMap((one) => [...one.all_models])
  .filter((one) => one.type === "GlyphRenderer" && one.data_source.name === "mean")
  .map(({glyph}) => glyph.line_width.value)
"""


def test_a_term_layers_the_theme_and_bad_input(lab: Lab) -> None:
    """What each changes, and what it leaves."""
    student, page = Student(lab, "start"), lab.page
    expect(student.status).to_have_count(1)  # no second live region
    card = page.get_by_role("region", name="Lesson")
    assert page.evaluate(_WIDTH) == [2.5]
    card.get_by_text("line", exact=True).hover()
    page.wait_for_function(f"() => ({_WIDTH})()[0] > 5")
    card.get_by_text("band", exact=True).hover()
    page.wait_for_function(f"() => ({_WIDTH})()[0] === 2.5")

    # Not at the end of a lesson, where f is shown whether chosen or not.
    student = Student(lab, "batch-size")
    replay = student.replay
    page.keyboard.press("Shift+ArrowRight")
    student.sees(replay.batch_start(2))
    pictures = student.pictures()
    student.open_menu("Show")
    for name in ("True f", "Measurement band", "Log regret", "Theorem 1"):
        student.button(name).click()
        pictures = student.pictures_other_than(pictures, name)
    page.get_by_label("Toggle theme").click()
    student.pictures_other_than(pictures, "the theme")

    student.button("Last event").click()
    end = len(replay.events) - 1
    student.sees(end)
    most = len(replay.scene.candidates)
    for label, text, notice in (
        ("Lengthscale", "long", "got long"),
        ("Variance", "inf", "finite; got inf"),
        ("Batch size K", "2.5", "an integer from 1 to 250"),
        ("Initial points", "500", f"at most {most} initial points"),
    ):
        student.type(label, text)
        words = f"(?:Expected|{label} must be) .*{re.escape(notice)}"
        said = page.get_by_text(re.compile(words, re.IGNORECASE))
        expect(said).to_be_visible()
        box, control = said.bounding_box(), page.get_by_label(label, exact=True).bounding_box()
        assert box is not None
        assert control is not None
        assert 0 < box["y"] - control["y"] < 80, f"the notice is not beside {label}"
        for name in ("Variance", "Batch size K", "Initial points", "Noise seed"):
            other = page.get_by_label(name, exact=True).bounding_box()
            assert other is not None
            assert not overlap(box, other), f"the notice at {label} covers {name}"
        student.sees(end)
    student.type("Lengthscale", "0.5")
    expect(page.get_by_text(re.compile("Expected Lengthscale"))).to_have_count(0)


def overlap(one: FloatRect, other: FloatRect) -> bool:
    return all(
        one[start] < other[start] + other[length] and other[start] < one[start] + one[length]
        for start, length in (("x", "width"), ("y", "height"))
    )


# Keys reach React and MUI, and not what mends the list: see private/select_keys.js.
_UNMENDED = "() => document.body.addEventListener('keydown', (event) => event.stopPropagation())"


def test_a_list_opens_by_the_keyboard(lab: Lab) -> None:
    student, page = Student(lab, "start"), lab.page
    kernel = page.get_by_role("combobox", name="Kernel", exact=True)
    for key in ("Enter", " ", "ArrowDown", "ArrowUp"):
        kernel.focus()
        page.keyboard.press(key)
        expect(kernel).to_have_attribute("aria-expanded", "true")
        page.keyboard.press("Escape")
        expect(page.locator("[role=listbox]")).to_have_count(0)
        student.sees(0)  # the page did not step
    page.keyboard.press("Enter")  # the focus is back on the list
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(kernel).not_to_have_text("RBF")
    page.evaluate(_UNMENDED)
    kernel.focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)
    mended = "panel-material-ui has mended this: private/select_keys.js can go"
    assert kernel.get_attribute("aria-expanded") != "true", mended


@pytest.mark.slow
def test_a_long_run_shows_progress_and_stepping_goes_on(lab: Lab) -> None:
    student = Student(lab, "himmelblau")
    at = student.replay.events.index(lesson_of("himmelblau").event)
    student.type("Batches T", "90")
    expect(lab.page.get_by_role("progressbar", name="Computing")).to_be_visible()
    student.button("Next event").click()
    student.sees(at + 1)
    expect(student.status).to_have_text(re.compile("of 90"))


@pytest.mark.slow
def test_the_item_of_the_event_is_in_sight(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 390, "height": 844})
    student = Student(lab, "himmelblau")
    items = lab.page.get_by_role("group", name="Events of this batch")
    current = items.locator("[aria-current=step]")
    for key, item in (
        ("Shift+ArrowRight", "posterior"),
        ("ArrowLeft", "observe"),
        ("Home", "posterior"),
    ):
        lab.page.keyboard.press(key)
        expect(current).to_have_text(item)
        expect(current).to_be_in_viewport(ratio=0.9)
    for i in range(1, student.replay.batch_start(2)):
        lab.page.keyboard.press("ArrowRight")
        student.sees(i)
        expect(current).to_be_in_viewport(ratio=0.9)


# Problems that no function panel can show: the decision plane is the picture.


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


def test_pointing_at_a_dot_or_at_a_pick_tells_its_inputs_and_numbers(lab: Lab) -> None:
    student = Student(lab, "mackey-glass")
    i = next(
        i for i, event in enumerate(student.replay.events)
        if (event.t, event.kind, event.k) == (3, Kind.PICK, 4)
    )  # fmt: skip
    lab.page.get_by_label("Event", exact=True).fill(str(i))
    student.sees(i)
    frame = student.replay.frame(i)
    expect(table(lab.page)).to_contain_text(f"candidate {frame.subject.index}")
    assert rows(table(lab.page)) == told(student.replay, frame.subject.index)
    # A dot by itself, at the left, and a pick's mark, where the dot has moved on.
    alone = int(frame.std_now.argmin())
    for index in (alone, frame.picks[2].index):
        x = frame.std_now[index]
        point_at(lab.page, "plane", float(x), float(frame.mean[index]))
        reads(lab.page, student.replay, i, index, truth=False)  # which comes at the end
        expect(table(lab.page)).to_contain_text(f"Candidate {index}")
        assert rows(table(lab.page)) == told(student.replay, index)
    lab.page.mouse.move(5, 5)
    expect(table(lab.page)).to_contain_text(f"candidate {frame.subject.index}")


@pytest.mark.slow
def test_problems_of_one_two_and_many_inputs_take_turns(lab: Lab) -> None:
    student = Student(lab, "start")
    settings = student.spec
    function = lab.page.get_by_role("region", name="Function").first
    for problem in ("mackey_glass", "himmelblau", "mackey_glass", "multimodal"):
        student.choose("Problem", PROBLEM_NAMES[problem])
        student.choice("Problem").blur()  # which takes keys for itself
        spec = type(settings)(**{**vars(settings), **suggested(problem)})
        replay = load(spec)
        student.sees(0, replay)
        many = problem == "mackey_glass"
        expect(function).to_be_visible(visible=not many)
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
