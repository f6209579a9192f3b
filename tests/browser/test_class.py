"""A class as its phones have it: they join, tap, wait and see the gap.

The teacher is the test, which changes the room as another process of the server would.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from tests.browser.conftest import running
from tests.browser.layout import overlap
from tests.browser.student import painted
from tests.browser.test_accessible import findings
from ucbpe_app.classroom.moments import About, ask_moment, reveal_moment
from ucbpe_app.classroom.room import Room, Round
from ucbpe_app.classroom.store import Rooms
from ucbpe_app.lessons import find
from ucbpe_app.run.cache import load
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers

PHONE = (390, 844)
SIZES = [PHONE, (360, 640), (320, 568), (640, 360)]
# Of what can scroll, and of what is there to see.
_EXTENT = """
(one) => [[one.scrollWidth, one.scrollHeight], [one.clientWidth, one.clientHeight]]
"""
_BOTTOMS = """
(all) => all.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().bottom)
"""
_TARGETS = """
(all) => all.flatMap((one) => [one.offsetWidth, one.offsetHeight])
"""
SENTENCE = "Half of you are within 0.79 of x⁰"


@dataclass
class School:
    """The teacher's side of a class."""

    url: str
    rooms: Rooms
    code: str = ""
    errors: list[str] = field(default_factory=list)

    def change(self, verb: Callable[[Room], Room]) -> Room:
        return self.rooms.change(self.code, verb)

    def note(self, kind: str, text: str) -> None:
        """Keep what a browser complains of, but for answers that it did not get."""
        if kind == "error" and "Failed to load resource" not in text:
            self.errors.append(text)

    @property
    def room(self) -> Room:
        room = self.rooms.find(self.code)
        assert room is not None
        return room

    def ask(self, moment: dict[str, Any], count: int) -> None:
        name = self.rooms.put(self.code, moment)
        asked = Round("1.pick.0", moment["kind"], count, "run", name)
        self.change(lambda room: room.ask(asked, time.time()))

    def close(self) -> None:
        self.change(lambda room: room.close(time.time()))

    def vote_again(self) -> None:
        self.change(lambda room: room.vote_again(time.time()))

    def reveal(self, moment: dict[str, Any], points: tuple[int, ...]) -> None:
        name = self.rooms.put(self.code, moment)
        self.change(lambda room: room.reveal(name, points, SENTENCE, time.time()))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    folder = tmp_path_factory.mktemp("school")
    with running(folder / "log.txt", environment={"TMPDIR": str(folder)}) as server:
        (file,) = folder.glob("ucbpe-class-*.sqlite")
        rooms = Rooms(file)
        yield School(server.url, rooms)
        rooms.close()


@pytest.fixture
def school(served: School) -> Iterator[School]:
    """A class that has just been opened; no page of it has an error."""
    room, _ = served.rooms.open(time.time())
    made = School(served.url, served.rooms, room.code)
    yield made
    made.rooms.sweep(time.time(), made.code)
    assert not made.errors, made.errors


@contextlib.contextmanager
def phone(
    browser: Browser, school: School, size: tuple[int, int] = PHONE, *, joins: bool = True
) -> Iterator[Page]:
    """A phone, which joins the class."""
    viewport: ViewportSize = {"width": size[0], "height": size[1]}
    with browser.new_context(viewport=viewport, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: school.errors.append(str(error)))
        page.on("console", lambda message: school.note(message.type, message.text))
        if joins:
            page.goto(f"{school.url}/class/{school.code}")
            page.get_by_role("button", name="Join").click()
            expect(title(page)).to_have_text("You are in")
        yield page


def run_of(slug: str) -> tuple[Replay, Layers]:
    lesson = find(slug)
    assert lesson is not None
    return load(lesson.spec()), Layers.of(lesson.layers, plain=lesson.plain)


def title(page: Page) -> Locator:
    return page.locator("#title")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def tap(page: Page, across: float, down: float = 0.4) -> None:
    """Tap the picture at these shares of its width and height."""
    box = page.locator(".field").bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + across * box["width"], box["y"] + down * box["height"])


def still(picture: Locator) -> bytes:
    """The picture, once it does not change any more."""
    before = b""
    while (after := picture.screenshot(animations="disabled")) != before:
        painted(picture.page)
        before = after
    return after


def shares(replay: Replay) -> np.ndarray:
    """Of every place, how far up it is for the first pick, in percent."""
    frame = replay.frame(0)
    upper = frame.mean + frame.sqrt_beta * frame.std
    return 100 * (upper - upper.min()) / np.ptp(upper)


