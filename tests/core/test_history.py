"""A history: what follows from it, against a plain account of it; and undo is exact."""

from __future__ import annotations

import copy
import io
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    Experiment,
    GaussianProcess,
    InputError,
    Posterior,
    UCBPEError,
    fit_hyperparameters,
)
from ucbpe_core.errors import NothingLeftError
from ucbpe_core.experiment import Plan, Table
from ucbpe_core.history import Batch, History, Trial
from ucbpe_core.policies import GPUCB, LocalPenalization, PureExploration

from .recorded import (
    assert_equal,
    assert_same,
    assert_same_belief,
    fresh,
    minimising,
    other_plan,
    plan,
    rich,
    table,
    truth,
)
from .reference import dense, examples

X = np.linspace(0, 1, 12)[:, None]
GP = GaussianProcess(RBF(0.2), 0.01)


@dataclass
class Account:
    """What is outstanding, told and left out, kept in plain lists and tables.

    `picks` has a table for each pick that was ever asked for, `told` the data in their order.
    """

    t: int = 1
    picks: list[dict[str, Any]] = field(default_factory=list)
    told: list[tuple[Any, float, float | None]] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)
    size: int = 0  # of the open batch, 0 for none
    answered: bool = False

    def pending(self) -> list[int]:
        return [pick["index"] for pick in self.picks if pick["state"] == "pending"]

    def asks(self, indices: list[int]) -> None:
        self.t += self.size > 0
        self.size, self.answered = len(indices), False
        new = [{"index": j, "t": self.t, "k": k, "state": "pending"} for k, j in enumerate(indices)]
        self.picks += new

    def tells(self, index: int, where: Any, y: float, noise: float | None) -> None:
        same = [one for one in self.picks if one["index"] == index and one["state"] == "pending"]
        of_open_batch = [one for one in same if self.size and one["t"] == self.t]
        if same:
            (of_open_batch or same)[0]["state"] = "done"
            self.answered |= bool(of_open_batch)
        self.told.append((where, y, noise))

    def ends(self, index: int, state: str) -> None:
        pending = [one for one in self.picks if one["state"] == "pending"]
        next(one for one in pending if one["index"] == index)["state"] = state
        self.left_out.add(index)

    def closes(self) -> None:
        """After a step: a batch without outstanding picks is closed."""
        last = self.picks[len(self.picks) - self.size :]
        if self.size and all(pick["state"] != "pending" for pick in last):
            self.t, self.size = self.t + self.answered, 0


MOVES = st.lists(
    st.tuples(
        st.sampled_from(
            ("ask", "ask", "tell", "tell", "outside", "withdraw", "fail", "allow", "file", "undo")
        ),
        st.integers(0, 11),
        st.integers(1, 4),
    ),
    max_size=12,
)


def handle(kind: str, *, minimise: bool) -> Any:
    options: Any = {"direction": "minimize" if minimise else "maximize"}
    if kind == "box":
        return BoxBandit(
            [(0, 1)], GP, GPUCBPE(2), ConstantBeta(4.0), samples=16, starts=1, **options
        )
    if kind == "bandit":
        return Bandit(X, GP, PureExploration(3), ConstantBeta(4.0), **options)
    return Experiment(
        Table(("x",), X),
        Plan(GP, PureExploration(3), ConstantBeta(4.0), repeats="allow", **options),
    )


def move(search: Any, account: Account, verb: str, j: int, size: int) -> None:
    """One step of both; InputError where it cannot be taken."""
    box, pending = isinstance(search, BoxBandit), account.pending()
    chosen = list(np.random.default_rng(j).permutation(pending)[:size])
    if verb == "ask":
        before = search.decision
        made = search.ask(None if size == 4 else size)
        if before is None:
            account.asks(made.indices.tolist())
    elif verb == "tell" and chosen:
        y = np.arange(len(chosen)) + 0.25 * j
        points = dict(zip(search.pending, search.pending_points.tolist(), strict=True))
        noise = 0.02 if size == 2 else None
        search.tell(chosen, y, noise)
        for index, value in zip(chosen, y, strict=True):
            account.tells(index, tuple(points[index]) if box else index, value, noise)
    elif verb == "outside":
        if box:
            search.tell(None, [1.5], points=[[2.0 + j]])
            account.told.append(((2.0 + j,), 1.5, None))
        else:
            search.tell([j], [1.5])
            account.tells(j, j, 1.5, None)
    elif verb in ("withdraw", "fail") and chosen:
        getattr(search, verb)(chosen)
        for index in chosen:
            account.ends(index, {"withdraw": "withdrawn", "fail": "failed"}[verb])
    elif verb == "allow" and account.left_out:
        index = sorted(account.left_out)[j % len(account.left_out)]
        search.allow([index])
        account.left_out.remove(index)
    account.closes()


