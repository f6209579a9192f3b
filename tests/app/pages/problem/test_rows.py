"""The rows on screen: the right numbers beside the right names, a page at a time."""

from __future__ import annotations

import warnings
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.app.pages.problem.tables import begun, keys
from tests.app.waiting import run
from ucbpe_app.pages.problem import rows, sentences
from ucbpe_app.pages.problem.experiment_section import ExperimentSection
from ucbpe_app.pages.problem.rows import (
    FREE,
    MEASURED,
    PAGE,
    PENDING,
    WITHDRAWN,
    Order,
    Show,
    written,
)
from ucbpe_app.run.sentences import number
from ucbpe_core import GPUCBPE, RBF, ConstantBeta, GaussianProcess
from ucbpe_core.experiment import Experiment, Plan, Table

UTC = ZoneInfo("UTC")


def test_proposals_tell_what_to_measure_and_why() -> None:
    experiment = begun()
    run(experiment.ask())
    current = experiment.current
    page, decision = rows.proposals(current), current.decision
    assert page.names == ("pick", "candidate", "sample", "in 0", "in 1", "why")
    assert [row.key for row in page.rows] == keys(experiment)
    for k, row in enumerate(page.rows):
        j = int(decision.indices[k])
        x = [written(value) for value in current.table.candidates[j]]
        assert row.cells[1:5] == (str(j), f"S{j}", *x)
        assert f"σ = {number(decision.stds[k])}" in row.cells[5]
    assert page.rows[0].cells[0] == "1 · x⁰"
    assert (
        page.rows[0].cells[5].startswith(f"UCB: highest upper bound, {number(decision.scores[0])}")
    )
    assert page.rows[1].cells[5].startswith("PE: least known in R⁺")


def test_all_rows_have_their_status_and_the_belief() -> None:
    experiment = begun(known=3)
    run(experiment.ask())
    run(experiment.tell({"c0": "9.5"}))
    experiment, frame = experiment.current, experiment.picture.frame
    pending = set(experiment.pending)
    seen = {}
    for number_ in (0, 1):
        page = rows.candidates(experiment, frame, Show.ALL, Order.TABLE, "", number_)
        assert (page.page, page.pages, page.total) == (number_, 2, 24)
        seen |= {int(row.cells[0]): row for row in page.rows}
    assert sorted(seen) == list(range(24))
    for j, row in seen.items():
        measured = j in (0, 1, 2)
        assert row.status == (PENDING if j in pending else MEASURED if measured else FREE)
        assert row.cells[-3:-1] == (number(frame.mean[j]), number(frame.std[j]))
        assert bool(row.cells[-1]) == measured
    assert seen[0].cells[-1].endswith(", 9.5")


@pytest.mark.parametrize("order", list(Order))
def test_orders(order: Order) -> None:
    experiment = begun()
    frame = experiment.picture.frame
    page = rows.candidates(experiment.current, frame, Show.ALL, order, "", 0)
    found = [int(row.cells[0]) for row in page.rows]
    score = {
        Order.TABLE: -np.arange(24),
        Order.MEAN: frame.mean,
        Order.UPPER: frame.upper,
        Order.STD: frame.std,
    }[order]
    assert len(found) == PAGE
    assert found == np.argsort(-score, kind="stable")[:PAGE].tolist()


def test_filters_and_search() -> None:
    experiment = begun(known=3)
    experiment, frame = experiment.current, experiment.picture.frame

    def found(show: Show, text: str = "") -> list[int]:
        page = rows.candidates(experiment, frame, show, Order.TABLE, text, 9)
        return [int(row.cells[0]) for row in page.rows]

    assert found(Show.DONE) == [0, 1, 2]
    assert found(Show.OPEN) == [23]  # the last page, however far one asks
    assert found(Show.ALL, " s2 ") == [2, 20, 21, 22, 23]
    assert found(Show.ALL, "7") == [7, 17]  # its number, or a label with it
    assert found(Show.ALL, number(experiment.table.candidates[5, 0])) == [5]
    assert found(Show.ALL, "<b>") == []


def test_measurements_are_listed_with_what_they_answer() -> None:
    experiment = begun()
    run(experiment.ask())
    run(experiment.tell({keys(experiment)[1]: "0.75"}))
    run(experiment.correct({"m1.1": ""}))
    page = rows.measurements(experiment.current, UTC)
    assert [row.key for row in page.rows] == [
        f"m{i}.{experiment.current.history.measured[i].index}" for i in (3, 2, 1, 0)
    ]
    assert [row.status for row in page.rows] == [MEASURED, MEASURED, "void", MEASURED]
    assert page.rows[0].value == "0.75"
    assert page.rows[0].cells[-2] == "1 · x¹"
    assert page.rows[1].cells[-2] == "not proposed"
    assert (page.rows[2].value, page.total) == ("", 4)


def test_withdrawn_rows_are_marked_and_can_be_allowed_again() -> None:
    section = ExperimentSection(begun())
    experiment = section.experiment
    assert not section.allow.visible
    run(experiment.ask())
    key = keys(experiment)[1]
    gone = experiment.candidate_of(key)
    run(experiment.withdraw(key))
    page = rows.candidates(
        experiment.current, experiment.picture.frame, Show.ALL, Order.TABLE, str(gone)
    )
    assert [row.status for row in page.rows if row.cells[0] == str(gone)] == [WITHDRAWN]
    assert (section.allow.visible, section.allow.label) == (True, "Allow 1 withdrawn row again")
    run(experiment.allow())
    assert not section.allow.visible
    assert sentences.entry_words(experiment.current.journal[-1]) == "1 withdrawn row allowed again"
    assert sentences.step_words(experiment.current.undoable) == "allowance"
    run(experiment.undo())
    assert section.allow.visible


def test_where_all_of_r_plus_is_known_the_status_says_so() -> None:
    X = np.linspace(0, 1, 12)[:, None]
    gp = GaussianProcess(RBF(0.4), noise_variance=0.0)
    words = {"avoid": "the best of the others.", "allow": "Every value in R⁺ is known"}
    for repeats, said in words.items():
        plan = Plan(gp, GPUCBPE(2), ConstantBeta(0.01), repeats=repeats)  # type: ignore[arg-type]
        one = Experiment(Table(("x",), X), plan)
        one.tell([0, 6, 11], [0.0, 1.0, 0.0])
        waiting = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(5):
                decision = one.ask()
                waiting.append(said in sentences.status(one))
                assert waiting[-1] == decision.exhausted
                chosen = list(one.pending)
                one.tell(chosen, np.sin(np.pi * X[chosen, 0]))
                if all(one.posterior.std < 1.5e-5):
                    break
        assert any(waiting)


def test_what_a_fit_changes_is_told() -> None:
    experiment = begun(known=12)
    before = experiment.current.plan.gp
    after = run(experiment.fit()).gp
    told = dict(sentences.prior_changes(before, after, experiment.current.table.inputs))
    old, new = before.kernel.lengthscale[0], after.kernel.lengthscale[0]
    assert told["lengthscale of in 0"] == f"{number(old)} → {number(new)}"
    assert sentences.prior_changes(before, before, ("in 0", "in 1")) == []