def test_five_phones_play_a_round_of_two_votes(browser: Browser, school: School) -> None:
    replay, layers = run_of("start")
    x = replay.scene.candidates[:, 0]
    points = tuple(int(share) for share in np.round(shares(replay)))
    with contextlib.ExitStack() as all_phones:
        phones = [all_phones.enter_context(phone(browser, school)) for _ in range(5)]
        assert len({page.locator("#who").inner_text() for page in phones}) == 5
        school.ask(ask_moment(replay, 0, layers), len(x))
        for i, page in enumerate(phones):
            expect(title(page)).to_have_text("Where will the rule measure first?")
            expect(button(page, "Send")).to_be_disabled()
            tap(page, 0.1 + 0.2 * i)
            button(page, "Send").click()
            expect(title(page)).to_contain_text("✓ Sent: x = ")
        for page in phones:
            expect(page.locator("#more")).to_contain_text("5 of 5 have answered.")
        (vote,) = school.room.rounds[-1].votes
        low, high = x.min(), x.max()
        wanted = [low + (0.1 + 0.2 * i) * (high - low) for i in range(5)]
        np.testing.assert_allclose(
            x[[vote[i] for i in range(1, 6)]], wanted, atol=0.05 * (high - low)
        )

        tap(phones[0], 0.95)  # what was sent can be changed
        button(phones[0], "Send").click()
        expect(title(phones[0])).to_contain_text("✓ Sent")
        assert x[school.room.rounds[-1].votes[0][1]] > x[vote[4]]
        school.close()
        for page in phones:
            expect(title(page)).to_contain_text("Closed, yours: x = ")
            expect(button(page, "Send")).to_be_hidden()
        school.vote_again()
        for page in phones:
            expect(page.locator("#score")).to_have_text("round 1, vote 2")
            button(page, "Send").click()  # the first answer stays
            expect(title(page)).to_contain_text("✓ Sent")
        assert school.room.rounds[-1].votes[0] == school.room.rounds[-1].votes[1]
        school.close()
        school.reveal(reveal_moment(replay, 1, layers), points)
        for i, page in enumerate(phones, start=1):
            mine = school.room.rounds[-1].votes[1][i]
            share = shares(replay)[mine]
            wanted = f"{share:.0f} % of the way up" if share >= 10 else "% of the way up"
            expect(title(page)).to_contain_text(wanted)
            expect(page.locator("#more")).to_contain_text("The rule measures at x⁰ = ")
            expect(page.locator("#class")).to_contain_text(SENTENCE)
            won = points[mine]
            expect(page.locator("#score")).to_have_text(f"{won} point{'s' * (won != 1)}")


@pytest.mark.slow
def test_ten_rounds_on_curves_and_maps(browser: Browser, school: School) -> None:
    runs = [run_of("start"), run_of("himmelblau")]
    with contextlib.ExitStack() as all_phones:
        phones = [all_phones.enter_context(phone(browser, school)) for _ in range(5)]
        for turn in range(1, 11):
            replay, layers = runs[turn % 2]
            count = len(replay.scene.candidates)
            points = tuple(int(share) for share in np.round(shares(replay)))
            school.ask(ask_moment(replay, 0, layers), count)
            for i, page in enumerate(phones):
                expect(page.locator("#score")).to_have_text(f"round {turn}")
                tap(page, 0.15 + 0.17 * i, 0.2 + 0.1 * i)
                button(page, "Send").click()
            for page in phones:
                expect(title(page)).to_contain_text("✓ Sent")
            assert school.room.answered == 5
            school.close()
            school.reveal(reveal_moment(replay, 1, layers), points)
            for page in phones:
                expect(page.locator("#class")).to_contain_text(SENTENCE)
        won = sorted(one.points for one in school.room.phones.values())
        said = sorted(int(page.locator("#score").inner_text().split()[0]) for page in phones)
        assert said == won
        assert won[-1] > 500


def test_a_code_is_typed_in_any_case_and_a_wrong_one_is_refused(
    browser: Browser, school: School
) -> None:
    with phone(browser, school, joins=False) as page:
        page.goto(f"{school.url}/class")
        code = page.get_by_label("The code on the screen")
        code.fill("ZZZZ")
        button(page, "Join").click()
        expect(page.get_by_role("alert").filter(has_text="no such class")).to_be_visible()
        code.fill("")
        code.press_sequentially(school.code.lower())
        code.press("Enter")
        expect(title(page)).to_have_text("You are in")
        assert page.url.endswith(f"/class/{school.code}")
        page.goto(f"{school.url}/class/{school.code.lower()}/")  # where this phone already is
        expect(title(page)).to_have_text("You are in")
        assert school.room.joined == 1


