"""The charts of a study: lines, bands and marks are those of the numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from bokeh.models import HoverTool

from tests.app.study.conftest import kept_results
from ucbpe_app.pictures.looks import POLICIES, PolicyLook, policy_looks
from ucbpe_app.pictures.picture import Picture
from ucbpe_app.run.sentences import number
from ucbpe_app.study.records import Means
from ucbpe_app.study.records import drawn as means
from ucbpe_app.study.results import StudyResults, own_results
from ucbpe_app.study.views import ChartsView
from ucbpe_core.policies import POLICIES as POLICY_NAMES
from ucbpe_core.study import Result, Study


@pytest.fixture(scope="module")
def himmelblau() -> StudyResults:
    return kept_results("section5", "Himmelblau")


@pytest.fixture
def view(himmelblau: StudyResults) -> ChartsView:
    view = ChartsView()
    view.load(himmelblau)
    return view


def chart_of(picture: StudyResults, quantity: str) -> Means:
    (found,) = [one for one in picture.charts if one.quantity == quantity]
    return found


def columns(picture: Picture | None, role: str) -> dict[str, Any]:
    """What is drawn of a role."""
    assert picture is not None
    (found,) = [one for one in picture.plots["compared"].marks if one.role == role]
    return dict(found.columns)


def line(picture: Picture | None, look: PolicyLook) -> tuple[np.ndarray, np.ndarray]:
    """The line of a policy in this look."""
    drawn = columns(picture, "lines")
    (at,) = np.flatnonzero(drawn["color"] == look.mark.color)
    return np.array(drawn["xs"][at]), np.array(drawn["ys"][at])


def test_every_policy_has_a_line_with_its_name_the_first_on_top(
    view: ChartsView, himmelblau: StudyResults
) -> None:
    looks = himmelblau.looks
    assert len(view.tabs.options) == len(himmelblau.charts) == 3
    for quantity in view.tabs.options.values():
        view.tabs.value = quantity
        curves = chart_of(himmelblau, quantity).curves
        assert (
            list(columns(view.chart.picture, "lines")["color"])[-1] == looks["GP-UCB-PE"].mark.color
        )
        labels = [one.text for one in view.chart.picture.plots["compared"].labels]
        ends = [f"{policy} {number(float(curves[policy].mean[-1]))}" for policy in looks]
        assert labels == ends
        rings = columns(view.chart.picture, "marks")["size"] == 16
        assert rings.sum() == 1  # GP-BUCB initialises


def test_a_log_axis_draws_logarithms_and_a_place_for_zeros(himmelblau: StudyResults) -> None:
    chart = chart_of(himmelblau, "simple_regret")
    assert chart.log
    picture = means(chart, himmelblau.looks, "GP-UCB-PE")
    axis = picture.plots["compared"].y
    (zero,) = [place for place, text in axis.ticks if text == "0"]
    mean = chart.curves["GP-UCB-PE"].mean
    _, y = line(picture, himmelblau.looks["GP-UCB-PE"])
    assert (mean == 0).any()
    np.testing.assert_allclose(y[mean > 0], np.log10(mean[mean > 0]))
    np.testing.assert_allclose(y[mean == 0], zero)
    assert axis.low < zero < y[mean > 0].min()


def test_intervals_are_between_their_limits_and_apart(himmelblau: StudyResults) -> None:
    chart, looks = chart_of(himmelblau, "batch_cumulative_regret"), himmelblau.looks
    drawn = columns(means(chart, looks, "GP-UCB-PE"), "whiskers")
    places = set[float]()
    for policy, look in looks.items():
        own, curve = drawn["color"] == look.mark.color, chart.curves[policy]
        at = np.rint(drawn["x"][own]).astype(int)
        np.testing.assert_array_equal(drawn["bottom"][own], np.maximum(curve.low, 0)[at - 1])
        np.testing.assert_array_equal(drawn["top"][own], curve.high[at - 1])
        assert at[-1] == 60
        places |= set(drawn["x"][own])
    assert len(places) == len(drawn["x"])


def test_a_pointer_reads_the_numbers_also_on_a_log_axis(
    view: ChartsView, himmelblau: StudyResults
) -> None:
    view.tabs.value = "simple_regret"
    tips = set(columns(view.chart.picture, "marks")["tip"])
    for policy, curve in chart_of(himmelblau, "simple_regret").curves.items():
        mean, low, high = (number(float(one[-1])) for one in (curve.mean, curve.low, curve.high))
        assert f"{policy}, t = 60: {mean} ({low} to {high})" in tips
    (hover,) = [one for one in view.chart.figure.tools if isinstance(one, HoverTool)]
    assert hover.tooltips == "@tip"


def test_a_ring_is_on_its_line(himmelblau: StudyResults) -> None:
    chart, look = chart_of(himmelblau, "batch_cumulative_regret"), himmelblau.looks["GP-BUCB"]
    drawn = columns(means(chart, himmelblau.looks, "GP-UCB-PE"), "marks")
    ((at,), curve) = np.flatnonzero(drawn["size"] == 16), chart.curves["GP-BUCB"]
    assert drawn["fill"][at] == look.mark.color
    assert drawn["x"][at] == pytest.approx(chart.marks["GP-BUCB"], abs=1.0)
    x, y = line(means(chart, himmelblau.looks, "GP-UCB-PE"), look)
    assert drawn["y"][at] == pytest.approx(np.interp(drawn["x"][at], x, y))
    assert drawn["y"][at] == pytest.approx(np.interp(chart.marks["GP-BUCB"], curve.t, curve.mean))


def test_colours_stand_out_from_both_backgrounds_and_differ() -> None:
    """Marks 3:1, or edged in an ink that has it; inks 5.5:1 on page, strip and tint."""
    looks = POLICIES.values()
    assert len({look.mark.color for look in looks}) == len(POLICIES)
    assert len({(look.mark.marker, look.filled) for look in looks}) == len(POLICIES)
    for look in looks:
        assert contrast(look.mark.color, "#121212") >= 3
        assert max(contrast(look.mark.color, "#FFFFFF"), contrast(look.edge, "#FFFFFF")) >= 3
        for light in ("#FFFFFF", "#F1F5F9", "#E3F0F8"):
            assert contrast(look.light, light) >= 5.5, (look.light, light)
        for dark in ("#121212", "#1C2126", "#153143"):
            assert contrast(look.dark, dark) >= 5.5, (look.dark, dark)


def test_each_policy_of_the_core_has_a_look() -> None:
    assert set(POLICY_NAMES) == set(POLICIES)
    mine = policy_looks(["GP-UCB-PE, K = 5", "GP-UCB", "GP-UCB-PE, K = 10", "A plugin's"])
    assert [one.mark.dash for one in mine] == ["solid", "solid", "dashed", "solid"]
    assert mine[0].mark.color == mine[2].mark.color == POLICIES["GP-UCB-PE"].mark.color
    assert mine[1].mark == POLICIES["GP-UCB"].mark
    assert mine[3].mark.color not in {one.mark.color for one in mine[:3]}


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    """As the WCAG defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_other_numbers_build_nothing_and_keep_the_tab(
    view: ChartsView, himmelblau: StudyResults, count_models: Callable[[], list[str]]
) -> None:
    view.tabs.value = "batch_cumulative_regret"
    built = count_models()
    for other in (
        kept_results("section5", "Abalone"),
        kept_results("section5", "Tsunamis"),
        kept_results("batch_size", "Generated GP, noise variance 1"),
        himmelblau,
    ):
        view.load(other)
        there = {one.quantity for one in other.charts}
        assert set(view.tabs.options.values()) == there
        assert view.tabs.value == "batch_cumulative_regret"
    assert built == []


