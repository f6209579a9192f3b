"""The numbers of the claims against direct computations."""

from __future__ import annotations

import numpy as np
import pytest

from tools.reproduction import paper
from tools.reproduction.claims import (
    batch_size_exponents,
    initial_posterior,
    initialization_range,
)
from ucbpe_app.report.records import statistics_of
from ucbpe_core.simulation import initial_observations
from ucbpe_core.streams import study_seeds
from ucbpe_core.study import HyperparameterPlan, PolicyPlan, ProblemPlan, Result, Study
from ucbpe_core.study.config import from_dict, to_dict
from ucbpe_core.study.run import prior, run_task

KNOWN = HyperparameterPlan(method="suggested")


def study(**options) -> Study:
    return Study(
        "Small",
        [ProblemPlan("Curve", "multimodal", hyperparameters=KNOWN)],
        [PolicyPlan("GP-BUCB", "GP-BUCB", options), PolicyPlan("Random", "Random search")],
        replicates=3,
        batches=8,
        batch_size=4,
        initial=3,
    )


def result(policy: str, replicate: int, simple, problem: str = "Curve") -> Result:
    simple = np.asarray(simple, dtype=float)
    return Result(problem, policy, replicate, None, simple, 2 * simple, np.ones(len(simple)), 4)


def test_the_belief_at_batch_1_is_that_of_the_run():
    plan = study()
    seeds = study_seeds(plan.seed, "Curve", 1)
    belief = initial_posterior(plan, "Curve", 1)
    from ucbpe_core.problems import multimodal

    members, y = initial_observations(multimodal(), plan.initial, seeds["run"])
    assert belief.conditioned_indices == tuple(members)
    dense = prior(plan, "Curve", 1).condition(multimodal().candidates[members], y)
    np.testing.assert_allclose(belief.mean, dense.predict(multimodal().candidates).mean, atol=1e-8)


@pytest.mark.parametrize("batches", [1, 3])
def test_a_c_inside_the_range_ends_initialisation_there_and_one_outside_does_not(batches):
    low, high = initialization_range(study(), "Curve", batches, 0)
    assert low < high
    for C, expected in ((low, True), ((low + high) / 2, True), (high, False), (low * 0.99, False)):
        ran = run_task(study(C=C), study().tasks()[0])
        assert (ran.initialization == batches) is expected, C


def test_exponents_are_exact_for_powers_and_have_the_spread_of_their_slopes():
    sizes = {"K = 1": 1, "K = 2": 2, "K = 10": 10}
    results = [
        result(label, i, np.full(5, factor * K**exponent))
        for i, (factor, exponent) in enumerate([(3.0, -0.4), (7.0, -0.6)])
        for label, K in sizes.items()
    ]
    others = [result("Other", 0, np.ones(5))]
    (found,) = statistics_of(batch_size_exponents([*results, *others], sizes))
    assert found.mean == pytest.approx(-0.5)
    # Student t with one degree of freedom: tan(0.475 pi) = 12.7 standard errors of 0.1.
    assert found.high - found.mean == pytest.approx(np.tan(0.475 * np.pi) * 0.1)


@pytest.mark.parametrize("name", paper.STUDIES)
def test_every_study_can_be_written_down_and_read_again(name):
    study = paper.STUDIES[name]()
    assert from_dict(to_dict(study)) == study


def test_section_5_has_the_settings_of_the_paper():
    study = paper.section5()
    assert (study.batch_size, study.initial, study.replicates) == (10, 20, 64)
    assert study.batches >= 60
    assert {plan.hyperparameters.kernel.parameter_names for plan in study.problems} == {
        ("lengthscale", "variance")
    }
    assert study.policies[0].label == paper.REFERENCE
    labels = [plan.label for plan in study.problems]
    assert labels == [
        "Generated GP", "Gaussian mixture", "Himmelblau", "Mackey-Glass", "Tsunamis", "Abalone"
    ]  # fmt: skip
