"""What is drawn: which axis, which numbers, who is ranked where, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.app.study.conftest import kept_results
from ucbpe_app.study.results import Rank, Ranking, own_results
from ucbpe_app.study.views import RankingView, difference, ends, outlook, verdict
from ucbpe_core.study import Result, Study

NAN = float("nan")


def test_the_ranking_is_that_of_the_reproduction() -> None:
    """As reproduced, section 5, Abalone: best regret 2; SM-UCB higher by 0.5 [0.167, 0.833]."""
    ranking = kept_results("section5", "Abalone").ranking
    assert ranking is not None
    assert ranking.reference == "GP-UCB-PE"
    rows = {row.policy: row for row in ranking.rows}
    assert rows["GP-UCB-PE"].mean == pytest.approx(2.0)
    sm = rows["SM-UCB"]
    assert (sm.difference, sm.low, sm.high) == pytest.approx((0.5, 0.167, 0.833), abs=5e-4)
    assert (sm.word, difference(sm)) == ("worse", "+0.5 worse")
    assert difference(replace(sm, low=-0.1)) == "+0.5 no clear difference"
    assert difference(replace(sm, low=NAN, high=NAN)) == "+0.5"
    means = [row.mean for row in ranking.rows]
    assert means == sorted(means)


def test_a_failed_run_leaves_its_replicate_out(study: Study, results: tuple[Result, ...]) -> None:
    failed = replace(results[0], error="ValueError: <b>no</b>\ntrace.py:3 in run")
    picture = own_results(study, (failed, *results[1:]))
    others = [one for one in results if one.replicate != failed.replicate]
    assert picture.ranking == own_results(study, others).ranking
    assert picture.ranking.replicates == 2
    assert picture.failures == (f"{failed.policy}, replicate 0: ValueError: <b>no</b>",)
    view = RankingView()
    view.load(picture, 3)
    assert "&lt;b&gt;no" in view.outlook.object
    assert "<b>no" not in view.outlook.object


def test_a_policy_that_always_fails_keeps_nobody_waiting(
    study: Study, results: tuple[Result, ...]
) -> None:
    broken = [
        replace(one, error="ValueError: no") if one.policy == "GP-BUCB" else one for one in results
    ]
    ranking = own_results(study, broken).ranking
    assert {row.policy for row in ranking.rows} == {"GP-UCB-PE", "Random search"}
    assert ranking.replicates == 3
    unfinished = [one for one in results if one.policy != "GP-BUCB"]  # it has yet to begin
    assert own_results(study, unfinished).ranking is None


PE = Rank("PE", 0.44)
BETTER, OPEN = Rank("TS", 0.01, -0.43, -0.7, -0.16, 18), Rank("EI", 0.63, 0.19, -0.19, 0.57, 8)
WORSE, WORST = Rank("RS", 4.82, 4.4, 2.8, 6.0, 1), Rank("BX", 7.91, 7.5, 5.4, 9.6, 1)


def ranking_of(*rows: Rank, n: int = 24) -> Ranking:
    return Ranking("PE", rows, n, 12)


@pytest.mark.parametrize(
    ("ranking", "running", "said"),
    [
        (ranking_of(BETTER, PE, OPEN, WORSE, WORST), True,
         "So far TS has the smallest mean regret, 0.01. TS is better, RS and BX are worse than PE. "
         "The order may still change."),
        (ranking_of(PE, OPEN), False,
         "PE has the smallest mean regret, 0.44. No policy differs measurably from PE."),
        (ranking_of(PE, replace(OPEN, mean=0.44)), False,
         "PE and EI have the smallest mean regret, 0.44. No policy differs measurably from PE."),
        # 0 at the end of an interval is in it.
        (ranking_of(PE, replace(WORSE, low=0.0)), False,
         "PE has the smallest mean regret, 0.44. No policy differs measurably from PE."),
        (ranking_of(PE, replace(WORSE, low=NAN, high=NAN), n=1), False,
         "PE has the smallest mean regret, 0.44. One replicate proves nothing."),
        (ranking_of(PE), False, "PE has the smallest mean regret, 0.44."),
    ],
)  # fmt: skip
def test_the_verdict_calls_better_and_worse_what_the_interval_shows(
    ranking: Ranking, running: bool, said: str
) -> None:
    assert verdict(ranking, running=running) == said


def test_the_outlook_is_of_the_nearest_that_is_open() -> None:
    """0.38 at 24 replicates are 0.38 sqrt(24 / 64) = 0.233 at 64."""
    said = outlook(ranking_of(BETTER, PE, OPEN, WORSE), 64)
    assert said.startswith("PE and EI: their difference is known only to ± 0.38, so neither wins. ")
    assert "With 64 replicates it will be about ± 0.233" in said
    assert "With" not in outlook(ranking_of(PE, OPEN), 24)
    assert outlook(ranking_of(PE, WORSE), 64).startswith("In one replicate")


def test_the_axis_of_differences_holds_zero_and_all_intervals() -> None:
    low, high = ends(ranking_of(BETTER, PE, OPEN, WORSE, WORST))
    assert low < -0.7
    assert high > 9.6
    low, high = ends(ranking_of(PE, WORST))
    assert low < 0
    low, high = ends(ranking_of(PE, replace(WORSE, low=NAN, high=NAN)))
    assert low < 0 < 4.4 < high
    assert ends(ranking_of(PE)) == pytest.approx((-0.06, 0.06))
