"""An experiment: undo is exact, and posterior and open decision follow its history."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ucbpe_core import (
    Experiment,
    InputError,
)
from ucbpe_core.policies import GPUCB
from ucbpe_core.search.experiment import Design, Plan, Table
from ucbpe_core.spaces import Category, Real

from .runs import assert_equal, assert_equal_fields, assert_same_belief, fresh, plan, table


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


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda c: c.correct(2, 1.0), "a measurement from 0 to 1; got 2"),
        (lambda c: c.correct(0, np.inf), "y to be finite"),
        (lambda c: c.replan(replace(plan(), direction="down")), 'direction "maximize" or'),
        (
            lambda _: Plan(None, GPUCB(), plan().beta, fit="never"),
            "a GaussianProcess; got NoneType",
        ),
        (lambda _: Table(("a",), [[1.0], [2.0]], labels=(("n", ("x",)),)), "2 texts of n; got 1"),
        (lambda _: Table(("a", "b"), [[1.0], [2.0]]), "candidates with 2 columns"),
        (lambda c: c.replan(GPUCB), "a Plan; got the class GPUCB; pass Plan"),
        (lambda c: c.widen(c.table.inputs[0], []), "values to add; got none"),
        # A file has texts alone, and numbers that are finite: it could not be opened.
        (lambda _: Table((1,), [[1.0], [2.0]]), "inputs to be text; got 1"),
        (lambda _: Table(("a",), [[1.0], [2.0]], output=None), "output to be text; got None"),
        (lambda _: Table(("a",), [1.0, 2.0], labels=(("n", (7, 8)),)), "label n to be text; got 7"),
        (lambda _: Table(("a",), [1.0, 2.0], labels={"n": ["7", "8"]}), "pairs of a name and"),
        (lambda c: c.add([[9.0] * 2], [[7]]), "to be text; got 7"),
        (lambda _: Experiment(table(), plan(), 3), "name to be text; got 3"),
        (lambda _: Design((1,), (Real(0, 1),), most=5), "names to be text; got 1"),
        (lambda _: Category((np.inf, 1.0)), "finite numbers"),
        (lambda _: Real(1, 2, log=1), "log false or true; got 1"),
    ],
)
def test_what_cannot_be_is_refused(change: Any, what: str) -> None:
    experiment = fresh()
    before = copy.copy(experiment)
    with pytest.raises(InputError, match=what):
        change(experiment)
    assert_equal(experiment, before)


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
