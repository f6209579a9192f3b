"""A history: what follows from it, against a plain account of it."""

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
)
from ucbpe_core.errors import NothingLeftError
from ucbpe_core.policies import GPUCB, Decision, Eligible
from ucbpe_core.search.experiment import Plan, Table

from .reference import examples
from .runs import assert_equal_fields, fresh

X = np.linspace(0, 1, 12)[:, None]
GP = GaussianProcess(RBF(0.2), 0.01)


@dataclass
class Account:
    """What is outstanding, told and left out, kept in plain lists and tables.

    `picks` has a table for each pick that was ever asked for, `told` the data in their order.
    """

    t: int = 1
    picks: list[dict[str, Any]] = field(default_factory=list)
    told: list[tuple[Any, float | None, float | None]] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)
    size: int = 0  # of the open batch, 0 for none
    answered: bool = False
    beta: float = 4.0

    def pending(self) -> list[int]:
        return [pick["index"] for pick in self.picks if pick["state"] == "pending"]

    def data(self) -> list[tuple[Any, float, float | None]]:
        return [(where, y, noise) for where, y, noise in self.told if y is not None]

    def asks(self, indices: list[int]) -> None:
        self.t += self.size > 0
        self.size, self.answered = len(indices), False
        new = [{"index": j, "t": self.t, "k": k, "state": "pending"} for k, j in enumerate(indices)]
        self.picks += new

    def tells(self, index: int, where: Any, y: float, noise: float | None) -> None:
        pending = [pick for pick in self.picks if pick["state"] == "pending"]
        same = [pick for pick in pending if pick["index"] == index]
        of_open_batch = [pick for pick in same if self.size and pick["t"] == self.t]
        if same:
            (of_open_batch or same)[0]["state"] = "done"
            self.answered |= bool(of_open_batch)
        self.told.append((where, y, noise))

    def ends(self, index: int, state: str) -> None:
        pending = [pick for pick in self.picks if pick["state"] == "pending"]
        next(pick for pick in pending if pick["index"] == index)["state"] = state
        self.left_out.add(index)

    def closes(self) -> None:
        """After a step: a batch without outstanding picks is closed."""
        last = self.picks[len(self.picks) - self.size :]
        if self.size and all(pick["state"] != "pending" for pick in last):
            self.t, self.size = self.t + self.answered, 0


VERBS = ["ask", "ask", "tell", "tell", "outside", "withdraw", "fail", "allow", "plan", "correct",
         "undo", "redo", "file"]  # fmt: skip
MOVES = st.lists(
    st.tuples(st.sampled_from(VERBS), st.integers(0, 11), st.integers(1, 4)), max_size=14
)


def handle(kind: str, *, minimise: bool) -> Any:
    options: Any = {"direction": "minimize" if minimise else "maximize"}
    if kind == "box":
        return BoxBandit(
            [(0, 1)],
            GP,
            GPUCBPE(2),
            ConstantBeta(4.0),
            samples=16,
            starts=1,
            **options,
            fit="never",
        )
    if kind == "bandit":
        return Bandit(X, GP, GPUCBPE(3), ConstantBeta(4.0), **options)
    plan = Plan(GP, GPUCBPE(3), ConstantBeta(4.0), repeats="allow", **options, fit="never")
    return Experiment(Table(("x",), X), plan)


def decided(search: Any, account: Account, n: int | None) -> Decision:
    """The next batch over a table, by the policy on the posterior of the account."""
    sign, data = -1.0 if search.direction == "minimize" else 1.0, account.data()
    belief = Posterior.prior(GP, X)
    for j, y, noise in data:
        belief = belief.observe([j], [sign * y], noise)
    belief = belief.hallucinate(account.pending())
    policy = GPUCBPE(n or 3)
    t, eligible = account.t + (account.size > 0), Eligible.without(sorted(account.left_out), len(X))
    made = policy.decide(belief, t, ConstantBeta(account.beta), eligible=eligible)
    return replace(made, y_dot=sign * made.y_dot)


def ask(search: Any, account: Account, n: int | None) -> None:
    before = search.decision
    made = search.ask(n)
    assert before is None or made is before
    if before is None:
        if not isinstance(search, BoxBandit):
            names = ("x",) if isinstance(search, Experiment) else None
            expected = replace(decided(search, account, n), names=names)
            assert_equal_fields(made, expected)
        account.asks(made.indices.tolist())


def tell(search: Any, account: Account, verb: str, j: int, size: int) -> None:
    """Results at outstanding picks, or from outside."""
    box, pending = isinstance(search, BoxBandit), account.pending()
    chosen = list(np.random.default_rng(j).permutation(pending)[:size])
    if verb == "tell" and chosen:
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


