"""The lesson on screen, without a browser: chosen, followed, changed, and read from a file."""

from __future__ import annotations

import math
import re
from html import unescape
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from tests.app.lessons.texts import WHOLE, written
from tests.app.step.test_page import lesson_of
from tests.app.waiting import change, in_a_session
from ucbpe_app.files.layout import LessonPage
from ucbpe_app.lessons import LARGEST, Lesson, find, offered
from ucbpe_app.links import decode
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.settings import RunSpec
from ucbpe_app.step.page import StepPage
from ucbpe_app.widgets.address import Navigation
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

CAPTION = '"<b>Go</b> [there](event=1.observe), [two](K=2&T=5) and [on](preset=figure-2)."'
MINE = written(written(WHOLE, "caption", CAPTION), "policy", '"gp-ucb-pe"')


def send(component: Any, **message: Any) -> None:
    """What the browser says, and all that follows from it."""

    in_a_session(lambda: component.receive(message))


def open_file(page: StepPage, text: str | None, name: str = "mine.toml", size: int = 0) -> None:
    file = {"name": name, "size": size or len((text or "").encode()), "text": text}
    send(page.guide.card, file=file)


def choose(page: StepPage, lesson: Lesson) -> None:
    """A row of the shelves is pressed."""
    (number,) = (
        row["number"]
        for shelf in page.guide.card.shelves
        for row in shelf["lessons"]
        if row["title"] == lesson.title
    )
    send(page.guide.card, choose=number)


def said(page: StepPage) -> tuple[str, str]:
    """Title and text of the notice, both empty if there is none."""
    notice = page.links.notice
    if not notice.panel.visible:
        return "", ""
    return notice.alert.title, notice.alert.objects[0].object


def links(page: StepPage) -> dict[str, str]:
    """Words and queries of the links on the card."""
    spans = (span for paragraph in page.guide.card.paragraphs for span in paragraph)
    return {span["words"]: span["href"].removeprefix("?") for span in spans if "href" in span}


def test_a_link_is_an_address_of_its_moment_and_goes_there_in_place() -> None:
    page = StepPage("preset=beta-small")
    bold, changes = links(page)["β = 9"], lesson_of("beta-small").links
    assert bold == "preset=beta-small&beta=9.0&event=3.region"
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
        choose(page, lesson_of(slug))
        assert (bar.earlier, bar.later) == ("", "")
        send(bar, do="undo")
        assert page.guide.lesson == lesson_of(slug)
        assert page.session.spec == lesson_of(slug).spec()
        assert not page.guide.card.changed


def test_settings_changed_are_told_and_taken_back() -> None:
    page, lesson = StepPage("preset=lengthscale-long"), lesson_of("lengthscale-long")
    for value, changed in ((2.0, True), (0.65, False), (1.5, False), (1.0, True)):
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
    after = lesson_of("lengthscale-long")
    assert (moment.preset, moment.settings) == (after.slug, after.spec())
    assert moment.hidden == frozenset()


def test_what_the_browser_says_is_not_trusted() -> None:
    page = StepPage("preset=figure-2")
    before = page.links.moment
    for message in (
        {"link": 99}, {"link": -1}, {"nothing": 1}, {"choose": 99}, {"step": 2}, {"step": None},
    ):  # fmt: skip
        send(page.guide.card, **message)
    assert page.links.moment == before


def test_what_a_lesson_hides_comes_back_with_the_next_one() -> None:
    page = StepPage("preset=beta-small")
    fields = page.controls.fields
    assert not fields["lengthscale"].control.visible
    assert fields["beta"].control.visible
    assert "hide=Belief,Policy,Problem" in page.links.copy.ask()
    choose(page, lesson_of("regions"))
    assert fields["lengthscale"].control.visible
    assert "hide=&" in page.links.copy.ask()


