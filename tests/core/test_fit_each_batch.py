"""A search left to its defaults: spread first, then fitted before each batch, all undoable."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import qmc

from tests.core.runs import reread, text_of
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    Experiment,
    GaussianProcess,
    Matern,
    PriorWarning,
    RepeatsWarning,
)
from ucbpe_core.gp.fitting import fit_to_optimise
from ucbpe_core.policies import Recommended
from ucbpe_core.search import search
from ucbpe_core.search.experiment import Plan, Table
from ucbpe_core.spaces import Category

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats

X = np.stack(np.meshgrid(np.linspace(20, 75, 12), np.linspace(1, 7, 7), indexing="ij"), axis=-1)
X = X.reshape(-1, 2)
RNG = np.random.default_rng(3)


def height(rows: Any) -> Floats:
    """Up to 83, near (55, 5)."""
    x = X[rows]
    return 83 * np.exp(-(((x[:, 0] - 55) / 20) ** 2) - ((x[:, 1] - 5) / 3) ** 2)


def campaign(experiment: Experiment, batches: int) -> list[list[int]]:
    """Batches measured as they come, all defaults; the rows of each."""
    asked = []
    for _ in range(batches):
        rows = experiment.ask().indices.tolist()
        experiment.tell(rows, height(rows))
        asked.append(rows)
    return asked


def test_left_to_its_defaults_it_finds_the_best_row_and_repeats_no_batch() -> None:
    """The campaign of a new experimenter: 84 rows, no value, nothing typed."""
    experiment = Experiment(Table(("temperature", "time"), X))
    first, *later = campaign(experiment, 3)
    assert len(first) == experiment.first == 8
    assert max(height(range(84))) == max(height([row for rows in (first, *later) for row in rows]))
    assert all(set(rows) - set(first) for rows in later)
    assert experiment.best().value == pytest.approx(max(height(range(84))), abs=0.1)


def test_each_fit_is_that_of_the_results_so_far() -> None:
    """By a call of the fit alone, from the prior before it."""
    experiment = Experiment(Table(("a", "b"), X))
    before = experiment.plan.gp
    for batch in range(1, 4):
        campaign(experiment, 1)
        rows = [trial.index for trial in experiment.history.data]
        y = [trial.y for trial in experiment.history.data]
        assert experiment.plan.gp == fit_to_optimise(before, X[rows], y, 0, X)  # type: ignore[arg-type]
        assert experiment.plan.fitted == len(y) == 8 + 4 * (batch - 1)
        before = experiment.plan.gp


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_units_of_y_change_no_pick(scale: float) -> None:
    plain, other = Experiment(Table(("a", "b"), X)), Experiment(Table(("a", "b"), X))
    for _ in range(3):
        rows = plain.ask().indices.tolist()
        assert other.ask().indices.tolist() == rows
        plain.tell(rows, height(rows))
        other.tell(rows, scale * (height(rows) + 1000))


def test_a_fit_is_a_step_that_undo_takes_back_and_the_file_has() -> None:
    experiment = Experiment(Table(("a", "b"), X))
    given = experiment.plan.gp
    campaign(experiment, 1)
    fitted = experiment.plan.gp
    assert [entry.verb for entry in experiment.journal] == ["plan", "ask", "tell", "fit"]
    experiment.undo()
    assert experiment.plan.gp == given
    assert experiment.fit_is_due
    np.testing.assert_array_equal(experiment.posterior.gp.mean, 0.0)
    experiment.redo()
    assert experiment.plan.gp == fitted
    assert not experiment.fit_is_due
    again = reread(experiment)
    assert again.history == experiment.history
    assert again.plan.fitted == 8
    assert again.ask().indices.tolist() == experiment.ask().indices.tolist()


def test_a_file_without_the_field_keeps_its_prior() -> None:
    """As those from before there was a choice do."""
    experiment = Experiment(Table(("a", "b"), X), replace(Plan.recommended(X), fit="never"))
    experiment.tell([3, 50], [1.0, 2.0])
    assert '"fit"' not in text_of(experiment)
    assert reread(experiment).plan.fit == "never"


def test_a_corrected_result_is_fitted_again() -> None:
    experiment = Experiment(Table(("a", "b"), X))
    campaign(experiment, 1)
    before = experiment.plan.gp
    experiment.correct(0, 500.0)
    assert experiment.fit_is_due
    experiment.ask()
    assert experiment.plan.gp != before
    experiment.undo(), experiment.undo()
    assert experiment.plan.gp == before


def test_part_of_a_batch_is_fitted_when_the_next_is_asked_for() -> None:
    experiment = Experiment(Table(("a", "b"), X))
    rows = experiment.ask().indices.tolist()
    experiment.tell(rows[:5], height(rows[:5]))
    assert experiment.plan.fitted == 0
    experiment.ask()
    assert experiment.plan.fitted == 5
    assert set(experiment.pending) > set(rows[5:])


def test_with_free_workers_it_fits_after_one_result_then_after_a_batch_of_them() -> None:
    bandit = Bandit(X, Plan.recommended(X).gp, Recommended(4), fit="each batch")
    running = bandit.fill(4).indices.tolist()
    fitted = []
    for _ in range(9):
        row = running.pop(0)
        bandit.tell([row], height([row]))
        running += bandit.fill(1).indices.tolist()
        fitted.append(bandit.history.plan.fitted)
    assert fitted == [1, 2, 2, 4, 4, 4, 4, 8, 8]


def test_a_bandit_keeps_its_prior_unless_it_is_told_to_fit() -> None:
    gp = GaussianProcess(Matern(10.0))
    bandit = Bandit(X, gp, GPUCBPE(batch_size=3))
    rows = bandit.ask().indices
    bandit.tell(rows, height(rows) / 50)
    bandit.ask()
    assert bandit.gp == gp


# The first batch.


@pytest.mark.parametrize(
    ("inputs", "size", "wanted"), [(1, 1, 4), (1, 4, 4), (2, 4, 8), (3, 10, 10), (6, 4, 16)]
)
def test_the_size_of_the_first_batch(inputs: int, size: int, wanted: int) -> None:
    """2 (d + 1), rounded up to whole batches."""
    box = BoxBandit([(0, 1)] * inputs, GaussianProcess(RBF()), Recommended(size))
    assert box.first == wanted
    assert len(box.ask().indices) == wanted
    few = Bandit(range(3), GaussianProcess(RBF()), Recommended(size), fit="each batch")
    assert few.first == 3
    assert sorted(few.ask().indices) == [0, 1, 2]


def test_the_first_batch_is_spread_whatever_the_prior_is() -> None:
    """By the discrepancy from the uniform distribution: below what random rows have."""

    def uneven(rows: Any) -> float:
        return float(qmc.discrepancy((X[rows] - X.min(axis=0)) / np.ptp(X, axis=0)))

    drawn = [uneven(RNG.choice(84, 8, replace=False)) for _ in range(200)]
    picks = set()
    for lengthscale in (1e-6, 1.0, 1e6):
        bandit = Bandit(X, GaussianProcess(RBF(lengthscale)), Recommended(4), fit="each batch")
        rows = bandit.ask().indices.tolist()
        assert uneven(rows) < np.quantile(drawn, 0.05)
        picks.add(tuple(rows))
    assert len(picks) == 1


def test_more_first_picks_go_on_and_none_is_withdrawn_or_taken() -> None:
    experiment = Experiment(Table(("a", "b"), X))
    rows = experiment.ask(3).indices.tolist()
    assert rows == Experiment(Table(("a", "b"), X)).ask(6).indices.tolist()[:3]
    experiment.withdraw([rows[0]])
    more = experiment.ask(5).indices.tolist()
    assert len({*rows, *more}) == 8
    experiment.withdraw()
    assert not set(experiment.ask().indices) & {*rows, *more}


def test_the_first_batch_of_a_box_is_within_it_and_mixed() -> None:
    inputs = {"heat": (20, 90), "solvent": Category(("a", "b"))}
    box = BoxBandit(inputs, GaussianProcess(Matern((20.0, 1.0, 1.0))), GPUCBPE(2), ConstantBeta(4))
    settings = box.space.settings(box.ask().points)
    assert len(settings) == 6
    assert {setting["solvent"] for setting in settings} == {"a", "b"}
    heats = sorted(setting["heat"] for setting in settings)
    assert heats[0] < 40
    assert heats[-1] > 70
    assert min(after - before for before, after in pairwise(heats)) > 1.0


# Edges.


@pytest.mark.parametrize("value", [0.0, 80.0, -1e6])
def test_equal_results_give_a_prior_of_their_size(value: float) -> None:
    experiment = Experiment(Table(("a", "b"), X))
    first = experiment.ask().indices
    experiment.tell(first, np.full(8, value))
    assert experiment.plan.gp.mean == value
    assert experiment.plan.gp.kernel.diagonal(X[:1])[0] == pytest.approx(value**2 or 1.0)
    assert len(set(experiment.ask().indices) - set(first)) == 4


def test_one_result_is_enough_to_go_on() -> None:
    bandit = Bandit(range(30), GaussianProcess(RBF(9.0)), Recommended(2), fit="each batch")
    bandit.tell([4], [1230.0])
    assert len(set(bandit.ask().indices) - {4}) == 2
    assert bandit.gp.mean == 1230.0


def test_results_that_no_prior_can_be_fitted_to_are_kept() -> None:
    experiment = Experiment(Table(("a", "b"), X))
    rows = experiment.ask().indices
    y = height(rows)
    y[0] = 1e160
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        experiment.tell(rows, y)
    assert any(
        issubclass(one.category, PriorWarning) and "The prior in force stays" in str(one.message)
        for one in caught
    )
    assert [trial.y for trial in experiment.history.data] == y.tolist()
    assert experiment.plan.fitted == 0
    experiment.correct(0, 12.0)
    assert experiment.fit_if_due()


def test_of_very_many_results_some_are_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evenly spaced in the order told, so that a batch does not wait for minutes."""
    monkeypatch.setattr(search, "MOST_FITTED", 9)
    bandit = Bandit(X, Plan.recommended(X).gp, Recommended(4), fit="each batch")
    given, rows = bandit.gp, RNG.permutation(84)[:33]
    bandit.tell(rows, height(rows))
    bandit.fit_if_due()
    assert bandit.gp == fit_to_optimise(given, X[rows[::4]], height(rows[::4]), 0, X)
    assert bandit.history.plan.fitted == 33


