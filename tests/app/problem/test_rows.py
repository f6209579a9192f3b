"""The rows on screen: the right numbers beside the right names, a page at a time."""

from __future__ import annotations

import re
import warnings
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.app.problem.tables import ask, begun, correct, keys, record, told, withdraw
from tests.app.waiting import run
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.pictures.field import SCATTERED
from ucbpe_app.pictures.plane import LARGE_PLANE, PLANE
from ucbpe_app.problem import answers, rows, rows_section, sentences
from ucbpe_app.problem.experiment_section import ExperimentSection
from ucbpe_app.problem.rows import FREE, MEASURED, PAGE, PENDING, Order, Show, written
from ucbpe_app.problem.rows_section import large, results_of
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.texts import at_least
from ucbpe_core import GPUCBPE, RBF, ConstantBeta, GaussianProcess
from ucbpe_core.search.experiment import Experiment, Plan, Table

UTC = ZoneInfo("UTC")


def test_proposals_tell_what_to_measure_and_why() -> None:
    experiment = begun(policy="GP-UCB-PE")
    run(ask(experiment))
    current, frame = experiment.current, experiment.picture.frame
    page, decision = rows.proposals(current, frame), current.decision
    assert page.names == ("sample", "in 0", "in 1", "why this one", "we expect")
    assert page.kinds == ("", "value", "value", "why", "quiet")
    assert [row.key for row in page.rows] == keys(experiment)
    for k, row in enumerate(page.rows):
        j = int(decision.indices[k])
        x = [written(value) for value in current.table.candidates[j]]
        half = frame.sqrt_beta * frame.std[j]
        assert row.cells[:3] == (f"S{j}", *x)
        assert row.cells[4] == f"{number(frame.mean[j])} ± {number(half)}"
        assert row.name.endswith(f"candidate {j}")
    first, second, _ = page.rows
    assert first.name.startswith("pick 1 · x⁰, ")
    assert first.cells[3] == f"highest possible y: up to {number(decision.scores[0])}"
    assert second.cells[3] == f"least known of the rest: std {number(decision.stds[1])}"
    assert (first.mark[0], second.mark[0]) == ("★", "◆")


@pytest.mark.parametrize("noisy", [True, False])
@pytest.mark.parametrize("goal", ["Maximise", "Minimise"])
def test_recommended_tells_what_each_row_may_gain(goal: str, noisy: bool) -> None:
    """What the rule maximised, in the units of the values; with noise, what a row can reach."""
    experiment = begun()
    experiment.settings.accept(goal=goal)
    if not noisy:
        experiment.settings.accept(noise_variance=1e-6 * experiment.settings.variance)
    run(experiment.plan())
    run(ask(experiment))
    current, frame = experiment.current, experiment.picture.frame
    sign = 1.0 if goal == "Maximise" else -1.0
    first, second, third = rows.proposals(current, frame).rows
    scores = current.decision.scores
    assert first.cells[3] == f"most to gain on average: {number(scores[0])}"
    for row, score in zip((second, third), scores[1:], strict=True):
        expected = f"most to gain, given those above: {number(score)}"
        if noisy:
            reach = "highest mean + 2 std" if goal == "Maximise" else "lowest mean − 2 std"
            expected = f"{reach}: {number(sign * score)}"
        assert row.cells[3] == expected
    assert answers.rule_words(current).startswith("Rule: Recommended. It came nearest")
    assert "GP-UCB-PE has a regret bound" in answers.rule_words(current)
    # A part of the results in, those that wait are expected as the results alone say.
    run(record(experiment, {keys(experiment)[0]: "0.1"}))
    current, shown = experiment.current, experiment.picture
    j, posterior = current.pending[0], current.posterior
    half = shown.known.sqrt_beta * posterior.std[j]
    expected = f"{number(posterior.mean[j])} ± {number(half)}"
    assert rows.proposals(current, shown.known).rows[0].cells[-1] == expected


