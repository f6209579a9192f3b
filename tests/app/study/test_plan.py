"""What can be asked for, what is too much, and the estimate of work.

The estimate is compared with what the reproduction measured of its own runs.
"""

from __future__ import annotations

import pytest

from tests.app.study.conftest import spec_of
from tools.reproduction import paper
from tools.reproduction.summary import RESULTS, read
from ucbpe_app.study.plan import MOST_POINTS, MOST_SECONDS, StudySettings, duration, seconds
from ucbpe_core.errors import InputError
from ucbpe_core.policies import POLICIES
from ucbpe_core.policies.schedules import FiniteBeta
from ucbpe_core.problems import PROBLEMS
from ucbpe_core.study.task import prior_of_replicate


def test_what_is_asked_for_is_what_runs() -> None:
    spec = spec_of(seed=7, scale=0.2)
    study = spec.study()
    assert (study.replicates, study.batches, study.batch_size, study.initial) == (3, 5, 3, 4)
    assert (study.seed, study.beta) == (7, FiniteBeta(delta=0.1, scale=0.2))
    assert [plan.policy for plan in study.policies] == list(spec.policies)
    assert [plan.problem for plan in study.problems] == ["thin_peak"]
    # The prior that the problem suggests, in every replicate.
    assert {prior_of_replicate(study, study.problems[0].label, i) for i in range(3)} == {
        PROBLEMS["thin_peak"]().gp
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"policies": ()}, "at least one policy"),
        ({"scale": float("nan")}, "above 0"),
        ({"problem": "figure1", "initial": 106}, "at most the 105 candidates"),
        ({"batches": 99, "batch_size": 10}, f"at most {MOST_POINTS} points"),
        ({"policies": ("Thompson sampling",), "problem": "generated_gp"}, "30 min of computing"),
    ],
)
def test_what_cannot_be_run_is_refused_whole(changes: dict[str, object], said: str) -> None:
    settings = StudySettings()
    before = settings.spec()
    with pytest.raises(InputError) as refused:
        settings.accept(seed=5, **changes)
    assert said in refused.value.expected
    assert refused.value.remedy
    assert settings.spec() == before


def test_the_limit_of_work_is_that_of_the_estimate() -> None:
    settings = StudySettings()
    settings.accept(policies=tuple(POLICIES), problem="himmelblau", batches=20, replicates=1)
    most = int(MOST_SECONDS / settings.spec().seconds)
    assert 10 < most < 256
    settings.accept(replicates=most)
    assert settings.spec().seconds <= MOST_SECONDS
    with pytest.raises(InputError, match="about 30 min; lower the replicates"):
        settings.accept(replicates=most + 1)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 s"), (7.4, "7 s"), (42, "40 s"), (61, "1 min"), (9000, "2.5 h")],
)
def test_durations_are_as_exact_as_they_are_known(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_the_estimate_is_within_a_factor_of_four_of_every_cell_of_section_5() -> None:
    study, summary = paper.section5(), read(RESULTS / "section5")
    for plan in study.problems:
        for policy in study.policies:
            measured = summary.statistic("seconds_per_batch", plan.label, policy.label).mean
            estimate = seconds(policy.policy, plan.problem, 10, 60, 20) / 60
            assert 0.25 < measured / estimate < 4, (plan.label, policy.label)


def test_one_by_one_needs_policies_that_can() -> None:
    settings = StudySettings()
    with pytest.raises(InputError, match="leave it out"):
        settings.accept(policies=("GP-UCB-PE", "Batched pure exploration"), results="one by one")
    settings.accept(policies=("GP-UCB-PE", "Plain UCB"), results="one by one")
    assert not settings.spec().study().workers.together
    assert StudySettings().spec().study().workers.together
