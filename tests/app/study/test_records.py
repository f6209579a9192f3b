"""Comparisons at the end of a study against direct computations."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.study.records import Comparison, comparisons, curves_of
from ucbpe_core.study import Result
from ucbpe_core.study.summarise import curves, differences


def result(policy: str, replicate: int, simple: np.ndarray) -> Result:
    return Result("Curve", policy, replicate, None, simple, 2 * simple, np.ones(len(simple)), 4)


def test_comparisons_are_paired_differences_at_the_end():
    rng = np.random.default_rng(0)
    base = rng.uniform(1, 2, (6, 4))
    better = base - rng.uniform(0.2, 0.4, (6, 4))
    results = [result("A", i, base[i]) for i in range(6)]
    results += [result("B", i, better[i]) for i in range(6)]
    means, paired = curves_of(curves(results)), curves_of(differences(results, "A"))
    found = {one.statistic: one for one in comparisons(means, paired)}
    mean = found["batch_cumulative_regret"]
    assert mean.base == pytest.approx(base.mean())
    assert mean.mean == pytest.approx((better - base).mean())
    assert mean.verdict == "lower"
    assert found["running_minimum"].mean == pytest.approx(
        (better.min(axis=1) - base.min(axis=1)).mean()
    )


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-2.0, -1.0, "lower"), (1.0, 2.0, "higher"), (-1.0, 1.0, "open"), (0.0, 0.0, "open")],
)
def test_a_verdict_needs_an_interval_without_0(low, high, verdict):
    numbers = ((low + high) / 2, low, high, 9, 0, 0.95)
    comparison = Comparison("p", "B", "running_minimum", *numbers, "A", 1.0)
    assert comparison.verdict == verdict
