"""What a study shows, as pandas tables: means over replicates, paired differences, ratios.

Every table is tidy: a row has the labels (`problem`, `policy`, `reference`, and `quantity` with `t`
or `time`, or `statistic`), the `mean`, its limits `low` and `high`, the number of `replicates`
behind them, how many `failed` and are left out, and the confidence `level` of the interval.

The limits are those of Student's t, mean ± t_(n-1)((1 + level) / 2) s / sqrt(n) with s² the
unbiased variance of n replicates: exact for independent normal samples, approximate otherwise, NaN
for n = 1. They are pointwise: the confidence is that of each t by itself, not of the whole curve.

Replicate i meets the same function, initial points and noise with every policy (common random
numbers), so policies are compared within each replicate: what they have in common cancels.

Examples
--------
>>> from ucbpe_core.study import PolicyPlan, ProblemPlan, run_task, Study, summarise
>>> policies = [PolicyPlan("PE", "GP-UCB-PE"), PolicyPlan("Random", "Random search")]
>>> study = Study("Curve", [ProblemPlan("Curve", "multimodal")], policies, replicates=2, batches=3)
>>> runs = [run_task(study, task) for task in study.tasks()]
>>> curves = summarise.curves(runs)
>>> curves[(curves.policy == "PE") & (curves.quantity == "simple_regret")].t.tolist()
[1, 2, 3]
>>> summarise.ratios(runs, reference="Random")[["policy", "replicates"]].values.tolist()
[['PE', 2]]

Against time, in mean durations of an evaluation, the last value known in a run counts: its regrets
are steps, and stay as they are once the run has ended. All curves have the same times, of which
there are `TIMES` to the end of the last run; a policy has a mean from when each of its runs has a
result until the last of them has ended.

As CSV files, their numbers read back exactly unless fewer digits are asked for, and labels that a
spreadsheet would run as a formula are escaped (`ucbpe_core.files.sheets`).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import stats

from ucbpe_core.errors import InputError
from ucbpe_core.files import sheets
from ucbpe_core.files import text as files
from ucbpe_core.support.validation import count, finite, fraction
from ucbpe_core.tables.dialect import unescape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ucbpe_core.study.task import Result
    from ucbpe_core.support.validation import Floats, Integers

# Curves against t of each replicate, named as in `Trace`.
QUANTITIES = (
    "simple_regret",
    "running_minimum",
    "batch_cumulative_regret",
    "full_cumulative_regret",
)
# Numbers of each replicate.
STATISTICS: dict[str, Callable[[Result], float]] = {
    "mean_simple_regret": lambda run: float(run.simple.mean()),  # R_T^K / T
    # R_TK / (T K)
    "mean_regret": lambda run: (
        float(run.total.mean()) / (run.picks / len(run.total) if run.picks else run.batch_size)
    ),
    "final_running_minimum": lambda run: float(run.simple.min()),
    "initialization": lambda run: float(run.initialization),
    "seconds_per_batch": lambda run: run.seconds / len(run.simple),
}
_CELL = ["problem", "policy"]
_AGAINST = ("t", "time")
_LABELS = [*_CELL, "replicate"]
_TAIL = ["mean", "low", "high", "replicates", "failed", "level"]
CURVE_COLUMNS = [*_CELL, "reference", "quantity", "t", *_TAIL]
TIME_COLUMNS = ["time" if name == "t" else name for name in CURVE_COLUMNS]
STATISTIC_COLUMNS = [*_CELL, "reference", "statistic", *_TAIL]
_LIMITS = ["mean", "low", "high"]
TIMES = 200
_ROUNDING = 1 + 1e-12  # a result is there at the time to which it is rounded
_READ = {
    **dict.fromkeys((*_CELL, "reference", "quantity", "statistic"), unescape),
    **dict.fromkeys(("t", "replicates", "failed"), int),
}


def curves(
    results: Iterable[Result], level: float = 0.95, *, over_time: bool = False
) -> pd.DataFrame:
    """The mean of every quantity at every t, `CURVE_COLUMNS`, for each problem and policy.

    Problems, policies and quantities keep their order; cells without a finished replicate are left
    out. `reference` is "". If `over_time`, means are against time, `TIME_COLUMNS`.

    Raises
    ------
    InputError
        For a replicate that occurs twice, replicates of one cell that differ in T, regrets that
        are not finite, or a level outside (0, 1).
    """
    runs = list(results)
    return means(_rows(runs, over_time), "quantity", QUANTITIES, level, _failures(runs))


def differences(
    results: Iterable[Result], reference: str, level: float = 0.95, *, over_time: bool = False
) -> pd.DataFrame:
    """Paired differences policy - `reference` of every quantity, `CURVE_COLUMNS`.

    Above 0 the reference has the lower regret. A difference is taken within each replicate that
    both finished; `failed` counts the replicates that at least one of the two failed. Policies
    that differ in T are compared over the iterations, or if `over_time` the times, that both have.

    Raises
    ------
    InputError
        As `curves`, and when no result is of the policy `reference`.
    """
    runs = list(results)
    paired = _paired(_rows(runs, over_time), runs, reference)
    for name in QUANTITIES:
        paired[name] -= paired[f"{name} of the reference"]
    return means(paired, "quantity", QUANTITIES, level, _failures(runs, reference), reference)


def statistics(results: Iterable[Result], level: float = 0.95) -> pd.DataFrame:
    """The mean of every number in `STATISTICS`, `STATISTIC_COLUMNS`; otherwise as `curves`."""
    runs = list(results)
    return means(_numbers(runs), "statistic", list(STATISTICS), level, _failures(runs))


def ratios(
    results: Iterable[Result],
    reference: str,
    level: float = 0.95,
    statistic: str = "mean_simple_regret",
) -> pd.DataFrame:
    """Geometric means over replicates of the paired ratio policy / `reference`.

    The Student t interval of the log ratios, mapped back: for regrets that span decades, where
    the largest few dominate a difference. Below 1 the policy has the lower regret. NaN where a
    replicate's number is 0: then there is no geometric mean.

    Raises
    ------
    InputError
        As `differences`, and for a `statistic` that is not in `STATISTICS`.
    """
    if statistic not in STATISTICS:
        raise InputError(f"one of {', '.join(STATISTICS)}", statistic, "name one of these")
    runs = list(results)
    paired = _paired(_numbers(runs), runs, reference)
    x, base = paired[statistic], paired[f"{statistic} of the reference"]
    positive = (x > 0) & (base > 0)
    paired[statistic] = np.log(x.where(positive)) - np.log(base.where(positive))
    failures = _failures(runs, reference)
    found = means(paired, "statistic", [statistic], level, failures, reference)
    return found.assign(**np.exp(found[_LIMITS]))


def means(
    samples: pd.DataFrame,
    kind: str,
    names: Sequence[str],
    level: float = 0.95,
    failures: dict[tuple[str, str], int] | None = None,
    reference: str = "",
) -> pd.DataFrame:
    """Mean and Student t limits of columns of `samples`, over the replicates of each cell.

    Parameters
    ----------
    samples : a row per replicate, or per replicate and t or time, with the columns problem and
        policy; each cell's rows stand together
    kind : "quantity" or "statistic": the column of the answer that has the names
    names : the columns to average; a mean is NaN where a sample is
    failures : how many replicates failed, by problem and policy
    """
    by = [name for name in (*_CELL, *_AGAINST) if name in samples]
    groups = samples.groupby(by, sort=False)
    found = pd.concat(
        groups[name].agg(["mean", "std", "count", "size"]).reset_index().assign(**{kind: name})
        for name in names
    )
    n, tail = found["size"], (1 + fraction(level, "level")) / 2
    mean = found["mean"].where(found["count"] == n)
    half = stats.t.ppf(tail, n - 1) * found["std"] / np.sqrt(n)
    found["reference"], found["level"], found["replicates"] = reference, level, n
    found["mean"], found["low"], found["high"] = mean, mean - half, mean + half
    cells = found[_CELL].itertuples(index=False, name=None)
    found["failed"] = [(failures or {}).get(cell, 0) for cell in cells]
    order = np.argsort(found.groupby(_CELL, sort=False).ngroup(), kind="stable")
    columns = STATISTIC_COLUMNS
    if kind == "quantity":
        columns = TIME_COLUMNS if "time" in samples else CURVE_COLUMNS
    return found.iloc[order][columns].reset_index(drop=True)


def table_text(table: pd.DataFrame, digits: int | None = None) -> str:
    """A table of `summarise` as CSV; "nan" where there is no limit.

    Parameters
    ----------
    digits : significant digits of mean, low and high; None for as many as read back exactly
    """
    columns = {name: table[name].tolist() for name in table}
    if digits is not None:
        for name in _LIMITS:
            columns[name] = [f"{x:.{count(digits, 'digits')}g}" for x in columns[name]]
    return sheets.dumps([list(columns), *zip(*columns.values(), strict=True)])


def write_table(path: Path | str, table: pd.DataFrame, digits: int | None = None) -> None:
    """Write `table_text(table, digits)`, whole or not at all."""
    files.write_text(path, table_text(table, digits))


def read_table(path: Path | str) -> pd.DataFrame:
    """The table that `write_table` wrote.

    Raises
    ------
    InputError
        For columns or numbers that `write_table` would not have written.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        if list(table) not in (CURVE_COLUMNS, TIME_COLUMNS, STATISTIC_COLUMNS):
            raise ValueError(f"the columns {', '.join(table)}")
        for name in table:
            table[name] = table[name].map(_READ.get(name, float))
    except (AttributeError, TypeError, ValueError) as error:  # short rows have NaN for text
        message = f"a summary without a damaged row in {Path(path).name}"
        raise InputError(message, str(error), "write the summary again") from None
    return table


