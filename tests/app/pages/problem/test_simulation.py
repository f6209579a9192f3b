"""A table of one's own as a problem: its values, its units, its limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.app.pages.problem.tables import chosen, text
from tests.app.waiting import run
from ucbpe_app.pages.problem.settings import PlanSettings
from ucbpe_app.pages.problem.sheets.data import TableData
from ucbpe_app.pages.problem.sheets.dialect import Reading
from ucbpe_app.pages.problem.simulation import Simulation, problem_of
from ucbpe_core import InputError, fit_hyperparameters, simulate
from ucbpe_core.problems import Problem
from ucbpe_core.validation import Direction


def problem(inputs: int = 2, rows: int = 24) -> Problem:
    return problem_of(chosen(inputs, rows, known=rows), "Mine")


def run_on(problem: Problem, **changes: object) -> Simulation:
    simulation = Simulation()
    simulation.load(problem)
    simulation.settings.accept(batch_size=2, batches=3, **changes)
    run(simulation.refresh())
    return simulation


def test_lengthscales_are_shares_of_the_range_of_each_input() -> None:
    settings, X = PlanSettings(), np.array([[0.0, 100.0], [4.0, 900.0]])
    settings.measure(X)
    settings.accept(lengthscale=0.5)
    assert settings.lengthscales == (2.0, 400.0)
    assert settings.gp().kernel.lengthscale == (2.0, 400.0)
    # What inputs are to each other stays when the share is changed after a fit.
    fitted = settings.gp()
    kernel = type(fitted.kernel)((3.0, 100.0), nu=2.5)
    settings.show_prior(type(fitted)(kernel, 0.1))
    assert settings.lengthscales == pytest.approx((3.0, 100.0), rel=1e-12)
    settings.accept(lengthscale=2 * settings.lengthscale)
    assert settings.lengthscales == pytest.approx((6.0, 200.0), rel=1e-12)


def test_a_fit_is_to_what_is_on_screen() -> None:
    simulation = run_on(problem())
    simulation.go(6)
    frame = simulation.replay.frame(6)
    fit, count = run(simulation.fit())
    assert count == len(frame.observed)
    trace = simulation.replay.trace
    every, y = trace.problem.candidates, frame.observed_y
    assert fit.gp == fit_hyperparameters(trace.gp, every[frame.observed], y, domain=every).gp
    assert simulation.settings.variance == pytest.approx(fit.gp.kernel.variance)
    with pytest.raises(InputError, match="a run; got none"):
        run(Simulation().fit())


def test_a_refused_run_leaves_the_one_on_screen() -> None:
    simulation = run_on(problem())
    before = simulation.replay
    simulation.settings.accept(initial=25)
    run(simulation.refresh())
    assert simulation.error.got == "25"
    assert simulation.replay is before
    simulation.settings.accept(initial=4)
    run(simulation.refresh())
    assert simulation.error is None
    assert simulation.replay is not before


def test_a_table_that_cannot_be_read_leaves_the_one_before() -> None:
    data = TableData()
    assert run(data.load(text().encode(), "Mine"))
    sheet, choice = data.sheet, data.choice
    assert not run(data.load(b"a,b\n1,2,3\n", "Bad"))
    assert (data.title, data.sheet, data.choice) == ("Mine", sheet, choice)
    assert data.error.got == "3"
    # The text of the table before is still what can be read another way.
    assert run(data.read_as(Reading(separator=";")))
    assert [one.name for one in data.sheet.columns] == ["sample,in 0,in 1,y"]
    assert data.error.expected == "at least one input"
    assert run(data.read_as(Reading()))
    assert data.error is None


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_run_is_that_of_the_core(direction: Direction) -> None:
    """The goal is a setting: values and regrets are those of the table, in its own sign."""
    goal = {"maximize": "Maximise", "minimize": "Minimise"}[direction]
    simulation = run_on(problem(), goal=goal, added_noise=0.04, seed=5)
    plan, trace, values = simulation.settings.plan(), simulation.replay.trace, problem().values
    mine = replace(problem(), direction=direction, noise_variance=0.04)
    expected = simulate(mine, plan.policy, plan.gp, plan.beta, batches=3, initial=3, seed=5)
    assert trace.digest == expected.digest
    np.testing.assert_array_equal(trace.problem.values, values)
    assert trace.problem.optimum == (values.max() if direction == "maximize" else values.min())
