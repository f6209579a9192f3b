"""Ours beside other optimisers on tables of settings, of which each batch is chosen.

16 tables: four of scikit-learn's data sets by four of its models, each with the error of 350 to 495
settings (`_grids` has how they were made). 50 evaluations in batches of 5; the first 10 are the
same random rows for all methods. What counts is the least error so far after 20, 30, 40 and 50,
less that of the table, as a share of the range of the table's errors.

All methods see the place of a value in its list, which is evenly spaced, by its logarithm where it
spans decades, and a category by columns of 0 and 1, or as Optuna has it. Optuna draws from the
whole grid and can ask for a row again, which counts as an evaluation; so do ours where the fit
finds noise. BoTorch chooses among the rows that are left. Ours have the fit of an `Experiment`.

Runs are kept as those of `public`. `make bench` runs one table; `--document` writes
results/tables.md; `--make` evaluates the tables that have no file.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import quantile_test

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._grids import FOLDER, NAMES, errors_of, make, task_of
from benchmarks._optimisers import botorch_log_ei, optuna_gp, optuna_tpe, own, sobol
from benchmarks._regrets import OURS
from benchmarks._rows import read
from benchmarks._table import line, machine
from benchmarks._wins import (
    COVERAGE,
    ENOUGH,
    ROUNDING,
    Gaps,
    gathered,
    medians_table,
    names_of,
    often,
    ranks,
    seconds_table,
    seeds_of,
    wins,
    wins_table,
)
from benchmarks.public import Rival, each, kept, options, played
from ucbpe_core import GPUCBPE, ConstantBeta
from ucbpe_core.policies import RandomizedKrigingBeliever, Recommended, VizierUCBPE

K, FIRST, MARKS = 5, 10, (20, 30, 40, 50)
DOCUMENT = Path(__file__).parent / "results" / "tables.md"
SHORT: dict[str, Any] = {"seeds": 1, "functions": ["wine-svm"], "batches": [K]}
SHORT["suites"] = ("tables",)
BETA = ConstantBeta(4.0)
RIVALS = {
    "Random": Rival(sobol, FIRST, ()),
    OURS: Rival(own(lambda K, seed: Recommended(K), to_optimise=True), FIRST),
    "Vizier UCB-PE": Rival(own(lambda K, seed: VizierUCBPE(K, seed=seed), to_optimise=True), FIRST),
    "GP-UCB-PE, beta = 4": Rival(own(lambda K, seed: GPUCBPE(K), BETA, to_optimise=True), FIRST),
    "Randomized believer": Rival(
        own(lambda K, seed: RandomizedKrigingBeliever(K, seed=seed), to_optimise=True), FIRST
    ),
    "Optuna TPE": Rival(optuna_tpe, FIRST, ("optuna",)),
    "Optuna GPSampler": Rival(optuna_gp, FIRST, ("optuna", "torch")),
    "BoTorch qLogEI": Rival(botorch_log_ei, FIRST, ("botorch", "gpytorch", "torch")),
}
Tables = Mapping[str, Gaps]


def run(seed: int, method: str, K: int, table: str) -> dict[str, Any]:
    """What is kept of a run of a method on a table."""
    rival = RIVALS[method]
    found = played(task_of(table), rival.maker, rival.first, K, seed, MARKS)
    return kept(found, rival.packages)


def median(gaps: np.ndarray) -> str:
    """Of gaps (n,), in percent of the table's range, with an interval of 95 % where n allows it."""
    interval = quantile_test(gaps, p=0.5).confidence_interval(COVERAGE)
    ends = np.array([np.median(gaps), interval.low, interval.high])
    at, low, high = 100 * np.where(ends <= ROUNDING, 0.0, ends)
    return f"{at:.2g}" if np.isnan(low) else f"{at:.2g} [{low:.2g}, {high:.2g}]"


def pairs_table(tables: Tables, mark: int) -> str:
    """On how many tables the method of a row beats that of a column."""
    names, found = names_of(tables), wins(tables, mark, MARKS)
    lines = [line(["", *names]), "|---" * (len(names) + 1) + "|"]
    for one in names:
        cells = ("" if one == other else str(found.get((one, other), 0)) for other in names)
        lines.append(line([one, *cells]))
    return "\n".join(lines)


