"""What a study says: its results as the core has them, and what is downloaded reads back."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.app.study.conftest import kept_results, results_of, spec_of
from ucbpe_app.study.records import drawn
from ucbpe_app.study.results import StudyResults, curves_csv, own_results, statistics_csv
from ucbpe_core.study import Result, Study, summarise
from ucbpe_core.study.summarise import read_table


def test_results_in_any_order_say_the_same(study: Study, results: tuple[Result, ...]) -> None:
    shuffled = list(results)
    random.Random(3).shuffle(shuffled)
    study_results = own_results(study, shuffled, "GP-BUCB")
    labels = ["policy", "quantity", "t"]
    assert list(study_results.curves["policy"].unique()) == [
        "GP-UCB-PE",
        "GP-BUCB",
        "Random search",
    ]
    pd.testing.assert_frame_equal(
        study_results.curves.sort_values(labels, ignore_index=True),
        summarise.curves(results).sort_values(labels, ignore_index=True),
        check_exact=True,
    )
    assert study_results.references == ("GP-UCB-PE", "GP-BUCB", "Random search")
    assert set(study_results.differences["policy"]) == {"GP-UCB-PE", "Random search"}
    assert own_results(study, shuffled, "nobody").reference == "GP-UCB-PE"


@pytest.fixture(params=["own", "kept"])
def study_results(
    request: pytest.FixtureRequest, study: Study, results: tuple[Result, ...]
) -> StudyResults:
    if request.param == "own":
        return own_results(study, results, "GP-UCB-PE")
    return kept_results("section5", "Tsunamis")


def test_the_files_read_back_exactly(study_results: StudyResults, tmp_path: Path) -> None:
    path = tmp_path / "study.csv"
    both = [study_results.curves, study_results.differences]
    assert not any(one.empty for one in both)
    for written, expected in (
        (curves_csv(study_results), pd.concat(both, ignore_index=True)),
        (statistics_csv(study_results), study_results.statistics.reset_index(drop=True)),
    ):
        path.write_bytes(written)
        pd.testing.assert_frame_equal(read_table(path), expected, check_exact=True)


@pytest.fixture(scope="module")
def both() -> tuple[Study, tuple[Result, ...]]:
    """Two policies, each in batches and one by one, on the same workers."""
    study = spec_of(policies=("GP-UCB-PE", "Plain UCB"), results="both").study()
    return study, results_of(study)


def test_both_ways_are_compared_at_the_last_time_that_all_have(
    both: tuple[Study, tuple[Result, ...]],
) -> None:
    """By loops over results; who takes them one by one is done sooner."""
    study, results = both
    found = own_results(study, results, "GP-UCB-PE")
    assert (found.mixed, found.over_time) == (True, True)
    assert list(found.looks) == [
        "GP-UCB-PE", "GP-UCB-PE, one by one", "Plain UCB", "Plain UCB, one by one",
    ]  # fmt: skip
    ranking = found.ranking
    assert ranking is not None
    end = max(one.times[-1] for one in results)
    sooner = min(
        max(one.times[-1] for one in results if one.policy == name) for name in found.looks
    )
    assert sooner <= ranking.t <= sooner + end / summarise.TIMES < end
    best = {
        (one.policy, one.replicate): min(
            regret for regret, time in zip(one.simple, one.times, strict=True) if time <= ranking.t
        )
        for one in results
    }
    for row in ranking.rows:
        own = np.array([best[row.policy, i] for i in range(3)])
        base = np.array([best["GP-UCB-PE", i] for i in range(3)])
        assert row.mean == pytest.approx(own.mean())
        assert row.difference == pytest.approx((own - base).mean())
        assert row.better == (None if row.policy == "GP-UCB-PE" else (own < base).sum())


def test_means_against_time_when_asked(study: Study, results: tuple[Result, ...]) -> None:
    usual, timed = own_results(study, results), own_results(study, results, over_time=True)
    assert (usual.over_time, timed.over_time, usual.mixed, timed.mixed) == (
        False,
        True,
        False,
        False,
    )
    assert timed.ranking.where == f"at time {timed.ranking.t:.3g}"
    # All have the same times, so that at the end nothing differs.
    assert [replace(row) for row in timed.ranking.rows] == list(usual.ranking.rows)


def test_a_picture_over_time_holds_the_best_to_the_end(
    both: tuple[Study, tuple[Result, ...]],
) -> None:
    found = own_results(*both)
    end = max(one.times[-1] for one in both[1])
    charts = {one.quantity: one for one in found.charts}
    plot = drawn(charts["running_minimum"], found.looks).plots["compared"]
    lines = {one.role: one.columns for one in plot.marks}["lines"]
    assert [xs[-1] for xs in lines["xs"]] == pytest.approx([end] * 4)
    assert plot.x.low == 0
    tips = {one.role: one.columns for one in plot.marks}["marks"]["tip"]
    assert all(": " in tip and ", time " in tip for tip in tips)
    sums = drawn(charts["full_cumulative_regret"], found.looks).plots["compared"]
    ends = [xs[-1] for xs in {one.role: one.columns for one in sums.marks}["lines"]["xs"]]
    assert min(ends) < 0.8 * max(ends)
