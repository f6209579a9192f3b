"""What the answers say, also where the model is wrong; and the report that has them all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.app.problem.tables import ask, begun, keys, record
from tests.app.waiting import in_a_session, run
from ucbpe_app.problem import answers, sentences
from ucbpe_app.problem.edit_section import EditSection, numbers_of, rows_of
from ucbpe_app.problem.entries import Faults, entry_of
from ucbpe_app.problem.experiment_section import ExperimentSection
from ucbpe_app.problem.frame import picture
from ucbpe_core import GPUCBPE, RBF, FiniteBeta, GaussianProcess, InputError
from ucbpe_core.policies import Policy, Recommended
from ucbpe_core.search.experiment import Experiment, Plan, Table

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats

X = np.linspace(0, 10, 41)
WRONG = ("outlier", "rough", "noisy")
GP = GaussianProcess(RBF(1.5, 2.0), noise_variance=0.01)
WAVE = np.sin(X) + 0.05 * np.cos(40 * X)


@pytest.fixture(params=[GPUCBPE, Recommended])
def policy(request: pytest.FixtureRequest) -> type[Policy]:
    return request.param


def measured(y: Floats, gp: GaussianProcess = GP, policy: type[Policy] = Recommended) -> Experiment:
    """Every second row."""
    table = Table(("T (°C)",), X, "y", (("flask", tuple(f"F{j}" for j in range(41))),))
    experiment = Experiment(table, Plan(gp, policy(2), FiniteBeta(), fit="never"), "Trial")
    experiment.tell(range(0, 41, 2), y[::2])
    return experiment


def said(experiment: Experiment) -> tuple[str, str, str]:
    return answers.model_words(experiment, picture(experiment).check)


def test_a_model_that_fits_is_said_to_and_how_well() -> None:
    experiment = measured(WAVE + np.random.default_rng(0).normal(0, 0.1, 41))
    head, seen, remedy = said(experiment)
    assert (head, remedy) == ("Yes", "")
    check = picture(experiment).check
    near = np.abs(check.loo.y - check.loo.mean) <= 2 * check.loo.std
    assert answers.inside(check) == np.count_nonzero(near)
    assert seen.startswith("From the others, each result is predicted to ± 0.2")


def test_an_outlier_is_named_and_what_to_do() -> None:
    y = WAVE.copy()
    y[20] += 2
    head, seen, remedy = said(measured(y))
    assert head == "Yes, but for one result"
    assert seen.startswith("5 °C (F20) gave 1.065435; the others predict −0.941 ± 0.259")
    assert remedy.startswith("Measure that row again")


def test_a_step_is_said_to_be_one_and_where() -> None:
    head, seen, remedy = said(measured(np.where(X < 4.2, -1.0, 1.5) + 0.05 * np.sin(9 * X)))
    assert head == "No: values jump"
    assert "4 °C (F16)" in seen
    assert "4.5 °C (F18)" in seen
    assert remedy == "The kernel Matérn with ν = 0.5 allows that."


def test_noise_that_is_too_small_or_too_large_is_said() -> None:
    y = WAVE + np.random.default_rng(1).normal(0, 0.6, 41)
    head, _, remedy = said(measured(y))
    assert head == "No: results scatter"
    assert remedy.startswith("A noise variance of about 0.")
    head, _, remedy = said(measured(WAVE, replace(GP, noise_variance=3.0)))
    assert (head, remedy) == ("Too cautious", "The noise variance of the prior is wrong.")
    few = measured(WAVE)
    for _ in range(17):
        few.correct(len(few.history.data) - 1, None)
    assert said(few)[:2] == (
        "Too early to say", "4 results. With five or more, each is predicted from all the others."
    )  # fmt: skip


def test_what_the_batch_teaches_does_not_depend_on_its_results(policy: type[Policy]) -> None:
    experiment = measured(WAVE, policy=policy)
    assert answers.batch_words(picture(experiment)).startswith("Propose a batch")
    experiment.ask()
    shown = picture(experiment)
    before, after = answers.spreads(shown)
    assert after.mean() < before.mean()
    told = answers.batch_words(shown)
    experiment.tell(experiment.pending, [5.0, -5.0])
    rows = shown.known.region
    assert f"Over the {rows.sum()} rows that may still be the best" in told
    now = np.sort(experiment.posterior.std[rows])[::-1]
    np.testing.assert_allclose(now, after, rtol=1e-9)
    assert f"from {before.max():.3g} to {after.max():.3g} where it is largest" in told


def test_where_the_model_is_wrong_every_answer_is_still_given(policy: type[Policy]) -> None:
    """A step, an outlier, noise that is too small: to the end of a batch, and after a failure."""
    odd = WAVE.copy()
    odd[20] += 2
    noisy = WAVE + np.random.default_rng(1).normal(0, 0.6, 41)
    steps = np.where(X < 4.2, -1.0, 1.5) + 0.05 * np.sin(9 * X)
    for y, head in (
        (odd, "Yes, but for one result"),
        (steps, "No: values jump"),
        (noisy, "No: results scatter"),
    ):
        experiment = measured(y, policy=policy)
        assert said(experiment)[0] == head
        experiment.ask()
        shown, plan = picture(experiment), experiment.plan
        assert shown.known.region.any()
        assert answers.batch_words(shown).startswith("Over the ")
        assert "best guess moves by" in answers.inputs_words(experiment, shown)
        for pick in experiment.history.outstanding:
            assert "argmax" not in sentences.why(pick, plan, "y")
        first, second = experiment.pending
        experiment.fail([first], "the flask broke")
        experiment.tell([second], [float(y[second])])
        found = picture(experiment)
        assert sentences.may_stop(experiment, found.certificate, 100.0)[0] == "You may stop."
        stop = sentences.may_stop(experiment, found.certificate, None, found.check.verdict)
        assert found.check.verdict in WRONG
        assert stop == ("Not known: the model does not fit.", "")
        best = sentences.best_words(experiment, found.known, found.check.verdict)
        assert "may still be the best" not in best
        assert sentences.may_stop(experiment, found.certificate, 1e-6)[0].startswith("Not yet")
        assert first not in experiment.ask().indices


def test_what_matters_is_what_moves_the_best_guess() -> None:
    grid = np.array([[a, b] for a in range(6) for b in range(6)], dtype=float)
    gp = GaussianProcess(RBF((2.0, 50.0)), 0.01)
    plan = Plan(gp, GPUCBPE(2), FiniteBeta(), fit="never")
    experiment = Experiment(Table(("stir", "heat"), grid), plan)
    experiment.tell(range(0, 36, 2), np.sin(grid[::2, 0]))
    text = answers.inputs_words(experiment, picture(experiment))
    assert text.index("along stir (lengthscale 0.4") < text.index("along heat (lengthscale 10")
    slices = picture(experiment).slices
    on = np.flatnonzero(np.isclose(slices.x[0], grid[slices.candidate, 0]))
    assert slices.candidate == experiment.best().index
    for i in on:
        assert slices.mean[0, i] == pytest.approx(experiment.best().value)


def test_a_prior_that_cannot_be_right_is_told_before_five_results() -> None:
    experiment = begun(known=0)
    section = ExperimentSection(experiment)
    run(ask(experiment))
    assert "No value is known yet" in section.hint.object
    run(experiment.step(lambda one: one.tell(one.pending, [1234.4, 1234.6, 1234.5])))
    assert "1235, lie 1.23e+03 standard deviations of the prior" in section.hint.object
    assert "Fit the prior" in section.hint.object
    run(experiment.fit())
    run(experiment.plan())
    assert section.hint.object == ""


def test_a_field_takes_repeats_errors_and_failures() -> None:
    assert entry_of("71,5", "y", 0.1) == (71.5, None, "")
    assert entry_of("71.5 ± 0.5", "y", 0.1) == (71.5, 0.25, "")
    assert entry_of("Failed: the flask broke", "y", 0.1) == (None, None, "the flask broke")
    y, noise, _ = entry_of("70; 71; 72", "y", 1.0)
    assert (y, noise) == (71, pytest.approx((1.0 + 2.0) / 3 / 3))
    with pytest.raises(InputError, match="y to be a number"):
        entry_of("70; x", "y", 1.0)
    experiment = begun()
    run(ask(experiment))
    first, second, _ = keys(experiment)
    run(record(experiment, {first: "failed, no gas", second: "1; 2", "c9": "3 +/- 0.2"}))
    history = experiment.current.history
    assert [(one.state, one.reason) for one in history.gone] == [("failed", "no gas")]
    assert [(one.y, one.noise_variance) for one in history.data[-2:]] == [
        (1.5, pytest.approx((experiment.current.plan.gp.noise_variance + 0.5) / 4)),
        (3.0, pytest.approx(0.04)),
    ]
    with pytest.raises(Faults):
        run(record(experiment, {"c10": "failed"}))


def test_a_field_that_is_left_with_no_result_is_marked_before_it_is_recorded() -> None:
    experiment = begun()
    rows = ExperimentSection(experiment).rows
    run(ask(experiment))
    first, second, _ = keys(experiment)
    before = len(experiment.current.history.data)
    in_a_session(lambda: rows.proposed.receive({"check": {first: "abc"}}))
    in_a_session(lambda: rows.proposed.receive({"check": {second: "71 ± 0.5"}}))
    assert list(rows.proposed.faults) == [first]
    assert "got 'abc'" in rows.proposed.faults[first]
    in_a_session(lambda: rows.proposed.receive({"check": {first: ""}}))
    assert rows.proposed.faults == {}
    assert len(experiment.current.history.data) == before


def test_the_table_changes_on_the_page_and_back() -> None:
    experiment = begun()
    section = ExperimentSection(experiment)
    edit, size = EditSection(experiment, section.attempt), len(experiment.current.table)
    run(ask(experiment))
    d = len(experiment.current.table.inputs)
    edit.added.value = "new; " + "; ".join(["0,25"] * d)
    run(edit.add())
    assert len(experiment.current.table) == size + 1
    assert edit.added.value == ""
    assert len(experiment.picture.scene.candidates) == size + 1
    edit.removed.value = "0; 2-3"
    run(edit.remove())
    assert len(experiment.current.table) == size - 2
    edit.values.value = f"{experiment.current.table.inputs[0]}: 99"
    run(edit.widen())
    assert 99 in experiment.current.table.candidates[:, 0]
    assert section.undo.label == "Undo change of the table"
    for _ in range(3):
        run(experiment.undo())
    assert len(experiment.current.table) == size
    edit.values.value = f"{experiment.current.table.inputs[0]}: x to 1,500"
    run(edit.widen())
    assert "an end of in 0 must be a number" in section.notice.object
    edit.removed.value = "900"
    run(edit.remove())
    assert "900" in section.notice.object
    assert edit.removed.value == "900"
    with pytest.raises(InputError, match="3 cells in line 1"):
        rows_of("1; 2", Table(("a", "b"), [[0, 0]], labels=(("n", ("x",)),)))
    with pytest.raises(InputError, match="numbers of rows"):
        numbers_of("3; x")
