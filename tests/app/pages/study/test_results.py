"""What a study says: its results as the core has them, and what is downloaded reads back."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.app.pages.study.conftest import kept_results
from ucbpe_app.pages.study.results import (
    StudyResults,
    curves_csv,
    own_results,
    statistics_csv,
)
from ucbpe_app.report.records import curves_of
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


def test_a_mean_is_the_mean_of_the_replicates(study: Study, results: tuple[Result, ...]) -> None:
    """And its interval 4.303 standard errors wide either way: t for 2 degrees of freedom, 95 %."""
    study_results = own_results(study, results)
    runs = np.stack([one.simple for one in results if one.policy == "GP-UCB-PE"])
    curve = curves_of(study_results.curves)[0]
    assert (curve.quantity, curve.n, curve.level) == ("simple_regret", 3, 0.95)
    np.testing.assert_allclose(curve.mean, runs.mean(axis=0), rtol=1e-12)
    half = 4.302653 * runs.std(axis=0, ddof=1) / np.sqrt(3)
    np.testing.assert_allclose(curve.high - curve.mean, half, rtol=1e-6, atol=1e-12)


def test_a_failure_is_told_and_its_replicate_left_out_of_all(
    study: Study, results: tuple[Result, ...]
) -> None:
    failed = replace(results[0], error="MemoryError: too large\ntrace.py:3 in run", simple=[])
    study_results = own_results(study, (failed, *results[1:]))
    assert {one.n for one in curves_of(study_results.curves)} == {2}
    assert study_results.failures == (f"{failed.policy}, replicate 0: MemoryError: too large",)


@pytest.fixture(params=["own", "kept"])
def study_results(
    request: pytest.FixtureRequest, study: Study, results: tuple[Result, ...]
) -> StudyResults:
    if request.param == "own":
        return own_results(study, results, "GP-UCB-PE")
    return kept_results("section5", "Tsunamis")


def test_curves_and_differences_read_back_exactly(
    study_results: StudyResults, tmp_path: Path
) -> None:
    path = tmp_path / "curves.csv"
    path.write_bytes(curves_csv(study_results))
    expected = pd.concat([study_results.curves, study_results.differences], ignore_index=True)
    assert len(expected) > len(study_results.curves)
    pd.testing.assert_frame_equal(read_table(path), expected, check_exact=True)


def test_statistics_read_back_exactly(study_results: StudyResults, tmp_path: Path) -> None:
    path = tmp_path / "statistics.csv"
    path.write_bytes(statistics_csv(study_results))
    expected = study_results.statistics.reset_index(drop=True)
    pd.testing.assert_frame_equal(read_table(path), expected, check_exact=True)