def test_the_first_lesson_has_only_what_it_uses() -> None:
    page, parts = StepPage(), {f"lab-no-{name}" for name in ("cumulative", "candidate", "player")}
    assert parts <= set(page.panel.css_classes)
    first = page.guide.lesson
    assert first is not None
    of_file = LessonPage(page.session.replay, Layers(), first, None).panel
    assert parts <= set(of_file.css_classes)
    send(page.guide.card, step=1)
    assert not parts & set(page.panel.css_classes)
    in_a_session(lambda: page.visit("preset=figure-2&hide=candidate"))
    assert parts & set(page.panel.css_classes) == {"lab-no-candidate"}
    assert page.controls.panel.visible


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
    assert card.shelves == []
    assert not page.guide.others.visible
    in_a_session(lambda: page.session.go(page.guide.card.last))
    assert page.guide.end.visible
    assert (page.guide.end.next, page.guide.end.others) == ("", False)
    open_file(page, MINE)
    assert page.guide.lesson == lesson_of("figure-2")


def test_a_link_without_a_lesson_has_a_card_that_says_so() -> None:
    page = StepPage("preset=figure-2")
    in_a_session(lambda: page.visit("problem=thin_peak"))
    card = page.guide.card
    assert (card.title, card.paragraphs, card.questions) == ("Opened from a link", [], [])
    assert (card.place, card.before, card.after, card.changed) == ("", "", "", False)
    assert page.guide.others.visible
    choose(page, lesson_of("figure-2"))
    assert card.title == lesson_of("figure-2").title


def test_a_lesson_of_a_file_is_like_any_other_here_and_its_links_are_whole() -> None:
    page = StepPage("preset=figure-2")
    open_file(page, MINE)
    assert said(page) == ("", "")
    card, moment = page.guide.card, page.links.moment
    assert card.title == "My own"
    assert card.place == "From a file, 1 of 1"
    assert [shelf["title"] for shelf in card.shelves][-1] == "From a file"
    assert card.paragraphs[0][0] == {"words": "<b>Go</b> "}
    assert (moment.settings.batch_size, moment.event) == (3, Event(2, Kind.PICK, 1))
    assert (moment.layers, moment.hidden) == ({"log"}, {"Belief", "batch_size"})
    assert card.number == page.guide.lessons.index(page.guide.lesson)
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
    choose(page, page.guide.lessons[-1])
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


def test_the_latest_choice_wins_and_the_card_shows_it() -> None:
    page = StepPage()
    numbers = [page.guide.lessons.index(lesson_of(slug)) for slug in ("himmelblau", "figure-1")]

    async def two_choices() -> None:
        for number in numbers:
            page.guide.card.receive({"choose": number})

    in_a_session(two_choices)
    assert page.guide.card.title == lesson_of("figure-1").title
    assert page.guide.card.number == numbers[-1]
    assert page.session.spec == lesson_of("figure-1").spec()


@pytest.mark.parametrize("lesson", offered(), ids=lambda lesson: lesson.slug)
def test_the_last_card_has_the_numbers_of_the_run(lesson: Lesson) -> None:
    """Computed anew from the measurements of the trace and the true values of its problem."""
    page = StepPage(f"preset={lesson.slug}")
    guide, trace, view = page.guide, page.session.replay.trace, page.view
    last = page.session.replay.events.index(lesson.last(page.session.replay.events))
    assert (guide.card.last, guide.end.visible) == (last, last == page.session.index)
    in_a_session(lambda: page.session.go(last))
    assert (guide.end.visible, view.algorithm.reason.visible) == (True, False)
    frame, problem = page.session.frame, trace.problem
    sign = 1 if problem.direction == "maximize" else -1
    measured = frame.observed.tolist()
    values = [sign * float(problem.values[i]) for i in measured]
    below = max(sign * float(f) for f in problem.values) - max(values)
    best = measured[values.index(max(values))]
    said = guide.end.found.replace("−", "-")
    if "within" in said:
        assert (
            below <= float(said.split()[-1]) < below + 10 ** math.floor(math.log10(below)) * 1.001
        )
    elif said.startswith("Not"):
        (told,) = re.findall(r": (\S+) ", said)
        assert float(told) == pytest.approx(below, rel=0.005)
    else:
        assert below == 0
    numbers = [float(one) for one in re.findall(r"-?\d+\.?\d*", guide.end.how.replace("−", "-"))]
    if problem.dimension <= 2:
        assert numbers[: problem.dimension] == pytest.approx(problem.candidates[best], abs=0.006)
    assert f"with {len(measured)} measurements" in guide.end.how
    assert guide.end.remember == lesson.end.remember
    assert view.picture.request.found
    after = view.timeline.onwards == last
    assert after == bool(guide.end.next)
    in_a_session(lambda: page.session.go(last - 1))
    assert (guide.end.visible, view.algorithm.reason.visible) == (False, True)
    assert not view.picture.request.found


