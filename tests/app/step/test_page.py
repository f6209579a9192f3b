"""The Step page without a browser: it hands frames to the views in use, and computes nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import panel as pn
import pytest

from tests.app.waiting import change, in_a_session, tap, words
from ucbpe_app.lessons import Lesson, find
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.picture import Picture
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.frames import Frame
from ucbpe_app.step.page import StepPage


def lesson_of(slug: str) -> Lesson:
    lesson = find(slug)
    assert lesson is not None
    return lesson


def test_a_page_and_each_run_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with a run pinned behind."""
    drawn, update = [], PictureView.update

    def counted(view: PictureView, frame: Frame) -> None:
        if view.kind is CURVE:
            drawn.append(frame.index)
        update(view, frame)

    monkeypatch.setattr(PictureView, "update", counted)
    page = StepPage("preset=start")
    assert drawn == [page.session.index]
    page.explore.menu.choice.value = ["pin"]
    drawn.clear()
    in_a_session(lambda: page.session.settings.accept(scale=0.5))
    assert drawn == [page.session.index]
    assert page.view.picture.request.pinned_label.startswith("pinned: ")


def test_what_is_not_shown_is_built_when_it_is_opened() -> None:
    page = StepPage("preset=start")
    drawer, menu = page.controls.panel, page.atlas.menu
    assert (drawer.objects, page.links.notice.panel.objects) == ([], [])
    (waits,) = menu.panel.objects
    page.controls.open()
    in_a_session(lambda: setattr(menu.button, "value", True))
    assert page.controls.preset in drawer.objects
    assert waits not in menu.panel.objects
    assert page.atlas.picture.panel in menu.panel.objects[0].objects


def test_a_kernel_that_the_results_contradict_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()
    notifications = SimpleNamespace(warning=lambda words, **_: said.append(words))
    monkeypatch.setattr(type(pn.state), "notifications", notifications)
    page = StepPage("preset=start")
    for kernel, scale in (("Linear", 1.0), ("Linear", 0.5), ("RBF", 0.5), ("Polynomial", 0.5)):
        in_a_session(partial(page.session.settings.accept, kernel=kernel, scale=scale))
    assert [words.partition(":")[0] for words in said] == ["The results contradict this kernel"] * 2


def test_a_click_on_a_regret_curve_goes_to_its_batch() -> None:
    page = StepPage("preset=start")
    (figure,) = page.view.regret.figures
    tap(figure, 4.8)
    assert page.session.frame.event.t == 5
    assert page.view.timeline.batch == 5


def visited(query: str) -> StepPage:
    """A page that has opened a link."""
    page = StepPage()
    in_a_session(lambda: page.visit(query))
    return page


def test_a_link_restores_all_that_is_on_screen() -> None:
    page = StepPage("preset=figure-2")
    page.view.timeline.index = 9
    page.layers.panel.value = ["noisy", "log"]
    page.links.begin(replace(page.links.moment, hidden=frozenset({"Policy", "truth"})))
    again = visited(page.links.copy.ask())
    assert again.links.moment == page.links.moment
    assert again.links.copy.ask() == page.links.copy.ask()
    assert again.links.copy.digest == page.session.replay.trace.digest
    assert again.session.frame.status == page.session.frame.status
    assert again.view.timeline.status == page.view.timeline.status
    assert again.layers.layers == page.layers.layers
    assert "truth" not in again.layers.panel.options.values()
    assert not again.controls.fields["policy"].control.visible
    assert again.controls.preset.value == lesson_of("figure-2")
    assert again.guide.card.title == lesson_of("figure-2").title
    assert not again.links.notice.panel.visible
    assert "lab-opening" not in again.panel.css_classes


@pytest.mark.parametrize("query", ["preset=himmelblau&event=2.pick.1", "event=2.pick.1"])
def test_a_link_draws_its_own_run_and_no_other_before(
    query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where that is the run which the session begins with."""
    monkeypatch.setattr(type(pn.state), "onload", lambda *_, **__: None)  # the page comes later
    page = StepPage(query)
    assert "lab-opening" in page.panel.css_classes
    assert not page.view.pictures.objects
    in_a_session(lambda: page.visit(query))
    assert "lab-opening" not in page.panel.css_classes
    assert page.view.replay is page.session.replay
    assert page.view.frame is page.session.frame
    assert len(page.view.pictures.objects) == 1


def test_what_a_link_could_not_keep_is_told_as_text() -> None:
    page = visited("problem=multimodal&K=<b>&seed=3")
    said = words(page.links.notice.panel)
    assert page.links.notice.panel.visible
    assert "got K=&lt;b&gt;. The link opens with K=4." in said
    assert page.session.spec.seed == 3
    assert page.guide.card.title == "Opened from a link"
    assert page.controls.preset.value is None
    change(page.controls.reset, "clicks", 1)
    assert not page.links.notice.panel.visible
    assert page.links.moment.preset == "start"


def test_no_more_notices_than_one_reads() -> None:
    page = visited("&".join(f"colour{i}=red" for i in range(20)))
    assert words(page.links.notice.panel).count("<li>") == 9
    assert "And 12 more." in words(page.links.notice.panel)


def test_draws_that_take_long_are_shown_once_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ucbpe_app.run.joint._MOST_PATHS", 10)
    query = "problem=multimodal&policy=thompson-sampling&K=2&T=2&seed=3&event=2.pick.0&show=draws"
    page, drawn = StepPage(), list[int]()
    picture = page.view.picture
    draw = picture.rendered.draw

    def recorded(one: Picture) -> None:
        draw(one)
        marks = {mark.role: mark.columns for mark in one.plots["function"].marks}
        drawn.append(len(marks["draws"]["xs"]) if "draws" in marks else 0)

    monkeypatch.setattr(picture.rendered, "draw", recorded)
    in_a_session(lambda: page.visit(query))
    assert drawn[0] == 0  # eight of the posterior would not be what the pick is the best point of
    assert drawn[-1] == 1
    change(page.view.timeline, "index", page.session.index + 1)
    assert drawn[-1] == 2
