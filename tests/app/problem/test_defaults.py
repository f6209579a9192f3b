"""An experiment on the page left to its defaults: spread, fitted, no claim against the data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.app.problem.tables import ask, begun, keys, record, truth
from tests.app.waiting import run
from ucbpe_app.problem import answers, rows_section, sentences
from ucbpe_app.problem.experiment_section import ExperimentSection
from ucbpe_app.problem.frame import certifies, picture
from ucbpe_app.problem.rows import proposals
from ucbpe_core import RBF, FiniteBeta, GaussianProcess
from ucbpe_core.policies import Recommended
from ucbpe_core.search.experiment import Experiment, Plan, Table

if TYPE_CHECKING:
    from ucbpe_app.problem.experiment import ExperimentState

DEFAULT = "Before each batch"
X = np.linspace(0, 10, 41)
GP = GaussianProcess(RBF(1.5, 1.0), noise_variance=0.01)
Y = GP.sample(X, 4) + 0.1 * np.random.default_rng(4).standard_normal(41)


def measure(state: ExperimentState, offset: float = 0.0) -> None:
    """Record all that is outstanding."""
    picks = state.current.history.outstanding
    y = offset + truth(state.current.candidates[[pick.index for pick in picks]])
    run(record(state, dict(zip(keys(state), map(repr, y.tolist()), strict=True))))


def test_the_first_rows_are_spread_and_nothing_is_claimed_of_them() -> None:
    state = begun(known=0, fit=DEFAULT)
    section = ExperimentSection(state)
    assert rows_section.actions(state.current) == [["ask", "Propose the first 6 rows", True]]
    run(ask(state))
    page = proposals(state.current, state.picture.known)
    assert len(page.rows) == 6
    assert {row.cells[-2] for row in page.rows} == {"spread over the table, as no result is known"}
    assert {row.cells[-1] for row in page.rows} == {"not known yet"}
    assert "The first 6 rows are spread over the table." in section.hint.object
    assert "Too early to say." in section.possible.object
    assert not section.bracket.panel.visible


def test_the_fit_follows_the_last_result_and_is_shown() -> None:
    state = begun(known=0, fit=DEFAULT)
    section = ExperimentSection(state)
    run(ask(state))
    measure(state, offset=1000.0)
    gp = state.current.plan.gp
    found = sentences.prior_text(gp)
    assert f"lengthscales {', '.join(f'{scale:.3g}' for scale in gp.kernel.lengthscale)}" in found
    assert f"Prior fitted to 6 results: {found}." in section.rule.object
    assert section.undo.label == "Undo fit"
    assert abs(gp.mean - 1000) < 2
    assert not state.settings.changes
    run(state.undo())
    assert "fitted before each batch, once there are results" in section.rule.object
    assert section.undo.label == "Undo 6 results"
    run(state.redo())
    assert state.current.plan.gp == gp


def test_known_values_are_fitted_at_once_and_there_is_no_first_batch() -> None:
    state = begun(known=8, fit=DEFAULT)
    assert [entry.verb for entry in state.current.journal] == ["plan", "tell", "fit"]
    assert rows_section.actions(state.current)[-1][1] == "Propose 3 rows"
    run(ask(state))
    assert "first" not in state.current.decision.roles


def test_settings_of_the_prior_are_offered_only_where_nobody_fits_it() -> None:
    state = begun(known=8, fit=DEFAULT)
    form = ExperimentSection(state).form
    shown = [name for name in form.fields if form.fields[name].visible]
    choices = {"goal", "fit", "policy", "kernel", "nu", "schedule", "delta", "scale", "batch_size"}
    choices |= {"shared"}
    assert set(shown) == choices  # and none of a run, whose results come as simulated
    hidden = [name for name in ("lengthscale", "variance", "mean") if not form.fields[name].visible]
    assert hidden == ["lengthscale", "variance", "mean"]
    assert not form.fit.visible
    state.settings.accept(fit="Never")
    assert form.fields["mean"].visible
    assert form.fit.visible
    run(state.plan())
    assert state.current.plan.fit == "never"
    measured = state.current.plan.gp
    run(record(state, {"c20": "4.5"}))
    assert state.current.plan.gp == measured


def test_another_kernel_is_fitted_when_it_is_used() -> None:
    state = begun(known=8, fit=DEFAULT)
    state.settings.accept(kernel="RBF")
    run(state.plan())
    assert isinstance(state.current.plan.gp.kernel, RBF)
    assert state.current.plan.fitted == 8
    assert [entry.verb for entry in state.current.journal][-2:] == ["plan", "fit"]


WRONG = {
    "mean": (replace(GP, mean=-60.0), "Use mean "),
    "scale": (replace(GP, kernel=RBF(1.5, 1e-3)), "Use variance "),
    "noise": (replace(GP, noise_variance=1e-6), "Use noise variance "),
    "lengthscale": (replace(GP, kernel=RBF(15.0, 1.0)), "Use lengthscales "),
}


@pytest.mark.parametrize("cause", WRONG)
def test_a_wrong_prior_is_named_and_one_press_mends_it(cause: str) -> None:
    """In place of the certificate; after the press the model fits, and it is back."""
    gp, label = WRONG[cause]
    plan = Plan(gp, Recommended(2), FiniteBeta(), fit="never")
    experiment = Experiment(Table(("T",), X, "y"), plan)
    experiment.tell(range(0, 41, 2), Y[::2])
    check = picture(experiment).check
    assert check.cause == cause
    found = answers.remedy(experiment, check)
    assert found is not None
    assert found[0].startswith(label)
    stop = sentences.may_stop(experiment, picture(experiment).certificate, None, check.verdict)
    assert stop[0] == "Not known: the model does not fit."
    found[1](experiment)
    mended = picture(experiment)
    assert certifies(mended.check.verdict)
    best, found_best = float(Y[::2].max()), mended.certificate
    assert found_best.extreme >= best - 0.5


def test_the_button_of_a_remedy_takes_a_step_that_can_be_undone() -> None:
    state = begun(known=10)
    section = ExperimentSection(state)
    state.settings.accept(mean=-500.0)
    run(state.plan())
    assert section.remedy.visible
    assert section.remedy.buttons[0].label.startswith("Use mean ")
    assert not section.bracket.panel.visible
    run(section.remedy.answer(0))
    assert abs(state.current.plan.gp.mean) < 2
    assert not section.remedy.visible
    assert section.bracket.panel.visible
    run(state.undo())
    assert section.remedy.visible


def test_an_undone_fit_is_offered_again() -> None:
    state = begun(known=10, fit=DEFAULT)
    section = ExperimentSection(state)
    run(state.undo())
    if section.remedy.visible:
        assert section.remedy.buttons[0].label == "Fit the prior"
    assert state.current.fit_is_due
    run(ask(state))
    assert state.current.plan.fitted == 10


def test_one_result_that_the_others_contradict_can_be_left_out() -> None:
    state = begun(inputs=1, rows=24, known=16)
    section = ExperimentSection(state)
    run(state.fit())
    run(state.plan())
    run(record(state, {"c3": "40"}))
    assert section.remedy.buttons[0].label == "Leave out 40"
    run(section.remedy.answer(0))
    assert state.current.history.measured[-1].y is None


def test_a_batch_of_repeats_is_never_proposed_without_a_sentence() -> None:
    x = np.arange(8.0)
    experiment = Experiment(Table(("a",), x), Plan(GP, Recommended(1), FiniteBeta(), fit="never"))
    for row, y in ((3, 9.0), (3, 9.2), (1, 0.0), (5, 0.1), (2, 4.0), (4, 4.2), (6, 0.0)):
        experiment.tell([row], [y])
    experiment.replan(replace(experiment.plan, gp=GaussianProcess(RBF(2.0, 20.0), 2.0, 2.0)))
    decision = experiment.ask()
    said = sentences.standing(experiment)[2]
    assert ("All of these were measured before" in said) == experiment.is_repeated(decision)
    assert experiment.is_repeated(decision)
