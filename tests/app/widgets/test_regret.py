"""The regret of a run under tabs: what a tab, a click, a pinned run and another run change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.app.waiting import tap
from ucbpe_app.pictures.picture import Plot
from ucbpe_app.pictures.regret import CUMULATIVE
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.widgets.regret import RegretView
from ucbpe_app.widgets.tabs import UNTABBED
from ucbpe_core import GPUCBPE, problems, simulate

T = 4


@pytest.fixture(scope="module")
def run() -> Replay:
    policy = GPUCBPE(batch_size=3)
    return Replay(simulate(problems.multimodal(), policy, batches=T, initial=2, seed=0))


@pytest.fixture(scope="module")
def longer() -> Replay:
    policy = GPUCBPE(batch_size=2)
    return Replay(simulate(problems.thin_peak(), policy, batches=T + 2, initial=2, seed=1))


@pytest.fixture
def view(run: Replay) -> RegretView:
    view = RegretView(lambda t: None)
    view.load(run.scene)
    view.update(run.frame(9))
    return view


def plot(view: RegretView) -> Plot:
    """The one on screen."""
    (shown,) = view.shown
    assert shown.picture is not None
    (found,) = shown.picture.plots.values()
    return found


def roles(view: RegretView) -> set[str]:
    return {one.role for one in plot(view).marks}


def test_bounds_bring_the_chart_that_they_are_on(view: RegretView) -> None:
    view.show(Layers(bounds=True))
    assert view.shown[0].kind is CUMULATIVE
    view.turn()  # a choice of one's own stays
    view.show(Layers(bounds=True, log=True))
    assert view.shown[0].kind is not CUMULATIVE


def test_another_tab_shows_the_same_event_in_the_same_layers(view: RegretView, run: Replay) -> None:
    view.show(Layers(log=True))
    view.pin(run.scene, "A")
    view.update(run.frame(9))
    (column,) = view.panel.objects
    heading, before = column.objects
    view.turn()
    assert view.shown[0].kind is CUMULATIVE
    assert column.objects[0] is heading  # tabs that were moved would be lost in the browser
    assert column.objects[1] is view.shown[0].panel is not before
    assert {"every", "pinned"} <= roles(view)
    assert plot(view).y.ticks
    view.update(run.frame(len(run.events) - 1))
    view.turn()
    (drawn,) = (one for one in plot(view).marks if one.role == "running")
    assert len(drawn.columns["x"]) == T
    assert "start" in roles(view)


def test_only_the_chart_on_screen_is_in_the_page(view: RegretView) -> None:
    assert len(view.figures) == 1
    assert {name.split(".")[0] for name in view.named} == {"simple"}
    both = RegretView(lambda t: None, tabbed=False)
    assert {name.split(".")[0] for name in both.named} == {"simple", "cumulative"}


def test_steps_layers_and_bounds_build_no_model(
    view: RegretView, run: Replay, count_models: Callable[[], list[str]]
) -> None:
    view.turn()
    # Their ticks and marks are made when they are first wanted.
    view.show(Layers(log=True))
    view.pin(run.scene, "A")
    view.update(run.frame(0))
    built = count_models()
    for i in range(len(run.events)):
        view.update(run.frame(i))
    view.show(Layers(log=True, bounds=True))
    for _ in range(2):
        view.set_bounds(np.full(T, 50.0), np.full(T, 80.0))
    assert {"printed", "proved"} <= roles(view)
    view.pin(run.scene, "A")
    view.load(run.scene)
    view.update(run.frame(0))
    assert built == []
    assert not {"printed", "proved"} & roles(view)  # they were those of the run before


@pytest.mark.parametrize(
    ("x", "selected"), [(2.4, [2]), (2.6, [3]), (-7.0, [1]), (99.0, [T]), (None, [])]
)
def test_a_click_selects_the_nearest_batch(
    run: Replay, x: float | None, selected: list[int]
) -> None:
    calls: list[int] = []
    view = RegretView(calls.append, tabbed=False)
    view.load(run.scene)
    for figure in view.figures:
        calls.clear()
        tap(figure, x)
        assert calls == selected


def test_a_pinned_run_is_behind_with_its_name_on_axes_that_hold_both(
    view: RegretView, run: Replay, longer: Replay
) -> None:
    before = plot(view)
    view.pin(longer.scene, "pinned: T = 6")
    view.update(run.frame(9))
    (behind,) = (one for one in plot(view).marks if one.role == "pinned")
    each, best = longer.scene.simple, longer.scene.running
    np.testing.assert_array_equal(behind.columns["y"], [*each, np.nan, *best, np.nan])
    assert "pinned: T = 6" in {one.text for one in plot(view).labels}
    assert plot(view).y.high > max(each)
    view.pin(None, "")
    view.update(run.frame(9))
    assert plot(view) == before


def test_tabs_are_shown_once_f_is_known_and_are_not_laid_out_anew(view: RegretView) -> None:
    (column,) = view.panel.objects
    row = column.objects[0]
    before = row.objects
    assert view.tabs in before
    view.show(Layers(secret=True))
    assert UNTABBED in row.css_classes
    view.show(Layers(truth=True))
    assert UNTABBED not in row.css_classes
    assert row.objects == before