def agree(search: Any, account: Account) -> None:
    """All that a caller can see is as the account has it."""
    history, box = search.history, isinstance(search, BoxBandit)
    assert search.pending == tuple(account.pending())
    assert search.t == account.t
    assert search.excluded == tuple(sorted(account.left_out))
    picks = [{name: getattr(one, name) for name in ("index", "t", "k", "state")}
             for one in history.trials if one.t]  # fmt: skip
    assert picks == account.picks
    places = [one.point if box else one.index for one in history.data]
    values = [(one.y, one.noise_variance) for one in history.data]
    assert [(place, *value) for place, value in zip(places, values, strict=True)] == account.told
    assert search.process.y.tolist() == [y for _, y, _ in account.told]
    assert search.process.known_noise == tuple(noise for *_, noise in account.told)
    assert [one.place for one in history.measured] == list(range(len(account.told)))
    if search.decision is not None:
        assert search.decision.indices.tolist() == account.pending()[-account.size :]


@examples(100)
@given(MOVES, st.sampled_from(["bandit", "box", "experiment"]), st.booleans())
def test_a_history_is_as_a_plain_account_has_it(
    moves: list[tuple[str, int, int]], kind: str, minimise: bool
) -> None:
    """Whatever is done, in whatever order: read from a file, and undone, too."""
    search, account = handle(kind, minimise=minimise), Account()
    line = [copy.deepcopy(account)]
    for verb, j, size in moves:
        if verb == "file":
            search.save(file := io.StringIO())
            search = type(search).load(io.StringIO(file.getvalue()))
        elif verb == "undo":
            if kind == "experiment" and len(line) > 1:
                search.undo()
                line.pop()
                account = copy.deepcopy(line[-1])
        else:
            before = search.history
            try:
                move(search, account, verb, j, size)
            except NothingLeftError:
                assert search.history is before
            if search.history is not before:
                line.append(copy.deepcopy(account))
        agree(search, account)
    again = type(search).resumed(search.document())  # the rows of the posterior made anew
    assert again.process.w.tobytes() == search.process.w.tobytes()
    if search.decision is not None:
        assert_same(search.decision, again.decision)


def asked(*batches: tuple[int, ...]) -> History:
    """Batches asked one after the other, without a result in between."""
    history = History((Plan(GP, GPUCBPE(2), ConstantBeta(4.0)),))
    for t, indices in enumerate(batches, start=1):
        picks = [Trial(j, None, t, k, "pe", 0.5) for k, j in enumerate(indices)]
        history = history.asked(Batch(t, len(picks), 0, 4.0, 4.0, 0.0), picks)
    return history


def places(trials: tuple[Trial, ...]) -> list[tuple[int, int, int]]:
    return [(one.index, one.t, one.k) for one in trials]


def test_a_result_answers_the_open_batch_first_and_then_the_oldest() -> None:
    history = asked((4, 7), (4, 4))
    assert places(history.outstanding) == [(4, 1, 0), (7, 1, 1), (4, 2, 0), (4, 2, 1)]
    told = history.told([(j, None, 0.5, None) for j in (4, 9, 4, 4)])
    assert places(told.measured) == [(4, 2, 0), (9, 0, -1), (4, 2, 1), (4, 1, 0)]
    assert (told.t, told.pending, told.open_picks) == (3, (7,), ())
    assert told.plan_of(told.outstanding[0]) is history.plan


def test_a_batch_of_which_nothing_was_told_never_happened() -> None:
    history = asked((4, 7, 9))
    assert history.untouched
    some = history.withdrawn([7])
    assert (some.pending, some.untouched, some.t, some.next_t) == ((4, 9), False, 1, 2)
    none = some.withdrawn(some.pending)
    assert (none.t, none.next_t, none.excluded) == (1, 1, (4, 7, 9))
    told = some.told([(4, None, 0.5, None)]).failed([9], "broken")
    assert (told.t, told.excluded) == (2, (7, 9))


def test_giving_up_takes_the_oldest_pick_of_a_candidate() -> None:
    history = asked((4,), (4,)).failed([4], "broken")
    assert places(history.outstanding) == [(4, 2, 0)]
    assert [one.reason for one in history.trials] == ["broken", ""]
    assert history.excluded == (4,)