def test_one_replicate_is_a_line_without_intervals(
    study: Study, results: tuple[Result, ...]
) -> None:
    picture = own_results(study, [one for one in results if one.replicate == 0])
    for chart in picture.charts:
        drawn = means(chart, picture.looks, "GP-UCB-PE")
        assert len(columns(drawn, "whiskers")["x"]) == 0
        for look in picture.looks.values():
            assert len(line(drawn, look)[0]) == 5


def test_regrets_that_are_all_zero_are_drawn(himmelblau: StudyResults) -> None:
    chart, looks = himmelblau.charts[0], himmelblau.looks
    zero = {
        policy: replace(curve, mean=0 * curve.mean, low=0 * curve.low, high=0 * curve.high)
        for policy, curve in chart.curves.items()
    }
    for log in (False, True):
        drawn = means(Means(chart.quantity, zero, log, {}), looks, "")
        _, y = line(drawn, looks["GP-UCB-PE"])
        axis = drawn.plots["compared"].y
        assert np.isfinite(y).all()
        assert axis.low <= y[0] < axis.high


def test_the_reference_is_thicker_and_on_top(himmelblau: StudyResults) -> None:
    chart = chart_of(himmelblau, "running_minimum")
    drawn = means(chart, himmelblau.looks, "GP-BUCB")
    lines = columns(drawn, "lines")
    assert lines["color"][-1] == POLICIES["GP-BUCB"].mark.color
    assert [width > min(lines["width"]) for width in lines["width"]].count(True) == 1
    assert lines["width"][-1] == max(lines["width"])
    strong = [one.text for one in drawn.plots["compared"].labels if one.strong]
    assert len(strong) == 1
    assert strong[0].startswith("GP-BUCB")