def test_a_phone_that_is_loaded_again_keeps_its_place_and_its_points(
    browser: Browser, school: School
) -> None:
    replay, layers = run_of("start")
    count = len(replay.scene.candidates)
    with phone(browser, school) as page:
        school.ask(ask_moment(replay, 0, layers), count)
        expect(title(page)).to_contain_text("measure first")
        tap(page, 0.7)
        button(page, "Send").click()
        expect(title(page)).to_contain_text("✓ Sent")
        before = [page.locator(one).inner_text() for one in ("#who", "#title")]
        page.reload()
        expect(title(page)).to_have_text(before[1])
        assert page.locator("#who").inner_text() == before[0]
        expect(page.locator(".pin")).to_be_visible()
        school.close()
        school.reveal(reveal_moment(replay, 1, layers), (64,) * count)
        expect(page.locator("#score")).to_have_text("64 points")
        page.reload()
        expect(page.locator("#score")).to_have_text("64 points")
        expect(title(page)).to_contain_text("of the way up")
        assert school.room.joined == 1


@pytest.mark.parametrize("slug", ["start", "himmelblau"])
def test_the_figures_of_the_question_show_the_answer_as_new_ones_would(
    browser: Browser, school: School, slug: str
) -> None:
    replay, layers = run_of(slug)
    count = len(replay.scene.candidates)
    with phone(browser, school) as page:
        picture = page.locator("#picture")
        school.ask(ask_moment(replay, 0, layers), count)
        expect(title(page)).to_contain_text("measure first")
        tap(page, 0.7)
        button(page, "Send").click()
        expect(title(page)).to_contain_text("✓ Sent")
        picture.locator(".picture").evaluate("(one) => { one.dataset.kept = 'yes' }")
        school.close()
        school.reveal(reveal_moment(replay, 1, layers), (64,) * count)
        expect(page.locator("#score")).to_have_text("64 points")
        expect(picture.locator("[data-kept]")).to_have_count(1)
        filled = still(picture)
        page.reload()
        expect(page.locator("#score")).to_have_text("64 points")
        expect(picture.locator("[data-kept]")).to_have_count(0)
        assert still(picture) == filled


def test_beside_a_later_pick_the_ring_covers_no_label_and_no_text_is_cut(
    browser: Browser, school: School
) -> None:
    replay, layers = run_of("start")
    count, index = len(replay.scene.candidates), [e.text for e in replay.events].index("1.pick.1")
    with phone(browser, school) as page:
        school.ask(ask_moment(replay, index - 1, layers), count)
        expect(title(page)).to_contain_text("measure next")
        tap(page, 0.95)  # close to the pick, which is at the right edge
        button(page, "Send").click()
        expect(title(page)).to_contain_text("✓ Sent")
        school.close()
        school.reveal(reveal_moment(replay, index, layers), (64,) * count)
        expect(page.locator("#score")).to_have_text("64 points")
        painted(page)
        ring = page.locator(".ring").bounding_box()
        assert ring is not None
        label = page.get_by_text("x¹: widest")
        apart = page.locator("svg text", has_text=" apart")
        boxes = [one.bounding_box() for one in (label, apart)]
        for box in boxes:
            assert box is not None
            assert 0 <= box["x"] <= box["x"] + box["width"] <= PHONE[0]
            assert not overlap(box, ring)
        name = page.get_by_text("std (dotted: before x⁰ was taken; faint: ruled out)", exact=True)
        (scrolled, there) = name.evaluate(_EXTENT)
        assert scrolled <= there


def test_a_connection_that_is_lost_is_said_and_comes_back(browser: Browser, school: School) -> None:
    replay, layers = run_of("start")
    with phone(browser, school) as page:
        school.ask(ask_moment(replay, 0, layers), len(replay.scene.candidates))
        expect(title(page)).to_contain_text("measure first")
        tap(page, 0.3)
        context: BrowserContext = page.context
        context.set_offline(True)
        lost = page.get_by_role("alert").filter(has_text="Connection lost")
        expect(lost).to_be_visible()
        button(page, "Send").click()
        expect(button(page, "Send")).to_be_enabled()  # not sent
        context.set_offline(False)
        expect(lost).to_be_hidden()
        assert school.room.answered == 0
        button(page, "Send").click()
        expect(title(page)).to_contain_text("✓ Sent")
        assert school.room.answered == 1


def test_by_keyboard_and_screen_reader(browser: Browser, school: School) -> None:
    replay, layers = run_of("start")
    said = "#said[role=status]"
    with phone(browser, school) as page:
        school.ask(ask_moment(replay, 0, layers), len(replay.scene.candidates))
        expect(page.locator(said)).to_contain_text("Where will the rule measure first?")
        place = page.get_by_role("slider", name="Where will the rule measure first?")
        page.keyboard.press("Tab")
        expect(place).to_be_focused()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        middle = len(replay.scene.candidates) // 2
        x = replay.scene.candidates[middle + 1, 0]
        expect(place).to_have_attribute(
            "aria-valuetext",
            f"x = {x:.3g}, best guess "
            + (
                f"{replay.frame(0).mean[middle + 1]:.3g}, std {replay.frame(0).std[middle + 1]:.3g}"
            ),
        )
        page.get_by_role("button", name="Left", exact=True).click()
        page.get_by_role("button", name="Right", exact=True).click()
        place.focus()
        page.keyboard.press("Enter")
        expect(page.locator(said)).to_contain_text(f"✓ Sent: x = {x:.3g}")
        assert school.room.rounds[-1].votes[-1] == {1: middle + 1}