def test_a_batch_of_another_size() -> None:
    """The policy stays, and the open decision is returned whatever n is."""
    bandit = Bandit(X, GP, GPUCBPE(3))
    assert_same(bandit.ask(5), Bandit(X, GP, GPUCBPE(5)).ask())
    assert len(bandit.ask(2).indices) == 5
    assert bandit.policy == GPUCBPE(3)
    bandit.tell(bandit.pending, np.arange(5.0))
    assert len(bandit.ask().indices) == 3
    single = Bandit(X, GP, GPUCB())
    for n in (2, 0, 1.5):
        with pytest.raises(InputError):
            single.ask(n)  # type: ignore[arg-type]
    assert single.history.trials == ()


def test_settings_really_used_on_a_table() -> None:
    """The result is the pick's, and the posterior has the point where it was measured."""
    bandit, at = Bandit(X, GP, GPUCBPE(2)), np.array([[0.31], [0.77]])
    decision = bandit.ask()
    bandit.tell(decision.indices, [0.5, 0.7], points=at)
    bandit.tell(None, [0.1], points=[[0.5]])
    assert (bandit.t, bandit.pending) == (2, ())
    expected = GP.condition([0.31, 0.77, 0.5], [0.5, 0.7, 0.1])
    np.testing.assert_allclose(bandit.posterior.mean, expected.predict(X).mean, atol=1e-12)
    assert [one.index for one in bandit.history.data] == [*decision.indices.tolist(), -1]
    bandit.tell([3], [0.2], points=X[[3]])  # the candidate itself
    assert bandit.history.data[-1].point is None
    before = bandit.history
    for wrong in ([[0.1], [0.2]], [[0.1, 0.2]], [[np.nan]]):
        with pytest.raises(InputError):
            bandit.tell([3], [0.2], points=wrong)
    with pytest.raises(InputError, match="indices, or points"):
        bandit.tell(None, [0.2])
    assert bandit.history is before


def test_the_best_point_is_told_with_its_value() -> None:
    bandit = Bandit(X, GP, GPUCBPE(2), direction="minimize")
    bandit.tell([2, 9], [3.0, -1.0])
    best, mean = bandit.best(), bandit.posterior.mean
    assert best.index == np.argmin(mean)
    assert best.point.tolist() == X[best.index].tolist()
    assert (best.value, best.std) == (mean.min(), bandit.posterior.std[best.index])
    box = BoxBandit([(0, 1)], GP, GPUCBPE(2), direction="minimize", samples=64, starts=2)
    box.tell(None, [3.0, -1.0], points=X[[2, 9]])
    found, predicted = box.best(), box.process.predict(box.best().point[None])
    assert (found.index, found.value) == (-1, predicted.mean[0])
    assert found.value <= best.value + 1e-6


def test_what_is_searched_says_so() -> None:
    bandit = Bandit(X, GP, GPUCBPE(2))
    assert repr(bandit) == "Bandit(12 candidates: 0 measured; t = 1, pending [])"
    bandit.tell([3, 4], [0.5, 2.25])
    first = bandit.ask().indices.tolist()
    assert repr(bandit) == (
        f"Bandit(12 candidates: 2 measured, best 2.25 at candidate 4; t = 1, pending {first})"
    )
    box = BoxBandit([(0, 1), (0, 2)], GaussianProcess(RBF(0.2)), GPUCBPE(2))
    box.tell(None, [0.5], points=[[0.5, 1.5]])
    assert repr(box).startswith("BoxBandit(2 inputs: 1 measured, best 0.5 at [0.5, 1.5];")


def test_what_gave_no_value_is_refused_with_the_remedy() -> None:
    for search in (Bandit(X, GP, GPUCBPE(2)), fresh()):
        first = search.ask().indices
        before = search.history
        for bad in (np.nan, np.inf):
            with pytest.raises(InputError, match=r"y to be finite.*fail\(index, reason\)"):
                search.tell(first, [0.5, bad, 0.1][: len(first)])
        assert search.history is before


@pytest.mark.parametrize("verb", ["withdraw", "fail"])
def test_a_step_that_raises_changes_nothing(verb: str) -> None:
    bandit = fresh()
    first = bandit.ask().indices.tolist()
    before, posterior = bandit.history, bandit.posterior
    for wrong in ([29], [first[0], first[0]], [first[0], 29], [30], [-1], ["a"]):
        with pytest.raises(UCBPEError):
            getattr(bandit, verb)(wrong)
    with pytest.raises(InputError, match=r"a withdrawn or failed pick; got 3; name some of \[\]"):
        bandit.allow([3])
    assert bandit.history is before
    assert bandit.posterior.mean is posterior.mean