def test_a_row_without_a_label_is_named_by_its_settings() -> None:
    table = Table(("T (°C)", "t", "a", "b"), np.array([[20.0, 1, 2, 3], [30, 4, 5, 6]]))
    assert sentences.row_words(table, 1) == "30 °C, t 4, a 5, b 6"
    named = Table(table.inputs, table.candidates, labels=(("id", ("S1", "S2")),))
    assert sentences.row_words(named, 1) == "S2"


def test_the_strip_says_where_we_are_and_what_is_possible() -> None:
    section = ExperimentSection(begun())
    experiment = section.experiment
    current, frame = experiment.current, experiment.picture.frame
    gain = at_least(frame.upper.max() - current.history.best.y, -1.0)
    found = experiment.picture.certificate
    assert sentences.may_stop(current, found, None)[0] == f"At most {gain} can still be gained."
    where = sentences.best_words(current, experiment.picture.known, "good")
    inside = int((frame.upper >= frame.lower.max()).sum())
    assert inside < 24
    assert f"{inside} of 24 rows may still be the best" in where
    assert sentences.standing(current)[:2] == ("0 batches", "Propose the first rows")
    assert rows_section.actions(current) == [["ask", "Propose 3 rows", True]]
    run(ask(experiment))
    assert sentences.standing(experiment.current)[:2] == (
        "Batch 1: 0 of 3 recorded",
        "Measure these three",
    )
    run(record(experiment, {keys(experiment)[0]: "9"}))
    assert sentences.standing(experiment.current)[0] == "Batch 1: 1 of 3 recorded"
    offered = [name for name, _, filled in section.rows.proposed.actions]
    assert offered == ["withdraw_rest", "ask"]
    run(experiment.step(lambda one: one.withdraw(list(one.pending))))
    assert not experiment.current.pending
    assert sentences.recorded(experiment.current) == "Cake: 4 results, 2 withdrawn"
    labels = {name: label for name, label, _ in section.rows.proposed.actions}
    assert labels["allow"] == "Allow 2 withdrawn rows again"
    assert labels["ask"] == "Propose 3 more"


def test_rows_whose_runs_failed_are_not_called_withdrawn() -> None:
    experiment = begun()
    run(ask(experiment))
    run(experiment.step(lambda bandit: bandit.fail([bandit.pending[0]], "the oven broke")))
    assert rows_section.actions(experiment.current)[0][1] == "Allow 1 failed row again"
    run(experiment.step(lambda bandit: bandit.withdraw(list(bandit.pending))))
    allow = rows_section.actions(experiment.current)[0]
    assert allow == ["allow", "Allow 3 withdrawn or failed rows again", False]


def test_the_results_are_drawn_by_batch_and_the_best_is_ringed() -> None:
    experiment = begun()
    run(ask(experiment))
    first, *_ = keys(experiment)
    run(record(experiment, {first: "9"}))
    run(experiment.step(lambda one: one.withdraw(list(one.pending))))
    (plot,) = rows_section.results_of(experiment.current).plots.values()
    drawn = {one.role: one.columns for one in plot.marks}
    y = [value for _, value in told(experiment.current)]
    np.testing.assert_array_equal(drawn["results"]["y"], y)
    assert np.round(drawn["results"]["x"]).tolist() == [0, 0, 0, 1]
    np.testing.assert_array_equal(drawn["running"]["y"][:-1], np.maximum.accumulate(y))
    assert (drawn["fresh"]["y"].tolist(), len(drawn["start"]["x"])) == ([9.0], 2)
    assert "best 9" in [label.text for label in plot.labels]


def test_all_rows_have_their_status_and_the_belief() -> None:
    experiment = begun(known=3)
    run(ask(experiment))
    run(record(experiment, {"c0": "9.5"}))
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
    run(ask(experiment))
    run(record(experiment, {keys(experiment)[1]: "0.75"}))
    run(correct(experiment, {"m1.1": ""}))
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
    experiment = begun()
    run(ask(experiment))
    key, gone = keys(experiment)[1], experiment.current.pending[1]
    run(withdraw(experiment, key))
    page = rows.candidates(
        experiment.current, experiment.picture.frame, Show.ALL, Order.TABLE, str(gone)
    )
    assert [row.status for row in page.rows if row.cells[0] == str(gone)] == ["withdrawn"]
    run(experiment.step(Experiment.allow))
    assert sentences.entry_words(experiment.current.journal[-1]) == "1 row allowed again"
    assert sentences.step_words(experiment.current.undoable) == "allowance"