def _rows(runs: Sequence[Result], over_time: bool) -> pd.DataFrame:
    """A row per batch, or time, of each finished run, with the quantities as columns."""
    finished = _finished(runs)
    for run in finished:
        finite(run.simple_regret, "simple_regret")
    known: list[Integers] = [np.arange(len(run.simple)) for run in finished]
    axis, places = "t", [list(at + 1) for at in known]
    if over_time:
        axis, times = "time", _times(finished)
        places = [own.tolist() for own in times]
        known = [
            np.searchsorted(run.times, own * _ROUNDING, "right") - 1
            for run, own in zip(finished, times, strict=True)
        ]
    columns = {name: [getattr(run, name) for run in finished] for name in _LABELS}
    for name in QUANTITIES:
        curves = (getattr(run, name) for run in finished)
        columns[name] = [curve[at] for curve, at in zip(curves, known, strict=True)]
    types = {axis: float if over_time else int, **dict.fromkeys(QUANTITIES, float)}
    return pd.DataFrame({**columns, axis: places}, dtype=object).explode(list(types)).astype(types)


def _times(finished: Sequence[Result]) -> list[Floats]:
    """For each run those of all times at which its cell has a mean."""
    ends = dict[tuple[str, str], tuple[float, float]]()
    for run in finished:
        first, last = ends.get(run.task[:2], (0.0, 0.0))
        ends[run.task[:2]] = max(first, run.times[0]), max(last, run.times[-1])
    end = max((last for _, last in ends.values()), default=0.0)
    times = np.linspace(0.0, end, TIMES + 1)
    within = {
        cell: times[(times * _ROUNDING >= first) & (times < last + end / TIMES)]
        for cell, (first, last) in ends.items()
    }
    return [within[run.task[:2]] for run in finished]


