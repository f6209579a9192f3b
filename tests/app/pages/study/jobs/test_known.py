"""What is known is not computed again, and nothing else is taken for it."""

from __future__ import annotations

import pytest

from tests.app.pages.study.conftest import results_of, spec_of
from ucbpe_app.pages.study.job import Known
from ucbpe_core.study import Result, Study


@pytest.fixture
def known(study: Study, results: tuple[Result, ...]) -> Known:
    memory = Known()
    for result in results:
        memory.add(study, result)
    return memory


def test_the_same_study_is_known_whole(known: Known, study: Study) -> None:
    found = known.of(spec_of().study())
    assert [(one.policy, one.replicate) for one in found] == [
        (task.policy, task.replicate) for task in study.tasks()
    ]


def test_more_replicates_and_another_policy_leave_the_rest_known(known: Known) -> None:
    larger = spec_of(replicates=5, policies=("GP-UCB-PE", "GreedyUCB"))
    found = known.of(larger.study())
    assert {(one.policy, one.replicate) for one in found} == {("GP-UCB-PE", i) for i in range(3)}
    # And they are what would have been computed.
    fresh = {(one.policy, one.replicate): one for one in results_of(larger.study())}
    for one in found:
        assert (one.simple == fresh[one.policy, one.replicate].simple).all()


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1}, {"batches": 6}, {"batch_size": 2}, {"initial": 5}, {"scale": 2.0},
        {"problem": "multimodal"},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_another_setting_is_another_study(known: Known, change: dict[str, object]) -> None:
    assert known.of(spec_of(**change).study()) == ()


def test_what_failed_is_tried_again(study: Study) -> None:
    memory, task = Known(), study.tasks()[0]
    memory.add(study, Result(*task, error="MemoryError: no"))
    assert memory.of(study) == ()


def test_the_oldest_are_forgotten_and_those_in_use_are_not(
    study: Study, results: tuple[Result, ...]
) -> None:
    memory = Known(size=len(results))
    for result in results:
        memory.add(study, result)
    memory.of(spec_of(policies=("Random search",)).study())
    other = spec_of(seed=1, policies=("GP-UCB-PE",), replicates=2).study()
    for result in results_of(other):
        memory.add(other, result)
    left = [one.policy for one in memory.of(study)]
    assert left.count("Random search") == 3
    assert len(left) == len(results) - 2
