"""The tables say what the summaries say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tools.reproduction import claims, paper, summary, tables, write
from ucbpe_app.study.records import comparisons, curves_of
from ucbpe_core.study import Result
from ucbpe_core.study.summarise import curves, differences, statistics

ROOT = Path(__file__).parents[3]
POLICIES = ("GP-UCB-PE", "Better", "Same")


def results() -> list[Result]:
    rng = np.random.default_rng(1)
    found = []
    for i in range(8):
        base = rng.uniform(1, 2, 5)
        for policy, simple in zip(POLICIES, (base, base / 2, rng.permutation(base)), strict=True):
            found.append(
                Result("Hill", policy, i, None, simple, 3 * simple, np.ones(5), 4, seconds=0.1)
            )
    return found


@pytest.fixture
def small() -> summary.Summary:
    found = results()
    numbers = statistics(found)
    paired = differences(found, "GP-UCB-PE")
    return summary.Summary(curves(found), paired, numbers, numbers.head(0))


def cells(table: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in table.splitlines()]


def numbers(cell: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", cell.replace("−", "-"))]


def test_differences_have_their_base_their_sign_and_their_verdict(small):
    head, _, row = cells(tables.simple_regret(small))
    assert head == ["problem", *POLICIES]
    base = np.mean([one.simple.mean() for one in results() if one.policy == "GP-UCB-PE"])
    assert float(row[1]) == pytest.approx(base, rel=5e-3)
    assert row[2].startswith("▼")
    assert numbers(row[2])[0] == pytest.approx(-base / 2, rel=5e-3)
    assert row[3].startswith("≈")


def test_batch_sizes_and_initialisation_show_their_notes():
    found = [
        Result("GP", f"K = {K}", i, None, np.full(4, (2 + i) / K**0.5), np.ones(4), np.ones(4), K)
        for i in range(3)
        for K in paper.BATCH_SIZES
    ]
    sizes = {f"K = {K}": K for K in paper.BATCH_SIZES}
    notes = claims.batch_size_exponents(found, sizes)
    means = curves(found)
    kept = summary.Summary(means, means.head(0), statistics(found), notes)
    head, _, row = cells(tables.batch_sizes(kept))
    assert head[-1] == "exponent of K"
    assert numbers(row[-1]) == pytest.approx([-0.5] * 3, abs=1e-3)
    assert numbers(row[1])[0] == pytest.approx(3.0)


@pytest.mark.parametrize("page", ["docs/reproduction.md", "tools/reproduction/README.md"])
def test_the_shipped_documents_have_the_tables_of_the_shipped_summaries(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    summaries = {name: summary.read(summary.RESULTS / name) for name in paper.STUDIES}
    assert text.count("<!-- table:") >= 2
    assert write.fill(text, summaries) == text


def test_the_shipped_summaries_are_those_of_the_shipped_studies():
    for name, study in paper.STUDIES.items():
        kept, plan = summary.read(summary.RESULTS / name), study()
        assert kept.problems == [one.label for one in plan.problems]
        assert kept.policies == [one.label for one in plan.policies]
        assert (kept.statistics["replicates"] == plan.replicates).all()
        assert (kept.statistics["failed"] == 0).all()


def test_the_means_of_chapter_5_are_those_of_the_summaries():
    chapter = (ROOT / "notebooks" / "5-policies-raced.md").read_text(encoding="utf-8")
    (cell,) = re.findall(r"```python\n(policies = .*?)```", chapter, re.DOTALL)
    told = {"pd": pd}
    exec(cell, told)
    kept = summary.read(summary.RESULTS / "section5")
    names = {
        "mean_regret": "mean_simple_regret",
        "best_regret": "final_running_minimum",
        "every_pick": "mean_regret",
    }
    for name, statistic in names.items():
        assert list(told[name].index) == kept.problems
        for problem in kept.problems:
            means = [kept.statistic(statistic, problem, one).mean for one in told["policies"]]
            assert list(told[name].loc[problem]) == pytest.approx(means, rel=1e-3)
    for problem, batches in told["initialization"].items():
        mean = kept.statistic("initialization", problem, "GP-BUCB").mean
        assert batches == pytest.approx(mean, rel=1e-3)


def test_the_means_of_chapter_7_are_those_of_the_summary():
    chapter = (ROOT / "notebooks" / "7-from-2013-to-2026.md").read_text(encoding="utf-8")
    (cell,) = re.findall(r"```python\n(best_regret = .*?)```", chapter, re.DOTALL)
    told = {"pd": pd}
    exec(cell, told)
    kept = summary.read(summary.RESULTS / "newer")
    table, policies = told["best_regret"], ("GP-UCB-PE", "Vizier UCB-PE")
    assert list(table.index) == kept.problems
    rows = comparisons(curves_of(kept.curves), curves_of(kept.differences))
    paired = {one.problem: one for one in rows if one.statistic == "running_minimum"}
    for problem in kept.problems:
        means = [kept.statistic("final_running_minimum", problem, one).mean for one in policies]
        limits = [paired[problem].low, paired[problem].high]
        assert list(table.loc[problem]) == pytest.approx([*means, *limits], rel=1e-3)
