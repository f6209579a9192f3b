"""May one stop: numbers are the band's, a probability is told only where one is promised."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.app.problem.tables import begun, chosen, record, truth
from tests.app.waiting import in_a_session, run
from ucbpe_app.pictures.experiment import bracket
from ucbpe_app.problem.experiment import ExperimentState
from ucbpe_app.problem.experiment_section import ExperimentSection
from ucbpe_app.problem.frame import certificate_of
from ucbpe_app.problem.sentences import may_stop, probability, worth_words
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.texts import at_least
from ucbpe_core import GPUCBPE, RBF, BetaSchedule, ConstantBeta, FiniteBeta, GaussianProcess
from ucbpe_core.gp.region import certificate
from ucbpe_core.search.experiment import Experiment, Plan
from ucbpe_core.support.validation import Direction, sign_of


def experiment(beta: BetaSchedule, direction: Direction = "maximize") -> Experiment:
    """All but two rows of 24 are measured."""
    table = chosen(2, known=0)
    plan = Plan(GaussianProcess(RBF(0.8), 1e-4), GPUCBPE(3), beta, direction, fit="never")
    made = Experiment(table, plan)
    made.tell(range(22), truth(table.candidates)[:22])
    return made


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_limit_of_the_person_decides(direction: Direction) -> None:
    made = experiment(FiniteBeta(delta=0.05), direction)
    found = certificate_of(made)
    assert found == certificate(made.posterior, made.plan.beta(1, 24, 2), direction)
    answer, reason = may_stop(made, found, found.regret)
    assert answer == "You may stop."
    where = "below the maximum" if direction == "maximize" else "above the minimum"
    assert reason.startswith("With probability 95 %, ")
    assert reason.endswith(f"{where}, if the prior is right.")
    assert may_stop(made, found, found.regret / 2)[0].startswith("Not yet: ")
    best = max(truth(made.table.candidates)[:22] * sign_of(direction))
    gain = at_least(max(sign_of(direction) * found.extreme - best, 0.0), -1.0)
    assert may_stop(made, found, None)[0] == f"At most {gain} can still be gained."
    assert bracket(found, best * sign_of(direction)).text.endswith(f"at most {gain} to gain.")
    plot = bracket(found, 0.5).plots["bracket"]
    (area,) = [one for one in plot.marks if one.role == "gain"]
    ends = sorted([found.bound, found.extreme])
    assert [*area.columns["left"], *area.columns["right"]] == ends


def test_a_probability_is_told_only_where_one_is_promised() -> None:
    for beta in (FiniteBeta(scale=0.2), ConstantBeta(9.0)):
        made = experiment(beta)
        assert probability(made) is None
        assert "No probability" in may_stop(made, certificate_of(made), 1.0)[1]
    made = experiment(FiniteBeta())
    assert probability(made) == pytest.approx(0.9)
    before = certificate_of(made)
    first = int(made.ask().indices[0])
    # Picks that are not measured yet narrow nothing.
    assert certificate_of(made) == before
    assert probability(made) == pytest.approx(0.9)
    made.tell([first], [0.2])
    assert probability(made) is None, "only some results of the batch are in"


def test_the_page_answers_when_the_limit_changes() -> None:
    section = ExperimentSection(begun(known=8))
    run(record(section.experiment, {"c9": "1"}))
    assert section.experiment.picture.check.verdict == "good"
    assert re.search(r"At most \S+ can still be gained\.", section.possible.object)
    for text, answer, wrong in (
        ("100", "You may stop.", False),
        ("0,01", "Not yet", False),
        ("much", "can still be gained.", True),
        ("", "can still be gained.", False),
    ):
        section.limit.value = text
        assert answer in section.possible.object
        assert section.limit.error_state == wrong


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_price_at_which_the_next_batch_pays(direction: Direction) -> None:
    """The numbers are the core's; the price is rounded down, so that it is never promised."""
    made = experiment(FiniteBeta(), direction)
    worth = made.worth()
    assert worth.improvement > 0
    price = at_least(worth.price, 1.0)
    gains = f"improves the best by {number(worth.improvement)} on average"
    assert worth_words(made, worth) == (
        f"The next batch {gains}: worth measuring if a measurement costs less than {price}, "
        "in units of y."
    )
    for share, answer in ((0.9, "worth measuring"), (1.1, "not worth measuring")):
        cost = share * worth.price
        made.replan(replace(made.plan, cost=cost))
        assert worth_words(made, worth).endswith(
            f"{price} a measurement: {answer} at {number(cost)} each."
        )
    made.ask()
    assert worth_words(made, made.worth()).startswith(f"This batch {gains}")
    assert worth_words(made, None) == ""


def test_a_cost_is_typed_kept_and_taken_back() -> None:
    """It is saved, changes no setting that is being edited, and a wrong one changes nothing."""
    section = ExperimentSection(begun(known=8))
    state = section.experiment
    run(record(state, {"c9": "1"}))
    assert "worth measuring if a measurement costs less than" in section.worth.object
    assert state.picture.worth == state.current.worth()
    state.settings.accept(batch_size=2)

    def enter(text: str) -> None:
        in_a_session(lambda: setattr(section.cost, "value", text))

    enter("1000")
    assert state.current.plan.cost == 1000
    assert "not worth measuring at 1000 each" in section.worth.object
    assert state.settings.batch_size == 2, "not yet applied, and not lost"
    run(state.plan())
    assert (state.current.plan.policy.batch_size, state.current.plan.cost) == (2, 1000)
    for text in ("much", "-1"):
        enter(text)
        assert state.current.plan.cost == 1000
    assert "a number" in section.cost.helper_text or "-1" in section.notice.object
    other = ExperimentSection(ExperimentState())
    run(other.experiment.open((state.head + state.journal).encode()))
    assert other.cost.value == "1000.0"
    assert "not worth measuring at 1000 each" in other.worth.object
    enter("0,001")
    assert "worth measuring at 0.001 each" in section.worth.object
    run(state.undo())
    assert (state.current.plan.cost, section.cost.value) == (1000, "1000.0")


def test_nothing_is_said_of_a_model_that_does_not_fit() -> None:
    section = ExperimentSection(begun(known=3))
    run(record(section.experiment, {"c9": "1"}))
    assert section.experiment.picture.check.verdict == "few"
    assert section.experiment.picture.worth is None
    assert "worth" not in section.worth.object
