"""A class as its teacher has it: a presented page, and phones with pages of their own."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Lab
from tests.browser.student import button, event_of, stays, steps

SIZES = [(1366, 768), (1280, 720)]


class Teacher:
    """A presented page with a class."""

    def __init__(self, lab: Lab, query: str, size: tuple[int, int] = SIZES[0]) -> None:
        self.lab, self.page = lab, lab.page
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        lab.open(f"?{query}&present=1")
        expect(button(self.page, "O class: Open a class")).to_be_visible()
        self.page.keyboard.press("o")
        expect(self.panel).to_be_visible()
        self.code = self.panel.locator(".letters").inner_text()

    @property
    def panel(self) -> Locator:
        return self.page.get_by_role("region", name="Class", exact=True)

    @property
    def big(self) -> Locator:
        """What a room reads first."""
        return self.panel.locator(".big")

    @property
    def sentence(self) -> Locator:
        return self.page.locator(".sentence")

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def ask(self, *phones: Page) -> None:
        """Ask what can be asked first, and wait until all phones show it."""
        expect(button(self.page, "A ask: Ask the class")).to_be_visible()
        self.press("a")
        for phone in phones:
            expect(phone.locator("#send")).to_have_text("Send")

    def close(self, text: str) -> None:
        """Close once so many have answered: everything is whole then."""
        expect(self.big).to_have_text(text)
        self.whole()
        self.press("c")
        expect(button(self.page, "Reveal")).to_be_visible()
        self.whole()

    def whole(self) -> None:
        """Nothing of the panel is cut off, and no button is out of sight."""
        room = self.panel.evaluate(
            "(node) => [node.scrollHeight - node.clientHeight, node.scrollWidth - node.clientWidth]"
        )
        assert max(room) <= 1, f"expected a panel that holds all of it, got {room} px more"
        for one in self.panel.get_by_role("button").all():
            expect(one).to_be_in_viewport(ratio=1)


@contextlib.contextmanager
def phones(browser: Browser, teacher: Teacher, count: int = 2) -> Iterator[list[Page]]:
    """Phones that have joined; no page of theirs has an error."""
    with contextlib.ExitStack() as opened:
        pages, errors = [], list[str]()
        for _ in range(count):
            context = opened.enter_context(
                browser.new_context(
                    viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
                )
            )
            page = context.new_page()
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(f"{teacher.lab.url}/class/{teacher.code}")
            button(page, "Join").click()
            pages.append(page)
        expect(teacher.page.locator(".class > .name")).to_have_text(
            f"Class {teacher.code} · {count} joined"
        )
        yield pages
        assert not errors


def tap(phone: Page, across: float, down: float = 0.4) -> None:
    """Tap the picture at these shares of it, and send."""
    box = phone.locator(".field").bounding_box()
    assert box is not None
    phone.touchscreen.tap(box["x"] + across * box["width"], box["y"] + down * box["height"])
    button(phone, "Send").click()
    expect(phone.locator("#title")).to_contain_text("✓ Sent")


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_round_of_two_votes_a_reveal_and_a_reload(
    lab: Lab, browser: Browser, size: tuple[int, int]
) -> None:
    teacher = Teacher(lab, "preset=start", size)
    page, dots = lab.page, lab.page.locator(".asked circle.tap")
    teacher.whole()
    with phones(browser, teacher) as both:
        first, second = both
        teacher.ask(*both)
        expect(page.locator(".asked .title")).to_have_text("Where will the rule measure first?")
        for phone in both:
            expect(phone.locator("#title")).to_have_text("Where will the rule measure first?")
        tap(first, 0.3)
        expect(teacher.big).to_have_text("1 of 2")
        expect(dots).to_have_count(0)  # nobody sees one while others can still be moved by it
        stays(page)  # Next is held
        tap(second, 0.8)
        teacher.close("2 of 2")
        expect(dots).to_have_count(2)
        expect(teacher.big).to_have_text("2 taps, no two agree")
        expect(first.locator("#title")).to_contain_text("Closed, yours: x = ")
        teacher.press("v")
        expect(dots).to_have_count(0)
        for phone in both:
            expect(phone.locator("#score")).to_have_text("round 1, vote 2")
            tap(phone, 0.4)
        teacher.close("2 of 2")
        expect(page.locator(".asked circle.tap.first")).to_have_count(2)
        expect(dots).to_have_count(4)
        expect(teacher.big).to_have_text("2 of 2 agree")
        for phone in both:  # nothing is known there yet
            expect(phone.locator("#class")).to_be_hidden()
        steps(page)
        expect(teacher.big).to_have_text(re.compile(r"^within .* of x⁰$"))
        teacher.whole()
        for phone in both:
            expect(phone.locator("#title")).to_contain_text("of the way up")
            expect(phone.locator("#class")).to_contain_text("Half of you are within")
        teacher.press("b")
        expect(teacher.panel.locator(".board li")).to_have_count(2)
        teacher.whole()

        page.reload()  # the tab goes on with its class
        expect(page.locator(".class > .name")).to_have_text(f"Class {teacher.code} · 2 joined")
        expect(event_of(page)).to_have_value("1")
        expect(teacher.big).to_have_text(re.compile(r"^within .* of x⁰$"))
        page.set_viewport_size({"width": 990, "height": 720})
        expect(teacher.panel).to_be_hidden()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        steps(page)
        button(page, "End class").click()
        expect(teacher.panel).to_be_hidden()
        for phone in both:
            expect(phone.locator("#title")).to_have_text("The class is over")


@pytest.mark.slow
def test_a_lessons_question_is_asked_and_revealed_where_the_page_is(
    lab: Lab, browser: Browser
) -> None:
    teacher = Teacher(lab, "preset=first-pick&event=1.pick.0")
    page = lab.page
    with phones(browser, teacher) as both:
        teacher.ask(*both)
        expect(teacher.sentence).to_contain_text("Why is the first pick not there?")
        for phone in both:
            expect(phone.get_by_role("radio")).to_have_count(3)
            phone.get_by_text("elsewhere the edge is higher").click()
            button(phone, "Send").click()
        expect(teacher.big).to_have_text("2 of 2")
        stays(page)  # → neither reveals nor steps while the round is open
        teacher.close("2 of 2")
        bars = teacher.panel.locator(".bars li")
        expect(bars).to_have_count(3)
        expect(teacher.panel.locator(".right")).to_have_count(0)
        stays(page)  # but reveals
        expect(teacher.big).to_have_text("2 of 2 are right")
        expect(teacher.panel.locator(".right")).to_contain_text("Elsewhere the edge is higher")
        teacher.whole()
        for phone in both:
            expect(phone.locator("#title")).to_have_text("✓ Right")
        steps(page)


@pytest.mark.slow
def test_taps_on_a_map_lie_over_it_and_under_the_pick(lab: Lab, browser: Browser) -> None:
    teacher = Teacher(lab, "preset=himmelblau&event=1.posterior")
    page = lab.page
    with phones(browser, teacher) as both:
        teacher.ask(*both)
        for i, phone in enumerate(both):
            tap(phone, 0.3 + 0.3 * i, 0.3)
        teacher.close("2 of 2")
        dots = page.locator(".asked-field circle.tap")
        expect(dots).to_have_count(2)
        for dot in dots.all():
            expect(dot).to_be_in_viewport(ratio=1)
        steps(page)
        expect(dots).to_have_count(2)
        expect(page.locator(".asked-field svg > :last-child")).to_have_class("pick function")


@pytest.mark.slow
def test_the_class_as_a_rule_is_drawn_once_f_is_known(lab: Lab, browser: Browser) -> None:
    teacher = Teacher(lab, "preset=start")
    page, chart = lab.page, lab.page.locator(".chart svg")
    key = button(page, "R as a rule: The class as a rule")
    with phones(browser, teacher) as both:
        for turn in range(2):
            teacher.ask(*both)
            for phone in both:
                tap(phone, 0.4 + 0.15 * turn)
            teacher.close("2 of 2")
            steps(page)
            expect(teacher.big).to_have_text(re.compile(r"^within .* of x⁰$"))
            if turn == 0:
                expect(key).to_be_hidden()  # a regret would tell of f
                teacher.press("f")
                expect(key).to_be_visible()
                teacher.press("f")
                expect(key).to_be_hidden()
            steps(page, "Shift+ArrowRight", 6)
        key.click()
        expect(chart).to_be_in_viewport(ratio=1)
        expect(chart.locator(".pin")).to_have_count(2)
        expect(chart.locator("circle.dot:not(.first)")).to_have_count(2)
        expect(teacher.panel).to_contain_text("One game proves nothing.")
        expect(teacher.panel.locator(".places li")).to_have_count(2)
        teacher.whole()
        steps(page)
        expect(chart).to_have_count(0)
