"""A small study of the page, what the engine finds of it, and a pool that the test drives."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from tools.reproduction import paper
from tools.reproduction.summary import RESULTS, read
from ucbpe_app.study.job import StudyJob
from ucbpe_app.study.plan import StudySettings, StudySpec
from ucbpe_app.study.results import StudyResults
from ucbpe_app.study.session import Pool
from ucbpe_core.study import Result, Store, Study, execute


class ByHand(Pool):
    """A pool whose jobs get their results from the test."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[StudyJob] = []

    def submit(self, study: Study) -> StudyJob:
        self.jobs.append(StudyJob(study))
        self.jobs[-1].start()
        self._jobs = self.jobs
        return self.jobs[-1]


summary_of = cache(lambda name: read(RESULTS / name))


def kept_results(name: str, problem: str) -> StudyResults:
    """What the summary of a study of the paper says of a problem: larger than tests would run."""
    study, kept = paper.STUDIES[name](), summary_of(name)
    policies = tuple(plan.label for plan in study.policies)
    tables = kept.curves, kept.statistics, kept.differences
    return StudyResults(
        study.name, problem, policies, policies[:1],
        *(table[table["problem"] == problem] for table in tables),
    )  # fmt: skip


def spec_of(**changes: object) -> StudySpec:
    """3 policies, one of which initialises, on a curve: 9 runs of a few milliseconds."""
    small = replace(
        StudySettings().spec(),
        problem="thin_peak",
        policies=("GP-UCB-PE", "GP-BUCB", "Random search"),
        batch_size=3,
        batches=5,
        initial=4,
        replicates=3,
    )
    return replace(small, **changes)


def results_of(study: Study) -> tuple[Result, ...]:
    """All results, in the order of the store: by name, and not as the study has them."""
    with Store.create_or_open(":memory:", study) as store:
        execute(study, store, workers=0)
        return tuple(store.results())


@pytest.fixture(scope="session")
def study() -> Study:
    return spec_of().study()


@pytest.fixture(scope="session")
def results(study: Study) -> tuple[Result, ...]:
    return results_of(study)
