"""Rows that stand for ranges, and a range that changes in the middle of an experiment."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.core.runs import reread
from ucbpe_core import GPUCBPE, ConstantBeta, Experiment, GaussianProcess, InputError, Matern
from ucbpe_core.search.experiment import Design, Plan, Table
from ucbpe_core.spaces import Category, Integer, Real, Space, SumConstraint

HEAT, TIME, ACID = Real(20, 80), Real(2, 20), Category(("a", "b"))


def mixed(most: int = 500) -> Design:
    return Design(("heat", "time", "acid"), (HEAT, TIME, ACID), most=most)


def plan(columns: int = 4) -> Plan:
    gp = GaussianProcess(Matern((15.0, 4.0, 1.0, 1.0)[:columns], nu=2.5), noise_variance=0.01)
    return Plan(gp, GPUCBPE(3), ConstantBeta(4.0), fit="never")


def listed() -> Experiment:
    return Experiment(Table(("x",), range(3)), plan(1))


def f(settings: list[dict[str, Any]]) -> list[float]:
    return [
        float(np.sin(one["heat"] / 15) + np.cos(one["time"] / 4) + (one["acid"] == "b"))
        for one in settings
    ]


def begun() -> Experiment:
    """Three measured, and two of the next three."""
    experiment = Experiment(Table.of(mixed()), plan())
    for part in (slice(None), slice(2)):
        picks = experiment.ask().indices[part]
        experiment.tell(picks, f(experiment.table.settings(picks)))
    return experiment


@pytest.mark.parametrize("inputs", range(1, 9))
def test_rows_are_a_whole_grid_or_else_a_spread_of_no_more_than_asked(inputs: int) -> None:
    design = Design(tuple("abcdefgh"[:inputs]), (HEAT,) * inputs, most=2000)
    X = design.rows()
    levels = [np.unique(column) for column in X.T]
    assert len(X) <= 2000
    assert len(np.unique(X, axis=0)) == len(X)
    if inputs < 5:
        assert np.array_equal(X, list(product(*levels)))
        assert all((one.min(), one.max()) == (20, 80) for one in levels)
    else:
        assert len(X) == 2000
        assert all(len(one) > 10 for one in levels)


def test_rows_have_every_value_where_these_are_few() -> None:
    kinds = Integer(1, 4), Category(("x", "y", "z")), Real(0, 1, step=0.25), Integer(1, 3, log=True)
    design = Design(tuple("nkrm"), kinds, most=1000)
    table = Table.of(design)
    expected = product(range(1, 5), "xyz", (0, 0.25, 0.5, 0.75, 1), (1, 2, 3))
    settings = table.settings(range(len(table)))
    assert [tuple(one.values()) for one in settings] == list(expected)
    # The same as the space itself reads them, which `minimize` and `BoxBandit` search.
    assert np.allclose(table.candidates, design.space.coordinates(design.space.read(settings)))
    assert dict(table.labels)["m"][:4] == ("1", "2", "3", "1")


def test_a_logarithmic_range_has_equal_ratios() -> None:
    table = Table.of(Design(("c",), (Real(1e-4, 1, log=True),), most=41))
    values = np.array([one["c"] for one in table.settings(range(41))])
    assert np.allclose(values[1:] / values[:-1], 10**0.1)
    assert table.inputs == ("log10 c",)
    assert dict(table.labels)["c"][::10] == ("0.0001", "0.001", "0.01", "0.1", "1")


@pytest.mark.parametrize("at_most", [False, True])
def test_sums_are_met_by_every_row_and_by_all_that_brute_force_finds(at_most: bool) -> None:
    sums = (SumConstraint(("oil", "water", "sand"), 100, at_most=at_most),)
    kinds = Real(0, 100), Real(10, 100), Real(0, 40), Integer(1, 2)
    X = Design(("oil", "water", "sand", "n"), kinds, sums, most=1500).rows()
    total = X[:, :3].sum(axis=1)
    assert np.all(total <= 100 + 1e-9) if at_most else np.allclose(total, 100)
    step = np.diff(np.unique(X[:, 0])).min()
    shares = product(
        *(np.arange(low, high + 1e-9, step) for low, high in ((0, 100), (10, 100), (0, 40)))
    )
    fit = [x for x in shares if (sum(x) <= 100 + 1e-9 if at_most else abs(sum(x) - 100) < 1e-9)]
    expected = [(*x, n) for x in fit for n in (1, 2)]
    assert np.allclose(X, expected)


def test_sums_of_many_inputs_are_met_by_a_spread() -> None:
    names = tuple("abcdefghij")
    design = Design(names, (Real(0, 0.3),) * 10, (SumConstraint(names, 1.0),), most=300)
    X = design.rows()
    assert len(X) == 300
    assert np.allclose(X.sum(axis=1), 1)
    assert X.min() >= 0
    assert X.max() <= 0.3 + 1e-12


def test_the_default_lengthscales_are_those_of_the_space() -> None:
    """A third of the range, and 1 for the values of a category, as in `minimize`."""
    table = Table.of(mixed())
    space = Space.of({"heat": (20, 80), "time": (2, 20), "acid": ACID})
    assert np.array_equal(np.ptp(table.domain, axis=0), np.ptp(space.domain, axis=0))


@pytest.mark.parametrize(
    ("low", "high"), [(20, 120), (0, 80), (40, 60), (37, 95)], ids=["up", "down", "in", "odd"]
)
def test_the_next_batch_is_that_of_a_fresh_plan_with_the_new_range(low: int, high: int) -> None:
    """And the same results: rows made afresh, and beside them those used, nothing kept."""
    experiment = begun()
    data = experiment.history.data
    points, waiting = experiment.process.X, experiment.pending_points
    experiment.set_range("heat", low, high)
    design = Design(("heat", "time", "acid"), (Real(low, high), TIME, ACID), most=500)
    rows = design.rows()
    used = [x for x in (*points, *waiting) if low <= x[0] <= high]
    extra = [x for x in used if np.abs(rows - x).max(axis=1).min() > 1e-9]
    fresh = Experiment(Table.of(design, rows=np.vstack([rows, *extra])), plan())
    fresh.tell(None, [one.y for one in data], points=points)
    assert np.array_equal(experiment.table.candidates, fresh.table.candidates)
    assert experiment.table.labels == fresh.table.labels
    for x in waiting:
        kept = any(np.array_equal(experiment.candidates[j], x) for j in experiment.pending)
        assert kept == (low <= x[0] <= high)
    experiment.withdraw()
    experiment.allow()
    # The batches differ in their number alone, and beta is constant.
    assert np.array_equal(experiment.ask().indices, fresh.ask().indices)


def test_a_range_that_changes_is_a_step_that_is_undone_and_replayed() -> None:
    experiment = begun()
    before, picks = experiment.table.candidates, experiment.pending
    experiment.set_range("time", 2, 40)
    assert experiment.journal[-1].verb == "edit"
    again = reread(experiment)
    assert again.table.design == experiment.table.design
    assert again.table.design is not None
    assert again.table.design.kinds[1] == Real(2, 40)
    assert np.array_equal(again.table.candidates, experiment.table.candidates)
    assert np.array_equal(again.ask().indices, experiment.ask().indices)
    for one in (experiment, again):
        one.undo(), one.undo()
        assert np.array_equal(one.table.candidates, before)
        assert one.table.design == mixed()
        assert one.pending == picks
        one.redo()
        assert len(one.table) == len(again.table)


def test_rows_outside_and_back_are_at_their_rows_again() -> None:
    """Step 5 is kept, so that the rows are those of before, and the results at them."""
    design = Design(("heat",), (Real(20, 80, step=5),), most=100)
    experiment = Experiment(Table.of(design), plan(1))
    experiment.tell([0, 6, 12], [1.0, 2.0, 3.0])
    experiment.set_range("heat", 40, 80)
    assert [one.index for one in experiment.history.data] == [-1, 2, 8]
    experiment.set_range("heat", 20, 80)
    assert [one.index for one in experiment.history.data] == [0, 6, 12]


def test_values_of_a_category_and_of_a_logarithm_are_added_by_what_is_set() -> None:
    design = Design(("c", "acid"), (Real(1, 100, log=True), ACID))
    rows = design.space.coordinates(
        design.space.read([{"c": 1, "acid": "a"}, {"c": 10, "acid": "b"}])
    )
    experiment = Experiment(Table.of(design, rows=rows), plan(3))
    experiment.widen("c", [1000.0])
    assert experiment.table.settings([2, 3]) == [
        {"c": 1000.0, "acid": "b"}, {"c": 1000.0, "acid": "a"},
    ]  # fmt: skip
    assert experiment.table.labels[0] == ("c", ("1", "10", "1000", "1000"))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda one: one.set_range("acid", 0, 1), "an input with a range; got acid, a category"),
        (lambda one: one.set_range("speed", 0, 1), "one of heat, time, acid; got 'speed'"),
        (lambda one: one.set_range("heat", 80, 20), "low < high"),
        (lambda _: listed().set_range("x", 0, 1), "made of ranges"),
        (lambda _: Design(("a", "a"), (HEAT, HEAT)), "a name of its own for each input"),
        (lambda _: Table(("x",), range(3), design=mixed()), "as in the design"),
    ],
)
def test_what_cannot_be_is_refused(change: Any, what: str) -> None:
    experiment = begun()
    before = experiment.history
    with pytest.raises(InputError, match=what):
        change(experiment)
    assert experiment.history == before


def test_ends_of_a_range_are_of_sizes_that_squares_of_them_are() -> None:
    for low, high in ((0.0, 1e200), (-1e200, 1.0), (0.0, 1e-120)):
        with pytest.raises(InputError, match="low and high within"):
            Real(low, high)
    assert Real(-1e99, 1.0).axis == (-1e99, 1.0)
