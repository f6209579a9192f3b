"""Medians, intervals and wins of rows made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from benchmarks import _wins


def row(method: str, seed: int, gap: float, function: int = 1, batch: int = 5) -> dict[str, Any]:
    """A run whose gap is ten times `gap` after 25 evaluations, and then `gap`."""
    gaps = [10 * gap, gap, gap, gap]
    found = {"suite": "bbob", "batch": batch, "function": function, "method": method}
    found |= {"seed": seed, "gaps": gaps}
    return {**found, "seconds": 0.5}


def rows_of(**methods: list[float]) -> list[dict[str, Any]]:
    return [row(name, i, gap) for name, gaps in methods.items() for i, gap in enumerate(gaps)]


def test_the_interval_of_a_median_is_that_of_the_table_of_signs() -> None:
    """Of 20 values the 6th and the 15th: P(Binomial(20, 1/2) <= 5) = 0.0207."""
    logs = np.random.default_rng(0).permutation(20)
    found = _wins.median(10.0**logs)
    assert found == (pytest.approx(9.5), pytest.approx(5), pytest.approx(14), 20)


def test_five_values_have_no_interval_of_95_percent() -> None:
    """Even the least and the greatest hold the median with probability 1 - 2/32 only."""
    found = _wins.median(np.array([1e-3, 1e-2, 0.1, 1.0, 10.0]))
    assert found.at == pytest.approx(-1)
    assert np.isnan(found.low)
    assert np.isfinite(_wins.median(np.array([1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0])).low)


def test_who_is_lower_beats_by_the_exact_test() -> None:
    """4 lower than 4: one of 70 orders, p = 1/70. Of 2 and 2 it is 1/6: no win."""
    low, high = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 6.0, 7.0, 8.0])
    assert stats.mannwhitneyu(low, high, alternative="less").pvalue == pytest.approx(1 / 70)
    assert _wins.beats(low, high)
    assert not _wins.beats(high, low)
    assert not _wins.beats(low[:2], high[:2])
    assert not _wins.beats(low, low)


def test_wins_are_counted_by_function_and_mark() -> None:
    quick, slow = [1.0 + i / 100 for i in range(20)], [2.0 + i / 100 for i in range(20)]
    rows = rows_of(quick=quick, slow=slow)
    rows += [row("quick", i, 1.0, function=8) for i in range(20)]
    rows += [row("slow", i, 1.0, function=8) for i in range(20)]
    functions = _wins.gathered(rows)[5]
    assert _wins.wins(functions, 100) == {("quick", "slow"): 1, ("slow", "quick"): 0}
    assert "| quick | 1 : 0 | 1 : 0 | 1 : 0 | 1 : 0 |" in _wins.written(rows)


def test_only_seeds_that_all_methods_have_are_compared() -> None:
    rows = rows_of(one=[1.0, 100.0, 1.0], other=[2.0, 3.0])
    methods = _wins.gathered(rows)[5][1]
    assert methods["one"][:, -1].tolist() == [1.0, 100.0]


@pytest.mark.parametrize(("seeds", "said"), [(19, False), (20, True)])
def test_no_verdict_from_fewer_than_twenty_seeds(seeds: int, said: bool) -> None:
    text = _wins.written(rows_of(one=[1.0] * seeds, other=[2.0] * seeds))
    assert ("Pairs won : lost" in text) == said
    assert ("No verdict" in text) != said
    assert f"{seeds} seeds" in text


def test_the_least_median_is_bold_and_a_loss_is_printed_like_a_win() -> None:
    text = _wins.written(rows_of(Recommended=[100.0] * 6, other=[10.0] * 6))
    assert "|  | other | Recommended |" in text
    assert "| f1 | **1.00** [1.00, 1.00] | 2.00 [2.00, 2.00] |" in text


def test_a_cell_that_was_not_run_is_a_dash() -> None:
    rows = [*rows_of(one=[1.0], other=[1.0]), row("one", 0, 1.0, function=8)]
    assert "| f8 | **0.00** | – |" in _wins.written(rows)


def test_a_method_with_few_seeds_takes_no_verdict_from_the_others() -> None:
    """Its medians stand apart, of the seeds that all have."""
    rows = rows_of(one=[1.0] * 20, other=[2.0] * 20, slow=[0.1] * 6)
    sure, rest = _wins.written(rows).split("### Batches of 5: 3 methods, 1 function, 6 seeds")
    assert "### Batches of 5: 2 methods, 1 function, 20 seeds" in sure
    assert "| one | 1 : 0 | 1 : 0 | 1 : 0 | 1 : 0 |" in sure
    assert "slow" not in sure
    assert "No verdict" in rest
    assert "| f1 | **-1.00** [-1.00, -1.00] |" in rest


def test_functions_with_few_seeds_take_no_verdict_from_the_others() -> None:
    """They stand with the mean ranks of all: 1 and 2 after 25, 1.5 where the other is equal."""
    rows = rows_of(one=[1.0] * 20, other=[2.0] * 20)
    rows += [row("one", 0, 2.0, function=8), row("other", 0, 1.0, function=8)]
    sure, rest = _wins.written(rows).split("### Batches of 5: 2 methods, 2 functions, 1 seed")
    assert "| one | 1 : 0 | 1 : 0 | 1 : 0 | 1 : 0 |" in sure
    assert "Mean rank of the medians on 2 functions" in rest
    assert "| one | 1.5 | 1.5 | 1.5 | 1.5 |" in rest


def test_the_summary_has_what_is_beyond_the_first_batch() -> None:
    rows = rows_of(one=[1.0] * 20, other=[2.0] * 20)
    rows += [row(name, i, 1.0, batch=50) for name in ("one", "other") for i in range(20)]
    text = _wins.summary_table(_wins.gathered(rows))
    assert text.splitlines() == [
        "| method | K = 5, after 50 | K = 5, after 100 | K = 50, after 100 |",
        "|---|---|---|---|",
        "| one | 1 : 0 | 1 : 0 | 0 : 0 |",
        "| other | 0 : 1 | 0 : 1 | 0 : 0 |",
    ]


def test_seconds_are_of_the_runs_that_all_methods_have() -> None:
    rows = [{**row("one", i, 1.0), "seconds": 1.0 + i} for i in range(5)]
    rows += [{**row("other", 2, 1.0), "seconds": 0.25}, {**row("one", 0, 1.0, batch=10)}]
    assert _wins.seconds_table(rows).splitlines() == [
        "| seconds a batch | K = 5 | K = 10 |",
        "|---|---|---|",
        "| other | 0.25 | – |",
        "| one | 3 | 0.5 |",
    ]
