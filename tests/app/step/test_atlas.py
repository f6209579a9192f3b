"""The atlas on the Step page without a browser: what it asks for, and where a cell leads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.app.waiting import in_a_session, words
from ucbpe_app.run.atlas import SEEDS, SIDE
from ucbpe_app.step.atlas import AtlasPanel
from ucbpe_app.step.page import StepPage


@pytest.fixture
def step() -> StepPage:
    return StepPage("preset=start")


def opened(step: StepPage) -> AtlasPanel:
    in_a_session(lambda: setattr(step.atlas.menu.button, "value", True))
    return step.atlas


def say(panel: AtlasPanel, **data: Any) -> None:
    in_a_session(lambda: panel.map.receive(data))


def answer(panel: AtlasPanel, column: int, seed: int, regret: float) -> None:
    runs = [[regret, 0, 1.0, 8]] * SIDE
    say(panel, cells=[[column, seed, [*range(SIDE)], runs]], job=panel.map.job["number"])


def test_it_is_made_and_computed_when_it_is_opened(step: StepPage) -> None:
    assert step.atlas.cells is None
    panel = opened(step)
    job = panel.map.job
    assert sum(len(rows) for _, _, rows in job["missing"]) == SIDE * SIDE * SEEDS
    assert job["settings"]["K"] == 4
    noise = np.array([one["noise"] for one in job["random"]])
    assert noise.shape == (SEEDS, 8, 4)
    answer(panel, 6, 0, 0.25)
    assert "regret 0.25, " in words(panel.menu.panel)
    assert "it excludes nothing" in words(panel.menu.panel)
    in_a_session(lambda: setattr(panel.menu.button, "value", False))
    assert panel.map.job == {}
    in_a_session(lambda: setattr(panel.menu.button, "value", True))
    left = panel.map.job["missing"]  # what was computed stays
    assert sum(len(rows) for _, _, rows in left) == SIDE * SIDE * SEEDS - SIDE


def test_answers_to_an_earlier_question_are_dropped(step: StepPage) -> None:
    panel = opened(step)
    before = panel.map.job["number"]
    in_a_session(lambda: step.session.settings.accept(batches=5))
    assert panel.map.job["settings"]["T"] == 5
    say(panel, cells=[[6, 0, [*range(SIDE)], [[0.25, 0, 1.0, 8]] * SIDE]], job=before)
    assert panel.cells is not None
    assert np.isnan(panel.cells.runs).all()


def test_a_prior_that_cannot_be_computed_leaves_the_others(step: StepPage) -> None:
    panel = opened(step)
    say(panel, cells=[[0, 0, [0], "the kernel is not a covariance"]], job=panel.map.job["number"])
    assert "Not all can be computed: the kernel is not a covariance." in words(panel.menu.panel)
    answer(panel, 6, 0, 0.25)
    step.session.go(5)
    assert "regret 0.25, " in words(panel.menu.panel)


def test_a_click_and_enter_go_to_a_cell_and_can_be_undone(step: StepPage) -> None:
    panel, session = opened(step), step.session
    cells = panel.cells
    say(panel, at=[0.999, 0.001])
    assert "Enter or a click takes these settings" in words(panel.menu.panel)
    say(panel, do="go")
    assert (session.spec.lengthscale, session.spec.scale) == (
        cells.lengthscales[-1],
        cells.scales[0],
    )
    assert panel.cells is cells  # of which this is a cell
    in_a_session(session.undo)
    assert (session.spec.lengthscale, session.spec.scale) == (0.65, 1.0)
    say(panel, do="leave")
    for move in ([-1, 0], [0, 1], [0, 1], [0, 1], [0, 1]):  # the uppermost row is the last
        say(panel, move=move)
    say(panel, do="go")
    assert (session.spec.lengthscale, session.spec.scale) == (
        cells.lengthscales[5],
        cells.scales[-1],
    )


def test_the_ring_follows_the_run_and_the_curve_the_results(step: StepPage) -> None:
    panel, session = opened(step), step.session
    before = panel.picture.picture
    assert before is not None
    assert "The likelihood of 3 results is largest at lengthscale 1.2" in before.text
    session.go(len(session.replay.events) - 1)
    after = panel.picture.picture
    assert after is not None
    assert "The likelihood of 35 results" in after.text


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"kernel": "Linear"}, "a kernel with a lengthscale"),
        ({"second": "plus Periodic"}, "got RBF plus Periodic. Take the second kernel away"),
        ({"policy": "PIMS"}, "the policy PIMS"),
        ({"schedule": "Information gain"}, "the schedule Information gain"),
    ],
)
def test_what_has_no_atlas_is_said(step: StepPage, changes: dict[str, str], why: str) -> None:
    panel = opened(step)
    in_a_session(lambda: step.session.settings.accept(**changes))
    assert "No atlas of this run." in words(panel.menu.panel)
    assert why in words(panel.menu.panel)
    assert panel.map.job == {}
    usual = {"kernel": "RBF", "second": "none", "policy": "GP-UCB-PE", "schedule": "Constant"}
    in_a_session(lambda: step.session.settings.accept(**usual))
    assert panel.map.job["missing"]
    assert "This run" in words(panel.menu.panel)


@pytest.mark.parametrize(
    ("query", "offered"),
    [
        ("preset=start", False),  # β is not explained yet
        ("problem=multimodal", True),
        ("problem=multimodal&hide=Confidence", False),
    ],
)
def test_it_is_not_offered_where_its_settings_are_hidden(
    step: StepPage, query: str, offered: bool
) -> None:
    in_a_session(lambda: step.visit(query))
    assert step.atlas.menu.button.visible == offered
