"""What a study says: its results as the core has them, and what is downloaded reads back."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

from tests.app.pages.study.conftest import kept_results
from ucbpe_app.pages.study.results import (
    StudyResults,
    curves_csv,
    own_results,
    statistics_csv,
)
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
