"""The tables of `public`: medians with intervals, and who beats whom, as Optuna's protocol has it.

A method beats another on a function, with batches of K, after n evaluations, if its gaps are lower
by a one-sided Mann-Whitney test at 0.05. Verdicts are printed of methods with 20 seeds or more. The
others stand in a table of their own, of the seeds that all methods have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import mannwhitneyu, quantile_test, rankdata

from benchmarks._table import line, machine

DOCUMENT = Path(__file__).parent / "results" / "public.md"
MARKS = (25, 50, 75, 100)
SHOWN = (50, 100)  # of them, in the tables of medians
ENOUGH = 20  # seeds of a method for a verdict
LEVEL, COVERAGE = 0.05, 0.95
_PAIRS = "Pairs won : lost, of all functions and rivals (one-sided Mann-Whitney, 0.05):"
ROUNDING = 1e-9  # a gap up to it is rounding of the function's value

Gaps = dict[str, np.ndarray]  # by method: (seeds, marks)


class Median(NamedTuple):
    """Of log10 of gaps; the bounds are order statistics, NaN where so few values have none."""

    at: float
    low: float
    high: float
    seeds: int


def gathered(rows: list[dict[str, Any]]) -> dict[int, dict[int, Gaps]]:
    """Gaps by batch size, by function, by method: the same seeds of all methods of a cell."""
    cells: dict[int, dict[int, dict[str, dict[int, list[float]]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(dict))
    )
    for row in rows:
        cells[row["batch"]][row["function"]][row["method"]][row["seed"]] = row["gaps"]
    return {
        K: {function: _common(methods) for function, methods in sorted(functions.items())}
        for K, functions in sorted(cells.items())
    }


def _common(methods: dict[str, dict[int, list[float]]]) -> Gaps:
    """Of the seeds that all methods have, so that none is judged by easier instances."""
    seeds = sorted(set.intersection(*(set(runs) for runs in methods.values())))
    return {
        name: np.maximum([runs[seed] for seed in seeds], ROUNDING).reshape(-1, len(MARKS))
        for name, runs in methods.items()
    }


def median(gaps: np.ndarray) -> Median:
    """Of log10 of gaps (n,), with an interval of at least 95 % by order statistics."""
    logs = np.log10(gaps)
    interval = quantile_test(logs, p=0.5).confidence_interval(COVERAGE)
    return Median(float(np.median(logs)), float(interval.low), float(interval.high), len(logs))


def beats(gaps: np.ndarray, others: np.ndarray) -> bool:
    """Whether gaps (n,) are lower than the others (m,), by a one-sided Mann-Whitney test."""
    return bool(mannwhitneyu(gaps, others, alternative="less").pvalue < LEVEL)


def wins(
    functions: Mapping[Any, Gaps], mark: int, marks: Sequence[int] = MARKS
) -> dict[tuple[str, str], int]:
    """On how many functions the first of a pair of methods beats the second after `mark`."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    at = marks.index(mark)
    for methods in functions.values():
        for one, other in permutations(methods, 2):
            found[one, other] += beats(methods[one][:, at], methods[other][:, at])
    return dict(found)


def _seeds(methods: Gaps) -> int:
    return min(map(len, methods.values()))


def seeds_of(functions: Mapping[Any, Gaps]) -> int:
    """The least number of seeds of any method on any function."""
    return min(map(_seeds, functions.values()))


def names_of(functions: Mapping[Any, Gaps]) -> list[str]:
    """Every method, the one with the lowest mean rank of its last medians first."""
    found: dict[str, list[float]] = defaultdict(list)
    for methods in functions.values():
        medians = [float(np.median(gaps[:, -1])) if len(gaps) else 0.0 for gaps in methods.values()]
        for name, rank in zip(methods, rankdata(medians), strict=True):
            found[name].append(float(rank))
    return sorted(found, key=lambda name: float(np.mean(found[name])))


def of_logarithms(gaps: np.ndarray) -> str:
    """The median of log10 of gaps (n,), with its interval where n allows it."""
    own = median(gaps)
    text = f"{own.at:.2f}"
    return text if np.isnan(own.low) else f"{text} [{own.low:.2f}, {own.high:.2f}]"