def test_choices_and_the_value_of_a_setting(browser: Browser, school: School) -> None:
    replay, layers = run_of("start")
    choice: About = {"question": "Twice?", "choices": ["Yes", "No", "At times"]}
    scale: About = {"question": "Which c?", "scale": [0.5, 1.0, 2.0], "setting": "c"}
    with phone(browser, school) as page:
        school.ask(ask_moment(replay, 0, layers, **choice), 3)
        group = page.get_by_role("group", name="Twice?")
        group.get_by_role("radio", name="C At times").check()
        button(page, "Send").click()
        expect(title(page)).to_have_text("✓ Sent: C")
        school.close()
        expect(group.get_by_role("radio").first).to_be_disabled()
        school.reveal(reveal_moment(replay, 1, layers, right=1, **choice), (0, 100, 0))
        expect(title(page)).to_have_text("✗ Not quite")
        expect(page.locator("#more")).to_have_text("You sent C. B is right.")
        expect(page.locator(".right")).to_contain_text("No")

        school.ask(ask_moment(replay, 0, layers, **scale), 3)
        expect(title(page)).to_have_text("Which c?")
        slider = page.get_by_role("slider")
        slider.press("ArrowRight")
        expect(slider).to_have_attribute("aria-valuetext", "c = 2")
        button(page, "Send").click()
        expect(title(page)).to_have_text("✓ Sent: c = 2")
        school.close()
        school.reveal(reveal_moment(replay, 1, layers, right=2, **scale), (0, 50, 100))
        expect(title(page)).to_have_text("✓ Right")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_found_in_either_theme(
    browser: Browser, school: School, scheme: Literal["light", "dark"]
) -> None:
    replay, layers = run_of("start")
    choice: About = {"question": "Twice?", "choices": ["Yes", "No"]}
    with phone(browser, school, joins=False) as page:
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{school.url}/class/{school.code}")
        assert findings(page) == []
        button(page, "Join").click()
        expect(title(page)).to_have_text("You are in")
        assert findings(page) == []
        school.ask(ask_moment(replay, 0, layers), len(replay.scene.candidates))
        expect(title(page)).to_contain_text("measure first")
        assert findings(page) == []
        tap(page, 0.6)
        assert findings(page) == []
        button(page, "Send").click()
        expect(button(page, "Change")).to_be_visible()
        assert findings(page) == []
        school.close()
        school.reveal(reveal_moment(replay, 1, layers), (50,) * len(replay.scene.candidates))
        expect(title(page)).to_contain_text("of the way up")
        assert findings(page) == []
        school.ask(ask_moment(replay, 0, layers, **choice), 2)
        page.get_by_role("radio").first.check()
        button(page, "Send").click()
        expect(title(page)).to_contain_text("✓ Sent")
        school.close()
        school.reveal(reveal_moment(replay, 1, layers, right=1, **choice), (0, 100))
        expect(title(page)).to_contain_text("Not quite")
        assert findings(page) == []


@pytest.mark.parametrize("slug", ["start", "himmelblau"])
def test_nothing_is_cut_at_any_size_and_the_button_stays_in_sight(
    browser: Browser, school: School, slug: str
) -> None:
    replay, layers = run_of(slug)
    with phone(browser, school) as page:
        school.ask(ask_moment(replay, 0, layers), len(replay.scene.candidates))
        expect(title(page)).to_contain_text("measure first")
        tap(page, 0.6)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            expect(button(page, "Send")).to_be_in_viewport(ratio=1)
            painted(page)
            for name in ("#picture", ".asks", "#nudge", "#send"):
                box = page.locator(name).bounding_box()
                assert box is not None
                assert box["x"] >= 0, (name, width)
                assert box["x"] + box["width"] <= width, (name, width)
            scrolls, shown = page.locator("#play").evaluate(_EXTENT)
            assert scrolls == shown, (width, height)
            picture = page.locator("#picture").bounding_box()
            figures = page.locator(".lab-plot-figure").evaluate_all(_BOTTOMS)
            assert picture is not None
            assert 0 < max(figures) <= picture["y"] + picture["height"] + 1, (width, height)
            assert min(page.locator("#play button:visible").evaluate_all(_TARGETS)) >= 44
