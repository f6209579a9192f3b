"""The charts of a study: lines, bands and marks are those of the numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.app.pages.study.conftest import kept_results
from ucbpe_app.line_styles import COLORS, pens
from ucbpe_app.pages.study.picture import StudyChart, StudyCharts, paint
from ucbpe_app.pages.study.results import own_results
from ucbpe_app.pages.study.views import ChartsView, TableView
from ucbpe_app.pages.study.views.charts import StudyFigure
from ucbpe_core.study import Result, Study

pytestmark = pytest.mark.xdist_group("charts")  # its fixtures are made once


@pytest.fixture(scope="module")
def himmelblau() -> StudyCharts:
    return paint(kept_results("section5", "Himmelblau"))


@pytest.fixture(scope="module")
def view(himmelblau: StudyCharts) -> ChartsView:
    view = ChartsView()
    list(view.load(himmelblau))
    return view


def drawn(figure: StudyFigure, policy: str) -> tuple[np.ndarray, np.ndarray]:
    """The line of a policy as the browser gets it, by what its glyph takes from its source."""
    (renderer,) = [one for one in figure.plot.renderers if one.name == policy]
    data, glyph = renderer.data_source.data, renderer.glyph
    return np.asarray(data[glyph.x]), np.asarray(data[glyph.y])


def test_a_log_axis_draws_logarithms_and_a_place_for_zeros(
    view: ChartsView, himmelblau: StudyCharts
) -> None:
    chart, figure = himmelblau.charts[0], view.figures[0]
    assert chart.log
    labels = figure.plot.yaxis.major_label_overrides
    (zero,) = [place for place, text in labels.items() if text == "0"]
    for place, text in labels.items():
        if text != "0":
            assert float(text) == pytest.approx(10**place)
            assert place > zero
    mean = chart.curves["GP-UCB-PE"].mean
    _, y = drawn(figure, "GP-UCB-PE")
    assert (mean == 0).any()
    np.testing.assert_allclose(y[mean > 0], np.log10(mean[mean > 0]))
    np.testing.assert_allclose(y[mean == 0], zero)
    assert figure.plot.y_range.start < zero < y[mean > 0].min()


def test_a_policy_is_drawn_as_in_its_report(view: ChartsView, himmelblau: StudyCharts) -> None:
    """But for black, which a dark page would hide."""
    for place, (policy, pen) in enumerate(pens(himmelblau.policies).items()):
        glyph = view.figures[0].lines[policy].glyph
        assert glyph.line_color == (pen.on_screen.color if place == 0 else pen.color)
        dash = [] if pen.dash == "solid" else [round(2 * one) for one in pen.dash[1]]
        assert list(glyph.line_dash) == dash
    assert pens(["one"])["one"].on_screen.color != "#000000"


def test_colours_stand_out_from_both_backgrounds_and_differ() -> None:
    colors = [pen.on_screen.color for pen in pens([str(i) for i in range(len(COLORS))]).values()]
    assert len(set(colors)) == len(COLORS)
    for color in colors:
        for background in (1.0, luminance("#121212")):
            low, high = sorted([luminance(color), background])
            assert (high + 0.05) / (low + 0.05) >= 3, color


def luminance(color: str) -> float:
    """As the WCAG defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_differences_have_a_line_at_zero_and_none_of_the_reference(
    view: ChartsView, himmelblau: StudyCharts
) -> None:
    picture = paint(kept_results("section5", "Abalone", compared=True))
    list(view.load(picture))
    figure = view.figures[0]
    assert figure.zero.visible
    assert list(figure.lines["GP-UCB-PE"].data_source.data["t"]) == []
    assert not figure.bands["GP-UCB-PE"].visible
    assert figure.plot.y_range.start < 0
    _, y = drawn(figure, "Random search")
    assert (y == picture.charts[0].curves["Random search"].mean).all()
    assert figure.plot.yaxis.axis_label == "difference (units of f)"
    list(view.load(himmelblau))
    assert not figure.zero.visible
    assert figure.plot.yaxis.axis_label == "regret (units of f)"


def test_one_replicate_is_a_line_without_a_band(study: Study, results: tuple[Result, ...]) -> None:
    view = ChartsView()
    picture = paint(own_results(study, [one for one in results if one.replicate == 0]))
    list(view.load(picture))
    for figure in view.figures:
        for policy in picture.policies:
            assert not figure.bands[policy].visible
            assert len(drawn(figure, policy)[0]) == 5


def test_regrets_that_are_all_zero_are_drawn(himmelblau: StudyCharts) -> None:
    chart = himmelblau.charts[0]
    zero = {
        policy: replace(curve, mean=0 * curve.mean, low=0 * curve.low, high=0 * curve.high)
        for policy, curve in chart.curves.items()
    }
    looks = {policy: pen.on_screen for policy, pen in pens(himmelblau.policies).items()}
    figure = StudyFigure(looks)
    for log in (False, True):
        figure.update(StudyChart(chart.quantity, zero, log, "", {}))
        _, y = drawn(figure, "GP-UCB-PE")
        assert np.isfinite(y).all()
        assert figure.plot.y_range.start <= y[0] < figure.plot.y_range.end


def test_the_table_and_the_legend_name_what_is_drawn(
    view: ChartsView, himmelblau: StudyCharts
) -> None:
    table = TableView()
    table.load(himmelblau)
    for policy in himmelblau.policies:
        assert policy in view.legend.object
        assert f"{policy}</th>" in table.text.object
    assert "95 %" in table.text.object
    assert "<td>64</td>" in table.text.object


def test_user_text_is_never_html(study: Study, results: tuple[Result, ...]) -> None:
    failed = replace(results[0], error="ValueError: <b>bold</b>")
    table = TableView()
    table.load(paint(own_results(study, (failed, *results[1:]))))
    assert "<b>bold" not in table.text.object
    assert "&lt;b&gt;bold" in table.text.object
