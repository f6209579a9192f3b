"""An experiment in progress: what is typed is told or refused, and nothing is lost."""

from __future__ import annotations

import asyncio
import copy
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.app.problem.tables import ask, begun, chosen, correct, keys, record, told
from tests.app.waiting import run
from ucbpe_app.problem import rows
from ucbpe_app.problem.answers import rule_words
from ucbpe_app.problem.entries import Faults
from ucbpe_app.problem.experiment import ExperimentState
from ucbpe_app.problem.plan_form import PlanForm
from ucbpe_app.problem.rows import Order, Show
from ucbpe_app.problem.settings import PlanSettings
from ucbpe_app.problem.sheets import limits
from ucbpe_app.run.sentences import number
from ucbpe_core import GPUCBPE, GaussianProcess, InputError, problems, simulate
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.gp.posterior import Posterior
from ucbpe_core.policies import RandomSearch, Recommended
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.search.experiment import Experiment, Plan, Table
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import guess

DATA = Path(__file__).parents[2] / "data"


def file_of(experiment: ExperimentState) -> bytes:
    """What the browser saves."""
    return (experiment.head + experiment.journal).encode()


def _saved_run() -> bytes:
    text = io.StringIO()
    simulate(problems.multimodal(), GPUCBPE(2), batches=1, initial=2).save(text)
    return text.getvalue().encode()


def test_part_of_a_batch_is_told_and_the_rest_waits() -> None:
    experiment = begun()
    run(ask(experiment))
    first, second, third = keys(experiment)
    run(record(experiment, {second: "0,25", first: " 1e-1 "}))
    assert keys(experiment) == [third]
    assert [y for _, y in told(experiment.current)[-2:]] == [0.25, 0.1]
    run(ask(experiment))
    assert keys(experiment)[0] == third
    assert len(keys(experiment)) == 4
    run(record(experiment, {third: "3", "c20": "−4"}))
    assert told(experiment.current)[-1] == (20, -4.0)


def test_a_field_of_a_pick_that_is_gone_is_refused() -> None:
    """So that what was typed for it is not told of another candidate."""
    experiment = begun()
    run(ask(experiment))
    key = keys(experiment)[0]
    run(experiment.undo())
    with pytest.raises(InputError, match="a row, an outstanding pick"):
        run(record(experiment, {key: "0.5"}))


def test_corrections_and_void_measurements() -> None:
    experiment = begun()
    run(correct(experiment, {"m0.0": "7,5", "m2.2": " "}))
    assert [one.y for one in experiment.current.history.measured][::2] == [7.5, None]
    with pytest.raises(Faults) as refused:
        run(correct(experiment, {"m1.1": "x"}))
    assert list(refused.value.errors) == ["m1.1"]
    run(experiment.undo())
    assert experiment.current.history.measured[0].y == 7.5
    assert experiment.current.history.measured[2].y is not None


def test_undo_is_of_the_step_on_screen() -> None:
    """A result that is being recorded when Undo is pressed is not taken back in its place."""
    experiment = begun()
    run(ask(experiment))

    async def act() -> list[object]:
        tell, undo = record(experiment, {"c9": "1.5"}), experiment.undo()
        return await asyncio.gather(tell, undo, return_exceptions=True)

    _, refused = run(act())
    assert isinstance(refused, InputError)
    assert "the step to undo to be the one meant, ask; got tell" in str(refused)
    assert experiment.current.history.measured[-1].y == 1.5


def test_a_new_experiment_is_by_the_rule_that_is_recommended() -> None:
    experiment = begun()
    assert experiment.current.plan.policy == Recommended(3)
    other = ExperimentState()
    assert run(other.open(file_of(experiment))) == ()
    assert other.settings.policy == "Recommended"
    assert other.settings.plan() == experiment.current.plan


def test_an_experiment_saved_before_that_goes_on_as_it_was() -> None:
    """The page saved it when GP-UCB-PE was its default; the picks are those of that version."""
    saved = (DATA / "plan_with_gp_ucb_pe.json").read_bytes()
    experiment = ExperimentState()
    assert run(experiment.open(saved)) == ()
    assert experiment.settings.policy == "GP-UCB-PE"
    assert experiment.current.plan.policy == GPUCBPE(3)
    assert experiment.current.pending == (15,)
    run(ask(experiment))
    decision = experiment.current.decision
    assert decision.indices.tolist() == [9, 17, 4]
    assert decision.roles == ("ucb", "pe", "pe")
    document = json.loads(saved)
    del document["checksum"], document["history"]["steps"][0]["plans"][0]["policy"]
    with pytest.raises(InputError, match=r"a field at .*policy; got none"):
        run(experiment.open(json.dumps(document).encode()))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"{", "damaged or cut short; open another copy"),
        (_saved_run(), "a file of Experiment; got one of Trace; use Trace.load"),
        (b'{"format": "ucbpe-history", "version": 4}', "up to 1 of the format; got version 4"),
        (b"sample,a,y\n1,2,3", "got a table, or other text; choose the file that Save has"),
        (b"PK\x03\x04\x14\x00\x06\x00\xff", 'Excel workbook.*under "Choose a CSV or Excel file"'),
    ],
)
def test_another_file_is_named_in_a_sentence_and_the_experiment_stays(
    content: bytes, what: str
) -> None:
    experiment = begun()
    run(ask(experiment))
    before = experiment.current, experiment.journal, experiment.picture
    with pytest.raises(InputError, match=what) as refusal:
        run(experiment.open(content))
    assert (experiment.current, experiment.journal, experiment.picture) == before
    for jargon in ("codec", "byte", "char", "Expecting", "delimiter", "line 1", "position"):
        assert jargon not in str(refusal.value)


