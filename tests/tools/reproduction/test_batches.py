"""Few batches against many: paired numbers of all picks, and dots that lead to their runs."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from tools.reproduction import batches, claims, paper, summary, tables
from ucbpe_app.links import decode
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
    notes = claims.paired_regrets(found, "GP-UCB-PE")
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


def test_each_dot_leads_to_its_run(tmp_path: Path) -> None:
    problems = tuple(label for label, _ in paper.TASKS[:-1])
    batches.draw(dict.fromkeys(batches.STUDIES, small(6, problems)), tmp_path / "few.svg")
    drawn = (tmp_path / "few.svg").read_text(encoding="utf-8")
    found = [unescape(one) for one in re.findall(r'xlink:href="(http[^"]+)"', drawn)]
    many = [plan.label for plan in paper.few_batches_100().problems]
    cells = {(problem, policy) for problem in many for policy in ("GP-UCB-PE", *RIVALS)}
    assert len(found) == len(cells)  # those of 100 batches; four are of a K that no page takes
    for problem, policy in cells:
        link = batches.link(problem, policy, 100)
        assert link in found
        moment, errors = decode(link.partition("?")[2])
        assert errors == ()
        settings = moment.settings
        assert (settings.policy, settings.batch_size, settings.batches) == (policy, 10, 100)
        assert (settings.problem, settings.initial) == (dict(paper.TASKS)[problem], 20)
    assert batches.link("Himmelblau", "GP-UCB-PE", 4) is None


def test_it_is_counted_who_measured_the_maximum() -> None:
    runs = [
        Result("Hill", "A", i, None, np.array([1.0, least]), np.ones(2), np.ones(2), 2)
        for i, least in enumerate((0.0, 0.0, 1e-12))
    ]
    (found,) = claims.shares_found(runs).to_dict("records")
    assert (found["mean"], found["replicates"]) == (pytest.approx(2 / 3), 3)


def test_the_runs_of_few_batches_have_1000_evaluations() -> None:
    for name in batches.STUDIES:
        study = paper.STUDIES[name]()
        assert study.batches * study.batch_size == 1000
        assert {study.initial, study.replicates} == {20, 64}
