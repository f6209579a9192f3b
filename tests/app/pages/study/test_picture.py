"""What is drawn: which axis, which numbers, and what is made of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.app.pages.study.conftest import kept_results
from ucbpe_app.pages.study.picture import COMPARED, MEANS, Axis, paint
from ucbpe_app.pages.study.results import StudyResults, own_results
from ucbpe_app.report.records import statistics_of
from ucbpe_app.report.scales import regret_scale
from ucbpe_app.run.sentences import number
from ucbpe_core.study import Result, Study


@pytest.fixture
def study_results(study: Study, results: tuple[Result, ...]) -> StudyResults:
    return own_results(study, results)


def test_the_automatic_axis_is_that_of_the_report() -> None:
    logs = {}
    for problem in ("Generated GP", "Himmelblau"):
        picture = paint(kept_results("section5", problem))
        for chart in picture.charts:
            assert chart.log == (regret_scale(chart.curves.values()).kind != "linear")
            logs[problem, chart.quantity] = chart.log
    assert not logs["Generated GP", "simple_regret"]
    assert logs["Himmelblau", "simple_regret"]
    assert not logs["Himmelblau", "batch_cumulative_regret"]


def test_the_table_of_means_has_the_statistics(study_results: StudyResults) -> None:
    picture = paint(study_results)
    assert picture.columns == MEANS
    assert [row.policy for row in picture.rows] == list(study_results.policies)
    one = next(
        s for s in statistics_of(study_results.statistics)
        if (s.policy, s.statistic) == ("Random search", "mean_regret")
    )  # fmt: skip
    row = picture.rows[2]
    expected = f"{number(one.mean)} [{number(one.low)}, {number(one.high)}]"
    assert row.cells[MEANS.index("mean_regret")] == expected
    assert (row.replicates, row.failed) == (3, 0)


def test_the_table_of_differences_is_that_of_the_reproduction() -> None:
    """REPRODUCTION.md, section 5, Abalone: best regret 2; SM-UCB higher by 0.5 [0.167, 0.833]."""
    picture = paint(kept_results("section5", "Abalone", compared=True))
    assert picture.columns == COMPARED
    rows = {row.policy: row for row in picture.rows}
    best = COMPARED.index("running_minimum")
    assert rows["GP-UCB-PE"].cells == ("2.51", "2")
    assert rows["GP-UCB-PE"].verdicts == ("", "")
    assert rows["SM-UCB"].cells[best] == "+0.5 [0.167, 0.833]"
    assert rows["SM-UCB"].verdicts == ("≈", "▲")
    assert rows["Random search"].verdicts == ("▲", "▲")


def test_the_caption_tells_of_unequal_lengths_and_of_zeros() -> None:
    anchor = kept_results("anchor", "Matérn 5/2, lengthscale 0.25", compared=True)
    assert "iterations that both have" in paint(anchor).caption
    assert (
        "iterations that both"
        not in paint(kept_results("section5", "Abalone", compared=True)).caption
    )
    himmelblau = kept_results("section5", "Himmelblau")
    assert "0 is shown separately" in paint(himmelblau).caption
    assert "0 is shown separately" not in paint(himmelblau, Axis.LINEAR).caption


def test_a_failed_run_is_in_its_row(study: Study, results: tuple[Result, ...]) -> None:
    failed = replace(results[0], error="ValueError: no")
    picture = paint(own_results(study, (failed, *results[1:])))
    row = next(row for row in picture.rows if row.policy == failed.policy)
    assert (row.replicates, row.failed) == (2, 1)
    assert "Failed replicates, left out" in picture.caption
