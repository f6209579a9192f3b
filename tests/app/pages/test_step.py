"""The Step page without a browser: it hands frames to the views in use, and computes nothing."""

from __future__ import annotations

import pytest

from app.pages.step import StepPage
from app.presets import PRESETS, Preset
from app.replay import Replay
from app.session import Session


def _preset(slug: str) -> Preset:
    return next(preset for preset in PRESETS if preset.slug == slug)


def test_the_picture_fits_the_dimension() -> None:
    page = StepPage(_preset("start"))
    assert page.picture is page.line
    page = StepPage(_preset("himmelblau"))
    assert page.picture is page.field
    page = StepPage(_preset("mackey-glass"))
    assert page.picture is page.large


def test_pictures_change_with_the_problem_and_come_back() -> None:
    """Only those in use are laid out, and each shows the run and the event on screen."""
    page = StepPage(_preset("start"))
    buttons = page.layers.panel
    buttons.value = ["truth", "noisy", "log"]
    for slug in ("mackey-glass", "himmelblau", "mackey-glass", "start"):
        page.session._install(Session(_preset(slug)).replay)
        page.timeline.index = 4
        frame = page.session.frame
        many = page.session.replay.scene.dimension > 2
        assert page._main.objects == [page.picture.panel]
        assert page._aside.objects == ([] if many else [page.plane.panel])
        assert (page.inputs.panel.object == "") != many
        plane = page.large if many else page.plane
        assert plane._drawn[0] is frame.mean
        assert plane.figure.x_range.end > frame.std_now.max()
        assert set(buttons.value) == {"truth", "log"} | ({"noisy"} if slug == "start" else set())
        assert page.regret.simple.log.visible
        assert page.timeline.total == len(page.session.replay.events)
        assert page.timeline.status == frame.status


def test_what_is_not_in_use_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    page, drawn = StepPage(_preset("mackey-glass")), list[object]()
    views = (page.line, page.field, page.large, page.plane, page.inputs, page.regret)
    for view in views:
        monkeypatch.setattr(view, "update", lambda _, view=view: drawn.append(view))
    page.timeline.index = 5
    assert drawn == [page.large, page.regret, page.inputs]


def test_a_move_of_the_timeline_draws_one_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    page = StepPage(_preset("start"))
    made, frame = [], Replay.frame

    def counted(replay: Replay, i: int) -> object:
        made.append(i)
        return frame(replay, i)

    monkeypatch.setattr(Replay, "frame", counted)
    page.timeline.index = 7
    assert made == [7]
    assert page.timeline.status == page.session.frame.status
    assert [chip["index"] for chip in page.timeline.chips] == list(range(7, 14))


def test_the_chips_are_the_batch_with_roles() -> None:
    chips = StepPage(_preset("figure-2")).timeline.chips
    assert [chip["label"] for chip in chips] == ["fit", "x⁰", "R⁺", "x¹", "observe"]
    assert [chip["role"] for chip in chips] == ["fit", "ucb", "region", "pe", "observe"]


def test_a_click_on_a_regret_curve_goes_to_its_batch() -> None:
    page = StepPage(_preset("start"))
    page._select_batch(5)
    assert page.session.frame.event.t == 5
    assert page.timeline.batch == 5
