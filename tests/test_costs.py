"""The figures in the documents are those of the benchmarks' tables and runs."""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from pathlib import Path

import pytest

from benchmarks import _costs, _regrets

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "docs/developers.md")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_figures_are_those_of_the_tables(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert text.count("<!-- costs: ") == text.count("<!-- /costs -->") > 0
    assert _costs.written(text) == text


def test_a_row_against_its_table() -> None:
    """Read from the JSON by hand: the least and the greatest factor of scikit-learn."""
    kept = json.loads((_costs.RESULTS / "beside_peers.json").read_text(encoding="utf-8"))
    case = {"M": 10_000, "n": 200, "K": 10}
    factors = [row["scikit-learn"] for row in kept["rows"] if case.items() <= row.items()]
    assert len(factors) == 2
    wanted = f"{min(factors):.0f} to {max(factors):.0f} times as long"
    (row,) = (
        line for line in _costs.table("readme").splitlines() if "scikit-learn, fitted" in line
    )
    assert row.endswith(f"| {wanted} |")


def test_optimisers_has_the_medians_of_the_runs() -> None:
    """Not the geometric middle of two seeds, nor a floor where half of them are at 0."""
    store = ROOT / "benchmarks" / "results" / "optimise.jsonl"
    runs = [json.loads(line) for line in store.read_text(encoding="utf-8").splitlines()]
    text = _regrets.DOCUMENT.read_text(encoding="utf-8")
    assert f"{_regrets.both(runs)}\n\nMeasured with " in text
    regrets = defaultdict[tuple[bool, str, str], list[float]](list)
    for run in runs:
        regrets[run["noisy"], run["problem"], run["method"]].append(run["regrets"][-1])
    found = 0
    for noisy, part in enumerate(text.split("Without noise:")[1].split("With noise:")):
        heading, *rows = [line for line in part.splitlines() if line.startswith("| ")][:12]
        problems = heading.strip("| ").split(" | ")[1:]
        for row in rows:
            method, *cells = row.strip("| ").split(" | ")
            for problem, cell in zip(problems, cells, strict=True):
                if cell == "–" or (bool(noisy), problem, method) not in regrets:
                    continue
                median = statistics.median(regrets[bool(noisy), problem, method])
                printed = float(cell.split(" ")[0].strip("*"))
                assert printed == pytest.approx(median if median > 1e-9 else 0, rel=0.06)
                found += 1
    assert found == 148


def test_paired_regrets_say_how_many_are_at_0() -> None:
    ours = {seed: (regret, 1.0) for seed, regret in enumerate([0.0, 0.0, 0.0, 0.1, 0.01])}
    other = {seed: (regret, 1.0) for seed, regret in enumerate([0.0, 0.2, 0.2, 1.0, 0.001])}
    found = _regrets.paired(ours, other)
    assert (found.at, found.zeros) == (-1.0, (3, 1, 5))
    assert found.low == -float("inf")
    assert found.high >= 0
    (said,) = _regrets.verdicts({_regrets.OURS: ours, "other": other})
    assert said.startswith("other -1.00 [-∞, ")
    assert said.endswith(" (at 0: 3 and 1 of 5)")