def move(search: Any, account: Account, verb: str, j: int, size: int) -> None:
    """One step of both; NothingLeftError where it cannot be taken."""
    chosen = list(np.random.default_rng(j).permutation(account.pending())[:size])
    if verb == "ask":
        ask(search, account, None if size == 4 else size)
    elif verb in ("tell", "outside"):
        tell(search, account, verb, j, size)
    elif verb in ("withdraw", "fail") and chosen:
        getattr(search, verb)(chosen)
        for index in chosen:
            account.ends(index, {"withdraw": "withdrawn", "fail": "failed"}[verb])
    elif verb == "allow" and account.left_out:
        index = sorted(account.left_out)[j % len(account.left_out)]
        search.allow([index])
        account.left_out.remove(index)
    elif verb == "plan":
        account.beta = float(size)
        search.beta = ConstantBeta(account.beta)
    elif verb == "correct" and account.told and isinstance(search, Experiment):
        place, y = j % len(account.told), None if size == 1 else float(j)
        search.correct(place, y)
        where, _, noise = account.told[place]
        account.told[place] = (where, y, noise)
    account.closes()


def agree(search: Any, account: Account) -> None:
    """All that a caller can see is as the account has it."""
    history, box = search.history, isinstance(search, BoxBandit)
    assert search.pending == tuple(account.pending())
    assert search.t == account.t
    assert search.excluded == tuple(sorted(account.left_out))
    picks = [{name: getattr(trial, name) for name in ("index", "t", "k", "state")}
             for trial in history.trials if trial.t]  # fmt: skip
    assert picks == account.picks
    told = [(trial.point if box else trial.index, trial.y, trial.noise_variance)
            for trial in history.measured]  # fmt: skip
    assert told == account.told
    assert [trial for trial in history.measured if trial.y is not None] == list(history.data)
    assert search.process.y.tolist() == [y for _, y, _ in account.data()]
    assert search.process.fixed_noise == tuple(noise for *_, noise in account.data())
    assert [trial.place for trial in history.measured] == list(range(len(account.told)))
    if search.decision is not None:
        assert search.decision.indices.tolist() == account.pending()[-account.size :]


class Journal:
    """What was done, the accounts of what is in force, and those that can be redone."""

    def __init__(self) -> None:
        self.verbs = ["plan"]
        self.done, self.undone = [(0, Account())], list[tuple[int, Account]]()

    @property
    def account(self) -> Account:
        return copy.deepcopy(self.done[-1][1])

    def turn(self, search: Experiment, verb: str) -> None:
        """Undo or redo both, where that can be done."""
        there = len(self.done) > 1 if verb == "undo" else bool(self.undone)
        turned = search.undoable if verb == "undo" else search.redoable
        assert (turned is not None) == there
        if not there:
            with pytest.raises(InputError, match=f"a step to {verb}; got none"):
                getattr(search, verb)()
            return
        getattr(search, verb)(turned)
        source, target = self.done, self.undone
        if verb == "redo":
            source, target = target, source
        target.append(source.pop())
        self.verbs.append(verb)

    def add(self, verb: str, account: Account) -> None:
        self.verbs.append("tell" if verb == "outside" else verb)
        self.done.append((len(self.verbs) - 1, account))
        self.undone.clear()

    def agree(self, search: Experiment) -> None:
        in_force = {number for number, _ in self.done}
        assert [(entry.verb, entry.counts) for entry in search.journal] == [
            (verb, verb in ("undo", "redo") or i in in_force) for i, verb in enumerate(self.verbs)
        ]


@examples(100)
@given(MOVES, st.sampled_from(["bandit", "box", "experiment"]), st.booleans())
def test_a_history_is_as_a_plain_account_has_it(
    moves: list[tuple[str, int, int]], kind: str, minimise: bool
) -> None:
    """Whatever is done, in whatever order: read from a file, undone and redone, too."""
    search, journal = handle(kind, minimise=minimise), Journal()
    for verb, j, size in moves:
        before, account = search.history, journal.account
        if verb == "file":
            search.save(file := io.StringIO())
            search = type(search).load(io.StringIO(file.getvalue()))
            assert search.history == before
            search.save(again := io.StringIO())
            assert again.getvalue() == file.getvalue()
        elif verb in ("undo", "redo"):
            if kind == "experiment":
                journal.turn(search, verb)
        else:
            try:
                move(search, account, verb, j, size)
            except NothingLeftError:
                assert search.history is before
            if search.history is not before:
                journal.add(verb, account)
        agree(search, journal.account)
    if kind == "experiment":
        journal.agree(search)
    again = type(search).resumed(search.document())  # the rows of the posterior made anew
    assert again.process.w.tobytes() == search.process.w.tobytes()
    if search.decision is not None:
        assert_equal_fields(search.decision, again.decision)


def test_a_batch_of_another_size_is_one_that_the_policy_has() -> None:
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
    assert [trial.index for trial in bandit.history.data] == [*decision.indices.tolist(), -1]
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
    box = BoxBandit(
        [(0, 1)], GP, GPUCBPE(2), direction="minimize", samples=64, starts=2, fit="never"
    )
    box.tell(None, [3.0, -1.0], points=X[[2, 9]])
    found, predicted = box.best(), box.process.predict(box.best().point[None])
    assert (found.index, found.value) == (-1, predicted.mean[0])
    assert found.value <= best.value + 1e-6


def test_what_gave_no_value_is_refused_with_the_remedy() -> None:
    for search in (Bandit(X, GP, GPUCBPE(2)), fresh()):
        first = search.ask().indices
        before = search.history
        for bad in (np.nan, np.inf):
            with pytest.raises(
                InputError, match=r"y to be finite.* position 1.*fail\(index, reason\)"
            ):
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
