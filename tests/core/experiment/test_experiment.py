"""An experiment: it goes on as a bandit would, nothing is ever erased, and undo is exact."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.recorded import (
    assert_equal,
    assert_same_belief,
    fresh,
    minimising,
    other_plan,
    plan,
    rich,
    table,
    truth,
)
from tests.core.reference import dense, examples
from ucbpe_core import GPUCB, Bandit, InputError, LocalPenalization, Posterior, fit_hyperparameters
from ucbpe_core.experiment import Asked, Experiment, Plan, Table, Told, Undid, in_force


def mirror() -> Bandit:
    """The bandit that `fresh` should behave as."""
    p = plan()
    bandit = Bandit(table().candidates, p.gp, p.policy, p.beta)
    bandit.tell([4, 11], truth([4, 11]))
    return bandit


def test_it_goes_on_as_a_bandit_would() -> None:
    """Batches told whole, in part and not at all, and results from outside."""
    experiment, bandit = fresh(), mirror()
    for told in (3, 1, 0, 2):
        experiment, decision = experiment.ask(), bandit.ask()
        mine = experiment.decision
        assert mine is not None
        assert (mine.t, mine.n, mine.roles) == (decision.t, decision.n, decision.roles)
        for name in ("indices", "stds", "scores", "region", "region_plus"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(decision, name))
        members = [*decision.indices[:told].tolist(), 25]
        experiment = experiment.tell(members, truth(members))
        bandit.tell(members, truth(members))
        assert experiment.ledger == bandit.ledger
        assert experiment.posterior.mean.tobytes() == bandit.posterior.mean.tobytes()
    assert experiment.best() == bandit.best()
    asked = [entry for entry in experiment.journal if isinstance(entry, Asked)]
    assert [entry.t for entry in asked] == [1, 2, 3]  # the third was still untouched


def test_minimising_goes_on_as_a_bandit_that_minimises() -> None:
    """And as one that maximises -f; everything shown is of f."""
    experiment, p = minimising(), plan()
    bandit = Bandit(table().candidates, p.gp, p.policy, p.beta, direction="minimize")
    opposite = Plan(replace(p.gp, mean=-p.gp.mean), p.policy, p.beta)
    mirrored = Experiment.begin(table(), opposite).tell([4, 11], -truth([4, 11])).ask()
    bandit.tell([4, 11], truth([4, 11]))
    first = bandit.ask().indices[:1]
    assert mirrored.ledger.pending[0] == first[0]
    bandit.tell(first, truth(first))
    mirrored = mirrored.tell(first, -truth(first))
    experiment, mirrored, decision = experiment.ask(), mirrored.ask(), bandit.ask()
    mine, other = experiment.decision, mirrored.decision
    assert mine is not None
    assert other is not None
    for name in ("indices", "stds", "scores", "region", "region_plus"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(decision, name))
        np.testing.assert_array_equal(getattr(mine, name), getattr(other, name))
    assert mine.y_dot == decision.y_dot == -other.y_dot
    assert experiment.bandit.direction == "minimize"
    assert experiment.posterior.mean.tobytes() == bandit.posterior.mean.tobytes()
    assert experiment.best() == bandit.best() == mirrored.best()
    assert experiment.posterior.mean[experiment.best()] == experiment.posterior.mean.min()
    best = experiment.best_measured()
    assert best is not None
    assert best.y == min(y for _, y in experiment.known)
    assert experiment.known[:2] == ((4, truth([4])[0]), (11, truth([11])[0]))
    with pytest.raises(InputError, match='direction "maximize" or "minimize"'):
        replace(plan(), direction="down")  # type: ignore[arg-type]


def test_the_direction_changes_with_the_plan() -> None:
    """The measurements stay, the open batch is as it was decided, and undo goes back."""
    experiment = fresh().ask()
    turned = experiment.replan(replace(plan(), direction="minimize"))
    assert turned.plan.direction == "minimize"
    assert turned.known == experiment.known
    assert turned.decision is not None
    assert experiment.decision is not None
    for name in ("indices", "region", "region_plus"):
        np.testing.assert_array_equal(
            getattr(turned.decision, name), getattr(experiment.decision, name)
        )
    assert turned.best() != experiment.best() == turned.undo().best()
    withdrawn = turned.withdraw()
    assert withdrawn.ask().ledger.pending != experiment.ledger.pending
    assert_same_belief(turned.undo(), experiment)


def test_asking_twice_is_asking_once() -> None:
    experiment = fresh().ask()
    assert experiment.ask() is experiment
    assert experiment.bandit.ask() is experiment.decision


def test_measurements_know_which_pick_they_answer() -> None:
    experiment = fresh().ask()
    members = [pick.proposal.candidate for pick in experiment.pending]
    experiment = experiment.tell([members[2], 25, members[0]], [1.0, 2.0, 3.0])
    answers = [one.answers and (one.answers.t, one.answers.k) for one in experiment.measurements]
    assert answers == [None, None, (1, 2), None, (1, 0)]
    answered = experiment.measurements[2].answers
    assert answered is not None
    assert answered.proposal.std == fresh().ask().decision.stds[2]
    assert [pick.k for pick in experiment.pending] == [1]


def test_the_belief_is_that_of_what_counts() -> None:
    """After corrections, a void measurement and another prior, by a dense solve."""
    experiment = rich()
    known = experiment.known
    assert (4, 0.25) in known
    assert 11 not in [candidate for candidate, _ in known]
    members = [candidate for candidate, _ in known]
    y = np.array([value for _, value in known])
    X = table().candidates
    mean, covariance = dense(other_plan().gp, X[members], y, X)
    np.testing.assert_allclose(experiment.posterior.mean, mean, atol=1e-9)
    np.testing.assert_allclose(experiment.posterior.std**2, np.diag(covariance), atol=1e-9)


def test_another_plan_leaves_what_is_outstanding() -> None:
    experiment = fresh().ask()
    before = experiment.decision
    experiment = experiment.replan(other_plan())
    after = experiment.decision
    assert before is not None
    assert after is not None
    np.testing.assert_array_equal(before.region_plus, after.region_plus)
    np.testing.assert_array_equal(before.indices, after.indices)
    experiment = experiment.tell([before.indices[0]], [0.1])
    pending = experiment.ledger.pending
    expected = experiment.plan.policy.decide(
        Posterior.prior(other_plan().gp, table().candidates)
        .observe(*zip(*experiment.known, strict=True))
        .hallucinate(list(pending)),
        2,
        other_plan().beta,
    )
    np.testing.assert_array_equal(experiment.ask().decision.indices, expected.indices)
    assert experiment.replan(experiment.plan) is experiment


def test_a_correction_leaves_the_batches_it_had_a_part_in() -> None:
    experiment = fresh().ask()
    before = experiment.decision
    experiment = experiment.correct(1, -7.0)
    assert experiment.decision is not None
    assert experiment.decision.region.tobytes() == before.region.tobytes()
    assert experiment.measurements[1].y == -7.0
    assert experiment.posterior.mean[11] < fresh().posterior.mean[11]


def test_every_step_can_be_undone_and_redone() -> None:
    """Back to the very first step and forward again: the same belief and picks, bit for bit."""
    experiment = rich()
    line = [experiment]
    while line[-1].undoable is not None:
        line.append(line[-1].undo())
    assert len(in_force(line[-1].journal)[0]) == 1
    back = line[-1]
    for expected in reversed(line[:-1]):
        back = back.redo()
        assert back.state == expected.state
        assert_same_belief(back, expected)
    assert back.redoable is not None  # `rich` ends with an undo
    assert len(back.journal) == len(experiment.journal) + 2 * (len(line) - 1)


def test_nothing_is_ever_erased() -> None:
    """A step after an undo ends what could be redone, and the journal still has it."""
    experiment = fresh().tell([7], [1.5]).undo().tell([8], [2.5])
    assert experiment.redoable is None
    assert [one.candidate for one in experiment.measurements] == [4, 11, 8]
    told = [entry.y for entry in experiment.journal if isinstance(entry, Told)]
    assert (1.5,) in told
    assert isinstance(experiment.journal[-2], Undid)
    with pytest.raises(InputError, match="an entry to redo; got none"):
        experiment.redo()
    start = Experiment.begin(table(), plan())
    assert start.undoable is None
    with pytest.raises(InputError, match="an entry to undo; got none"):
        start.undo()


STEPS = st.lists(
    st.one_of(
        st.just(("ask",)),
        st.tuples(st.just("told"), st.integers(0, 3), st.floats(-3, 3)),
        st.tuples(st.just("outside"), st.integers(0, 29), st.floats(-3, 3)),
        st.just(("withdraw",)),
        st.tuples(st.just("correct"), st.integers(0, 4), st.none() | st.floats(-3, 3)),
        st.tuples(st.just("replan"), st.booleans()),
        st.just(("undo",)),
        st.just(("redo",)),
    ),
    max_size=14,
)


def step(experiment: Experiment, kind: str, *what: object) -> Experiment:
    """One step if it can be made, or else none."""
    pending = experiment.ledger.pending
    match kind, what:
        case "ask", _:
            return experiment.ask()
        case "told", (count, y):
            members = pending[:count]
            return experiment.tell(members, [y] * len(members)) if members else experiment
        case "outside", (candidate, y):
            return experiment.tell([candidate], [y])
        case "withdraw", _:
            return experiment.withdraw(pending[:1]) if pending else experiment
        case "correct", (number, y):
            known = number < len(experiment.measurements)
            return experiment.correct(number, y) if known else experiment
        case "replan", (other,):
            return experiment.replan(other_plan() if other else plan())
        case "undo", _:
            return experiment.undo() if experiment.undoable else experiment
        case "redo", _:
            return experiment.redo() if experiment.redoable else experiment
    raise AssertionError(kind)


@examples(120)
@given(STEPS)
def test_steps_are_as_good_as_reading_the_journal_anew(steps: list[tuple]) -> None:
    """Rows shared between steps change nothing: the journal alone gives the same, bit for bit."""
    experiment = fresh()
    for one in steps:
        experiment = step(experiment, *one)
    anew = replace(experiment, _before=None)
    assert anew.posterior is not experiment.posterior
    assert_equal(experiment, anew)
    assert_same_belief(experiment.ask(), anew.ask())


@examples(80)
@given(STEPS, st.integers(1, 6))
def test_undo_is_where_we_were(steps: list[tuple], depth: int) -> None:
    """Several levels down, and each level up again."""
    line = [fresh()]
    for one in steps:
        if one[0] not in ("undo", "redo"):
            following = step(line[-1], *one)
            if following is not line[-1]:
                line.append(following)
    experiment = line[-1]
    for expected in list(reversed(line[:-1]))[:depth]:
        experiment = experiment.undo()
        assert experiment.state == expected.state
        assert_same_belief(experiment, expected)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda c: c.tell([], []), "number of results of at least 1"),
        (lambda c: c.tell([30], [1.0]), "candidates between 0 and 29; got 30"),
        (lambda c: c.tell([3], [np.nan]), "y to be finite"),
        (lambda c: c.tell([3, 4], [1.0]), r"y of shape \(2,\)"),
        (lambda c: c.withdraw(), "number of outstanding picks to withdraw of at least 1"),
        (lambda c: c.ask().withdraw([29]), "an outstanding pick; got 29"),
        (lambda c: c.correct(2, 1.0), "a measurement from 0 to 1; got 2"),
        (lambda c: c.correct(0, np.inf), "y to be finite"),
        (lambda c: c.ask(time="noon"), "time as in 2024"),
        (
            lambda c: c.replan(replace(plan(), policy=LocalPenalization(31))).ask(),
            "batch_size of at most 30",
        ),
        (lambda c: Plan(None, GPUCB(), c.plan.beta), "gp to be a GaussianProcess"),
        (lambda _: Table(("a",), [[1.0], [2.0]], labels=(("n", ("x",)),)), "2 texts of n; got 1"),
        (lambda _: Table(("a", "b"), [[1.0], [2.0]]), "candidates with 2 columns"),
    ],
)
def test_what_cannot_be_is_refused(change, what: str) -> None:
    """With an error of ours; the experiment is immutable, so it stays."""
    experiment = fresh()
    with pytest.raises(InputError, match=what):
        change(experiment)
    assert_equal(experiment, replace(fresh(), id=experiment.id))


def test_the_best_measurement_is_one_that_counts() -> None:
    experiment = Experiment.begin(table(), plan())
    assert experiment.best_measured() is None
    experiment = experiment.tell([1, 2, 3, 4], [-3.0, 0.0, -1.0, 0.0])
    assert experiment.best_measured().candidate == 2
    assert experiment.correct(1, None).best_measured().candidate == 4


def test_a_fit_is_that_of_the_measurements_that_count() -> None:
    members = [3, 8, 14, 21, 26]
    experiment = fresh().tell(members, truth(members)).correct(0, None)
    fit = experiment.fit()
    X, y = table().candidates[[11, *members]], truth([11, *members])
    assert fit.gp == fit_hyperparameters(plan().gp, X, y, domain=table().candidates).gp
    assert experiment.plan == plan()  # in force only once it is planned


def test_journals_begin_with_a_plan() -> None:
    with pytest.raises(InputError, match="a journal that begins with a plan"):
        replace(fresh(), journal=fresh().journal[1:])
    assert len({Experiment.begin(table(), plan()).id for _ in itertools.repeat(0, 5)}) == 5
