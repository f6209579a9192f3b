"""The scores of `challenge`, as `bayesmark` has them, and their tables.

The loss of a run is that of its best setting so far: 0 for the least that is known of the problem,
1 for the median of random settings, and at most 1. A score is 100 (1 - mean loss), after all
batches, over problems and seeds; the least that is known is that of all runs and random settings.
So 100 cannot be beaten, and a random setting, not a random search, has 0. Beside it is the same
relative to the mean of a random search with as many settings, which there has 0.

Intervals are over seeds, for the problems as they are. No verdict is printed from fewer than 20.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from benchmarks._regrets import OURS
from benchmarks._table import line, machine
from benchmarks._wins import COVERAGE, ENOUGH, beats

RESULTS = Path(__file__).parent / "results"
DOCUMENT, RANDOM = RESULTS / "challenge.md", RESULTS / "challenge-random.jsonl"
K, BATCHES = 8, 16
MARKS = tuple(range(K, K * BATCHES + 1, K))
SHOWN = (4, 8, BATCHES)  # batches

Rows = list[dict[str, Any]]


class Scale(NamedTuple):
    """Of losses of random settings: the least, the median, and the means of the best after each
    batch, where a loss above the median counts as that."""

    least: float
    median: float
    means: list[float]


class Interval(NamedTuple):
    """A mean, and a 95 % interval by Student's t; NaN for a single value."""

    mean: float
    low: float
    high: float


def scale_of(losses: np.ndarray) -> Scale:
    """Of losses (n,), n at least 128; the means are of the least of m of them, drawn without
    replacement."""
    median = float(np.median(losses))
    ordered, n = np.minimum(np.sort(losses), median), len(losses)
    # The chance that at least one of the i + 1 lowest is drawn.
    chances = stats.hypergeom.sf(0, n, np.arange(1, n + 1)[:, None], MARKS)
    weights = np.diff(chances, axis=0, prepend=0.0)
    return Scale(float(losses.min()), median, (ordered @ weights).tolist())


class Losses(NamedTuple):
    """Of methods, (methods, problems, seeds, batches): the seeds that all have of all problems,
    without the problems of which they have none yet."""

    methods: list[str]  # the one with the highest score first
    problems: list[str]
    of_runs: np.ndarray
    of_random: np.ndarray  # (problems, batches): means of a random search


def losses_of(rows: Rows, random: Rows) -> Losses:
    """On the scale that is described above."""
    runs: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(dict)
    for row in rows:
        runs[row["method"], row["problem"]][row["seed"]] = row["best"]
    methods, problems = (sorted(set(names)) for names in zip(*runs, strict=True))
    common = {p: set.intersection(*(set(runs[m, p]) for m in methods)) for p in problems}
    problems = [p for p in problems if common[p]]
    seeds = sorted(set.intersection(*(common[p] for p in problems))) if problems else []
    best = [[[runs[m, p][s] for s in seeds] for p in problems] for m in methods]
    at = np.array(best).reshape(len(methods), len(problems), len(seeds), BATCHES)
    scales = {row["problem"]: row for row in random}
    known = [
        min(scales[p]["least"], *(row["best"][-1] for row in rows if row["problem"] == p))
        for p in problems
    ]
    least = np.array(known).reshape(-1, 1)
    width = np.array([scales[p]["median"] for p in problems]).reshape(-1, 1) - least
    means = np.array([scales[p]["means"] for p in problems]).reshape(-1, BATCHES)
    losses = np.minimum((at - least[..., None]) / width[..., None], 1.0)
    order = losses[..., -1].mean(axis=(1, 2)).argsort() if seeds else np.arange(len(methods))
    return Losses([methods[i] for i in order], problems, losses[order], (means - least) / width)


def interval(values: np.ndarray) -> Interval:
    """Of the mean of values (n,)."""
    mean, n = float(values.mean()), len(values)
    if n < 2:
        return Interval(mean, np.nan, np.nan)
    half = float(stats.t.isf((1 - COVERAGE) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n))
    return Interval(mean, mean - half, mean + half)


def _shown(found: Interval, sign: str = "") -> str:
    text = f"{found.mean:{sign}.1f}"
    return (
        text if np.isnan(found.low) else f"{text} [{found.low:{sign}.1f}, {found.high:{sign}.1f}]"
    )


