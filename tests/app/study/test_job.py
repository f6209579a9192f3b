"""What is known is not computed again, and time left, where it can be worked out by hand."""

from __future__ import annotations

import pytest

from tests.app.study.conftest import results_of, spec_of
from ucbpe_app.study.job import Pace, ResultCache
from ucbpe_core.study import Result, Study


@pytest.fixture
def known(study: Study, results: tuple[Result, ...]) -> ResultCache:
    memory = ResultCache()
    for result in results:
        memory.add(study, result)
    return memory


def test_more_replicates_and_another_policy_leave_the_rest_known(known: ResultCache) -> None:
    larger = spec_of(replicates=5, policies=("GP-UCB-PE", "GreedyUCB"))
    found = known.of(larger.study())
    assert {(one.policy, one.replicate) for one in found} == {("GP-UCB-PE", i) for i in range(3)}
    # And they are what would have been computed.
    fresh = {(one.policy, one.replicate): one for one in results_of(larger.study())}
    for one in found:
        assert (one.simple == fresh[one.policy, one.replicate].simple).all()


def test_the_oldest_are_forgotten_and_those_in_use_are_not(
    study: Study, results: tuple[Result, ...]
) -> None:
    memory = ResultCache(size=len(results))
    for result in results:
        memory.add(study, result)
    memory.of(spec_of(policies=("Random search",)).study())
    other = spec_of(seed=1, policies=("GP-UCB-PE",), replicates=2).study()
    for result in results_of(other):
        memory.add(other, result)
    left = [one.policy for one in memory.of(study)]
    assert left.count("Random search") == 3
    assert len(left) == len(results) - 2


def test_nothing_is_said_before_every_policy_has_a_finished_run() -> None:
    pace = Pace(["slow", "fast", "slow", "fast"])
    assert pace.seconds_left(0.0) is None
    pace.finish("slow", 10.0, now=110.0)
    assert pace.seconds_left(110.0) is None
    pace.finish("fast", 1.0, now=111.0)
    # Both again, as slowly as before; 4 s of them have passed.
    assert pace.seconds_left(111.0) == pytest.approx(11.0)
    assert pace.seconds_left(115.0) == pytest.approx(7.0)
    assert pace.seconds_left(200.0) == 0.0


def test_the_start_of_the_processes_is_not_counted() -> None:
    """The first run begins its own duration before it ends, whenever the study was asked for."""
    pace = Pace(["one"] * 10)
    pace.finish("one", 2.0, now=1000.0)
    assert pace.seconds_left(1000.0) == pytest.approx(18.0)


def test_a_policy_that_has_ended_says_nothing_of_the_others() -> None:
    """By the number of runs 9 of 10 are done; by what they cost, half."""
    pace = Pace(["cheap"] * 8 + ["dear"] * 2)
    for i in range(8):
        pace.finish("cheap", 1.0, now=10.0 + i)
    pace.finish("dear", 8.0, now=25.0)
    assert pace.seconds_left(25.0) == pytest.approx(16.0 * 8 / 16)
