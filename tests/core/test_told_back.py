"""Whatever `ask` hands out can be told back, on every front; the labels of an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.core.runs import reread
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    Experiment,
    GaussianProcess,
    InputError,
)
from ucbpe_core.policies.decision import Decision
from ucbpe_core.search.experiment import Plan, Table
from ucbpe_core.spaces import Category, Integer, Real

pd = pytest.importorskip("pandas")
GP, POLICY = GaussianProcess(RBF(0.3), 0.01), GPUCBPE(3)
X = np.random.default_rng(0).random((12, 2))
MIXED = {"T": Real(20, 80), "n": Integer(1, 9), "acid": Category(["HCl", "none"])}


def box(bounds: Any) -> BoxBandit:
    return BoxBandit(bounds, GP, POLICY, samples=64, starts=1, fit="never")


Front = Bandit | BoxBandit | Experiment
FRONTS: dict[str, Callable[[], Front]] = {
    "candidates": lambda: Bandit(X, GP, POLICY),
    "frame with labels": lambda: Bandit(
        pd.DataFrame(X, columns=["T", "t"], index=[f"s{j}" for j in range(12)]), GP, POLICY
    ),
    "experiment": lambda: Experiment(
        Table(("T", "t"), X), Plan(GP, POLICY, ConstantBeta(4.0), fit="never")
    ),
    "box": lambda: box([(0, 1), (-1, 1)]),
    "box of names": lambda: box(MIXED),
}
WAYS: dict[str, Callable[[Decision], Any]] = {
    "indices": lambda decision: decision.indices,
    "list of indices": lambda decision: decision.indices.tolist(),
    "labels": lambda decision: decision.labels,
    "array of labels": lambda decision: np.array(decision.labels),
    "settings": lambda decision: decision.settings,
    "frame": lambda decision: decision.to_frame(),
    "column of its frame": lambda decision: decision.to_frame()["candidate"],
}


ONLY = {"labels": "frame with labels", "array of labels": "frame with labels"}
ONLY["settings"] = "box of names"
PAIRS = [(front, way) for front in FRONTS for way in WAYS if ONLY.get(way, front) == front]


@pytest.mark.parametrize(("front", "way"), PAIRS)
def test_what_was_handed_out_is_told_back_in_any_order(front: str, way: str) -> None:
    search = FRONTS[front]()
    decision = search.ask()
    given, order = WAYS[way](decision), [2, 0, 1]
    assert given is not None
    some = given.iloc[order] if hasattr(given, "iloc") else [given[i] for i in order]
    search.tell(some, [0.2, 0.0, 0.1])
    assert search.pending == ()
    values = {trial.index: trial.y for trial in search.history.data}
    assert values == {int(j): k / 10 for k, j in enumerate(decision.indices)}
    assert len(search.history.batches) == 1
    assert all(trial.t == 1 for trial in search.history.trials)


@pytest.mark.parametrize("front", FRONTS)
def test_the_frame_of_a_decision_has_the_names_of_the_inputs(front: str) -> None:
    names = {
        "frame with labels": ["T", "t"],
        "experiment": ["T", "t"],
        "box of names": list(MIXED),
    }.get(front, ["input 1", "input 2"])
    frame = FRONTS[front]().ask().to_frame()
    assert list(frame.columns) == ["candidate", *names, "role", "std", "score"]


def test_one_pick_is_named_alone() -> None:
    one = FRONTS["frame with labels"]()
    first, second, third = one.ask().labels or ()
    assert one.fail(first, "broke") == one.excluded
    assert len(one.withdraw([second])) == 1
    one.tell(third, [0.5])
    assert one.pending == ()
    mixed = FRONTS["box of names"]()
    settings = mixed.ask().settings or ()
    mixed.tell(settings[0], [0.5])
    assert len(mixed.pending) == 2


def test_what_names_no_pick_says_what_is_expected() -> None:
    with pytest.raises(InputError, match="a label of one candidate; got 's99'"):
        FRONTS["frame with labels"]().tell(["s99"], [0.1])
    with pytest.raises(InputError, match=r"row numbers, .* without labels; got 's1'; pass ints"):
        FRONTS["candidates"]().tell(["s1"], [0.1])
    with pytest.raises(InputError, match="acid"):
        FRONTS["box of names"]().tell([{"T": 30.0, "n": 2, "acid": "NaOH"}], [0.1])


def test_a_result_where_a_candidate_runs_twice_is_of_the_pick_that_has_waited_longest() -> None:
    """As `withdraw` and `fail` have it."""
    bandit = Bandit([[0.0], [1.0]], GaussianProcess(RBF(), 0.1), GPUCBPE(2))
    for _ in range(2):
        bandit.fill(2)
    bandit.tell([0], [0.5])
    states = [(pick.t, pick.state) for pick in bandit.history.trials if pick.index == 0]
    assert states == [(1, "done"), (2, "pending")]


LINE = np.linspace(0, 1, 8)[:, None]


def bandit(index: Any = None, LINE: Any = LINE) -> Bandit:
    return Bandit(pd.DataFrame(LINE, columns=["x"], index=index), GP, GPUCBPE(2))


INDICES: dict[str, Any] = {
    "texts": [f"S{j}" for j in range(8)],
    "numbers": [70, 60, 50, 40, 30, 20, 10, 0],
    "filtered": range(3, 11),
    "floats": np.linspace(0, 0.7, 8),
    "dates": pd.date_range("2024-05-31", periods=8),
    "two levels": pd.MultiIndex.from_product([["a", "b"], range(4)]),
}


@pytest.mark.parametrize("kind", INDICES)
def test_picks_have_labels_and_results_come_by_them(kind: str) -> None:
    one = bandit(INDICES[kind])
    index = pd.DataFrame(LINE, index=INDICES[kind]).index
    decision = one.ask()
    assert decision.labels == tuple(str(label) for label in index[decision.indices])
    again = reread(one)
    assert again.labels == one.labels == tuple(map(str, index))
    assert again.ask().labels == decision.labels
    for some in (one, again):
        some.tell(index[decision.indices], [0.1, 0.7])
        assert some.posterior.conditioned_indices == tuple(decision.indices.tolist())
        assert some.pending == ()
        second = some.ask()
        assert some.withdraw(index[second.indices[:1]]) == (second.indices[0],)
        assert some.allow(index[second.indices[:1]]) == (second.indices[0],)


def test_a_series_has_an_index_too() -> None:
    one = Bandit(pd.Series(LINE[:, 0], index=list("abcdefgh")), GP, GPUCBPE(2))
    assert one.ask().labels == tuple("abcdefgh"[j] for j in one.ask().indices)


def test_an_index_that_counts_the_rows_is_one_of_row_numbers() -> None:
    one = bandit()
    assert (one.labels, one.ask().labels) == (None, None)
    for some in (one, reread(one)):
        some.tell(pd.Index([5, 1]), [0.1, 0.2])
        assert some.posterior.conditioned_indices == (5, 1)


def test_an_index_that_says_nothing_of_the_rows_is_refused() -> None:
    """Labels 70, 60, .. would be taken as row numbers, or the wrong row for 7."""
    plain = Bandit(LINE, GP, GPUCBPE(2))
    with pytest.raises(InputError, match=r"row numbers, .*; got a pandas Index; pass ints"):
        plain.tell(pd.Index([3]), [0.1])
    one = bandit(INDICES["numbers"])
    with pytest.raises(InputError, match="a label of one candidate; got '7', which 0 of them"):
        one.tell(pd.Index([7]), [0.1])
    double = bandit(list("abcabcde"))
    with pytest.raises(InputError, match="got 'a', which 2 of them have; pass row numbers"):
        double.tell(pd.Index(["a"]), [0.1])
    double.tell(pd.Index(["d"]), [0.1])
    assert double.posterior.conditioned_indices == (6,)
    assert one.posterior.n == plain.posterior.n == 0
    assert plain.labels is None