# Experiments.


def mirror() -> Bandit:
    """The bandit that `fresh` should behave as."""
    p = plan()
    bandit = Bandit(table().candidates, p.gp, p.policy, p.beta, repeats="avoid")
    bandit.tell([4, 11], truth([4, 11]))
    return bandit


def test_an_experiment_goes_on_as_a_bandit_would() -> None:
    """Batches told whole, in part and not at all, and results from outside."""
    experiment, bandit = fresh(), mirror()
    for told in (3, 1, 0, 2):
        mine, decision = experiment.ask(), bandit.ask()
        assert_same(mine, decision)
        members = [*decision.indices[:told].tolist(), 25]
        for one in (experiment, bandit):
            one.tell(members, truth(members))
        assert_same_belief(experiment, bandit)
    asked = [one.change.trials[0].t for one in experiment.journal if one.verb == "ask"]
    assert asked == [1, 2, 3]  # the third was still untouched


def test_minimising_shows_everything_of_f() -> None:
    experiment, p = minimising(), plan()
    opposite = Plan(replace(p.gp, mean=-p.gp.mean), p.policy, p.beta)
    mirrored = Experiment(table(), opposite)
    mirrored.tell([4, 11], -truth([4, 11]))
    first = mirrored.ask().indices[:1]
    mirrored.tell(first, -truth(first))
    mine, other = experiment.ask(), mirrored.ask()
    for name in ("indices", "stds", "scores", "region", "region_plus"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(other, name))
    assert mine.y_dot == -other.y_dot
    assert experiment.best().index == mirrored.best().index
    assert experiment.best().value == experiment.posterior.mean.min()
    best = experiment.history.best
    assert best is not None
    assert best.y == min(one.y or 0.0 for one in experiment.history.data)


def test_the_direction_changes_with_the_plan() -> None:
    """The measurements stay, the open batch is as it was decided, and undo goes back."""
    experiment = fresh()
    experiment.ask()
    turned = copy.copy(experiment)
    turned.replan(replace(plan(), direction="minimize"))
    assert turned.direction == "minimize"
    assert turned.history.data == experiment.history.data
    assert_same(turned.ask(), experiment.ask())
    (pick, *_) = turned.history.outstanding
    assert turned.history.plan_of(pick).direction == "maximize"
    assert turned.best().index != experiment.best().index
    other = copy.copy(turned)
    other.withdraw()
    assert set(other.ask().indices) != set(experiment.pending)
    turned.undo()
    assert_same_belief(turned, experiment)


def test_the_belief_is_that_of_what_counts() -> None:
    """After corrections, a void measurement and another prior, by a dense solve."""
    experiment = rich()
    data = experiment.history.data
    members, y = [one.index for one in data], np.array([one.y for one in data])
    assert (4, 0.25) in zip(members, y, strict=True)
    assert 11 not in members
    candidates = table().candidates
    mean, covariance = dense(other_plan().gp, candidates[members], y, candidates)
    np.testing.assert_allclose(experiment.posterior.mean, mean, atol=1e-9)
    np.testing.assert_allclose(experiment.posterior.std**2, np.diag(covariance), atol=1e-9)


def test_another_plan_leaves_what_is_outstanding() -> None:
    experiment = fresh()
    before = experiment.ask()
    experiment.replan(other_plan())
    assert_same(before, experiment.ask())
    assert_same(before, Experiment.resumed(experiment.document()).ask())
    experiment.tell([before.indices[0]], [0.1])
    data = experiment.history.data
    start = Posterior.prior(other_plan().gp, table().candidates).observe(
        [one.index for one in data], [one.y or 0.0 for one in data]
    )
    expected = other_plan().policy.decide(
        start.hallucinate(list(experiment.pending)), 2, other_plan().beta
    )
    np.testing.assert_array_equal(experiment.ask().indices, expected.indices)
    steps = len(experiment.journal)
    experiment.replan(experiment.plan)
    assert len(experiment.journal) == steps


def test_a_correction_leaves_the_batches_it_had_a_part_in() -> None:
    experiment = fresh()
    before = experiment.ask()
    experiment.correct(1, -7.0)
    for one in (experiment, Experiment.resumed(experiment.document())):
        assert_same(one.ask(), before)
        assert one.history.measured[1].y == -7.0
    assert experiment.posterior.mean[11] < fresh().posterior.mean[11]