def _numbers(runs: Sequence[Result]) -> pd.DataFrame:
    """A row for each finished run, with the statistics as columns."""
    rows = [
        [*run.task, *(number(run) for number in STATISTICS.values())] for run in _finished(runs)
    ]
    return pd.DataFrame(rows, columns=[*_LABELS, *STATISTICS])


def _finished(runs: Sequence[Result]) -> list[Result]:
    """Those without an error, by problem and policy in order of appearance, then by replicate.

    Sorted, so that a mean does not depend on the order in which they ended, to the last bit.
    """
    seen = Counter(run.task for run in runs)
    for (problem, policy, replicate), times in seen.items():
        if times > 1:
            got = f"{times} of {policy} on {problem}"
            raise InputError(f"one replicate {replicate}", got, "summarise one study at a time")
    finished = [run for run in runs if run.error is None]
    lengths = {(run.problem, run.policy): len(run.simple) for run in finished}
    for run in finished:
        T = sorted({lengths[run.problem, run.policy], len(run.simple)})
        if len(T) > 1:
            got = f"{T[0]} and {T[1]} of {run.policy} on {run.problem}"
            raise InputError("equally many batches", got, "run the study with one number of them")
    problems, policies = (list(dict.fromkeys(getattr(run, name) for run in runs)) for name in _CELL)
    return sorted(
        finished,
        key=lambda run: (problems.index(run.problem), policies.index(run.policy), run.replicate),
    )


def _paired(rows: pd.DataFrame, runs: Sequence[Result], reference: str) -> pd.DataFrame:
    """The rows of the other policies, with those of the reference that they are compared with."""
    policies = dict.fromkeys(run.policy for run in runs)
    if reference not in policies:
        known = ", ".join(policies) or "no results"
        raise InputError(f"results of the policy {reference}", known, "name one of these")
    keys = [name for name in ("problem", "replicate", *_AGAINST) if name in rows]
    own = rows["policy"] == reference
    base = rows[own].drop(columns="policy")
    return rows[~own].merge(base, on=keys, suffixes=("", " of the reference"))


def _failures(runs: Sequence[Result], reference: str = "") -> dict[tuple[str, str], int]:
    """Failed replicates of each problem and policy; with those of a reference on that problem."""
    failed = {(run.problem, run.policy): set[int]() for run in runs}
    for run in runs:
        if run.error is not None:
            failed[run.problem, run.policy].add(run.replicate)
    return {
        cell: len(own | failed.get((cell[0], reference), set())) for cell, own in failed.items()
    }
