"""Numbers of a study that would fill the memory are refused before anything is allocated."""

from __future__ import annotations

import tracemalloc
from io import StringIO
from typing import Any

import pytest

from ucbpe_core import InputError, UCBPEError, problems
from ucbpe_core.study import Study, load_study, run_task

TEXT = """
name = "Large"
{study}
problems = [{{ label = "c", problem = "{problem}"{of_problem} }}]
policies = [{{ label = "p", policy = "GP-UCB-PE"{of_policy} }}]
"""
HUGE = (99_999_999, 10**30)


def study(of_study: str = "", of_problem: str = "", of_policy: str = "", **other: Any) -> Study:
    parts = {"study": of_study, "of_problem": of_problem, "of_policy": of_policy}
    return load_study(StringIO(TEXT.format(**{"problem": "multimodal", **parts, **other})))


@pytest.fixture(autouse=True)
def no_memory() -> Any:
    """Fails where more than 20 MB are taken."""
    tracemalloc.start()
    yield
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20e6


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize(
    ("part", "text", "what"),
    [
        ("of_study", "replicates = {}", "runs of a study of at most 1.000.000"),
        ("of_study", "batches = {}", "points of a run of p of at most 100.000"),
        ("of_problem", ", hyperparameters = {{ starts = {} }}", "starts of at most 10.000"),
        ("of_problem", ", hyperparameters = {{ points = {} }}", "points of at most 100.000"),
    ],
)
def test_numbers_of_a_study_file(part: str, text: str, what: str, number: int) -> None:
    with pytest.raises(InputError, match=what):
        study(**{part: text.format(number)})


@pytest.mark.parametrize("resolution", HUGE)
def test_candidates_of_a_problem_that_do_not_fit(resolution: int) -> None:
    planned = study(
        of_problem=f", options = {{ resolution = {resolution} }}", problem="generated_gp"
    )
    with pytest.raises(UCBPEError, match="candidates"):
        run_task(planned, planned.tasks()[0])
    for d in (2, 3):
        with pytest.raises(UCBPEError, match="candidates"):
            problems.from_callable(lambda x: 0.0, [(0, 1)] * d, size=1000 * resolution)
