"""The table of `optimise`: medians, and ours beside each of the others, paired by seed."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks._table import machine

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "optimisers.md"
_BEGIN, _END = "<!-- measured: optimisers -->\n", "<!-- /measured -->\n"
_LEAST = 1e-9  # regret below it is rounding
_FEW = 5  # seeds: of fewer, an interval says nothing
OURS = "Recommended"

Runs = dict[int, tuple[float, float]]  # by seed: log10 of the final regret, seconds a batch


class Cell(NamedTuple):
    """The runs of a method on a problem."""

    regret: float
    seconds: float
    seeds: int


def gathered(runs: list[dict[str, Any]]) -> dict[tuple[str, bool], dict[str, Runs]]:
    """By problem and noise, then by method."""
    found: dict[tuple[str, bool], dict[str, Runs]] = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        last = float(np.log10(max(run["regrets"][-1], _LEAST)))
        cell = found[run["problem"], run["noisy"]][run["method"]]
        cell[run["seed"]] = last, run["seconds"]
    return {key: dict(methods) for key, methods in found.items()}


def cell(runs: Runs) -> Cell:
    logs, seconds = np.array(list(runs.values())).T
    return Cell(float(10 ** np.median(logs)), float(np.median(seconds)), len(logs))


def paired(own: Runs, other: Runs, draws: int = 4000) -> tuple[float, float, float]:
    """Median of own - other over the seeds of both, in powers of ten, with a 95 % interval.

    The interval is the bootstrap's, of percentiles.
    """
    both = sorted(own.keys() & other.keys())
    apart = np.array([own[seed][0] - other[seed][0] for seed in both])
    rng = np.random.default_rng(0)
    medians = np.median(apart[rng.integers(len(apart), size=(draws, len(apart)))], axis=1)
    low, high = np.quantile(medians, [0.025, 0.975])
    return float(np.median(apart)), float(low), float(high)


def verdicts(methods: dict[str, Runs]) -> list[str]:
    """Ours beside each of the others: the paired difference, where `_FEW` seeds have both."""
    own = methods.get(OURS, {})
    others = {name: paired(own, runs) for name, runs in methods.items() if _enough(name, own, runs)}
    return [
        f"{name} {at:+.2f} [{low:+.2f}, {high:+.2f}]" for name, (at, low, high) in others.items()
    ]


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
    """Median regret, bold for the two least and equals; seconds a batch, the number of seeds."""
    if name not in methods:
        return "–"
    own, second = cell(methods[name]), sorted(cell(one).regret for one in methods.values())[1]
    text = "0" if own.regret <= _LEAST else f"{own.regret:.2g}"
    text = f"**{text}**" if own.regret <= second else text
    return f"{text} ({own.seconds:.2g} s, {own.seeds})"


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


def document(runs: list[dict[str, Any]]) -> None:
    """Write both into the documentation, between its two marks."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(_BEGIN)
    after = rest.split(_END)[1]
    measured = "Measured with " + ", ".join(f"{k} {v}" for k, v in machine().items()) + "."
    DOCUMENT.write_text(
        f"{before}{_BEGIN}{both(runs)}\n\n{measured}\n{_END}{after}", encoding="utf-8"
    )