@pytest.mark.parametrize("slug", ["start", "himmelblau", "thin-peak", "phases"])
def test_the_end_of_a_lesson_makes_no_model_and_draws_the_picture_once(
    slug: str, count_models: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bokeh would look for all models of the page, which takes as long as several steps."""
    document = Document()
    with set_curdoc(document):
        page = StepPage(f"preset={slug}")
        page.panel.server_doc(document)
        rendered = page.view.picture.rendered
        monkeypatch.setattr(rendered, "draw", Mock(wraps=rendered.draw))
        models, built = {model.id for model in document.models}, count_models()
        for index in (1, page.guide.card.last - 1, page.guide.card.last, 0):
            page.session.go(index)
    assert page.session.index == 0
    assert rendered.draw.call_count == 4
    assert built == []
    assert {model.id for model in document.models} == models


def test_a_cross_asks_to_be_dragged_until_one_was() -> None:
    page = StepPage("preset=start")
    last = page.guide.card.last
    in_a_session(lambda: page.session.go(last))
    marks = {one.role: one for one in page.view.picture.picture.plots["function"].marks}
    (ringed,) = marks["found"].columns["x"]
    assert f"{ringed:.3g}" in page.guide.end.how
    assert marks["handle"].columns["x"][0] in marks["data"].columns["x"]
    page.session.move(0, 1.0)
    in_a_session(page.session.refresh)
    assert page.session.index == last
    assert page.guide.end.visible
    assert "handle" not in {one.role for one in page.view.picture.picture.plots["function"].marks}


def test_a_run_without_results_may_follow_the_end_of_a_lesson() -> None:
    page = StepPage("preset=start")
    in_a_session(lambda: page.session.go(page.guide.card.last))
    assert page.view.picture.request.found
    in_a_session(lambda: page.visit("preset=phases&event=1.posterior"))
    assert not page.session.frame.observed.size
    assert not page.view.picture.request.found


def test_next_of_the_last_card_leads_to_the_next_lesson_of_the_shelf() -> None:
    page = StepPage()
    guide = page.guide
    in_a_session(lambda: page.session.go(guide.card.last))
    following = guide.lessons[1]
    assert following.title in guide.end.next
    send(guide.end, step=1)
    assert (guide.lesson, guide.end.visible) == (following, False)


def test_questions_come_with_their_reasons_from_their_event_on() -> None:
    page = StepPage()
    text = (
        written(MINE, "event", '"1.posterior"')
        + """
[[questions]]
text = "How large is K?"
answer = "As the list of picks says."
number = 3
tolerance = 0.1
wrong = "Count the diamonds."
at = "1.observe"
again = "start"
"""
    )
    open_file(page, text)
    first, second = page.guide.card.questions
    assert {(one["words"], one["right"], one["reason"]) for one in first["choices"]} == {
        ("the right one", True, ""), ("another", False, "It is not. Look there."),
    }  # fmt: skip
    events = [event.text for event in page.session.replay.events]
    assert (first["at"], second["at"]) == (0, events.index("1.observe"))
    assert (second["number"], second["tolerance"], second["wrong"]) == (
        3,
        0.1,
        "Count the diamonds.",
    )
    assert second["again"].startswith("From Lesson ")
    assert second["again"].endswith(", with other numbers.")
    page.session.settings.accept(seed=7)
    in_a_session(page.session.refresh)
    assert page.guide.card.questions == [first, second], "while settings are tried"


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
