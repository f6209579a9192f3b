"""The Step page without a browser: it hands frames to the views in use, and computes nothing."""

from __future__ import annotations

import pytest

from app.pages.step import StepPage
from app.presets import PRESETS, Preset
from app.replay import Replay


def _preset(slug: str) -> Preset:
    return next(preset for preset in PRESETS if preset.slug == slug)


def test_the_picture_fits_the_dimension() -> None:
    page = StepPage(_preset("start"))
    assert page.picture is page.line
    page = StepPage(_preset("himmelblau"))
    assert page.picture is page.field


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