def test_steps_come_one_after_the_other() -> None:
    """Two clicks in one moment are two steps, not one that is lost."""

    async def at_once(experiment: ExperimentState) -> None:
        await asyncio.gather(*(record(experiment, {f"c{j}": str(j)}) for j in (10, 11, 12, 13)))

    experiment = begun()
    run(at_once(experiment))
    assert sorted(told(experiment.current)[3:]) == [(j, float(j)) for j in (10, 11, 12, 13)]


def test_what_the_views_and_the_browser_have_belongs_together() -> None:
    experiment, seen = begun(), []

    def check(*_: object) -> None:
        known = told(experiment.current)
        assert [*experiment.picture.frame.observed] == [candidate for candidate, _ in known]
        text = json.loads(experiment.head + experiment.journal)
        assert len(text["history"]["steps"]) == len(experiment.current.journal)
        seen.append(len(known))

    experiment.param.watch(check, "current")
    run(record(experiment, {"c9": "1"}))
    run(experiment.undo())
    assert seen == [4, 3]


def test_settings_are_in_force_only_once_they_are_used() -> None:
    experiment = begun(policy="GP-UCB-PE")
    before = experiment.current.plan
    experiment.settings.accept(batch_size=5, scale=0.2)
    assert experiment.settings.changes == ("K 3 → 5", "β scale c 1 → 0.2")
    assert experiment.current.plan == before
    # Undoing a result leaves settings that are being edited.
    run(record(experiment, {"c9": "1"}))
    run(experiment.undo())
    assert experiment.settings.batch_size == 5
    run(experiment.plan())
    assert experiment.current.plan.policy == GPUCBPE(5)
    assert experiment.current.plan.gp is before.gp  # what was not changed is the same
    run(experiment.undo())
    assert (experiment.settings.batch_size, experiment.settings.changes) == (3, ())


def test_the_goal_is_part_of_the_plan() -> None:
    """In force once used; saved, opened and undone; the best and the reasons are those of it."""
    experiment = begun(policy="GP-UCB-PE")
    experiment.settings.accept(goal="Minimise")
    assert experiment.current.plan.direction == "maximize"
    run(experiment.plan())
    run(ask(experiment))
    current = experiment.current
    assert (current.plan.direction, experiment.settings.changes) == ("minimize", ())
    known = [y for _, y in told(current)]
    assert current.history.best.y == min(known)
    lowest = float(experiment.picture.frame.lower.min())
    why = rows.proposals(current, experiment.picture.frame).rows[0].cells[-2]
    assert why == f"lowest possible y: down to {number(lowest)}"
    page = rows.candidates(current, experiment.picture.frame, Show.ALL, Order.UPPER, "")
    assert page.rows[0].cells[0] == str(int(np.argmin(experiment.picture.frame.lower)))
    other = ExperimentState()
    assert run(other.open(file_of(experiment))) == ()
    assert other.settings.goal == "Minimise"
    assert other.settings.plan() == current.plan
    run(experiment.undo())
    run(experiment.undo())
    assert experiment.settings.goal == "Maximise"


def test_a_fit_is_shown_and_not_put_in_force() -> None:
    experiment = begun(known=12)
    before = experiment.current.plan
    fit = run(experiment.fit())
    assert fit.gp == experiment.current.fit().gp
    assert experiment.current.plan == before
    assert experiment.settings.changes
    run(experiment.plan())
    assert experiment.current.plan.gp.kernel.lengthscale == pytest.approx(
        fit.gp.kernel.lengthscale, rel=1e-12
    )
    with pytest.raises(InputError, match="two different values"):
        run(begun(known=1).fit())


def test_a_plan_made_in_python_is_kept_until_it_is_changed() -> None:
    """What the settings cannot say stays in force, and is told."""
    own = Plan(
        GaussianProcess(Polynomial(2), 0.1),
        RandomSearch(3, seed=11),
        CompactBeta(0.2, r=4.0),
        fit="never",
    )
    text = io.StringIO()
    current = begun().current
    current.replan(own)
    current.save(text)
    experiment = ExperimentState()
    remarks = run(experiment.open(text.getvalue().encode()))
    assert [remark.split()[1] for remark in remarks] == ["prior", "schedule"]
    assert experiment.current.plan == own
    assert experiment.settings.plan() == own
    experiment.settings.accept(delta=0.3)
    assert experiment.settings.plan().gp == own.gp
    assert experiment.settings.plan().policy == own.policy
    assert experiment.settings.plan().beta != own.beta
    reread = Experiment.load(io.StringIO(experiment.head + experiment.journal))
    assert reread.plan == own


