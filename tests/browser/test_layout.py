"""The Step page in one glance: every part in the window, none over another, and none that moves.

On screens, on a phone, and presented.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from tests.browser.conftest import Lab, from_disk
from tests.browser.layout import (
    CURVE,
    NARROW,
    PARTS,
    PHONE,
    ROUNDING,
    SIZES,
    are_large,
    box,
    is_whole,
    overlap,
    resized,
    standing,
    uncut,
)
from tests.browser.pointing import settled_place
from tests.browser.student import button, choose, lesson_of, open_menu, present, told
from tests.browser.test_live_lesson import written
from ucbpe_app.lessons import offered, plain
from ucbpe_app.main import PAGES
from ucbpe_app.pictures.atlas import ATLAS
from ucbpe_app.run.cache import load

LONGEST = max(offered(), key=lambda lesson: len(plain(lesson.caption))).slug
SIDEWAYS = (844, 390)  # a phone
SCRUBBER = 8  # px of its target that lie over the margin of the pictures


def opened(lab: Lab, size: tuple[int, int], query: str, settings: str = "closed") -> Page:
    lab.keep_settings(settings)
    lab.page.set_viewport_size({"width": size[0], "height": size[1]})
    lab.open(query)
    return lab.page


def place(one: Locator) -> FloatRect:
    found = one.bounding_box()
    assert found
    return found


ONE_FAST = ["start", *(pytest.param(one, marks=pytest.mark.slow) for one in [*PARTS][1:])]


@pytest.mark.parametrize("slug", ONE_FAST)
def test_all_is_in_sight(lab: Lab, slug: str) -> None:
    """Whole in the window and none over another; on a phone one below the other."""
    page = opened(lab, SIZES[0], f"?preset={slug}&event=1.pick.1&show=truth")
    expect(page.get_by_role("status")).to_contain_text(re.compile("PE pick 1|x¹: x ="))
    for width, height in SIZES:
        resized(page, (width, height))
        boxes = standing(page, [*PARTS[slug], "Lesson"], width, height)
        are_large(boxes, PARTS[slug])
        is_whole(page, lesson_of(slug), width, height)
        # Pictures end where the timeline begins, and its parts stand in one row.
        scrubber = place(page.get_by_label("Event", exact=True))
        for name in PARTS[slug]:
            assert boxes[name]["y"] + boxes[name]["height"] <= scrubber["y"] + SCRUBBER, name
        row = ("Timeline", "Events of this batch")
        before, items = (place(page.get_by_role("group", name=name)) for name in row)
        assert before["x"] + before["width"] <= items["x"] + ROUNDING
        assert items["y"] + items["height"] <= height
        for table in page.get_by_role("table", name=re.compile("= candidate")).all():
            expect(table).to_be_in_viewport(ratio=0.999)  # the inputs of the pick, all of them
        for note in page.get_by_text(re.compile("^inside the line")).all():
            placed = place(note)  # beside the title of its map: the timeline is close below it
            assert placed["y"] < boxes["Function"]["y"] + 40, (width, height)
    resized(page, PHONE)
    order = [name for name in PARTS[slug] if name not in ("Kernel", "Confidence", "Regret")]
    order.remove("Why this point")
    names = ["Lesson", *order[:1], "Why this point", "Regret"]
    tops = [box(page, name)["y"] for name in names]
    assert tops == sorted(tops)
    if slug == "start":  # names of curves stand above them, not on them
        lesson, figure = box(page, "Lesson"), box(page, "Function")
        for name in ("mean: best guess", "true curve f", "dashed: x⁰ taken"):
            one = place(page.get_by_text(name, exact=True))
            assert lesson["y"] + lesson["height"] <= one["y"], name
            assert one["y"] + one["height"] <= figure["y"] + ROUNDING, name
            assert one["x"] + one["width"] <= PHONE[0], name
    following = place(button(page, "Next event"))
    assert PHONE[1] - 120 < following["y"] < PHONE[1] - following["height"]


@pytest.mark.parametrize("event", ["thin-peak&event=2.pick.2", "vizier&event=3.pick.2"])
def test_long_reasons_are_whole(lab: Lab, event: str) -> None:
    """With the steps below them."""
    page = opened(lab, SIZES[0], f"?preset={event}")
    for size in SIZES:
        resized(page, size)
        uncut(page.get_by_role("region", name="Why this point", exact=True))


# Notes, while a print lays the page out, where figures and parts are, and in which colours.
_NOTE = """
() => {
  const all = (root) => [...root.querySelectorAll("*")]
    .flatMap((node) => [node, ...(node.shadowRoot ? all(node.shadowRoot) : [])])
  const place = (node) => {
    const {x, y, width, height} = node.getBoundingClientRect()
    return {x, y, width, height}
  }
  window.note = () => ({
    figures: all(document).filter((node) => node.matches(".bk-Figure"))
      .map(place).map(({width, height}) => [width, height].map(Math.round)),
    parts: Object.fromEntries(all(document).filter((node) => node.matches("[role=region], section"))
      .map((node) => [node.ariaLabel, place(node)])),
    colors: getComputedStyle(document.body).printColorAdjust,
  })
  window.printed = []
  matchMedia("print").addEventListener("change", (event) => {
    if (event.matches) { window.printed.push(window.note()) }
  })
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper_the_pictures_are_those_on_screen(
    browser: Browser, lab: Lab, tmp_path: Path, scheme: Literal["light", "dark"]
) -> None:
    """Of the page and of a file: each on one sheet, in the colours there, and none over another."""
    lab.page.emulate_media(color_scheme=scheme)
    is_printed(opened(lab, SIZES[1], "?preset=start&event=1.pick.1"))
    _, file = written("preset=start&T=2&event=1.pick.1", tmp_path, "html")
    with from_disk(browser, file, SIZES[1], scheme) as disk:
        is_printed(disk.page)


def is_printed(page: Page) -> None:
    expect(page.locator(".bk-Figure:visible").first).to_be_visible()
    resized(page, SIZES[1])
    page.evaluate(_NOTE)
    before = page.evaluate("note()")
    paper = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", paper)) == 1
    assert re.search(rb"/MediaBox \[0 0 102[45]", paper)  # 1366 px in points
    (printed,) = page.evaluate("printed")
    assert printed["figures"] == before["figures"] == page.evaluate("note()")["figures"]
    names = ("Function", "Standard deviation", "Why this point")
    parts = [printed["parts"][name] for name in names]
    assert not any(overlap(one, other) for one, other in pairwise(parts))
    assert printed["colors"] == "exact"


@pytest.mark.slow
@pytest.mark.parametrize("slug", PARTS)
def test_on_a_narrow_screen_the_parts_stand_below_each_other(lab: Lab, slug: str) -> None:
    page = opened(lab, NARROW[0], f"?preset={slug}&event=2.pick.1")
    for size in NARROW:
        resized(page, size)
        boxes = standing(page, [one for one in PARTS[slug] if one not in SHEET], size[0])
        expect(page.get_by_label("Problem", exact=True)).to_be_hidden()
        if size == NARROW[0]:  # a good part of a picture is between the bar and the timeline
            timeline = place(button(page, "Next event"))
            large = boxes["Decision plane" if slug == "mackey-glass" else "Function"]
            assert min(large["y"] + large["height"], timeline["y"]) - max(large["y"], 48) > 110


LINK = "?problem=himmelblau&K=5&T=8&initial=10&event=3.pick.2"
# Least height of the large map, of regret, and of std, by the size of the window: 1366 x 768 and
# enlarged to 125 and 150 %, half of 1920 and a bit more, a projector, and a phone, upright and not.
STATES = {
    (1366, 768): (400, 90), (1093, 614): (250, 90), (911, 512): (220, 80), (1000, 700): (280, 90),
    (1024, 768): (300, 90), (1100, 768): (300, 90), SIDEWAYS: (200, 80), PHONE: (280, 90),
}  # fmt: skip


@pytest.mark.parametrize("show", ["truth", ""])
def test_a_map_has_a_height_in_every_state(lab: Lab, show: str) -> None:
    page = opened(lab, (1366, 768), f"{LINK}&show={show}")
    expect(page.get_by_role("status")).to_contain_text("PE pick 2")
    for size, (least, _) in STATES.items():
        resized(page, size)
        figure, regret = box(page, "Function"), box(page, "Regret of each batch")
        assert figure["height"] >= least, (size, figure)
        assert figure["height"] <= figure["width"], (size, figure)  # a square and its borders
        assert regret["height"] >= 90, (size, regret)
        assert not overlap(figure, box(page, "Why this point")), size
        if size != PHONE:
            transport = place(page.get_by_label("Event", exact=True))
            assert figure["y"] + figure["height"] <= transport["y"] + SCRUBBER, size
    # Without a lesson there is no strip for one.
    assert box(page, "Function")["y"] < 150
    expect(page.get_by_role("region", name="Lesson", exact=True)).to_have_count(0)


@pytest.mark.parametrize("slug", ["regions", "himmelblau"])
def test_on_a_phone_held_sideways_pictures_are_whole_and_stay(lab: Lab, slug: str) -> None:
    """Beside the lesson and the reasons, which scroll."""
    page = opened(lab, SIDEWAYS, f"?preset={slug}&event=5.pick.1&predict=off")
    expect(page.get_by_role("status")).to_contain_text(re.compile("PE pick 1|x¹"))
    names = CURVE if slug == "regions" else ("Function",)
    for last in ("Lesson", "Regret"):
        page.get_by_role("region", name=last, exact=True).scroll_into_view_if_needed()
        boxes = standing(page, names, place(page.get_by_label("Lesson", exact=True))["x"])
        top = place(page.get_by_role("banner"))
        transport = place(page.get_by_label("Event", exact=True))
        for name, one in boxes.items():
            assert one["y"] >= top["y"] + top["height"] - ROUNDING, (last, name)
            assert one["y"] + one["height"] <= transport["y"] + SCRUBBER, (last, name)
    assert boxes["Function"]["height"] >= (135 if slug == "regions" else 240)
    figure = place(page.locator(".lab-pictures .lab-plot-figure:visible").first)
    page.mouse.click(figure["x"] + figure["width"] / 3, figure["y"] + figure["height"] / 2)
    pinned = page.locator(".candidate.pinned")  # its numbers
    expect(pinned).to_be_in_viewport(ratio=1)
    assert not overlap(place(pinned), figure)
    page.keyboard.press("Escape")
    card = page.get_by_role("region", name="Lesson", exact=True)
    card.get_by_role("button", name=re.compile("an answer$")).click()
    answer = card.locator(".choices button").or_(card.get_by_role("spinbutton")).last
    expect(answer).to_be_in_viewport(ratio=1)
    assert place(answer)["y"] < transport["y"]


def test_names_of_strips_are_not_on_them(lab: Lab) -> None:
    """Also where there is no room beside them: they stand above, one beside the other."""
    page = opened(lab, PHONE, "?preset=start&event=2.pick.1")
    for size in (PHONE, (360, 740), (740, 360), SIDEWAYS):
        resized(page, size)
        strips = box(page, "Relevant region")
        one, other = (place(page.get_by_text(re.compile(name)).first)
                      for name in ("^top can be", "^picks allowed"))  # fmt: skip
        assert not overlap(one, other), size
        assert not overlap(one, strips), size
        assert not overlap(other, strips), size
        assert other["x"] + other["width"] <= size[0], size


# Names of lines: what they say, where they are, and where what cuts them off is.
NAMES = """(all) => all.filter((one) => one.checkVisibility()).map((one) => {
  const box = ({left: x, top: y, width, height}) => ({x, y, width, height})
  return {text: one.textContent, box: box(one.getBoundingClientRect()),
    room: box(one.closest(".labels").getBoundingClientRect())}
})"""


def test_names_of_lines_are_whole_and_apart(lab: Lab) -> None:
    """Those of a pinned run, too, in the pictures and in the regret."""
    page = opened(lab, SIZES[0], "?preset=start&event=8.pick.3&show=truth,prior")
    open_menu(page, "Compare")
    button(page, "Pin this run").click()
    button(page, "Compare").click()
    field = page.get_by_role("textbox", name="Lengthscale", exact=True)
    field.fill("1.3")
    field.press("Enter")
    expect(page.get_by_text("pinned: lengthscale 0.65")).to_have_count(2)
    for size in ((1024, 768), SIZES[0], SIZES[1], (1920, 1080)):
        resized(page, size)
        page.wait_for_timeout(200)  # ms; labels are placed in the next frame
        for plot in page.locator(".labels:visible").all():
            names = plot.locator(".end, .tip").evaluate_all(NAMES)
            for one in names:
                assert one["box"]["x"] + one["box"]["width"] <= right(one["room"]), (size, one)
            for one, other in combinations(names, 2):
                assert not overlap(one["box"], other["box"]), (size, one, other)
    assert "grey: draws of the prior" in {
        one["text"] for one in page.locator(".labels .end").evaluate_all(NAMES)
    }


def right(one: FloatRect) -> float:
    return one["x"] + one["width"] + ROUNDING


def test_the_name_of_a_pick_is_not_on_the_line_of_the_pin(lab: Lab) -> None:
    """On a phone, where a visitor's place is a little to the right of the pick."""
    page = opened(lab, PHONE, "?preset=start")
    expect(page.get_by_role("slider", name="Where would you measure first?")).to_be_attached()
    page.mouse.click(*settled_place(page, "curve", 4.85, None))
    button(page, "Next event").click()
    name, line = page.get_by_text(re.compile("^x⁰: ")), page.locator(".asked line.dashed").last
    expect(name).to_be_visible()
    expect(line).to_be_attached()
    page.wait_for_timeout(200)  # ms; labels are placed in the next frame
    one, other = place(name), place(line)
    assert other["x"] > one["x"] + one["width"] or other["x"] < one["x"], (one, other)


def test_names_of_bounds_are_not_on_their_lines(lab: Lab) -> None:
    """On a phone they stand above the chart of Theory."""
    page = opened(lab, PHONE, "?page=theory")
    names = [page.get_by_text(re.compile(one)) for one in ("^as proved", "^as printed", "^any")]
    chart = page.locator(".lab-plot-proved .lab-plot-figure")
    expect(chart).to_be_visible()
    for one in names:
        named = place(one.first)
        assert named["y"] + named["height"] <= place(chart)["y"] + ROUNDING
        assert named["x"] + named["width"] <= PHONE[0]


def test_std_and_reason_are_in_sight_in_every_window(lab: Lab) -> None:
    """Also where it is 920 to 1100 px wide, or enlarged; controls in its row lie side by side."""
    page = opened(lab, (1366, 768), "?preset=start&event=2.pick.1")
    for size, (_, least) in STATES.items():
        resized(page, size)
        names = [*CURVE, "Why this point", "Lesson"]
        short = size in (PHONE, SIDEWAYS)  # where one scrolls
        boxes = standing(page, names, size[0], math.inf if short else size[1])
        std, transport = boxes["Standard deviation"], place(page.get_by_label("Event", exact=True))
        assert std["height"] >= least, size
        assert short or std["y"] + std["height"] <= transport["y"] + SCRUBBER, size
        if size[0] >= 1000:
            sliders = [place(one) for one in page.get_by_role("slider").all()[:3]]
            row = [*sliders, place(button(page, "Show")), place(button(page, "Compare"))]
            for one, other in pairwise(row):
                assert one["x"] + one["width"] <= other["x"], size
            uncut(page.get_by_role("region", name="Lesson", exact=True))


def test_no_line_of_the_algorithm_moves_when_another_is_current(lab: Lab) -> None:
    page = opened(lab, (1366, 768), "?problem=multimodal&K=3&T=6&initial=4&event=2.pick.0")
    lines = page.get_by_role("region", name="Why this point").get_by_role("listitem")
    expect(lines).to_have_count(6)
    before = [place(one) for one in lines.all()]
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        assert [place(one) for one in lines.all()] == before


SHEET = ("Kernel", "Confidence")  # of a narrow screen, where they are not in the page
LEAST = 0.65  # of the height of the window
LABELS = 18  # px, at least
PICTURES = {
    "start": ("Function", "Standard deviation"),
    "himmelblau": ("Function", "Function"),
    "mackey-glass": ("Decision plane", "Decision plane"),
}


@pytest.mark.slow
@pytest.mark.parametrize("slug", PARTS)
def test_presented_pictures_fill_two_thirds_of_the_height(lab: Lab, slug: str) -> None:
    """Beside title, reason and regret; all of them whole, none over another, and letters large."""
    lesson = lesson_of(slug)
    replay = load(lesson.spec())
    # By a link: a browser does not give it the whole screen, which could not be resized.
    page = opened(lab, SIZES[0], f"?preset={slug}&predict=off&present=1")
    expect(button(page, "Esc end: End presenting")).to_be_visible()
    names = ("Lesson", *dict.fromkeys(PICTURES[slug]), "Why this point", "Regret")
    first, last = PICTURES[slug]
    start = replay.batch_start(lesson.event.t + 1)  # when its first question has come
    for size in SIZES:
        resized(page, size)
        said = page.get_by_role("region", name="Lesson", exact=True)
        expect(said.get_by_role("heading", name=lesson.title)).to_be_in_viewport(ratio=1)
        for i in range(start, start + 5):
            page.get_by_label("Event", exact=True).fill(str(i))
            status = told(lesson, replay, i).status
            expect(page.locator(".status")).to_have_text(status)  # the card has one of its own
            expect(said.get_by_text(lesson.questions[0].text)).to_be_in_viewport(ratio=1)
            boxes = standing(page, names, *size)
            bottom = boxes[last]["y"] + boxes[last]["height"]
            assert bottom - boxes[first]["y"] >= LEAST * size[1] - 0.5, replay.events[i]
            below = place(page.get_by_role("group", name="Events of this batch"))
            assert bottom <= below["y"], replay.events[i]
        letters = page.evaluate(
            "0.875 * parseFloat(getComputedStyle(document.documentElement).fontSize)"
        )
        axes = page.evaluate(
            "() => [...Bokeh.documents[0].all_models].filter((one) => /Axis$/.test(one.type))"
            ".map((one) => parseFloat(one.major_label_text_font_size))"
        )
        assert min(letters, *axes) >= LABELS


def wrong(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")
    said = page.get_by_text(f"{label} must be").filter(has_text=f"got {text}")
    expect(said).to_be_in_viewport(ratio=1)


def predict(page: Page) -> None:
    page.keyboard.press("Escape")  # closes the answer, which lies over the menu
    open_menu(page, "Compare")
    button(page, "Predict").click()
    expect(page.get_by_role("slider", name="Where would you measure first?")).to_be_in_viewport()


# What opens, and the pictures that it does not move.
Opens = dict[str, tuple[Callable[[Page], None], tuple[str, ...]]]
MOST = (*CURVE, "Regret", "Why this point")
OPENS: Opens = {
    "a wrong number": (lambda page: wrong(page, "Lengthscale", "abc"), MOST),
    "one at the end of the row": (lambda page: wrong(page, "Noise variance", "abc"), MOST),
    "the layers": (lambda page: open_menu(page, "Show"), MOST),
    "comparisons": (lambda page: open_menu(page, "Compare"), MOST),
    "the answer": (lambda page: button(page, "Write an answer").click(), MOST),
    "a prediction": (predict, (*CURVE,)),  # which lies over the question
}
IN_THE_COLUMN: Opens = {
    "a wrong number": (lambda page: wrong(page, "Batch size K", "abc"), (*CURVE, "Regret")),
}


@pytest.mark.slow
def test_what_opens_moves_no_picture_and_settings_stay_as_they_were_left(lab: Lab) -> None:
    query = "?preset=noise&predict=off"  # with a question from its first event on
    page = opened(lab, (1366, 768), query)
    moves_nothing(page, OPENS)
    problem, settings = page.get_by_label("Problem", exact=True), button(page, "Settings")
    expect(problem).to_be_hidden()
    for state in ("true", "false"):
        settings.click()
        expect(settings).to_have_attribute("aria-expanded", state)
        expect(problem).to_be_visible(visible=state == "true")

    opened(lab, (1366, 768), query, "open")
    expect(problem).to_be_visible()
    moves_nothing(page, IN_THE_COLUMN)
    has_room(page)
    present(page)
    expect(problem).to_be_hidden()


# What there is in the column of settings in the first frame in which it is seen.
FIRST_FRAME = """() => new Promise((resolve) => {
  const find = (root, name) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.matches(name)) { return node }
      const within = node.shadowRoot && find(node.shadowRoot, name)
      if (within) { return within }
    }
    return null
  }
  const count = (root) => [...root.querySelectorAll("*")].reduce(
    (n, one) => n + one.matches("input") + (one.shadowRoot ? count(one.shadowRoot) : 0), 0)
  const column = find(document, ".lab-drawer")
  const look = () => {
    if (!column.checkVisibility()) { return requestAnimationFrame(look) }
    const {height} = column.getBoundingClientRect()
    resolve({height, fields: count(column.shadowRoot)})
  }
  look()
  find(document, "button.own").click()
})"""


def test_where_a_rule_has_no_regions_the_curve_is_higher(lab: Lab) -> None:
    """By the height of the strips, which a lesson with batches of one has not."""
    curves = {}
    for slug in ("first-pick", "regions"):
        page = opened(lab, SIZES[1], f"?preset={slug}")
        floor = place(page.get_by_label("Event", exact=True))["y"] + SCRUBBER
        std = box(page, "Standard deviation")
        assert floor - 32 < std["y"] + std["height"] < floor, slug
        curves[slug] = box(page, "Function")["height"]
    strips = box(page, "Relevant region")["height"]
    assert abs(curves["first-pick"] - curves["regions"] - strips) < ROUNDING


def test_charts_take_what_the_other_parts_leave(lab: Lab) -> None:
    """The columns of *Your problem* end with the window, and the atlas with the pictures."""
    page = opened(lab, SIZES[0], "?page=problem")
    for name in ("Example: Four measured so far", "Run an experiment", "Propose 4 rows"):
        button(page, name).click()
    expect(page.get_by_text("4 results outstanding")).to_be_visible()
    for size in SIZES[1:]:  # at 1280 x 720 rows and texts leave too little, and the page scrolls
        resized(page, size)
        for name in ("Results by batch", "Predicted against measured"):
            chart = box(page, name)
            assert size[1] - 40 < chart["y"] + chart["height"] < size[1], (name, size)

    page = opened(lab, SIZES[0], "?problem=multimodal&K=3&T=2&initial=4&event=2.pick.1")
    open_menu(page, "Atlas")
    cells = page.get_by_role("application")
    expect(cells).to_be_visible()
    for size in SIZES:
        resized(page, size)
        floor = place(page.get_by_label("Event", exact=True))["y"] + SCRUBBER
        atlas, likelihood = (
            box(page, one) for one in ("Atlas of settings", "Likelihood by lengthscale")
        )
        assert floor - 70 < likelihood["y"] + likelihood["height"] < floor, size
        assert atlas["height"] > 2 * likelihood["height"] > 160, size
        # A press is taken by the frame of the map, whatever its height.
        frame = place(cells)
        *_, top, bottom = ATLAS.plots["atlas"].borders
        assert abs(frame["y"] - atlas["y"] - top) < ROUNDING, size
        assert abs(frame["height"] - (atlas["height"] - top - bottom)) < ROUNDING, size


@pytest.mark.parametrize("query", ["?preset=start", "?page=theory"])
def test_settings_open_filled(lab: Lab, query: str) -> None:
    page = opened(lab, (1366, 768), query)
    expect(page.locator(".lab-plot-figure:visible").first).to_be_visible()
    first = page.evaluate(FIRST_FRAME)
    assert first["fields"] > 12  # all of them
    assert first["height"] > 400


def moves_nothing(page: Page, opens: Opens) -> None:
    before = {name: box(page, name) for name in MOST}
    for what, (act, names) in opens.items():
        act(page)
        page.wait_for_timeout(500)  # ms; what moves would have moved
        for name in names:
            assert box(page, name) == before[name], (what, name)


def has_room(page: Page) -> None:
    """The row of settings, whichever schedule is chosen."""
    for schedule, last in (("Finite X", "Scale c"), ("Constant", "Band: best guess ±")):
        choose(page, "β schedule", schedule)
        names = ("Lengthscale slider", "Noise variance slider", f"{last} slider")
        for width in (1280, 1920):
            resized(page, (width, 768))
            boxes = [place(page.get_by_label(name, exact=True)) for name in names]
            boxes.append(place(button(page, "Show")))
            for one, other in pairwise(boxes):
                assert one["x"] + one["width"] <= other["x"] + ROUNDING


def test_numbers_of_a_candidate_scroll_below_the_timeline_of_a_phone(lab: Lab) -> None:
    page = opened(lab, PHONE, "?preset=regions")
    candidate = page.locator(".candidate")
    bar = place(page.locator("div.lab-timeline").first)
    clip: FloatRect = {**bar, "y": bar["y"] + 12, "height": bar["height"] - 12}  # below its track
    before = page.screenshot(clip=clip)
    page.mouse.move(PHONE[0] / 2, PHONE[1] / 2)
    for _ in range(100):
        page.mouse.wheel(0, 60)
        page.wait_for_timeout(50)
        if place(candidate)["y"] < bar["y"] + 40:
            break
    below = place(candidate)
    assert below["y"] < bar["y"] + 60
    assert below["y"] + below["height"] > bar["y"] + 20  # so that it would be seen
    assert page.screenshot(clip=clip) == before


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["start", LONGEST])
def test_settings_and_all_pages_are_in_the_window_of_a_phone(lab: Lab, slug: str) -> None:
    page = opened(lab, PHONE, f"?preset={slug}")
    links = page.get_by_role("navigation", name="Pages").get_by_role("link").all()
    settings = button(page, "Settings")
    boxes = [place(one) for one in (*links, settings)]
    assert len(boxes) == 6
    for one in boxes:
        assert one["x"] >= 0
        assert one["x"] + one["width"] <= PHONE[0] + ROUNDING
        assert one["y"] + one["height"] <= PHONE[1]
    for link in links:
        link.click(trial=True)
    is_whole(page, lesson_of(slug), *PHONE)
    for size in (PHONE, (360, 740), (911, 512)):
        resized(page, size)
        for name in ("Copy link", "Present", "Toggle theme"):
            one = page.get_by_role("button", name=name)
            assert place(one)["x"] + place(one)["width"] <= size[0], name
            one.click(trial=True)


@pytest.mark.parametrize("query", ["?preset=start&event=2.pick.1", "?page=theory"])
def test_settings_of_a_phone_open_over_half_of_the_page(lab: Lab, query: str) -> None:
    """The picture that they change stays in sight; every way to close them is one."""
    page = opened(lab, PHONE, query)
    settings, done = button(page, "Settings"), button(page, "Done")
    kernel = page.get_by_role("combobox", name="Kernel", exact=True)
    slider = page.get_by_role("slider", name="Lengthscale slider", exact=True)
    figure = page.locator(":is(.lab-pictures, .lab-body) .lab-plot-figure:visible").first
    expect(figure).to_be_visible()
    ways: tuple[Callable[[], None], ...] = (
        done.click, settings.click, lambda: page.keyboard.press("Escape"),
    )  # fmt: skip
    for close in ways:
        expect(kernel).to_be_hidden()
        settings.click()
        expect(kernel).to_be_in_viewport(ratio=1)
        expect(settings).to_have_attribute("aria-expanded", "true")
        expect(page.get_by_label("Prior mean", exact=True)).to_be_visible()  # all of them
        sheet = place(done)["y"]
        assert sheet >= 0.45 * PHONE[1]
        assert sheet - place(figure)["y"] > 140
        expect(figure).to_be_in_viewport()
        assert place(slider)["width"] > 300
        slider.press("ArrowRight")
        close()
        expect(settings).to_have_attribute("aria-expanded", "false")
        expect(settings).to_be_focused()
    resized(page, SIDEWAYS)  # beside it
    settings.click()
    expect(kernel).to_be_in_viewport(ratio=1)
    pictured = place(figure)
    assert pictured["x"] + pictured["width"] <= place(kernel)["x"]
    assert min(pictured["y"] + pictured["height"], SIDEWAYS[1]) - max(pictured["y"], 48) > 100


def test_a_menu_of_a_phone_opens_below_its_button(lab: Lab) -> None:
    """And is closed with the sheet, which has the button."""
    page = opened(lab, PHONE, "?preset=start&event=2.pick.1")
    button(page, "Settings").click()
    open_menu(page, "Show")
    layer = button(page, "True f")
    show = place(button(page, "Show"))
    assert place(layer)["y"] >= show["y"] + show["height"]
    expect(layer).to_be_in_viewport(ratio=1)
    button(page, "Done").click()
    expect(layer).to_be_hidden()


# Columns that do not scroll, with their height and that of their content, where it is more by the
# margin of a last child.
OVERFLOWING = """
() => {
  const found = []
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (!node.shadowRoot) { continue }
      const column = node.className.includes("layout-Column") && node.clientHeight > 0
      if (column && getComputedStyle(node).overflowY === "visible"
          && node.scrollHeight > node.clientHeight + 10) {
        found.push([node.className, node.clientHeight, node.scrollHeight])
      }
      walk(node.shadowRoot)
    }
  }
  walk(document)
  return found
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_every_column_holds_its_content(lab: Lab, name: str) -> None:
    """What follows a shorter one would lie on top of its end."""
    page = opened(lab, (1280, 800), f"?page={name}", "open")
    assert "layout-Column" in page.evaluate("Bokeh.index.roots[0].shadow_el.innerHTML")
    for size in ((1280, 800), PHONE):
        resized(page, size)
        page.wait_for_function(f"() => ({OVERFLOWING})().length === 0")
    if name == "step":
        resized(page, (1280, 800))
        present(page)
        page.wait_for_function(f"() => ({OVERFLOWING})().length === 0")
