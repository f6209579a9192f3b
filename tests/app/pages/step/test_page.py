"""The Step page without a browser: it hands frames to the views in use, and computes nothing."""

from __future__ import annotations

from dataclasses import replace

import panel as pn
import pytest

from tests.app.waiting import change, in_a_session
from ucbpe_app.lessons import Lesson, find
from ucbpe_app.links import decode
from ucbpe_app.pages.session import Session
from ucbpe_app.pages.step.page import StepPage
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay


def lesson_of(slug: str) -> Lesson:
    lesson = find(slug)
    assert lesson is not None
    return lesson


def test_the_picture_fits_the_dimension() -> None:
    page = StepPage("preset=start")
    assert page.stage.picture is page.stage.line
    page = StepPage("preset=himmelblau")
    assert page.stage.picture is page.stage.field
    page = StepPage("preset=mackey-glass")
    assert page.stage.picture is page.stage.large


@pytest.mark.parametrize(
    ("slug", "made"), [("start", "line"), ("himmelblau", "field"), ("mackey-glass", "large")]
)
def test_only_the_pictures_of_its_inputs_are_made(slug: str, made: str) -> None:
    """The others would be a third of the memory of a page, and of the time to open it."""
    page = StepPage(f"preset={slug}")
    page.stage.enlarge(True)
    assert {"line", "field", "large"} & set(vars(page.stage)) == {made}


def test_pictures_change_with_the_problem_and_come_back() -> None:
    """Only those in use are laid out, and each shows the run and the event on screen."""
    page = StepPage("preset=start")
    buttons = page.layers.panel
    buttons.value = ["truth", "noisy", "log", "plane"]
    for slug in ("mackey-glass", "himmelblau", "mackey-glass", "start"):
        page.session._install(Session(lesson_of(slug)).replay)
        page.stage.timeline.index = 4
        frame = page.session.frame
        many = page.session.replay.scene.dimension > 2
        assert page.stage._main.objects == [page.stage.picture.panel]
        assert page.stage._aside.objects == ([] if many else [page.stage.plane.panel])
        assert (page.stage.inputs.panel.object == "") != many
        plane = page.stage.large if many else page.stage.plane
        (drawn,) = plane.picture.plots.values()
        indices = [pick.index for pick in frame.picks]
        (picks,) = (one.columns for one in drawn.marks if one.role.startswith("picks"))
        assert picks["x"].tolist() == frame.std_now[indices].tolist()
        unfit = {"start": set(), "himmelblau": {"noisy"}, "mackey-glass": {"noisy", "plane"}}
        assert set(buttons.value) == {"truth", "noisy", "log", "plane"} - unfit[slug]
        assert page.stage.regret.simple.figure.yaxis[0].major_label_overrides
        assert page.stage.timeline.total == len(page.session.replay.events)
        assert page.stage.timeline.status == frame.status


def test_what_is_not_in_use_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    page, drawn = StepPage("preset=mackey-glass"), list[object]()
    views = (
        page.stage.line,
        page.stage.field,
        page.stage.large,
        page.stage.plane,
        page.stage.inputs,
        page.stage.regret,
    )
    for view in views:
        monkeypatch.setattr(view, "update", lambda _, view=view: drawn.append(view))
    page.stage.timeline.index = 5
    assert drawn == [page.stage.large, page.stage.regret, page.stage.inputs]


def test_a_move_of_the_timeline_draws_one_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    page = StepPage("preset=start")
    made, frame = [], Replay.frame

    def counted(replay: Replay, i: int) -> object:
        made.append(i)
        return frame(replay, i)

    monkeypatch.setattr(Replay, "frame", counted)
    page.stage.timeline.index = 7
    assert made == [7]
    assert page.stage.timeline.status == page.session.frame.status
    assert [item["index"] for item in page.stage.timeline.items] == list(range(7, 14))


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
    assert page.stage.line.request.pinned_label.startswith("pinned: ")


def test_what_is_not_shown_is_built_when_it_is_opened() -> None:
    page = StepPage("preset=start")
    drawer, menu = page.controls.panel, page.menus[0]
    assert (drawer.objects, menu.panel.objects, page.links.notice.panel.objects) == ([], [], [])
    page.controls.open()
    menu.button.value = True
    assert page.controls.preset in drawer.objects
    assert menu.panel.objects == [page.layers.panel]
    assert menu.panel.visible
    menu.close()
    assert not menu.panel.visible


