"""The table of `optimise`: medians and quartiles, and ours beside each other one, by seed."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks._table import machine

DOCUMENT = Path(__file__).parent / "results" / "optimisers.md"
_BEGIN, _END = "<!-- measured: optimisers -->\n", "<!-- /measured -->\n"
_MEASURED = "Measured with "
_LEAST = 1e-9  # regret up to it is rounding, and counts as 0
_FEW = 5  # seeds: of fewer, an interval says nothing
OURS = "Recommended"

Runs = dict[int, tuple[float, float]]  # by seed: the final regret, seconds a batch


class Cell(NamedTuple):
    """The runs of a method on a problem: the median of their regrets, and quartiles."""

    regret: float
    low: float
    high: float
    seconds: float
    seeds: int


class Paired(NamedTuple):
    """Median of log10 of our regret less that of another, over seeds, and its 95 % interval.

    Where one of two regrets is 0 it is infinite, where both are it is 0; `zeros` are the seeds of
    ours and of the other at 0, and all.
    """

    at: float
    low: float
    high: float
    zeros: tuple[int, int, int]


def gathered(runs: list[dict[str, Any]]) -> dict[tuple[str, bool], dict[str, Runs]]:
    """By problem and noise, then by method."""
    found: dict[tuple[str, bool], dict[str, Runs]] = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        last = run["regrets"][-1]
        cell = found[run["problem"], run["noisy"]][run["method"]]
        cell[run["seed"]] = last if last > _LEAST else 0.0, run["seconds"]
    return {key: dict(methods) for key, methods in found.items()}


def cell(runs: Runs) -> Cell:
    regrets, seconds = np.array(list(runs.values())).T
    low, median, high = np.quantile(regrets, [0.25, 0.5, 0.75]).tolist()
    return Cell(median, low, high, float(np.median(seconds)), len(regrets))


def paired(own: Runs, other: Runs, draws: int = 4000) -> Paired:
    """Ours against another, on the seeds of both; the interval is of bootstrap percentiles."""
    both = sorted(own.keys() & other.keys())
    ours, theirs = (np.array([runs[seed][0] for seed in both]) for runs in (own, other))
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(ours == theirs, 0.0, np.log10(ours) - np.log10(theirs))
        rng = np.random.default_rng(0)
        medians = np.median(apart[rng.integers(len(apart), size=(draws, len(apart)))], axis=1)
    # The middle of minus and plus infinity: as often one as the other.
    medians = np.where(np.isnan(medians), 0.0, medians)
    low, high = np.quantile(medians, [0.025, 0.975], method="inverted_cdf").tolist()
    zeros = int(np.sum(ours == 0)), int(np.sum(theirs == 0)), len(both)
    return Paired(float(np.median(apart)), low, high, zeros)


def verdicts(methods: dict[str, Runs]) -> list[str]:
    """Ours beside each of the others: the paired difference, where `_FEW` seeds have both."""
    own = methods.get(OURS, {})
    others = {name: paired(own, runs) for name, runs in methods.items() if _enough(name, own, runs)}
    return [f"{name} {_said(one)}" for name, one in others.items()]


def _said(one: Paired) -> str:
    at, low, high = (f"{x:+.2f}".replace("inf", "∞") for x in one[:3])
    ours, theirs, every = one.zeros
    zeros = f" (at 0: {ours} and {theirs} of {every})" if ours or theirs else ""
    return f"{at} [{low}, {high}]{zeros}"


def _enough(name: str, own: Runs, other: Runs) -> bool:
    return name != OURS and len(own.keys() & other.keys()) >= _FEW


def table(found: dict[str, dict[str, Runs]]) -> str:
    """A row for each method and a column for each problem that ours was run on."""
    problems = [problem for problem, methods in found.items() if OURS in methods]
    every = dict.fromkeys(name for problem in problems for name in found[problem])
    names = [OURS, *sorted(name for name in every if name != OURS)]
    lines = ["| method | " + " | ".join(problems) + " |", "|---" * (len(problems) + 1) + "|"]
    for name in names:
        row = [_shown(found[problem], name) for problem in problems]
        lines.append(f"| {name} | " + " | ".join(row) + " |")
    return "\n".join(lines)


def _shown(methods: dict[str, Runs], name: str) -> str:
    """Median, bold for the two least and equals; quartiles, seconds a batch, number of seeds."""
    if name not in methods:
        return "–"
    own, second = cell(methods[name]), sorted(cell(one).regret for one in methods.values())[1]
    text = f"**{own.regret:.2g}**" if own.regret <= second else f"{own.regret:.2g}"
    return f"{text} [{own.low:.2g}, {own.high:.2g}] ({own.seconds:.2g} s, {own.seeds})"


def both(runs: list[dict[str, Any]]) -> str:
    """Without noise and with: the table, and the paired differences of ours to all others."""
    parts = list[str]()
    for heading, noise in (("Without noise", False), ("With noise", True)):
        every = sorted(gathered(runs).items())
        found = {problem: methods for (problem, noisy), methods in every if noisy == noise}
        said = {problem: verdicts(methods) for problem, methods in found.items()}
        lines = [f"- {problem}: {'; '.join(one)}" for problem, one in said.items() if one]
        if found:
            parts += [f"{heading}:", table(found), "\n".join(lines)]
    return "\n\n".join(parts)


def printed(runs: list[dict[str, Any]]) -> None:
    print(both(runs))


def document(runs: list[dict[str, Any]], *, ran: bool) -> None:
    """Write both into the documentation, between its two marks.

    What they were measured with changes only if something `ran`.
    """
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(_BEGIN)
    kept, after = rest.split(_END)
    measured = _MEASURED + kept.split(_MEASURED)[1].strip()
    if ran:
        measured = _MEASURED + ", ".join(f"{k} {v}" for k, v in machine().items()) + "."
    written = f"{before}{_BEGIN}{both(runs)}\n\n{measured}\n{_END}{after}"
    DOCUMENT.write_text(written, encoding="utf-8")
