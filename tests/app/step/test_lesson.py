"""The lesson on screen, without a browser: chosen, followed, changed, and read from a file."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from tests.app.lessons.texts import WHOLE, written
from tests.app.step.test_page import lesson_of
from tests.app.waiting import change, in_a_session
from ucbpe_app.lessons import LARGEST, Lesson, find, offered
from ucbpe_app.links import decode
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.step.page import StepPage
from ucbpe_app.widgets.address import Navigation
from ucbpe_core.errors import InputError

CAPTION = '"<b>Go</b> [there](event=1.observe), [two](K=2&T=5) and [on](preset=figure-2)."'
MINE = written(written(WHOLE, "caption", CAPTION), "policy", '"gp-ucb-pe"')


def send(component: Any, **message: Any) -> None:
    """What the browser says, and all that follows from it."""

    in_a_session(lambda: component.receive(message))


def open_file(page: StepPage, text: str | None, name: str = "mine.toml", size: int = 0) -> None:
    send(page.controls.file, name=name, size=size or len((text or "").encode()), text=text)


def said(page: StepPage) -> tuple[str, str]:
    """Title and text of the notice, both empty if there is none."""
    notice = page.links.notice
    if not notice.panel.visible:
        return "", ""
    return notice.alert.title, notice.alert.objects[0].object


def links(page: StepPage) -> dict[str, str]:
    """Words and queries of the links on the card."""
    spans = (span for paragraph in page.guide.card.paragraphs for span in paragraph)
    return {span["words"]: span["query"] for span in spans if "query" in span}


def test_a_link_is_an_address_of_its_moment_and_goes_there_in_place() -> None:
    page = StepPage("preset=beta-small")
    bold, changes = links(page)["β = 9"], lesson_of("beta-small").links
    assert bold == "preset=beta-small&beta=9.0&event=8.observe"
    moment, errors = decode(bold)
    assert errors == ()
    page.layers.panel.value = ["log"]
    send(page.guide.card, link=len(changes) - 1)
    assert page.session.spec == moment.settings
    assert page.session.frame.event == moment.event
    assert page.layers.chosen == {"log"}, "layers that the link does not name are kept"
    assert page.links.moment.hidden == lesson_of("beta-small").hidden
    assert not page.guide.card.changed, "the caption tells of these settings, too"
    assert page.guide.card.here == len(changes) - 1
    send(page.guide.card, link=0)
    assert page.session.spec == lesson_of("beta-small").spec()
    assert (page.session.frame.event, page.guide.card.here) == (Event(2, Kind.REGION), 0)


def test_undo_goes_on_within_a_lesson_and_ends_at_another() -> None:
    """It would leave the card of the other over a run which is not its own."""
    page = StepPage("preset=beta-small")
    bar, own = page.explore.bar, lesson_of("beta-small").spec()
    send(page.guide.card, link=len(lesson_of("beta-small").links) - 1)
    assert bar.earlier
    send(bar, do="undo")
    assert (page.session.spec, bar.earlier) == (own, "")
    for slug in ("figure-2", "himmelblau", "beta-small"):
        change(page.session.settings, "seed", 5)
        assert bar.earlier
        change(page.controls.preset, "value", lesson_of(slug))
        assert (bar.earlier, bar.later) == ("", "")
        send(bar, do="undo")
        assert page.guide.lesson == lesson_of(slug)
        assert page.session.spec == lesson_of(slug).spec()
        assert not page.guide.card.changed


def test_settings_changed_are_told_and_taken_back() -> None:
    page, lesson = StepPage("preset=lengthscale-long"), lesson_of("lengthscale-long")
    for value, changed in ((2.0, True), (0.65, False), (3.0, False), (1.0, True)):
        change(page.controls.fields["lengthscale"].control, "value", str(value))
        assert page.session.spec.lengthscale == value
        assert page.guide.card.changed is changed
    send(page.guide.card, reset=True)
    assert page.session.spec == lesson.spec()
    assert page.session.frame.event == lesson.event
    assert not page.guide.card.changed


def test_the_other_pages_are_offered_the_lesson_with_its_own_settings() -> None:
    navigation = Navigation({"step": "Step", "race": "Race"}, "step")
    page = StepPage("preset=beta-small", navigation)
    send(page.guide.card, step=1)
    (query,) = re.findall(r'href="\?page=race&amp;([^"]*)"', navigation.panel.object)
    moment, errors = decode(unescape(query))
    assert errors == ()
    assert (moment.preset, moment.settings) == (
        "noise-underestimated", lesson_of("noise-underestimated").spec(),
    )  # fmt: skip
    assert moment.hidden == frozenset()


def test_what_the_browser_says_is_not_trusted() -> None:
    page = StepPage("preset=figure-2")
    before = page.links.moment
    for message in ({"link": 99}, {"link": -1}, {"nothing": 1}):
        send(page.guide.card, **message)
    assert page.links.moment == before


def test_what_a_lesson_hides_comes_back_with_the_next_one() -> None:
    page = StepPage("preset=beta-small")
    fields = page.controls.fields
    assert not fields["lengthscale"].control.visible
    assert fields["beta"].control.visible
    assert "hide=Belief,Policy,Problem" in page.links.copy.ask()
    assert page.controls.preset.visible
    change(page.controls.preset, "value", lesson_of("regions"))
    assert fields["lengthscale"].control.visible
    assert "hide=&" in page.links.copy.ask()


def test_what_a_link_hides_stays_hidden_through_lessons() -> None:
    page = StepPage()
    in_a_session(lambda: page.visit("preset=beta-small&hide=Belief,Policy,Problem,fit,seed"))
    send(page.guide.card, step=1)
    assert page.links.moment.hidden == {"fit", "seed"}
    assert page.controls.fields["lengthscale"].control.visible
    assert not page.controls.fields["seed"].control.visible


def test_without_the_choice_of_lessons_there_is_no_way_to_another() -> None:
    page = StepPage()
    in_a_session(lambda: page.visit("preset=figure-2&hide=Start"))
    card = page.guide.card
    assert (card.title, card.before, card.after) == (lesson_of("figure-2").title, "", "")
    assert not page.controls.preset.visible
    assert not page.controls.file.visible


def test_a_link_without_a_lesson_has_a_card_that_says_so() -> None:
    page = StepPage("preset=figure-2")
    in_a_session(lambda: page.visit("problem=thin_peak"))
    card = page.guide.card
    assert (card.title, card.paragraphs, card.question) == ("Opened from a link", [], "")
    assert (card.place, card.before, card.after, card.changed) == ("", "", "", False)
    assert page.controls.preset.value is None
    change(page.controls.preset, "value", lesson_of("figure-2"))
    assert card.title == lesson_of("figure-2").title
    assert None not in page.controls.preset.options.values()


def test_a_lesson_of_a_file_is_like_any_other_here_and_its_links_are_whole() -> None:
    page = StepPage("preset=figure-2")
    open_file(page, MINE)
    assert said(page) == ("", "")
    card, moment = page.guide.card, page.links.moment
    assert card.title == "My own"
    assert card.place == f"Lesson {len(offered()) + 1} of {len(offered()) + 1}"
    assert card.paragraphs[0][0] == {"words": "<b>Go</b> "}
    assert (moment.settings.batch_size, moment.event) == (3, Event(2, Kind.PICK, 1))
    assert (moment.layers, moment.hidden) == ({"truth", "log"}, {"Belief", "batch_size"})
    assert page.controls.preset.value == page.guide.lesson
    assert "My own (file)" in page.controls.preset.options
    assert find("mine") is None
    # The link that is copied opens in a session that does not know the lesson.
    assert "preset" not in page.links.copy.ask()
    other = StepPage()
    in_a_session(lambda: other.visit(page.links.copy.ask()))
    assert said(other) == ("", "")
    assert other.links.moment == moment
    # And so do the links of its caption, in another tab.
    there, two, on = links(page).values()
    assert decode(there)[0].event == Event(1, Kind.OBSERVE)
    assert decode(there)[0].settings == moment.settings
    assert (decode(two)[0].settings.batch_size, decode(two)[0].hidden) == (2, moment.hidden)
    assert on == "preset=figure-2"
    assert not any(errors for _, errors in map(decode, (there, two, on)))
    # In place they stay in the lesson, or lead to the other one.
    send(card, link=1)
    assert (page.session.spec.batch_size, card.title, card.changed) == (2, "My own", False)
    send(card, link=2)
    assert (card.title, page.links.moment.hidden) == (lesson_of("figure-2").title, frozenset())
    change(page.controls.preset, "value", page.guide.lessons[-1])
    assert card.title == "My own"


@pytest.mark.parametrize(
    ("text", "size", "told"),
    [
        (None, LARGEST + 1, "Expected a file of at most 64 kB; got 64 kB."),
        (None, 10, "Expected text in UTF-8; got other bytes."),
        (written(MINE, "slug", '"<b>"'), 0, "with single hyphens between; got &lt;b&gt;."),
    ],
    ids=["too large", "no text", "slug"],
)
def test_a_bad_file_is_told_and_everything_stays(text: str | None, size: int, told: str) -> None:
    page = StepPage("preset=figure-2")
    before, lesson = page.links.moment, page.guide.lesson
    open_file(page, text, "<i>bad</i>.toml", size)
    title, words = said(page)
    assert title == "<i>bad</i>.toml was not opened; nothing has changed"
    assert told in words
    assert (page.links.moment, page.guide.lesson) == (before, lesson)
    assert page.guide.lessons == offered()
    open_file(page, MINE)
    assert said(page) == ("", "")


def test_the_latest_choice_wins_and_the_choice_shows_it() -> None:
    page = StepPage()

    async def two_choices() -> None:
        page.controls.preset.value = lesson_of("himmelblau")
        page.controls.preset.value = lesson_of("figure-1")

    in_a_session(two_choices)
    assert page.guide.card.title == lesson_of("figure-1").title
    assert page.controls.preset.value == lesson_of("figure-1")
    assert page.session.spec == lesson_of("figure-1").spec()


def test_a_lesson_that_cannot_be_had_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its data may be gone since the server began: the first lesson is opened in its place."""
    lesson, spec = lesson_of("mackey-glass"), Lesson.spec

    def without(self: Lesson, problem: str | None = None) -> RunSpec:
        if (problem or self.problem) == lesson.problem:
            raise InputError("the data", "none", "get it")
        return spec(self, problem)

    monkeypatch.setattr(Lesson, "spec", without)
    moment, (error,) = decode("preset=mackey-glass&hide=fit")
    assert (moment.preset, moment.hidden) == (offered()[0].slug, {"fit"})
    assert (
        str(error) == "expected the data; got preset=mackey-glass; the link opens with preset=start"
    )