def ranks_table(tables: Tables) -> str:
    """After each mark, the mean rank of a method's medians, and its runs that found the least."""
    names = names_of(tables)
    lines = [line(["method", *(f"after {mark}" for mark in MARKS)]), "|---" * 5 + "|"]
    for name, row in zip(names, ranks(tables), strict=True):
        found = np.mean([np.mean(tables[t][name] <= ROUNDING, axis=0) for t in tables], axis=0)
        cells = [f"{rank:.1f} ({one:.0%})" for rank, one in zip(row, found, strict=True)]
        lines.append(line([name, *cells]))
    return "\n".join(lines)


def contents() -> str:
    """What the tables are."""
    lines = [line(["table", "settings", "least error", "greatest", "at the least", "within 1 %"])]
    lines.append("|---" * 6 + "|")
    for name in NAMES:
        errors = errors_of(name)
        shares = (errors - errors.min()) / np.ptp(errors)
        few = [int(np.sum(shares <= share)) for share in (0.0, 0.01)]
        lines.append(line([name, len(errors), float(errors.min()), float(errors.max()), *few]))
    return "\n".join(lines)


def written(rows: list[dict[str, Any]]) -> str:
    """All tables of the record: of the methods with seeds enough for a verdict, then of all."""
    sure = often(rows)
    groups = [sure] if len({row["method"] for row in sure}) > 1 else []
    if {row["method"] for row in sure} != {row["method"] for row in rows}:
        groups.append(rows)
    parts = [of_methods(group) or "No table that all methods ran on." for group in groups]
    return "\n\n".join([*parts, seconds_table(rows)]) if rows else "No runs."


def of_methods(rows: list[dict[str, Any]]) -> str:
    """The tables on which all methods of the rows ran; "" if there are none."""
    methods = {row["method"] for row in rows}
    tables = {
        table: gaps
        for table, gaps in gathered(rows).get(K, {}).items()
        if gaps.keys() == methods and all(map(len, gaps.values()))
    }
    if not tables:
        return ""
    seeds = seeds_of(tables)
    title = f"{len(methods)} methods, {len(tables)} of {len(NAMES)} tables, seeds of each"
    parts = [f"## {title}: {seeds} or more"]
    parts += ["Mean rank of the medians, and in brackets the runs that found the least error:"]
    parts += [ranks_table(tables)]
    if seeds >= ENOUGH:
        title = "Pairs won : lost, of all tables and rivals (one-sided Mann-Whitney, 0.05):"
        parts += [title, wins_table(tables, MARKS[1::2], MARKS)]
        for mark in MARKS[1::2]:
            title = f"Tables on which the method of a row beats that of a column after {mark}:"
            parts += [title, pairs_table(tables, mark)]
    else:
        parts.append(f"No verdict: it takes {ENOUGH} seeds.")
    for mark in MARKS[1::2]:
        parts += [f"Median regret after {mark}, in percent of the range:"]
        parts += [medians_table(tables, mark, MARKS, median)]
    return "\n\n".join(parts)


def document(rows: list[dict[str, Any]]) -> None:
    """To results/tables.md."""
    note = (
        "50 evaluations in batches of 5, of which the first 10 are the same random rows for all. "
        "Regret is the least error so far less that of the table, in percent of the range of its "
        "errors. A bracket is a 95 % interval of the median by order statistics; bold is the least "
        "median of a row. The runs are in `tables.jsonl`; `benchmarks/tables.py` makes them and "
        "this page, and `benchmarks/_grids.py` the tables."
    )
    head = "# Choosing from lists, beside other optimisers: the runs"
    measured = "Measured with " + ", ".join(f"{k} {v}" for k, v in machine().items()) + "."
    what = "## The tables\n\nThe last two columns count settings."
    parts = [head, note, written(rows), what, contents(), measured]
    DOCUMENT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main() -> None:
    """Run what is missing; print the tables, or write them into the record."""
    parser = options(__doc__, "tables.jsonl", RIVALS, SHORT)
    parser.add_argument("--make", action="store_true", help="evaluate tables that have no file")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.make:
        for name in NAMES:
            if not (FOLDER / f"{name}.csv").exists():
                make(name)
        return
    each(given.store, given, run)
    rows = read(given.store)
    document(rows) if given.document else print(written(rows))


if __name__ == "__main__":
    main()
