"""What is downloaded reads back."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tests.app.pages.study.conftest import kept_results
from ucbpe_app.pages.study.results import (
    StudyResults,
    curves_csv,
    file_name,
    own_results,
    statistics_csv,
)
from ucbpe_core.study import Result, Study
from ucbpe_core.study.summarise import read_table


@pytest.fixture(params=["own", "kept"])
def study_results(
    request: pytest.FixtureRequest, study: Study, results: tuple[Result, ...]
) -> StudyResults:
    if request.param == "own":
        return own_results(study, results, "GP-UCB-PE")
    return kept_results("section5", "Tsunamis", compared=True)


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


@pytest.mark.parametrize(
    ("name", "problem", "expected"),
    [
        ("section5", "Himmelblau", "section-5-himmelblau-curves.csv"),
        (
            "anchor", "Matérn 5/2, lengthscale 0.1",
            "anchor-desautels-2014-matern-5-2-lengthscale-0-1-curves.csv",
        ),
    ],
)  # fmt: skip
def test_files_have_names_that_say_what_they_hold(name: str, problem: str, expected: str) -> None:
    assert file_name(kept_results(name, problem), "curves") == expected
