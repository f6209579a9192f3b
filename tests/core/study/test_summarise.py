"""Confidence statements against data whose right interval is known."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ucbpe_core import regret
from ucbpe_core.errors import InputError
from ucbpe_core.study import Result, summarise
from ucbpe_core.study.summarise import QUANTITIES, read_table, write_table


def Run(problem, policy, replicate, simple=(), total=(), error=None, **others):
    """One replicate, as a study hands it over."""
    usual = {"batch_size": 4, "seconds": 1.0, **others}
    share = np.ones(len(simple))
    return Result(problem, policy, replicate, error, simple, total, share, **usual)


def study(rng: np.random.Generator, n: int = 6, T: int = 5) -> list[Result]:
    """Two problems, three policies; simple regrets of a replicate share a common part."""
    runs = []
    for problem in ("hills", "waves"):
        common = rng.exponential(1.0, (n, T))
        for rank, policy in enumerate(("first", "second", "third")):
            simple = common + rng.exponential(0.1 * (1 + rank), (n, T))
            total = simple + rng.exponential(5.0, (n, T))
            runs += [Run(problem, policy, i, simple[i], total[i]) for i in range(n)]
    return runs


def by_label(table: pd.DataFrame) -> dict[tuple[str, str, str], pd.DataFrame]:
    """The rows of each curve, by problem, policy and quantity, in the order of the table."""
    groups = table.groupby(["problem", "policy", "quantity"], sort=False)
    return {labels: rows.reset_index(drop=True) for labels, rows in groups}


def timed(rng: np.random.Generator, n: int = 5) -> list[Result]:
    """One policy in 4 batches that take long, one whose 12 results arrive one by one, sooner."""
    runs = []
    for policy, T, pace in (("batches", 4, 3.0), ("singles", 12, 0.7)):
        for i in range(n):
            simple, arrivals = rng.exponential(size=T), rng.exponential(pace, T).cumsum()
            others = {"picks": 12, "arrivals": arrivals}
            runs.append(Run("hills", policy, i, simple, 2 * simple, **others))
    return runs


# --- curves ---------------------------------------------------------------------------------


def test_quantities_are_those_of_regret() -> None:
    """From r_t^K and the sums alone, as `regret` has them from the values; to the last bit."""
    values = np.random.default_rng(0).normal(size=(7, 4))
    gaps = values.max() - values
    run = Run("p", "a", 0, gaps.min(axis=1), gaps.sum(axis=1))
    for name, function in (
        ("simple_regret", regret.simple),
        ("running_minimum", regret.running_minimum),
        ("batch_cumulative_regret", regret.batch_cumulative),
        ("full_cumulative_regret", regret.full_cumulative),
    ):
        expected = function(values, values.max())
        np.testing.assert_array_equal(getattr(run, name), expected)
        np.testing.assert_array_equal(run.to_frame()[name], expected)


def test_curves_over_time_by_hand() -> None:
    """At each time, of each replicate, the last value before it, found by a loop over results."""
    runs = timed(np.random.default_rng(5))
    end = max(run.times[-1] for run in runs)
    found = by_label(summarise.curves(runs, 0.9, over_time=True))
    assert set(found) == {("hills", p, q) for p in ("batches", "singles") for q in QUANTITIES}
    for (_, policy, quantity), curve in found.items():
        own = [run for run in runs if run.policy == policy]
        known = [time for time in curve.time if all(run.times[0] <= time for run in own)]
        assert len(known) == len(curve)
        assert np.diff(curve.time) == pytest.approx(end / summarise.TIMES)
        last = max(run.times[-1] for run in own)
        assert last <= curve.time.iloc[-1] < last + end / summarise.TIMES
        assert curve.time[0] - end / summarise.TIMES < max(run.times[0] for run in own)
        for row in curve.itertuples():
            values = [before(run, quantity, row.time) for run in own]
            half = stats.t.ppf(0.95, 4) * np.std(values, ddof=1) / math.sqrt(5)
            assert (row.mean, row.high) == pytest.approx((np.mean(values), np.mean(values) + half))


def before(run: Result, quantity: str, time: float) -> float:
    """The value of the last batch whose results are all there."""
    value = math.nan
    for arrival, one in zip(run.times, getattr(run, quantity), strict=True):
        if arrival <= time:
            value = one
    return value


def test_differences_over_time_are_within_replicates() -> None:
    """Over the times that both have: the singles end first, the batches begin last."""
    runs = timed(np.random.default_rng(8))
    curve = by_label(summarise.differences(runs, "batches", over_time=True))
    curve = curve["hills", "singles", "running_minimum"]
    pairs = list(zip(runs[5:], runs[:5], strict=True))
    assert curve.time.iloc[-1] >= max(one.times[-1] for one, _ in pairs)
    assert curve.time[0] >= max(base.times[0] for _, base in pairs)
    for row in curve.itertuples():
        gaps = [before(a, "running_minimum", row.time) - before(b, "running_minimum", row.time)
                for a, b in pairs]  # fmt: skip
        assert row.mean == pytest.approx(np.mean(gaps))


def test_a_batch_per_unit_of_time_is_known_at_whole_times() -> None:
    """With as many units as batches: at time t, to the last bit, the mean at batch t."""
    runs = study(np.random.default_rng(3))
    timed = by_label(summarise.curves(runs, over_time=True))
    for label, curve in by_label(summarise.curves(runs)).items():
        at = timed[label].set_index(timed[label].time.round(9)).loc[curve.t.astype(float)]
        np.testing.assert_array_equal(at[["mean", "low", "high"]], curve[["mean", "low", "high"]])


def test_curves_by_hand() -> None:
    """Every quantity, problem and policy, against loops over replicates."""
    runs = study(np.random.default_rng(3))
    found = by_label(summarise.curves(runs, 0.9))
    assert len(found) == 2 * 3 * 4
    assert [policy for _, policy, _ in list(found)[::4]] == ["first", "second", "third"] * 2
    assert [quantity for *_, quantity in found] == list(summarise.QUANTITIES) * 6
    for (problem, policy, quantity), curve in found.items():
        mine = [r for r in runs if (r.problem, r.policy) == (problem, policy)]
        for t in range(1, 6):
            sample = {
                "simple_regret": [r.simple[t - 1] for r in mine],
                "running_minimum": [min(r.simple[:t]) for r in mine],
                "batch_cumulative_regret": [sum(r.simple[:t]) for r in mine],
                "full_cumulative_regret": [sum(r.total[:t]) for r in mine],
            }[quantity]
            low, high = stats.t.interval(0.9, 5, np.mean(sample), stats.sem(sample))
            got = curve.loc[t - 1, ["t", "mean", "low", "high"]].to_list()
            np.testing.assert_allclose(got, (t, np.mean(sample), low, high), rtol=1e-10)
        tail = curve[["replicates", "failed", "level", "reference"]].drop_duplicates()
        assert tail.to_numpy().tolist() == [[6, 0, 0.9, ""]]


def test_order_of_arrival_does_not_matter() -> None:
    """Replicates end in any order; the means agree to the last bit."""
    runs = study(np.random.default_rng(5), n=20)
    heads = [run for run in runs if run.replicate == 0]
    rest = [run for run in runs if run.replicate > 0]
    shuffled = heads + [rest[i] for i in np.random.default_rng(0).permutation(len(rest))]
    for summary in (summarise.curves, summarise.statistics):
        pd.testing.assert_frame_equal(summary(runs), summary(shuffled), check_exact=True)


def test_failures_are_left_out_and_counted() -> None:
    runs = study(np.random.default_rng(3))
    lost = {("hills", "second", 2), ("hills", "third", 5)}
    broken = [Run(*run.task, error="boom") if run.task in lost else run for run in runs]
    found = by_label(summarise.curves(broken))
    curve = found["hills", "second", "simple_regret"]
    kept = [
        r.simple for r in runs if (r.problem, r.policy) == ("hills", "second") and r.replicate != 2
    ]
    assert set(zip(curve["replicates"], curve["failed"], strict=True)) == {(5, 1)}
    np.testing.assert_allclose(curve["mean"], np.mean(kept, axis=0), rtol=1e-13)
    assert (found["waves", "second", "simple_regret"]["failed"] == 0).all()

    paired = by_label(summarise.differences(broken, "second"))
    assert (paired["hills", "first", "simple_regret"]["replicates"] == 5).all()
    assert (paired["hills", "third", "simple_regret"]["replicates"] == 4).all()
    assert (paired["hills", "third", "simple_regret"]["failed"] == 2).all()


def test_of_no_results_there_is_an_empty_table() -> None:
    for table, columns in (
        (summarise.curves([]), summarise.CURVE_COLUMNS),
        (summarise.statistics([]), summarise.STATISTIC_COLUMNS),
    ):
        assert table.empty
        assert list(table) == columns


def test_a_cell_without_a_finished_replicate_is_left_out() -> None:
    runs = [Run("p", "a", 0, np.ones(3), np.ones(3)), Run("p", "b", 0, error="boom")]
    assert set(summarise.curves(runs)["policy"]) == {"a"}
    assert set(summarise.statistics(runs)["policy"]) == {"a"}
    assert summarise.differences(runs, "a").empty


def test_refusals() -> None:
    run = Run("p", "a", 0, np.ones(3), np.ones(3))
    for level in (0, 1, 95, math.nan):
        with pytest.raises(InputError, match="level"):
            summarise.curves([run], level)
    for x in (math.nan, math.inf):
        with pytest.raises(InputError, match="simple_regret"):
            summarise.curves([Run("p", "a", 0, [1.0, x], np.ones(2))])
    with pytest.raises(InputError, match="one replicate 0"):
        summarise.curves([run, run])
    with pytest.raises(InputError, match="equally many batches; got 2 and 3"):
        summarise.curves([run, Run("p", "a", 1, np.ones(2), np.ones(2))])
    with pytest.raises(InputError, match="policy z; got a"):
        summarise.differences([run], "z")
    with pytest.raises(InputError, match="mean_simple_regret"):
        summarise.ratios([run], "a", statistic="median")


# --- paired differences ---------------------------------------------------------------------


def test_pairs_are_of_equal_replicates() -> None:
    """Policies that finished different replicates are compared on those both finished.

    The interval is that of the paired t test.
    """
    rows = np.arange(12.0).reshape(4, 3)
    runs = [Run("p", "a", i, rows[i], rows[i]) for i in (3, 1, 0)]
    runs += [Run("p", "b", i, rows[i] + i, rows[i]) for i in (1, 2, 3)]
    curve = by_label(summarise.differences(runs, "a", 0.9))["p", "b", "simple_regret"]
    assert (curve["replicates"] == 2).all()
    np.testing.assert_allclose(curve["mean"], [2, 2, 2])  # replicates 1 and 3 differ by 1 and by 3
    base = rows[[1, 3]]
    expected = stats.ttest_rel(base + np.array([[1], [3]]), base).confidence_interval(0.9)
    np.testing.assert_allclose(curve["low"], expected.low, rtol=1e-9)
    np.testing.assert_allclose(curve["high"], expected.high, rtol=1e-9)


def test_policies_of_different_length_share_their_first_iterations() -> None:
    runs = [Run("p", "a", i, np.ones(5), np.ones(5)) for i in range(3)]
    runs += [Run("p", "b", i, np.full(3, 2.0), np.ones(3)) for i in range(3)]
    curve = by_label(summarise.differences(runs, "a"))["p", "b", "simple_regret"]
    np.testing.assert_array_equal(curve["t"], [1, 2, 3])
    np.testing.assert_array_equal(curve["mean"], [1, 1, 1])


# --- numbers per replicate ------------------------------------------------------------------


def test_statistics_by_hand() -> None:
    simple, total = np.array([[3.0, 1, 2], [5, 4, 6]]), np.array([[12.0, 8, 10], [20, 20, 32]])
    runs = [
        Run("p", "a", i, simple[i], total[i], initialization=i + 1, seconds=3.0 * (i + 1))
        for i in range(2)
    ]
    found = summarise.statistics(runs).set_index("statistic")
    assert found["mean"].to_dict() == pytest.approx(
        {
            "mean_simple_regret": 3.5,
            "mean_regret": (10 / 4 + 24 / 4) / 2,
            "final_running_minimum": 2.5,
            "initialization": 1.5,
            "seconds_per_batch": 1.5,
        }
    )
    low, high = stats.t.interval(0.95, 1, 3.5, stats.sem([2.0, 5.0]))
    one = found.loc["mean_simple_regret"]
    assert (one["low"], one["high"]) == (pytest.approx(low), pytest.approx(high))
    assert (one["replicates"], one["failed"]) == (2, 0)


def test_a_ratio_is_the_geometric_mean_of_pairs() -> None:
    """Its limits are those of the paired t test of the logarithms, over six decades."""
    rng = np.random.default_rng(4)
    base = 10 ** rng.uniform(-6, 0, 6)
    other = base * 3 * np.exp(rng.normal(0, 0.2, 6))
    runs = [
        Run("p", policy, i, [x], [x])
        for policy, numbers in (("a", base), ("b", other))
        for i, x in enumerate(numbers)
    ]
    (one,) = summarise.ratios(runs, "a", 0.9).to_dict("records")
    expected = stats.ttest_rel(np.log(other), np.log(base)).confidence_interval(0.9)
    np.testing.assert_allclose([one["low"], one["high"]], np.exp(expected), rtol=1e-9)
    assert one["mean"] == pytest.approx(stats.gmean(other / base))


def test_no_ratio_of_zeros() -> None:
    runs = [Run("p", name, i, [x], [x]) for name, x in (("a", 0.0), ("b", 1.0)) for i in (0, 1)]
    (one,) = summarise.ratios(runs, "a").to_dict("records")
    assert math.isnan(one["mean"])
    assert math.isnan(one["low"])
    assert one["replicates"] == 2


# --- tidy tables ----------------------------------------------------------------------------


def test_round_trip_is_exact(tmp_path: Path) -> None:
    runs = study(np.random.default_rng(9))
    runs += [Run('comma, "quote"', "first", 0, np.ones(2) / 3, np.ones(2))]  # n = 1: NaN limits
    for tables in (
        (summarise.curves(runs), summarise.differences(runs, "first", 0.9)),
        (summarise.statistics(runs), summarise.ratios(runs, "first")),
    ):
        written = pd.concat(tables, ignore_index=True)
        write_table(tmp_path / "table.csv", written)
        read = read_table(tmp_path / "table.csv")
        pd.testing.assert_frame_equal(read, written, check_exact=True)


def test_damaged_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "curves.csv"
    write_table(path, summarise.curves(study(np.random.default_rng(9))))
    good = path.read_text()
    for bad in ("", "a,b\n1,2\n", good.replace("mean", "average", 1), good + "x,y\n"):
        path.write_text(bad)
        with pytest.raises(InputError, match="write the summary again"):
            read_table(path)