def test_every_step_can_be_undone_and_redone() -> None:
    """Back to the very first step and forward again: the same belief and picks, bit for bit."""
    experiment = rich()
    steps, line = len(experiment.journal), [copy.copy(experiment)]
    while experiment.undoable is not None:
        experiment.undo()
        line.append(copy.copy(experiment))
    assert experiment.history.trials == ()
    for expected in reversed(line[:-1]):
        experiment.redo()
        assert experiment.history == expected.history
        assert_same_belief(experiment, expected)
        assert_same_belief(experiment, Experiment.resumed(experiment.document()))
    assert experiment.redoable is not None  # `rich` ends with an undo
    assert len(experiment.journal) == steps + 2 * (len(line) - 1)


def test_nothing_is_ever_erased() -> None:
    """A step after an undo ends what could be redone, and the journal still has it."""
    experiment = fresh()
    experiment.tell([7], [1.5])
    experiment.undo()
    experiment.tell([8], [2.5])
    assert experiment.redoable is None
    assert [one.index for one in experiment.history.measured] == [4, 11, 8]
    seen = [(one.verb, [trial.y for trial in one.change.trials], one.counts)
            for one in experiment.journal[2:]]  # fmt: skip
    assert seen == [("tell", [1.5], False), ("undo", [1.5], True), ("tell", [2.5], True)]
    with pytest.raises(InputError, match="a step to redo; got none"):
        experiment.redo()
    start = Experiment(table(), plan())
    assert start.undoable is None
    with pytest.raises(InputError, match="a step to undo; got none"):
        start.undo()


def test_the_journal_says_what_was_done() -> None:
    verbs = [one.verb for one in rich().journal]
    assert verbs[:7] == ["plan", "tell", "ask", "tell", "plan", "ask", "withdraw"]
    assert verbs[7:12] == ["fail", "correct", "correct", "allow", "tell"]
    assert verbs[12:] == ["undo", "undo", "redo"]
    assert rich().journal[7].change.trials[0].reason == "the flask <broke>"
    experiment = fresh()
    experiment.refit(lambda gp, X, y: replace(gp, mean=0.7))
    experiment.repeats = "allow"
    assert [one.verb for one in experiment.journal[2:]] == ["plan", "plan"]
    experiment.undo()
    experiment.undo()
    assert_same_belief(experiment, fresh())


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda c: c.tell([30], [1.0]), "indices between 0 and 29; got 30"),
        (lambda c: c.tell([3, 4], [1.0]), r"y of shape \(2,\)"),
        (lambda c: c.correct(2, 1.0), "a measurement from 0 to 1; got 2"),
        (lambda c: c.correct(0, np.inf), "y to be finite"),
        (lambda c: c.replan(replace(plan(), direction="down")), 'direction "maximize" or'),
        (lambda _: Plan(None, GPUCB(), plan().beta), "a GaussianProcess; got NoneType"),
        (lambda _: Table(("a",), [[1.0], [2.0]], labels=(("n", ("x",)),)), "2 texts of n; got 1"),
        (lambda _: Table(("a", "b"), [[1.0], [2.0]]), "candidates with 2 columns"),
    ],
)
def test_what_cannot_be_is_refused(change: Any, what: str) -> None:
    experiment = fresh()
    before = copy.copy(experiment)
    with pytest.raises(InputError, match=what):
        change(experiment)
    assert_equal(experiment, before)


def test_more_picks_than_rows_are_refused_when_asked_for() -> None:
    experiment = fresh()
    experiment.replan(replace(plan(), policy=LocalPenalization(31), repeats="allow"))
    with pytest.raises(InputError, match="batch_size of at most 30"):
        experiment.ask()


def test_the_best_measurement_is_one_that_counts() -> None:
    experiment = Experiment(table(), plan())
    assert experiment.history.best is None
    experiment.tell([1, 2, 3, 4], [-3.0, 0.0, -1.0, 0.0])
    assert experiment.history.best.index == 2
    experiment.correct(1, None)
    assert experiment.history.best.index == 4


def test_a_fit_is_that_of_the_measurements_that_count() -> None:
    members = [3, 8, 14, 21, 26]
    experiment = fresh()
    experiment.tell(members, truth(members))
    experiment.correct(0, None)
    fit = experiment.fit()
    candidates, y = table().candidates[[11, *members]], truth([11, *members])
    assert fit.gp == fit_hyperparameters(plan().gp, candidates, y, domain=table().candidates).gp
    assert experiment.plan == plan()  # in force only once it is planned