def test_where_all_of_r_plus_is_known_the_status_says_so() -> None:
    X = np.linspace(0, 1, 12)[:, None]
    gp = GaussianProcess(RBF(0.4), noise_variance=0.0)
    words = {"avoid": "the best of the other rows.", "allow": "rows that may be the best are known"}
    for repeats, said in words.items():
        plan = Plan(gp, GPUCBPE(2), ConstantBeta(0.01), repeats=repeats, fit="never")  # type: ignore[arg-type]
        one = Experiment(Table(("x",), X), plan)
        one.tell([0, 6, 11], [0.0, 1.0, 0.0])
        waiting = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(5):
                decision = one.ask()
                waiting.append(said in sentences.standing(one)[2])
                assert waiting[-1] == decision.exhausted
                chosen = list(one.pending)
                one.tell(chosen, np.sin(np.pi * X[chosen, 0]))
                if all(one.posterior.std < 1.5e-5):
                    break
        assert any(waiting)


def test_what_a_fit_changes_is_told() -> None:
    section = ExperimentSection(begun(known=12))
    settings = section.experiment.settings
    before = settings.variance
    assert run(section._fit()).startswith("12 measurements: log likelihood")
    change = f"variance {number(before)} → {number(settings.variance)}"
    assert change in settings.changes
    assert change in section._changed.object


def test_the_posterior_of_a_table_off_a_grid_is_drawn_as_dots() -> None:
    kinds = [large(begun(inputs).picture.scene) for inputs in (1, 2, 3)]
    assert kinds == [(CURVE, PLANE), (SCATTERED, PLANE), (LARGE_PLANE,)]
    shown = begun(2).picture
    assert not shown.known.region.all()
    said = answers.where_words(shown.scene, shown.known, "good")
    assert said == "Best guess; clear dots may still be the best"


def test_a_result_of_a_row_that_nobody_proposed_is_drawn_where_it_came() -> None:
    experiment = begun().current
    experiment.ask()
    first, *_ = experiment.pending
    free = next(j for j in range(5, 24) if j not in experiment.pending)
    experiment.tell([first, free], [0.5, 9.0])
    plot = results_of(experiment).plots["results"]
    drawn = {one.role: one.columns for one in plot.marks}
    assert (np.rint(drawn["results"]["x"]) == [0, 0, 0, 1, 1]).all()
    assert (np.diff(drawn["running"]["x"]) > 0).all()
    assert (np.diff(drawn["running"]["y"]) >= 0).all()


def test_results_are_shown_as_they_were_told() -> None:
    """Three digits of 1234.6 are another result, and of 1234.5 ± 0.06 no mean."""
    experiment = begun(known=0)
    run(ask(experiment))
    told = [1234.4, 1234.6, 1234.57]
    run(experiment.step(lambda one: one.tell(one.pending, told)))
    run(experiment.fit())
    run(experiment.plan())
    current, shown = experiment.current, experiment.picture
    best = sentences.best_words(current, shown.known, shown.check.verdict)
    assert best.startswith("Best result 1234.6 at ")
    mean = re.search("Best mean ([0-9.]+) ± ([0-9.]+)", best)
    assert mean is not None
    guess = current.best()
    assert abs(float(mean[1]) - guess.value) <= 0.1 * guess.std
    listed = rows.candidates(current, shown.frame, Show.DONE, Order.TABLE, "")
    assert sorted(row.cells[-1] for row in listed.rows) == ["1234.4", "1234.57", "1234.6"]
    assert any(label.text == "best 1234.6" for label in results_of(current).plots["results"].labels)