def medians_table(
    functions: Mapping[Any, Gaps],
    mark: int,
    marks: Sequence[int] = MARKS,
    shown: Callable[[np.ndarray], str] = of_logarithms,
) -> str:
    """A row for each function or table, a column for each method; the least median is bold.

    A cell is what is `shown` of gaps (n,): a number, and an interval after a space; by default of
    their logarithms.
    """
    names, at = names_of(functions), marks.index(mark)
    lines = [line(["", *names]), "|---" * (len(names) + 1) + "|"]
    for function, methods in functions.items():
        ends = {name: gaps[:, at] for name, gaps in methods.items() if len(gaps)}
        least = min((float(np.median(gaps)) for gaps in ends.values()), default=0.0)
        cells = [function if isinstance(function, str) else f"f{function}"]
        for name in names:
            text = shown(ends[name]) if name in ends else "–"
            best = name in ends and np.median(ends[name]) <= least
            cells.append("**{}**{}{}".format(*text.partition(" ")) if best else text)
        lines.append(line(cells))
    return "\n".join(lines)


def ranks(functions: Mapping[Any, Gaps]) -> np.ndarray:
    """After each mark, the mean rank of a method's medians: (methods, marks), as `names_of`."""
    names = names_of(functions)
    medians = [
        [np.median(methods[name], axis=0) for name in names] for methods in functions.values()
    ]
    return np.asarray(rankdata(np.array(medians), axis=1).mean(axis=0))


def ranks_table(functions: Mapping[Any, Gaps]) -> str:
    """Mean ranks over the functions."""
    lines = [line(["method", *(f"after {mark}" for mark in MARKS)]), "|---" * 5 + "|"]
    rows = zip(names_of(functions), ranks(functions), strict=True)
    lines += [line([name, *(f"{rank:.1f}" for rank in row)]) for name, row in rows]
    return "\n".join(lines)


def wins_table(
    functions: Mapping[Any, Gaps], shown: Sequence[int] = MARKS, marks: Sequence[int] = MARKS
) -> str:
    """Won and lost pairs of each method, over all functions and rivals, after the marks shown."""
    names = names_of(functions)
    lines = [line(["method", *(f"after {mark}" for mark in shown)])]
    lines.append("|---" * (len(shown) + 1) + "|")
    found = [_won_and_lost(wins(functions, mark, marks)) for mark in shown]
    lines += [line([name, *(pairs.get(name, "0 : 0") for pairs in found)]) for name in names]
    return "\n".join(lines)


def summary_table(verdicts: Mapping[int, Mapping[Any, Gaps]]) -> str:
    """`wins_table` of all batch sizes K, after the marks shown that are beyond the first K."""
    columns = [(K, mark) for K in verdicts for mark in SHOWN if mark > K]
    lines = [line(["method", *(f"K = {K}, after {mark}" for K, mark in columns)])]
    lines.append("|---" * (len(columns) + 1) + "|")
    pairs = [_won_and_lost(wins(verdicts[K], mark)) for K, mark in columns]
    order = dict.fromkeys(name for functions in verdicts.values() for name in names_of(functions))
    lines += [line([name, *(found.get(name, "–") for found in pairs)]) for name in order]
    return "\n".join(lines)


def _won_and_lost(pairs: Mapping[tuple[str, str], int]) -> dict[str, str]:
    """What each method has won and lost, of the wins of one method over another."""
    won, lost = Counter[str](), Counter[str]()
    for (one, other), count in pairs.items():
        won[one] += count
        lost[other] += count
    return {name: f"{won[name]} : {lost[name]}" for name in won}


