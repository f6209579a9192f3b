"""An experiment: undo is exact, and the next batch is that of the table as it is now."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.core.runs import (
    assert_equal,
    assert_equal_fields,
    assert_same_belief,
    document_of,
    fresh,
    plan,
    reread,
    table,
)
from ucbpe_core import (
    GPUCBPE,
    Bandit,
    ConstantBeta,
    Experiment,
    GaussianProcess,
    InputError,
    Matern,
)
from ucbpe_core.policies import GPUCB
from ucbpe_core.policies.decision import Eligible
from ucbpe_core.search.experiment import Design, Plan, Table
from ucbpe_core.spaces import Category, Real


def test_the_direction_changes_with_the_plan() -> None:
    """The measurements stay, the open batch is as it was decided, and undo goes back."""
    experiment = fresh()
    experiment.ask()
    turned = copy.copy(experiment)
    turned.replan(replace(plan(), direction="minimize"))
    assert turned.direction == "minimize"
    assert turned.history.data == experiment.history.data
    assert_equal_fields(turned.ask(), experiment.ask())
    (pick, *_) = turned.history.outstanding
    assert turned.history.plan_of(pick).direction == "maximize"
    assert turned.best().index != experiment.best().index
    other = copy.copy(turned)
    other.withdraw()
    assert set(other.ask().indices) != set(experiment.pending)
    turned.undo()
    assert_same_belief(turned, experiment)


def test_the_best_measurement_is_one_that_counts() -> None:
    experiment = Experiment(table(), plan())
    experiment.replan(experiment.plan)
    assert len(experiment.journal) == 1
    assert experiment.history.best is None
    experiment.tell([1, 2, 3, 4], [-3.0, 0.0, -1.0, 0.0])
    assert experiment.history.best.index == 2
    experiment.correct(1, None)
    assert experiment.history.best.index == 4


def test_a_step_that_is_meant_is_undone_and_no_other() -> None:
    """A result that was recorded meanwhile stays."""
    experiment = fresh()
    experiment.ask()
    meant = experiment.undoable
    experiment.tell([7], [0.5])
    before = experiment.history
    with pytest.raises(InputError, match=r"the step to undo to be the one meant, ask; got tell"):
        experiment.undo(meant)
    assert experiment.history is before
    experiment.undo(experiment.undoable)
    undone = experiment.redoable
    experiment.undo(meant)
    with pytest.raises(InputError, match="the step to redo to be the one meant, tell; got ask"):
        experiment.redo(undone)
    assert len(experiment.history.trials) == 2


GRID = np.array([[x, z] for x in range(5) for z in range(4)], dtype=float)
GP = GaussianProcess(Matern((2.0, 1.5), nu=2.5), noise_variance=0.01, mean=0.2)
PLAN = Plan(GP, GPUCBPE(3), ConstantBeta(4.0), fit="never")


def f(X: Any) -> Any:
    return np.sin(X[:, 0]) + np.cos(X[:, 1])


def begun() -> Experiment:
    """Five measured, three outstanding."""
    table = Table(("x", "z"), GRID, "y", labels=(("id", tuple(map(str, range(20)))),))
    experiment = Experiment(table, PLAN)
    experiment.tell([3, 10], f(GRID[[3, 10]]))
    picks = experiment.ask().indices
    experiment.tell(picks, f(GRID[picks]))
    experiment.ask()
    return experiment


CHANGES: dict[str, Callable[[Experiment], object]] = {
    "add": lambda one: one.add([[5.5, 1.0], [6.0, 0.5]], [("A",), ("B",)]),
    "remove a measured row, and others": lambda one: one.remove([0, 3, 7]),
    "remove an outstanding row": lambda one: one.remove([one.pending[1]]),
    "widen": lambda one: one.widen("x", [5.0, 6.0]),
    "noise": lambda one: one.replan(replace(one.plan, gp=replace(GP, noise_variance=0.25))),
    "goal": lambda one: one.replan(replace(one.plan, direction="minimize")),
    "remove, then add again": lambda one: (one.remove([3, 4]), one.add(GRID[[3]], [("3",)])),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_next_batch_is_that_of_a_fresh_search_on_the_new_table(what: str) -> None:
    """With the same measurements and outstanding picks, each told where it was made."""
    experiment = begun()
    CHANGES[what](experiment)
    plan, history = experiment.plan, experiment.history
    other = Bandit(
        experiment.table.candidates, plan.gp, plan.policy, plan.beta, direction=plan.direction,
        repeats="avoid",
    )  # fmt: skip
    points = experiment.process.X
    other.tell(None, [one.y for one in history.data], points=points)
    places = [experiment.candidates[j] for j in history.pending]
    start = other.posterior.signed(1.0 if plan.direction == "maximize" else -1.0)
    start = start.hallucinate_points(np.reshape(places, (-1, 2)))
    # The batch that is outstanding stays; what is asked for now is another.
    if experiment.decision is not None:
        experiment.withdraw()
        start = other.posterior.signed(1.0 if plan.direction == "maximize" else -1.0)
    eligible = Eligible.without(experiment.excluded, len(other.candidates), "avoid")
    wanted = plan.policy.decide(start, experiment.history.next_t, plan.beta, eligible=eligible)
    found = experiment.ask()
    np.testing.assert_array_equal(found.points, wanted.points)
    np.testing.assert_allclose(found.stds, wanted.stds, rtol=1e-9)
    sign = 1.0 if plan.direction == "maximize" else -1.0
    np.testing.assert_allclose(sign * found.y_dot, wanted.y_dot, rtol=1e-9)


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_undone_redone_and_replayed(what: str) -> None:
    before = begun()
    experiment = copy.copy(before)
    CHANGES[what](experiment)
    steps = len(experiment.journal) - len(before.journal)
    after = copy.copy(experiment)
    for _ in range(steps):
        experiment.undo()
    assert experiment.history == before.history
    np.testing.assert_array_equal(experiment.table.candidates, before.table.candidates)
    assert experiment.table.labels == before.table.labels
    assert_same_belief(experiment, before)
    assert experiment.ask().indices.tolist() == before.ask().indices.tolist()
    for _ in range(steps):
        experiment.redo()
    assert experiment.history == after.history
    assert_equal(reread(experiment), experiment)


def where(experiment: Experiment) -> Any:
    """The point of each trial."""
    trials, X = experiment.history.trials, experiment.candidates
    return np.array([X[one.index] if one.point is None else one.point for one in trials])


def test_indices_follow_the_rows() -> None:
    experiment = begun()
    points = where(experiment)
    gone = experiment.pending[1]
    experiment.remove([0, 3, gone])
    np.testing.assert_array_equal(where(experiment), points)
    for trial, x in zip(experiment.history.trials, points, strict=True):
        inside = (experiment.candidates == x).all(axis=1)
        assert inside.any() == (trial.index >= 0)
        if trial.index >= 0:
            assert inside[trial.index]
            assert experiment.table.labels[0][1][trial.index] == str(int(x[0] * 4 + x[1]))
    states = [trial.state for trial in experiment.history.trials]
    assert states.count("withdrawn") == 1
    assert states.count("pending") == 2
    assert experiment.excluded == ()
    assert [entry.verb for entry in experiment.journal][-1] == "edit"
    experiment.add(points[3:4], [("again",)])
    assert experiment.table.labels[0][1][-1] == "again"


def test_an_open_batch_stays_outstanding_and_the_next_comes_beside_it() -> None:
    experiment = begun()
    pending = experiment.pending
    experiment.widen("z", [4.0])
    assert len(experiment.table) == 25
    assert experiment.decision is None
    assert experiment.pending == pending
    found = experiment.ask()
    assert found.t == 3
    assert not set(found.indices) & set(pending)
    assert found.region.shape == (25,)
    experiment.tell(pending, f(GRID[list(pending)]))
    assert experiment.pending == tuple(found.indices)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda one: one.correct(5, 1.0), "a measurement from 0 to 4; got 5"),
        (lambda one: one.correct(0, np.inf), "y to be finite"),
        (lambda one: one.replan(replace(PLAN, direction="down")), 'direction "maximize" or'),
        (
            lambda _: Plan(None, GPUCB(), PLAN.beta, fit="never"),
            "a GaussianProcess; got NoneType",
        ),
        (lambda _: Table(("a",), [[1.0], [2.0]], labels=(("n", ("x",)),)), "2 texts of n; got 1"),
        (lambda _: Table(("a", "b"), [[1.0], [2.0]]), "candidates with 2 columns"),
        (lambda one: one.replan(GPUCB), "a Plan; got the class GPUCB; pass Plan"),
        (lambda one: one.widen(one.table.inputs[0], []), "values to add; got none"),
        # A file has texts alone, and numbers that are finite: it could not be opened.
        (lambda _: Table((1,), [[1.0], [2.0]]), "inputs to be text; got 1"),
        (lambda _: Table(("a",), [[1.0], [2.0]], output=None), "output to be text; got None"),
        (lambda _: Table(("a",), [1.0, 2.0], labels=(("n", (7, 8)),)), "label n to be text; got 7"),
        (lambda _: Table(("a",), [1.0, 2.0], labels={"n": ["7", "8"]}), "pairs of a name and"),
        (lambda one: one.add([[9.0] * 2], [[7]]), "to be text; got 7"),
        (lambda one: Experiment(one.table, PLAN, 3), "name to be text; got 3"),
        (lambda _: Design((1,), (Real(0, 1),), most=5), "names to be text; got 1"),
        (lambda _: Category((np.inf, 1.0)), "finite numbers"),
        (lambda _: Real(1, 2, log=1), "log false or true; got 1"),
        (lambda one: one.add([[1.0, 2.0]]), r"\[1.0, 2.0\], which row 6 is"),
        (lambda one: one.add([[9.0, 2.0], [9.0, 2.0]]), "twice"),
        (lambda one: one.add([[9.0, 2.0]], [("a", "b")]), "1 labels for each of 1 rows"),
        (lambda one: one.add([[9.0]]), "points with 2 columns"),
        (lambda one: one.remove([20]), "20"),
        (lambda one: one.remove(range(20)), "at least one row"),
        (lambda one: one.widen("t", [1.0]), "one of x, z; got 't'"),
        (lambda one: one.widen("x", [np.nan]), "finite"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(change: Any, what: str) -> None:
    experiment = begun()
    before = copy.copy(experiment)
    with pytest.raises(InputError, match=what):
        change(experiment)
    assert_equal(experiment, before)


def altered(change: Callable[[dict[str, Any]], object]) -> str:
    """A file whose last step, a change of the table, is another, without the checksums."""
    experiment = begun()
    experiment.remove([3, 4])
    content = document_of(experiment)
    del content["checksum"], content["history"]["checksum"]
    change(content["history"]["steps"][-1])
    return json.dumps(content)


@pytest.mark.parametrize(
    "change",
    [
        lambda step: step["edits"][0].update(removed=[3, 5]),
        lambda step: step["edits"][0].update(removed=[3, 40]),
        lambda step: step["edits"][0].update(points=[[0.0, 3.0], [1.0, 1.0]]),
        lambda step: step["edits"].append(step["edits"][0]),
        lambda step: step["edits"][0].update(since=0),
        lambda step: step["changed"].pop(),
        lambda step: step["edits"][0].update(added=[[1.0]]),
    ],
)
def test_a_file_with_a_change_that_cannot_be_is_refused(change: Any) -> None:
    assert Experiment.load(io.StringIO(altered(lambda step: step))).table.candidates.shape == (
        18,
        2,
    )
    with pytest.raises(InputError):
        Experiment.load(io.StringIO(altered(change)))
