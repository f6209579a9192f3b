"""The charts of a study: lines, bands and marks are those of the numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.app.pages.study.conftest import kept_results
from ucbpe_app.line_styles import COLORS, pens
from ucbpe_app.pages.study.picture import Axis, StudyChart, StudyCharts, paint
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


def test_every_policy_has_line_and_band(view: ChartsView) -> None:
    for figure in view.figures:
        kinds = [type(one.glyph).__name__ for one in figure.plot.renderers]
        assert kinds.count("Line") == kinds.count("VArea") == 6
        assert kinds.index("Line") > max(i for i, kind in enumerate(kinds) if kind == "VArea")
        assert [one.name for one in figure.plot.renderers if one.name][-1] == "GP-UCB-PE"
        assert len(figure.marks.data["t"]) == 1  # GP-BUCB initialises


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


def test_a_band_is_between_its_limits(view: ChartsView, himmelblau: StudyCharts) -> None:
    curve = himmelblau.charts[2].curves["Random search"]
    band = view.figures[2].bands["Random search"]
    data, glyph = band.data_source.data, band.glyph
    assert (data[glyph.x] == np.arange(1, 61)).all()
    np.testing.assert_array_equal(data[glyph.y1], np.maximum(curve.low, 0))
    np.testing.assert_array_equal(data[glyph.y2], curve.high)
    assert glyph.fill_alpha == pytest.approx(0.16)
    assert band.visible


def test_a_pointer_reads_the_numbers_also_on_a_log_axis(
    view: ChartsView, himmelblau: StudyCharts
) -> None:
    (hover,) = view.figures[0].plot.tools
    assert set(hover.renderers) == set(view.figures[0].lines.values())
    for policy, curve in himmelblau.charts[0].curves.items():
        data = view.figures[0].lines[policy].data_source.data
        for name in ("mean", "low", "high"):
            assert f"@{name}" in str(hover.tooltips)
            assert (data[name] == getattr(curve, name)).all()


def test_a_mark_is_on_its_line(view: ChartsView, himmelblau: StudyCharts) -> None:
    marks = view.figures[2].marks.data
    ((t,), (y,)) = marks["t"], marks["y"]
    curve = himmelblau.charts[2].curves["GP-BUCB"]
    assert t == himmelblau.charts[2].marks["GP-BUCB"]
    assert y == pytest.approx(np.interp(t, curve.t, curve.mean))
    assert marks["color"] == [pens(himmelblau.policies)["GP-BUCB"].on_screen.color]


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


@pytest.mark.parametrize(
    "other",
    [
        lambda: paint(kept_results("section5", "Abalone")),
        lambda: paint(kept_results("section5", "Himmelblau"), Axis.LINEAR),
        lambda: paint(kept_results("section5", "Tsunamis", compared=True)),
    ],
    ids=["problem", "axis", "differences"],
)
def test_other_numbers_of_the_same_policies_build_nothing(
    view: ChartsView,
    himmelblau: StudyCharts,
    other: Callable[[], StudyCharts],
    count_models: Callable[[], list[str]],
) -> None:
    picture, before = other(), view.figures
    built = count_models()
    list(view.load(picture))
    assert view.figures == before[: len(picture.charts)]
    list(view.load(himmelblau))
    assert built == []


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


def test_other_policies_get_figures_of_their_own(study: Study, results: tuple[Result, ...]) -> None:
    view, own = ChartsView(), paint(own_results(study, results))
    list(view.load(own))
    assert len(view.figures) == 4
    first = view.figures
    kept = paint(kept_results("batch_size", "Generated GP, noise variance 1"))
    list(view.load(kept))
    assert len(view.figures) == 3
    assert not set(map(id, first)) & set(map(id, view.figures))
    shown = [cell.panel.visible for cell in view.cells]
    assert shown == [True, True, True, False]
    assert "study-across" in view.cells[2].panel.css_classes


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
