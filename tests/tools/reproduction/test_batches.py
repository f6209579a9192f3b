"""Few batches against many: paired numbers of all picks, and dots that lead to their runs."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from tools.reproduction import batches, claims, few, paper, summary, tables
from ucbpe_app.links import decode
from ucbpe_app.run.sentences import number
from ucbpe_core.study import Result
from ucbpe_core.study.summarise import curves, differences, statistics

RIVALS = ("GreedyUCB", "Vizier UCB-PE")
PHASES = "Batched pure exploration"


def small(T: int, problems: tuple[str, ...] = ("Himmelblau", "Tsunamis")) -> summary.Summary:
    """Random regrets; those of GreedyUCB are lower, and of the other rule the same in the mean."""
    rng, found = np.random.default_rng(T), []
    for problem in problems:
        for i in range(8):
            base = rng.uniform(1, 2, T)
            for policy, factor in (
                ("GP-UCB-PE", 1.0),
                (RIVALS[0], 0.5),
                (RIVALS[1], 0.0),
                (PHASES, 0.9),
            ):
                total = factor * base if factor else rng.permutation(base)
                run = (problem, policy, i, None, total / 5, total, np.ones(T), 5)
                found.append(Result(*run, seconds=0.1))
    notes = pd.concat([claims.paired_regrets(found, "GP-UCB-PE"), claims.shares_found(found)])
    paired = differences(found, "GP-UCB-PE")
    return summary.Summary(curves(found), paired, statistics(found), notes)


def test_paired_regrets_of_all_picks_have_student_s_interval() -> None:
    rng = np.random.default_rng(0)
    totals = {"GP-UCB-PE": rng.uniform(1, 2, (6, 4)), "Other": rng.uniform(0, 2, (6, 4))}
    runs = [
        Result("Hill", policy, i, None, total / 3, total, np.ones(4), 3, seconds=0.1)
        for policy, values in totals.items()
        for i, total in enumerate(values)
    ]
    (found,) = claims.paired_regrets(runs, "GP-UCB-PE").to_dict("records")
    a, b = (totals[name].sum(axis=1) / 12 for name in ("Other", "GP-UCB-PE"))
    expected = ttest_rel(a, b).confidence_interval(0.95)
    assert (found["low"], found["high"]) == pytest.approx((expected.low, expected.high))
    assert found["mean"] == pytest.approx((a - b).mean())


def test_the_table_says_which_rule_has_less_regret() -> None:
    head, _, *rows = tables.every_pick(small(6)).splitlines()
    assert head == f"| problem | GP-UCB-PE | GreedyUCB | Vizier UCB-PE | {PHASES} |"
    for row in rows:
        cells = row.strip("| ").split(" | ")
        assert cells[2].startswith("▼ −")
        assert cells[3].startswith("≈")


def all_summaries(problems: tuple[str, ...]) -> dict[str, summary.Summary]:
    """Of every study; the rules of phases in theirs alone."""
    kept = {}
    for T, names in few.STUDIES.items():
        for name in names:
            made = small(T, problems)
            own = {plan.label for plan in paper.STUDIES[name]().policies}
            tables_of = (made.curves, made.differences, made.statistics, made.notes)
            kept[name] = summary.Summary(*(one[one["policy"].isin(own)] for one in tables_of))
    return kept


def test_each_dot_leads_to_its_run(tmp_path: Path) -> None:
    problems = tuple(label for label, _ in paper.TASKS)
    summaries = all_summaries(problems)
    batches.draw(summaries, tmp_path / "few.svg")
    drawn = (tmp_path / "few.svg").read_text(encoding="utf-8")
    found = [unescape(one) for one in re.findall(r'xlink:href="(http[^"]+)"', drawn)]
    assert batches.link("Abalone", "GP-UCB-PE", 100) is None
    cells = {cell for cell in few.Cells(summaries) if cell[0] != "Abalone"}
    assert {T for _, T, _ in cells} == {4, 10, 20, 50, 100}
    assert len(found) == len(cells)
    for problem, T, rule in cells:
        link = batches.link(problem, rule, T)
        assert link in found
        moment, errors = decode(link.partition("?")[2])
        assert errors == ()
        settings = moment.settings
        assert (settings.policy, settings.batch_size, settings.batches) == (rule, 1000 // T, T)
        assert (settings.problem, settings.initial) == (dict(paper.TASKS)[problem], 20)


def test_a_row_has_the_cells_of_one_problem_and_number_of_batches() -> None:
    summaries = all_summaries(("Himmelblau",))
    cells = few.Cells(summaries)
    head, _, *rows = few.every_pick(cells).splitlines()
    assert head == f"| problem | T × K | GP-UCB-PE | GreedyUCB | Vizier UCB-PE | {PHASES} |"
    assert [row.split(" | ")[1] for row in rows] == ["4 × 250", "10 × 100", "20 × 50", "50 × 20",
                                                     "100 × 10"]  # fmt: skip
    four, ten = (row.strip("| ").split(" | ") for row in rows[:2])
    own = tables.every_pick(summaries["few_batches_4"]).splitlines()[2].strip("| ").split(" | ")
    assert four[2] == own[1]
    assert set(four[3:5]) == set(own[2:])
    assert four[5].startswith("▼")
    assert ten[5] == "–"


def test_the_sentences_count_the_cells() -> None:
    cells = few.Cells(all_summaries(("Himmelblau", "Tsunamis")))
    said = few.sentences(cells)
    assert "**GreedyUCB**, mean regret of all evaluations against GP-UCB-PE: lower in 10" in said
    phases = f"**{PHASES}**, mean regret of all evaluations against GP-UCB-PE"
    assert f"{phases}: lower in 2 of 2" in said
    signs = "".join(few.every_pick(cells).splitlines()[2:])
    open_cells = re.search(r"Vizier UCB-PE\*\*, mean regret of all.*open in (\d+)", said)
    assert open_cells is not None
    assert int(open_cells[1]) == signs.count("≈")
    for rule in ("GP-UCB-PE", *RIVALS):
        for problem in ("Himmelblau", "Tsunamis"):
            least, most = (cells.regret(problem, T, rule) for T in (4, 100))
            assert f"{problem} {number(least.mean / most.mean)} times (4/100)" in said


def test_it_is_counted_who_measured_the_maximum() -> None:
    runs = [
        Result("Hill", "A", i, None, np.array([1.0, least]), np.ones(2), np.ones(2), 2)
        for i, least in enumerate((0.0, 0.0, 1e-12))
    ]
    (found,) = claims.shares_found(runs).to_dict("records")
    assert (found["mean"], found["replicates"]) == (pytest.approx(2 / 3), 3)


def test_the_runs_of_few_batches_have_1000_evaluations() -> None:
    for T, names in few.STUDIES.items():
        for name in names:
            study = paper.STUDIES[name]()
            assert (study.batches, study.batches * study.batch_size) == (T, 1000)
            assert {study.initial, study.replicates} == {20, 64}
