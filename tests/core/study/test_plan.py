"""What a study is, also as TOML: its defaults, and what it refuses without allocating it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest

from tests.core.study.studies import HERE, small
from ucbpe_core import FiniteBeta, InputError, UCBPEError, problems
from ucbpe_core.policies import RandomSearch
from ucbpe_core.study import (
    HyperparameterPlan,
    PolicyPlan,
    ProblemPlan,
    Study,
    load_study,
    run_task,
)

PROBLEM, POLICY = ProblemPlan("Curve", "multimodal"), PolicyPlan("PE", "GP-UCB-PE")


def test_defaults_are_the_papers() -> None:
    """K = 10, 20 initial observations, 64 replicates, at least 60 batches, fitted RBF."""
    study = Study("paper", [PROBLEM], [POLICY])
    assert (study.batch_size, study.initial, study.replicates, study.batches) == (10, 20, 64, 60)
    assert study.beta == FiniteBeta()
    how = study.problems[0].hyperparameters
    assert (how.method, type(how.kernel).__name__, how.points) == ("likelihood", "RBF", 0)
    assert study.policies[0].build(study.batch_size, seed=0).batch_size == 10


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: ProblemPlan("x", "himmelblaw"), "among figure1, .*himmelblau.*got 'himmelblaw'"),
        (lambda: ProblemPlan("x", "thin_peak", {"wide": 1}), "among width, noise_var.*got wide"),
        (lambda: ProblemPlan("x", f"{HERE}:nothing"), "to be in its plugin; .*nothing"),
        (lambda: small(name=float("inf")), "a name of the study that is text; got inf"),
        (lambda: ProblemPlan("x", f"{HERE}:HERE"), "to be a function"),
        (lambda: ProblemPlan("x", "thin_peak", {"width": {1}}), "options of x that JSON can hold"),
        (
            lambda: HyperparameterPlan(method="guess"),
            "method .likelihood. or .suggested.; got 'guess'",
        ),
        (lambda: HyperparameterPlan(kernel=None), "kernel of kind rbf, .*; got None"),
        (lambda: HyperparameterPlan(refit_every=0), "refit_every of at least 1"),
        (lambda: HyperparameterPlan("suggested", refit_every=2), "where refit_every is given"),
        (lambda: small(problems=[]), "at least one of problems; got none"),
        (lambda: small(policies=[POLICY, POLICY]), "labels of policies that differ; got .'PE'."),
        (lambda: small(policies=[PolicyPlan("x", "GP-UCB", {"batch_size": 2})]), "batch_size 1"),
        (lambda: small(replicates=0), "replicates of at least 1"),
        (lambda: small(initial=-1), "initial of at least 0"),
        (lambda: small(beta=4.0), "beta of kind finite, compact, constant, .*; got 4.0"),
    ],
)
def test_bad_studies_are_refused(make: object, what: str) -> None:
    """Unknown names and options, labels that repeat, counts below their minimum."""
    with pytest.raises(InputError, match=what):
        make()  # type: ignore[operator]


def test_objects_have_their_own_options() -> None:
    """And a seed that is theirs; without one they get the replicate's."""
    problem = problems.figure1()
    plan = ProblemPlan("Figure 1", problem)
    assert plan.build(seed=3) is problem
    for seed, expected in ((None, 7), (5, 5)):
        policy = PolicyPlan("R", RandomSearch(batch_size=4, seed=seed)).build(9, seed=7)
        assert policy == RandomSearch(batch_size=4, seed=expected)
    with pytest.raises(InputError, match="no options of the object R; got batch_size"):
        PolicyPlan("R", RandomSearch(), {"batch_size": 3})
    with pytest.raises(InputError, match="no options of the object F; got seed"):
        ProblemPlan("F", problem, {"seed": 3})
    with pytest.raises(InputError, match="the name of a policy"):
        PolicyPlan("R", RandomSearch)  # type: ignore[arg-type]


LEAST = """
name = "least"
problems = [{ label = "Curve", problem = "multimodal" }]
policies = [{ label = "PE", policy = "GP-UCB-PE" }]
"""


def test_the_documented_format_is_read() -> None:
    """The example of the docstring is a study, and its values are the defaults it claims."""
    block = str(load_study.__doc__).split("::\n", 1)[1].split("Raises\n", 1)[0]
    study = load_study(StringIO(block))
    assert study == Study("Two problems", study.problems, study.policies)
    assert study.problems[0].hyperparameters == HyperparameterPlan()


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('name = "least"', "", "keys of a study; got .*'name'"),
        ('label = "PE"', 'label = "PE", K = 3', "keys of a policy among label, .*got K"),
        (
            '"multimodal"',
            '"multimodal", hyperparameters = {fit_mean = 0}',
            "fit_mean true or false; got 0",
        ),
        ('name = "least"', 'name = "x"\nbeta = 4', "beta as a table; got 4"),
        ("policies = [", "policies = [3, ", "policies as a list of tables"),
        ('label = "Curve"', 'label = "Curve", options = 3', "options of Curve as a table; got 3"),
        ("]", "", "to be TOML"),
    ],
)
def test_bad_files_are_refused(old: str, new: str, what: str) -> None:
    """Keys that are missing or unknown, and values of the wrong kind."""
    assert old in LEAST
    with pytest.raises(InputError, match=what):
        load_study(StringIO(LEAST.replace(old, new)))


HUGE = (99_999_999, 10**30)


@pytest.fixture
def no_memory() -> Any:
    """Fails where more than 20 MB are taken."""
    tracemalloc.start()
    yield
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20e6


@pytest.mark.usefixtures("no_memory")
@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda n: small(replicates=n), "runs of a study of at most 1.000.000"),
        (lambda n: small(batches=n), "points of a run of PE of at most 100.000"),
        (lambda n: HyperparameterPlan(starts=n), "starts of at most 10.000"),
        (lambda n: HyperparameterPlan(points=n), "points of at most 100.000"),
    ],
)
def test_numbers_of_a_study(make: Callable[[int], object], what: str, number: int) -> None:
    with pytest.raises(InputError, match=what):
        make(number)


@pytest.mark.usefixtures("no_memory")
@pytest.mark.parametrize("resolution", HUGE)
def test_candidates_of_a_problem_that_do_not_fit(resolution: int) -> None:
    planned = small(problems=[ProblemPlan("Large", "generated_gp", {"resolution": resolution})])
    with pytest.raises(UCBPEError, match="candidates"):
        run_task(planned, planned.tasks()[0])
    for d in (2, 3):
        with pytest.raises(UCBPEError, match="candidates"):
            problems.from_callable(lambda x: 0.0, [(0, 1)] * d, size=1000 * resolution)
