"""What a study shows: means over replicates, paired differences and ratios, with intervals.

Intervals are those of `student_interval`, pointwise: each t has its own confidence, the curve as
a whole has less. Replicates that failed are left out and counted.

Replicate i meets the same function, initial points and noise with every policy (common random
numbers), so policies are compared within each replicate: what they have in common cancels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import regret
from ucbpe_core.errors import InputError
from ucbpe_core.study.cells import Cell, Replicate, cells, pairs
from ucbpe_core.study.intervals import Interval, student_interval
from ucbpe_core.validation import fraction, frozen_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ucbpe_core.validation import Floats, Integers

# A curve of each replicate, shape (T,), named as in `Trace`. `regret` takes true values and an
# optimum: a regret is 0 minus its own negative.
QUANTITIES: dict[str, Callable[[Replicate], Floats]] = {
    "simple_regret": lambda run: run.simple,
    "running_minimum": lambda run: regret.running_minimum(-run.simple[:, None], 0.0),
    "batch_cumulative_regret": lambda run: regret.batch_cumulative(-run.simple[:, None], 0.0),
    "full_cumulative_regret": lambda run: regret.full_cumulative(-run.total[:, None], 0.0),
}

# A number of each replicate.
STATISTICS: dict[str, Callable[[Replicate], float]] = {
    "mean_simple_regret": lambda run: float(run.simple.mean()),  # R_T^K / T
    "mean_regret": lambda run: float(run.total.mean()) / run.batch_size,  # R_TK / (T K)
    "final_running_minimum": lambda run: float(run.simple.min()),
    "initialization": lambda run: float(run.initialization),
    "seconds_per_batch": lambda run: run.seconds / len(run.simple),
}


@dataclass(frozen=True, eq=False)
class Curve:
    """Mean of one quantity against t, with pointwise limits.

    Attributes
    ----------
    problem, policy, quantity : labels; `quantity` is a key of `QUANTITIES`
    t : iterations 1..T, shape (T,)
    mean, low, high : shape (T,); the limits are NaN for n = 1
    n : replicates behind every entry
    failed : replicates left out because they failed
    level : confidence of the interval at each t
    reference : for a paired difference, the policy that is subtracted, so that above 0 the
        reference has the lower regret; "" for a plain mean
    """

    problem: str
    policy: str
    quantity: str
    t: Integers = field(repr=False)
    mean: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    n: int
    failed: int
    level: float
    reference: str = ""

    def __post_init__(self) -> None:
        for name in ("mean", "low", "high"):
            object.__setattr__(self, name, frozen_copy(getattr(self, name)))
        object.__setattr__(self, "t", frozen_copy(self.t, np.intp))


@dataclass(frozen=True)
class Statistic:
    """Mean of one number per replicate, with its limits; fields as in `Curve`.

    With a `reference` the sample is the ratio policy / reference of that number within each
    replicate, and `mean` the geometric mean of those ratios.
    """

    problem: str
    policy: str
    statistic: str
    mean: float
    low: float
    high: float
    n: int
    failed: int
    level: float
    reference: str = ""


def curves(results: Iterable[Replicate], level: float = 0.95) -> tuple[Curve, ...]:
    """The mean of every quantity, for each problem and policy with a finished replicate.

    Raises
    ------
    InputError
        For a replicate that occurs twice, replicates of one cell that differ in T, or a level
        outside (0, 1).
    """
    return tuple(
        _curve(cell, name, _stack(cell, name), level)
        for cell in cells(results)
        if cell.finished
        for name in QUANTITIES
    )


def differences(
    results: Iterable[Replicate], reference: str, level: float = 0.95
) -> tuple[Curve, ...]:
    """Paired differences policy - `reference` of every quantity, over replicates both finished.

    `failed` counts the replicates that at least one of the two failed. Policies that differ in T
    are compared over the iterations both have; pairs without a common replicate are left out.

    Raises
    ------
    InputError
        As `curves`, and when no result is of the policy `reference`.
    """
    found = []
    for cell, base in pairs(results, reference):
        for name in QUANTITIES:
            minuend, subtrahend = _stack(cell, name), _stack(base, name)
            T = min(minuend.shape[1], subtrahend.shape[1])
            found.append(_curve(cell, name, minuend[:, :T] - subtrahend[:, :T], level, reference))
    return tuple(found)


def statistics(results: Iterable[Replicate], level: float = 0.95) -> tuple[Statistic, ...]:
    """The mean of every number in `STATISTICS`, for each cell with a finished replicate.

    Raises
    ------
    InputError
        As `curves`.
    """
    return tuple(
        _statistic(cell, name, student_interval([number(run) for run in cell.runs], level), level)
        for cell in cells(results)
        if cell.finished
        for name, number in STATISTICS.items()
    )


def ratios(
    results: Iterable[Replicate],
    reference: str,
    level: float = 0.95,
    statistic: str = "mean_simple_regret",
) -> tuple[Statistic, ...]:
    """Geometric means over replicates of the paired ratio policy / `reference`.

    The Student t interval of the log ratios, mapped back: for regrets that span decades, where
    the few largest rule a difference. Below 1 the policy has the lower regret. NaN where a
    replicate's number is 0: then there is no geometric mean.

    Raises
    ------
    InputError
        As `differences`, and for a `statistic` that is not in `STATISTICS`.
    """
    if statistic not in STATISTICS:
        raise InputError(f"one of {', '.join(STATISTICS)}", statistic, "name one of these")
    number, found = STATISTICS[statistic], []
    for cell, base in pairs(results, reference):
        x = np.array([[number(run) for run in side.runs] for side in (cell, base)])
        if (x > 0).all():
            logs = student_interval(np.log(x[0]) - np.log(x[1]), level)
            interval = Interval(np.exp(logs.mean), np.exp(logs.low), np.exp(logs.high), logs.n)
        else:
            undefined = np.array(np.nan)
            interval = Interval(undefined, undefined, undefined, x.shape[1])
        found.append(_statistic(cell, statistic, interval, level, reference))
    return tuple(found)


def _stack(cell: Cell, quantity: str) -> Floats:
    """One row per finished replicate, shape (n, T)."""
    return np.stack([QUANTITIES[quantity](run) for run in cell.runs])


def _curve(cell: Cell, quantity: str, samples: Floats, level: float, reference: str = "") -> Curve:
    interval = student_interval(samples, level)
    return Curve(
        problem=cell.problem,
        policy=cell.policy,
        quantity=quantity,
        t=np.arange(1, samples.shape[1] + 1),
        mean=interval.mean,
        low=interval.low,
        high=interval.high,
        n=interval.n,
        failed=len(cell.failures),
        level=fraction(level, "level"),
        reference=reference,
    )


def _statistic(
    cell: Cell, name: str, interval: Interval, level: float, reference: str = ""
) -> Statistic:
    return Statistic(
        problem=cell.problem,
        policy=cell.policy,
        statistic=name,
        mean=float(interval.mean),
        low=float(interval.low),
        high=float(interval.high),
        n=interval.n,
        failed=len(cell.failures),
        level=fraction(level, "level"),
        reference=reference,
    )
