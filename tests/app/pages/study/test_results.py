"""What a study says: its results as the core has them."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pandas as pd

from tests.app.pages.study.conftest import spec_of
from ucbpe_app.pages.study.results import own_results
from ucbpe_app.report.records import curves_of
from ucbpe_core.study import Result, Study, summarise


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


def test_a_mean_is_the_mean_of_the_replicates(study: Study, results: tuple[Result, ...]) -> None:
    """And its interval 4.303 standard errors wide either way: t for 2 degrees of freedom, 95 %."""
    study_results = own_results(study, results)
    runs = np.stack([one.simple for one in results if one.policy == "GP-UCB-PE"])
    curve = curves_of(study_results.curves)[0]
    assert (curve.quantity, curve.n, curve.level) == ("simple_regret", 3, 0.95)
    np.testing.assert_allclose(curve.mean, runs.mean(axis=0), rtol=1e-12)
    half = 4.302653 * runs.std(axis=0, ddof=1) / np.sqrt(3)
    np.testing.assert_allclose(curve.high - curve.mean, half, rtol=1e-6, atol=1e-12)


def test_a_study_that_has_just_begun(study: Study, results: tuple[Result, ...]) -> None:
    nothing = own_results(study, ())
    assert nothing.curves.empty
    assert nothing.statistics.empty
    assert nothing.references == ()
    # Random search has no result yet: nothing can be compared with it.
    first = [one for one in results if one.policy == "GP-UCB-PE"][:1]
    study_results = own_results(study, first, "Random search")
    assert study_results.references == ("GP-UCB-PE",)
    assert study_results.differences.empty
    assert study_results.curves["low"].isna().all()


def test_failures_are_left_out_counted_and_told(study: Study, results: tuple[Result, ...]) -> None:
    failed = replace(results[0], error="MemoryError: too large\ntrace.py:3 in run", simple=[])
    study_results = own_results(study, (failed, *results[1:]))
    own = [one for one in curves_of(study_results.curves) if one.policy == failed.policy]
    assert {(one.n, one.failed) for one in own} == {(2, 1)}
    assert study_results.failures == (f"{failed.policy}, replicate 0: MemoryError: too large",)


def test_words_are_those_of_the_settings() -> None:
    assert "3 replicates, seed 9" in own_results(spec_of(seed=9).study(), ()).words
