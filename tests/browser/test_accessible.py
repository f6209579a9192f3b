"""What WCAG 2.2 asks of every page, in both themes; tests/accessibility.md says what shows what."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import VIEWPORT, Lab, Server
from tests.browser.reader import Node, Reader
from tests.browser.student import Student
from ucbpe_app.lessons import find
from ucbpe_app.main import PAGES
from ucbpe_app.run.cache import load

pytestmark = pytest.mark.slow

_AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
_RUN = """() => axe.run({runOnly:
  ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})"""
# Colours on their way to the other theme belong to neither: buttons in shadow roots change late.
_AT_REST = "() => document.getAnimations().every((one) => one.playState !== 'running')"
_LOOKS, _PAUSE = 10, 1000  # ms


def findings(page: Page) -> list[str]:
    """What axe-core finds, and still does later, with what to look at."""
    for _ in range(_LOOKS):
        if not (found := _look(page)):
            break
        page.wait_for_timeout(_PAUSE)
    return found


def _look(page: Page) -> list[str]:
    page.wait_for_function(_AT_REST)
    page.evaluate(_AXE)
    violations: list[dict[str, Any]] = page.evaluate(_RUN)["violations"]
    return [
        f"{one['impact']}: {one['help']} ({node['html'][:120]}: {node['failureSummary'][:300]})"
        for one in violations
        for node in one["nodes"]
        # The layer in which panel-material-ui shows messages lies over the page, in no landmark.
        if not (one["id"] == "region" and "data-pmui-layer" in node["html"])
    ]


@pytest.mark.parametrize("width", [1366, 390])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_found_in_either_theme(lab: Lab, name: str, width: int) -> None:
    page = lab.page
    page.set_viewport_size({"width": width, "height": 768})
    lab.open(f"?page={name}")
    expect(page.get_by_role("heading", level=1)).to_contain_text(PAGES[name].label)
    assert findings(page) == []
    page.get_by_role("button", name="Toggle theme").click()
    expect(page.locator(".mui-dark").first).to_be_attached()
    page.wait_for_timeout(_PAUSE)
    assert findings(page) == []


def test_presented_too(lab: Lab) -> None:
    page = lab.page
    lab.open("?preset=figure-2&present=1")
    expect(page.get_by_role("button", name="End presenting")).to_be_visible()
    expect(page.get_by_role("combobox", name="Problem", exact=True)).to_have_count(0)
    assert findings(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Present", exact=True)).to_have_attribute(
        "aria-pressed", "false"
    )
    expect(page.get_by_role("combobox", name="Problem", exact=True)).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_answer_the_last_card_and_the_shelves_too(lab: Lab, theme: str) -> None:
    page = lab.page
    lab.keep_settings("closed")  # else they lie over the last card, as over the reason
    lesson = find("figure-2")
    assert lesson is not None
    at = lesson.questions[0].at
    assert at is not None
    lab.open(f"?preset=figure-2&event={at.text}&predict=off&theme={theme}")
    expect(page.get_by_role("heading", name=lesson.title, exact=True)).to_be_visible()
    page.get_by_role("button", name="Choose an answer").click()
    for choice in page.locator(".choices").get_by_role("button").all():
        choice.click()
        assert findings(page) == []
    page.get_by_role("button", name="Go on").click()
    events = load(lesson.spec()).events
    last = events.index(lesson.last(events))
    page.get_by_role("slider", name="Event", exact=True).fill(str(last))
    ending = page.get_by_role("region", name="End of the lesson")
    expect(ending).to_be_visible()
    assert findings(page) == []
    ending.get_by_role("button", name="All lessons").click()
    expect(page.get_by_role("dialog", name="Lessons")).to_be_visible()
    assert findings(page) == []


# Known to be missing, as in tests/accessibility.md: words of fields that wider spaces cut off.
FIELDS = {"Lengthscale", "Noise variance", "Scale c", "Band: best guess ±"}
CUT = FIELDS | {"Finite X", "Constant", "Himmelblau, tilted, 2-D", "Automatic"}
_STOPS = 250
# Where the element that has the focus is, its words, and whether something lies upon it.
_PLACE = """function() {
  // The input of a file is not painted: its label is.
  const box = (this.type === "file" ? this.labels[0] : this).getBoundingClientRect()
  const hit = (x, y) => {
    let node = document.elementFromPoint(x, y)
    while (node?.shadowRoot?.elementFromPoint(x, y)) {
      const inner = node.shadowRoot.elementFromPoint(x, y)
      if (inner === node) { break }
      node = inner
    }
    return node
  }
  const own = (node) => {
    const within = (inner, outer) => {
      for (let one = inner; one; one = one.parentNode ?? one.host) {
        if (one === outer) { return true }
      }
      return false
    }
    return within(node, this) || within(this, node) || this.parentNode.contains(node)
  }
  const seen = [0.1, 0.5, 0.9].some((u) => [0.1, 0.5, 0.9].some((v) =>
    own(hit(box.x + u * box.width, box.y + v * box.height))))
  const words = this.innerText ?? ""
  return {x: box.x, y: box.y, width: box.width, height: box.height, seen, words}
}"""
_ROOM = 4  # px around an element, in which its focus may be drawn
# Elements whose words are cut off: all that clip and hold more than they show.
_CUT = """() => {
  const found = []
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      const style = getComputedStyle(node)
      const words = [...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim())
      const clips = ["hidden", "clip"].includes(style.overflowX) && style.clip === "auto"
      const {clientWidth, clientHeight, scrollWidth, scrollHeight} = node
      const more = scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1
      if (words && clips && more && clientWidth > 1 && node.checkVisibility()) {
        found.push(node.textContent.trim().slice(0, 60))
      }
      if (node.shadowRoot) { walk(node.shadowRoot) }
    }
  }
  walk(document)
  return found
}"""
# The distances of criterion 1.4.12, in every shadow root.
_SPACED = """() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
    word-spacing: 0.16em !important } p { margin-bottom: 2em !important }`)
  const walk = (root) => {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) { walk(node.shadowRoot) }
    }
  }
  walk(document)
}"""


def opened(lab: Lab, name: str) -> Reader:
    lab.open(f"?page={name}")
    expect(lab.page.get_by_role("heading", level=1)).to_contain_text(PAGES[name].label)
    expect(lab.page.locator(".lab-opening, .wide-opening")).to_have_count(0)
    return Reader(lab.page)


@dataclass(frozen=True)
class Stop:
    """What the Tab key reaches: what it is, where, and whether one sees that it has the focus."""

    node: Node
    place: dict[str, Any]
    shown: bool


def picture(page: Page, place: dict[str, Any]) -> bytes:
    left, top = max(place["x"] - _ROOM, 0), max(place["y"] - _ROOM, 0)
    right = min(place["x"] + place["width"] + _ROOM, VIEWPORT["width"])
    bottom = min(place["y"] + place["height"] + _ROOM, VIEWPORT["height"])
    assert right > left, place
    assert bottom > top, place
    clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    return page.screenshot(clip=clip)


def stops(reader: Reader) -> list[Stop]:
    """All of them, until the Tab key is where it began."""
    reader.press("Tab")
    here, found, numbers = reader.focus(), list[Stop](), set[int]()
    while here.number not in numbers:
        assert len(found) < _STOPS, "the Tab key does not come back to where it began"
        numbers.add(here.number)
        place = reader.of_focused(_PLACE)
        focused = picture(reader.page, place)
        reader.press("Tab")
        found.append(Stop(here, place, picture(reader.page, place) != focused))
        here = reader.focus()
        if here.role in ("RootWebArea", "none", "generic") and not here.name:  # the browser's own
            reader.press("Tab")
            here = reader.focus()
    assert here.number == found[0].node.number, "the Tab key is kept in a part of the page"
    return found


@pytest.mark.parametrize("name", PAGES)
def test_the_tab_key_reaches_what_is_named_shows_it_and_comes_back(lab: Lab, name: str) -> None:
    """2.1.1, 2.1.2, 2.4.3, 2.4.7, 2.4.11, 2.5.3, 3.2.1 and 4.1.2, but for what is known to lack."""
    reader = opened(lab, name)
    address = lab.page.url
    found = stops(reader)
    assert len(found) >= 10
    assert lab.page.url == address  # a stop does nothing by itself
    assert [one for one in found if not one.node.name] == []
    of_no_role = [one.node for one in found if one.node.role in ("none", "generic")]
    assert of_no_role == []
    assert [one.node for one in found if not one.shown] == []
    assert [one.node for one in found if not one.place["seen"]] == []
    for one in found:
        if one.node.role in ("button", "link", "tab", "radio"):
            words = " ".join(one.place["words"].split()).casefold()
            assert words in one.node.name.casefold(), one


def test_a_menu_is_gone_through_next_and_closed_by_escape(lab: Lab) -> None:
    """2.1.1, 2.4.3: what a button opens comes before the pictures; Escape gives the focus back."""
    page, reader = lab.page, opened(lab, "step")
    for menu, tool in (("Show", "True f"), ("Compare", "Pin this run")):
        opener = page.get_by_role("button", name=menu, exact=True)
        inside = page.get_by_role("button", name=tool, exact=True)
        opener.focus()
        page.keyboard.press("Enter")
        expect(inside).to_be_visible()
        for _ in range(8):
            reader.press("Tab")
            if reader.focus().name == tool:
                break
        expect(inside).to_be_focused()
        page.keyboard.press("Escape")
        expect(inside).to_be_hidden()
        expect(opener).to_be_focused()
        expect(opener).to_have_attribute("aria-expanded", "false")
    settings = page.get_by_role("button", name="Settings", exact=True)
    expect(settings).to_have_attribute("aria-expanded", "true")  # `opened` has opened it
    settings.focus()
    reader.press("Tab")
    page.keyboard.press("Escape")
    expect(settings).to_have_attribute("aria-expanded", "false")
    expect(settings).to_be_focused()


@pytest.mark.parametrize("name", PAGES)
def test_words_need_no_scrolling_in_two_directions_and_no_narrow_spaces(
    lab: Lab, name: str
) -> None:
    """1.4.4, 1.4.10 and 1.4.12: 320 px, 1280 x 1024 at 200 %, and wider spaces between words."""
    page = opened(lab, name).page
    before = page.evaluate(_CUT)
    page.evaluate(_SPACED)
    page.wait_for_timeout(1000)  # ms; parts are laid out anew
    lost = {one for one in page.evaluate(_CUT) if one not in before}
    assert lost <= CUT
    for width, height in ((1280, 920), (640, 512), (320, 640)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")


def test_colours_of_ones_own_leave_marks_and_the_current_event_in_sight(lab: Lab) -> None:
    page = lab.page
    page.emulate_media(forced_colors="active")
    Student(lab, "start")
    page.keyboard.press("ArrowRight")
    current = page.locator(".items [aria-current] span")
    expect(current).to_have_text("x⁰")
    expect(current).to_have_css("outline-style", "solid")
    expect(page.get_by_role("button", name="Next event")).to_have_css("border-style", "solid")
    color = "(node) => getComputedStyle(node, '::before').backgroundColor"
    star, diamond = (
        page.locator(f".items [data-look={look}] span").first.evaluate(color)
        for look in ("ucb", "pe")
    )
    ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert len({star, diamond, ground}) == 3


def test_each_page_has_a_title_landmarks_and_the_same_order_of_pages(lab: Lab) -> None:
    """2.4.1, 2.4.2 and 3.2.3: ways past what repeats, and the same order of pages everywhere."""
    for name, entry in PAGES.items():
        reader = opened(lab, name)
        tree = reader.tree()
        assert lab.page.title() == f"{entry.label}: GP-UCB-PE laboratory"
        pages = reader.the("navigation", "Pages")
        links = [one.name for one in reader.all("link", pages)]
        assert links == [other.label for other in PAGES.values()]
        assert len(reader.all("main", tree)) == 1, name
        headings = reader.all("heading", tree)
        assert len(headings) >= 2, name
        assert all(one.name for one in headings), name
        landmarks = [one.name for one in reader.all("region", tree)]
        assert len(set(landmarks)) == len(landmarks), name


LIGHT, DARK = "rgb(255, 255, 255)", "rgb(18, 20, 23)"


def is_(page: Page, theme: str) -> None:
    expect(page.locator("body")).to_have_css("background-color", DARK if theme == "dark" else LIGHT)


@pytest.mark.parametrize(("system", "other"), [("light", "dark"), ("dark", "light")])
def test_the_theme_follows_the_system_until_it_is_chosen(
    browser: Browser, server_process: Server, system: str, other: str
) -> None:
    with browser.new_context(color_scheme=system) as context:
        page = context.new_page()
        lab = Lab(page, server_process.url)
        lab.open()
        is_(page, system)
        page.emulate_media(color_scheme=other)
        is_(page, other)
        page.emulate_media(color_scheme=system)
        is_(page, system)
        page.get_by_label("Toggle theme").click()
        is_(page, other)
        for query in ("?page=problem", "?predict=off"):
            # Before the browser has run anything: nothing flashes.
            html = page.request.get(f"{server_process.url}/{query}").text()
            assert ("background-color: #121212" in html) == (other == "dark")
            lab.open(query)
            is_(page, other)
        page.emulate_media(color_scheme=other)
        page.emulate_media(color_scheme=system)
        is_(page, other)
        # Wait for an answer: what the browser has said before has then been heard.
        page.get_by_role("button", name="Next event").click()
        expect(page.get_by_role("status")).to_contain_text("x = ")
        assert not lab.errors