def test_noise_that_is_known_is_not_fitted() -> None:
    experiment = Experiment(Table(("a", "b"), X))
    rows = experiment.ask().indices
    experiment.tell(rows, height(rows), noise_variance=4.0)
    assert experiment.plan.gp.noise_variance == Plan.recommended(X).gp.noise_variance


def test_a_batch_of_repeats_says_so_and_the_default_rule_adds_a_new_row() -> None:
    """Eight rows with a clear best one and much noise: every rule would go back to it."""
    x, y = np.arange(8.0), np.array([0.0, 1, 2, 9, 2, 1, 0, 0])
    told = Bandit(x, GaussianProcess(RBF(1.0)), GPUCBPE(1), ConstantBeta(1e-4), fit="each batch")
    told.tell([1, 2, 3, 3, 4, 5], y[[1, 2, 3, 3, 4, 5]] + [0.5, -0.5, 0.6, -0.6, 0.4, -0.4])
    with pytest.warns(RepeatsWarning, match="has been measured before"):
        decision = told.ask()
    assert decision.indices.tolist() == [3]
    assert told.is_repeated(decision)
    gp = GaussianProcess(RBF(1.0, variance=10.0), 1.0, 2.0)
    bandit = Bandit(x, gp, Recommended(2))
    bandit.tell([1, 2, 3, 3, 4, 5], y[[1, 2, 3, 3, 4, 5]])
    _, last = bandit.ask().indices
    free = np.setdiff1d(np.arange(8), [1, 2, 3, 4, 5])
    if bandit.ask().indices[0] not in free:
        after = bandit.posterior.hallucinate([int(bandit.ask().indices[0])])
        bound = after.mean + 2 * after.std
        assert last == free[np.argmax(bound[free])]


def test_nothing_warns_in_a_plain_campaign() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        campaign(Experiment(Table(("a", "b"), X)), 4)