def seconds_table(rows: list[dict[str, Any]]) -> str:
    """Median processor seconds for a batch, by batch size, of the runs that all methods have."""
    spent: dict[str, dict[int, float]] = defaultdict(dict)
    sizes = sorted({row["batch"] for row in rows})
    for K in sizes:
        cells: dict[str, dict[tuple[Any, int], float]] = defaultdict(dict)
        for row in rows:
            if row["batch"] == K:
                cells[row["method"]][row["function"], row["seed"]] = row["seconds"]
        common = set.intersection(*map(set, cells.values()))
        for name, own in cells.items():
            spent[name][K] = float(np.median([own[cell] for cell in common or own]))
    lines = [line(["seconds a batch", *(f"K = {K}" for K in sizes)])]
    lines.append("|---" * (len(sizes) + 1) + "|")
    for name, by_size in sorted(spent.items(), key=lambda one: min(one[1].values())):
        lines.append(line([name, *(f"{by_size[K]:.2g}" if K in by_size else "–" for K in sizes)]))
    return "\n".join(lines)


def often(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows for verdicts: of functions on which any method has seeds enough at a batch size,
    and of the methods that have so many on all of these."""
    runs = Counter((row["batch"], row["function"], row["method"]) for row in rows)
    functions = {(K, function) for (K, function, _), count in runs.items() if count >= ENOUGH}

    def enough(K: int, method: str) -> bool:
        return all(runs[K, one, method] >= ENOUGH for size, one in functions if size == K)

    sure = [row for row in rows if (row["batch"], row["function"]) in functions]
    return [row for row in sure if enough(row["batch"], row["method"])]


def written(rows: list[dict[str, Any]]) -> str:
    """All tables of each suite."""
    suites = {row["suite"]: [one for one in rows if one["suite"] == row["suite"]] for row in rows}
    return "\n\n".join(map(of_suite, suites, suites.values())) if rows else "No runs."


def of_suite(suite: str, rows: list[dict[str, Any]]) -> str:
    """All tables; those of wins only of methods with enough seeds."""
    parts, verdicts = [f"## {suite}"], gathered(often(rows))
    if verdicts:
        parts += [_PAIRS, summary_table(verdicts)]
    for K, functions in gathered(rows).items():
        sure = verdicts.get(K, {})
        if sure:
            parts += [_title(K, sure), *_medians(sure)]
            parts += [_PAIRS, wins_table(sure)]
        if sure.keys() != functions.keys() or set(names_of(sure)) != set(names_of(functions)):
            parts += [_title(K, functions), f"No verdict: it takes {ENOUGH} seeds."]
            everywhere = set.intersection(*(set(own) for own in functions.values()))
            alike = {
                function: {name: own[name] for name in own if name in everywhere}
                for function, own in functions.items()
                if _seeds(own)
            }
            if len(alike) > 1:
                title = f"Mean rank of the medians on {len(alike)} functions:"
                parts += [title, ranks_table(alike)]
            parts += _medians(functions) if any(map(_seeds, functions.values())) else []
    return "\n\n".join([*parts, seconds_table(rows)])


def _title(K: int, functions: dict[int, Gaps]) -> str:
    counts = {
        "method": len(names_of(functions)), "function": len(functions), "seed": seeds_of(functions)
    }  # fmt: skip
    parts = (f"{n} {what}" if n == 1 else f"{n} {what}s" for what, n in counts.items())
    return f"### Batches of {K}: {', '.join(parts)}"


def _medians(functions: Mapping[Any, Gaps]) -> list[str]:
    found = list[str]()
    for mark in SHOWN:
        title = f"Median of log10 of the gap after {mark} evaluations:"
        found += [title, medians_table(functions, mark)]
    return found


def printed(rows: list[dict[str, Any]]) -> None:
    """To the terminal."""
    print(written(rows))


def document(rows: list[dict[str, Any]]) -> None:
    """To results/public.md."""
    head = "# Beside other optimisers on functions of COCO: the runs"
    note = (
        "Functions of COCO's suites in 5 dimensions, 100 evaluations, an instance for each "
        "seed. A bracket is a 95 % interval of the median by order statistics; bold is the least "
        "median of a row. The runs are in `public.jsonl`; `benchmarks/public.py` makes them and "
        "this page."
    )
    measured = "Measured with " + ", ".join(f"{k} {v}" for k, v in machine().items()) + "."
    text = "\n\n".join([head, note, written(rows), measured])
    DOCUMENT.write_text(text + "\n", encoding="utf-8")
