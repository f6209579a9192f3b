"""A run as tidy CSV, one row for each measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_core.records import sheets, text
from ucbpe_core.records.packing import plain
from ucbpe_core.records.posterior_values import at_picks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.trace import Iteration, Trace

_PICK = ("t", "k", "role", "candidate")
_MEASURED = ("y", "true_value", "regret")
_POSTERIOR = ("mean", "std", "score", "in_region", "in_region_plus")
_BATCH = (
    "beta",
    "sqrt_beta",
    "beta_next",
    "y_dot",
    "region_size",
    "region_plus_size",
    "simple_regret",
    "running_minimum",
    "batch_cumulative_regret",
    "full_cumulative_regret",
)


def write(trace: Trace, path: PathOrFile) -> None:
    """Write one row for each measurement, in the order in which they were made.

    The first row names the columns. Numbers read back exactly; a cell is empty where nothing
    applies: from `mean` on for initial observations, and `score` for a policy without a criterion.

    ======================= =====================================================================
    t                       iteration from 1; 0 for what was measured before batch 1
    k                       number within the batch, or among the initial observations, from 0
    role                    why it was picked; "initial" before batch 1
    candidate               its index, from 0
    input i: name           input i = 1 .. d, with the name of its axis
    y                       the measurement
    true_value              f there
    regret                  r_t^(k) = f* - f, on the true f
    mean                    posterior mean at batch start
    std                     standard deviation of f just before the pick, earlier picks hallucinated
    score                   value of the criterion that the pick maximised
    in_region               1 if it is in R, else 0
    in_region_plus          1 if it is in R+, else 0
    beta, sqrt_beta         beta_t and its root
    beta_next               beta_(t+1)
    y_dot                   the greatest lower bound
    region_size             number of candidates in R
    region_plus_size        number of candidates in R+
    simple_regret           r_t^K
    running_minimum         the least r_s^K for s <= t
    batch_cumulative_regret R_t^K
    full_cumulative_regret  R_tK
    ======================= =====================================================================

    Raises
    ------
    InputError
        For a path that cannot be written. An existing file is then left unchanged.
    """
    text.write(sheets.dumps(rows(trace)), path)


def rows(trace: Trace) -> Iterator[list[object]]:
    """The names of the columns, then a row for each measurement; None where there is nothing."""
    inputs = [f"input {i}: {name}" for i, name in enumerate(trace.problem.axes[:-1], start=1)]
    yield [*_PICK, *inputs, *_MEASURED, *_POSTERIOR, *_BATCH]
    nothing = [None] * (len(_POSTERIOR) + len(_BATCH))
    start = trace.posterior.conditioned_indices[: trace.initial]
    for k, (j, y) in enumerate(zip(start, trace.y.tolist(), strict=False)):
        yield [0, k, "initial", *_measured(trace, j, y), *nothing]
    regrets = (
        trace.simple_regret,
        trace.running_minimum,
        trace.batch_cumulative_regret,
        trace.full_cumulative_regret,
    )
    for iteration, *curves in zip(
        trace.iterations, *(regret.tolist() for regret in regrets), strict=True
    ):
        yield from _batch(trace, iteration, curves)


def _batch(trace: Trace, iteration: Iteration, regrets: list[float]) -> Iterator[list[object]]:
    made = iteration.decision
    sizes = int(made.region.sum()), int(made.region_plus.sum())
    same = (float(made.beta), made.sqrt_beta, float(made.beta_next), made.y_dot, *sizes, *regrets)
    mean, _ = at_picks(trace.posterior_of(made.t), made)
    inside = [mask[made.indices].astype(int) for mask in (made.region, made.region_plus)]
    columns = (made.indices, iteration.y, mean, made.stds, made.scores, *inside)
    for k, (j, y, *rest) in enumerate(zip(*map(plain, columns), strict=True)):
        yield [made.t, k, made.roles[k], *_measured(trace, j, y), *rest, *same]


def _measured(trace: Trace, j: int, y: float) -> list[object]:
    """From `candidate` to `regret`."""
    problem = trace.problem
    value = float(problem.values[j])
    return [j, *problem.candidates[j].tolist(), y, value, float(problem.regret(value))]