def test_limits_are_enforced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_MEASUREMENTS", 6)
    experiment = begun()
    run(record(experiment, {"c9": "1", "c10": "2"}))
    with pytest.raises(InputError, match="at most 6 measurements in an experiment; got 7 with"):
        run(record(experiment, {"c11": "1", "c12": "2"}))
    with pytest.raises(InputError, match="at most 6 measurements"):
        run(ask(experiment))
    assert len(experiment.current.history.measured) == 5
    with pytest.raises(InputError, match="at most 6 measurements"):
        begun(known=7)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MOST_ROWS", "at most 3 rows; got"),
        ("MOST_MEASUREMENTS", "at most 3 measurements in an experiment; got 8"),
        ("MOST_STEPS", "a history of at most 3 steps and results; got"),
    ],
)
def test_a_file_beyond_the_limits_is_refused_before_it_is_computed(
    monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    """A posterior of many rows and measurements takes long, and much memory."""
    experiment = begun()
    run(record(experiment, {"c9": "1", "c10": "2"}))
    run(ask(experiment))
    content = file_of(experiment)
    monkeypatch.setattr(limits, name, 3)
    computed: list[object] = []
    monkeypatch.setattr(Posterior, "prior", lambda *given: computed.append(given))
    before = experiment.current
    with pytest.raises(InputError, match=said):
        run(experiment.open(content))
    assert not computed
    assert experiment.current is before


def test_lengthscales_are_shares_of_the_range_of_each_input() -> None:
    settings, X = PlanSettings(), np.array([[0.0, 100.0], [4.0, 900.0]])
    settings.measure(Table(("a", "b"), X))
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


def test_a_batch_shares_the_inputs_that_are_ticked() -> None:
    """From the next batch on; the file has it, and a refused choice changes nothing."""
    rows = [f"{a},{b},{'' if b else a}" for a in range(3) for b in range(6)]
    sheet, experiment = parse("\n".join(["a,b,y", *rows])), ExperimentState()
    run(experiment.begin(Table.of_sheet(sheet, guess(sheet)), "oven"))
    settings, form = experiment.settings, PlanForm(experiment.settings, NotImplemented)
    form.load(experiment.current.table.inputs)
    assert form.fields["shared"].control.options == ["a", "b"]
    assert not form.fields["shared_by"].visible
    form.fields["shared"].control.value = ["a"]
    assert form.fields["shared_by"].visible
    settings.accept(shared_by="The sum of scores")
    assert settings.changes == (
        "shared in a batch nothing → a",
        "shared value by The first pick → The sum of scores",
    )
    run(experiment.plan())
    assert (experiment.current.plan.shared, experiment.current.plan.shared_by) == (("a",), "sum")
    assert settings.changes == ()
    run(ask(experiment))
    (value,) = set(experiment.current.decision.points[:, 0])
    said = f"All rows of batch 1 have a {value:g}, as the rule's batch with the greatest sum of "
    assert said in rule_words(experiment.current)
    other = ExperimentState()
    assert run(other.open(file_of(experiment))) == ()
    assert (other.settings.shared, other.settings.plan()) == (["a"], experiment.current.plan)
    run(record(experiment, dict.fromkeys(keys(experiment), "1")))
    assert "All rows" not in rule_words(experiment.current)
    settings.accept(shared=["b"], shared_by="The first pick", policy="GP-UCB-PE")
    run(experiment.plan())
    before = experiment.current
    run(ask(experiment))
    (value,) = set(experiment.current.decision.points[:, 1])
    alone = copy.copy(before)
    alone.replan(replace(alone.plan, shared=()))
    assert alone.ask().points[0, 1] == value
    said = f"All rows of batch 2 have b {value:g}, as the rule's first pick among all rows has: "
    assert said in rule_words(experiment.current)
    before = experiment.current
    settings.accept(shared=["b", "a"])
    with pytest.raises(InputError, match="an input that a batch does not share"):
        run(experiment.plan())
    assert experiment.current is before
    assert len(settings.changes) == 1  # what was ticked is still there to be corrected
    run(experiment.begin(chosen(), "another table"))
    assert settings.shared == []
    assert settings.param["shared"].objects == ["in 0", "in 1"]


@pytest.mark.parametrize(("scale", "origin"), [(1e-9, 0.0), (0.1, 1234.5), (1e9, 0.0), (1.0, 1e6)])
def test_the_prior_before_a_fit_has_the_scale_of_the_values(scale: float, origin: float) -> None:
    y = origin + scale * np.array([0.2, -0.9, 0.5, -0.7, 0.4])
    settings = PlanSettings()
    settings.suggest(y.tolist())
    assert settings.variance == pytest.approx(y.var(), rel=1e-2)
    assert abs(settings.mean - y.mean()) < 0.01 * y.std()
    settings.suggest([0.1] * 3)  # whose variance is 2e-34 by rounding
    assert (round(settings.mean, 12), settings.variance) == (0.1, 1.0)