def scores_table(losses: Losses, seconds: dict[str, float]) -> str:
    """Scores after some batches; the least mean loss relative to that of a random search."""
    head = [f"after {count} batches" for count in SHOWN]
    lines = [line(["method", *head, "beside random search", "seconds a batch"]), "|---" * 6 + "|"]
    searched = losses.of_random[:, -1].mean()
    for name, own in zip(losses.methods, losses.of_runs, strict=True):
        after = [interval(100 * (1 - own[..., count - 1].mean(axis=0))) for count in SHOWN]
        relative = 100 * (1 - own[..., -1].mean() / searched)
        cells = [name, *map(_shown, after), f"{relative:.1f}", f"{seconds[name]:.2g}"]
        lines.append(line(cells))
    return "\n".join(lines)


def problems_table(losses: Losses) -> str:
    """Scores of each problem; the highest of each is bold."""
    lines = [line(["method", *losses.problems]), "|---" * (len(losses.problems) + 1) + "|"]
    scores = 100 * (1 - losses.of_runs[..., -1])
    highest = scores.mean(axis=2).max(axis=0)
    for name, own in zip(losses.methods, scores, strict=True):
        cells = [name]
        for runs, most in zip(own, highest, strict=True):
            text = _shown(interval(runs))
            cells.append(f"**{text}**" if runs.mean() >= most else text)
        lines.append(line(cells))
    return "\n".join(lines)


def differences_table(losses: Losses) -> str:
    """The score of each method less ours, seed by seed, and the problems on which it wins."""
    lines = [line(["method", f"its score less that of {OURS}", "won : lost"]), "|---" * 3 + "|"]
    last, ours = losses.of_runs[..., -1], losses.methods.index(OURS)
    for name, own in zip(losses.methods, last, strict=True):
        if name != OURS:
            less = 100 * (last[ours] - own).mean(axis=0)
            pairs = list(zip(own, last[ours], strict=True))
            won, lost = sum(beats(a, b) for a, b in pairs), sum(beats(b, a) for a, b in pairs)
            verdict = f"{won} : {lost}" if last.shape[2] >= ENOUGH else "–"
            lines.append(line([name, _shown(interval(less), "+"), verdict]))
    return "\n".join(lines)


def written(rows: Rows, random: Rows) -> str:
    """All tables, of the problems that have a scale."""
    rows = [row for row in rows if row["problem"] in {one["problem"] for one in random}]
    if not rows:
        return "No runs."
    losses = losses_of(rows, random)
    number = losses.of_runs.shape[2]
    counts = ("problem", len(losses.problems)), ("seed", number)
    title = "## " + ", ".join(f"{n} {name}" if n == 1 else f"{n} {name}s" for name, n in counts)
    if not number:
        return f"{title}\n\nNo seed has all methods."
    spent = defaultdict(list)
    for row in rows:
        if row["problem"] in losses.problems:
            spent[row["method"]].append(row["seconds"])
    seconds = {name: float(np.median(values)) for name, values in spent.items()}
    parts = [title, scores_table(losses, seconds)]
    parts += ["Scores of each problem, after all batches:", problems_table(losses)]
    if OURS in losses.methods and len(losses.methods) > 1:
        parts.append(differences_table(losses))
    if number < ENOUGH:
        parts.append(f"No verdict: it takes {ENOUGH} seeds.")
    return "\n\n".join(parts)


def printed(rows: Rows, random: Rows) -> None:
    """To the terminal."""
    print(written(rows, random))


def document(rows: Rows, random: Rows) -> None:
    """To results/challenge.md."""
    head = "# Beside other optimisers on settings of scikit-learn's models: the runs"
    note = (
        "16 batches of 8, as in NeurIPS 2020's black-box optimisation challenge. 100 is the least "
        "loss known of a problem, 0 the median loss of random settings; *beside random search*, 0 "
        "is the mean of a random search of 128. A bracket is a 95 % interval over seeds, by "
        "Student's t; seconds are of the processor. A method wins on a problem if its losses are "
        "lower by a one-sided Mann-Whitney test at 0.05. The runs are in `challenge.jsonl`, the "
        "random settings in `challenge-random.jsonl`; `benchmarks/challenge.py` makes them and "
        "this page, and says which problems are left out."
    )
    measured = "Measured with " + ", ".join(f"{k} {v}" for k, v in machine().items()) + "."
    text = "\n\n".join([head, note, written(rows, random), measured])
    DOCUMENT.write_text(text + "\n", encoding="utf-8")