def test_the_items_are_the_batch_with_roles() -> None:
    items = StepPage("preset=figure-2").stage.timeline.items
    assert [item["label"] for item in items] == ["fit", "x⁰", "R⁺", "x¹", "observe"]
    assert [item["role"] for item in items] == ["fit", "ucb", "region", "pe", "observe"]


def test_a_click_on_a_regret_curve_goes_to_its_batch() -> None:
    page = StepPage("preset=start")
    page.stage._select_batch(5)
    assert page.session.frame.event.t == 5
    assert page.stage.timeline.batch == 5


def visited(query: str) -> StepPage:
    """A page that has opened a link."""
    page = StepPage()
    in_a_session(lambda: page.visit(query))
    return page


def test_a_link_restores_all_that_is_on_screen() -> None:
    page = StepPage("preset=figure-2")
    page.stage.timeline.index = 9
    page.layers.panel.value = ["noisy", "log"]
    page.links.begin(replace(page.links.moment, hidden=frozenset({"Policy", "truth"})))
    again = visited(page.links.copy.ask())
    assert again.links.moment == page.links.moment
    assert again.links.copy.ask() == page.links.copy.ask()
    assert again.links.copy.digest == page.session.replay.trace.digest
    assert again.session.frame.status == page.session.frame.status == again.stage.timeline.status
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
    assert not {"line", "field", "plane"} & set(vars(page.stage))
    in_a_session(lambda: page.visit(query))
    assert "lab-opening" not in page.panel.css_classes
    assert page.stage.replay is page.session.replay
    assert page.stage.frame is page.session.frame
    assert len({"line", "field"} & set(vars(page.stage))) == 1


def test_the_link_follows_every_step_layer_and_lesson() -> None:
    page = StepPage("preset=start")
    seen = [page.links.copy.ask()]
    page.stage.timeline.index = 3
    seen.append(page.links.copy.ask())
    page.layers.panel.value = []
    seen.append(page.links.copy.ask())
    change(page.controls.preset, "value", lesson_of("figure-1"))
    seen.append(page.links.copy.ask())
    assert len(set(seen)) == 4
    assert decode(seen[1])[0].event == page.session.replay.events[3]
    assert decode(seen[2])[0].layers == frozenset()
    assert decode(seen[3])[0].preset == "figure-1"


def test_what_a_link_could_not_keep_is_told_as_text() -> None:
    page = visited("problem=multimodal&K=<b>&seed=3")
    said = page.links.notice._said.object
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
    assert page.links.notice._said.object.count("<li>") == 9
    assert "And 12 more." in page.links.notice._said.object


def test_without_controls_there_is_no_column_for_them() -> None:
    page = visited("hide=Start,Problem,Policy,Belief,Confidence")
    strip, settings, *_ = page.panel
    assert not strip.visible
    assert not settings.visible
    assert "lab-bare" in page.panel.css_classes
    page = visited("hide=Problem,Policy,Belief,Confidence")
    strip, settings, *_ = page.panel
    assert strip.visible
    assert settings.visible
    assert "lab-bare" not in page.panel.css_classes


def test_presented_the_pictures_have_all_the_room() -> None:
    page = StepPage("preset=start")
    for menu in page.menus:
        menu.button.value = True
        assert menu.panel.visible
    width = page.stage.line.rendered.figures[0].min_border_left
    page.present.presented = True
    strip, settings, tools, *_ = page.panel
    assert not strip.visible
    assert not settings.visible
    assert not tools.visible
    assert not any(menu.panel.visible for menu in page.menus)
    assert {"lab-bare", "lab-presented"} <= set(page.panel.css_classes)
    assert page.stage.line.rendered.figures[0].min_border_left > width
    page.present.presented = False
    assert page.stage.line.rendered.figures[0].min_border_left == width
    assert strip.visible
    assert settings.visible
    assert tools.visible
    assert page.panel.css_classes == ["lab-grid", "lab-one-screen"]
