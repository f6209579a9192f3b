"""The index of a frame: labels of the picks, and of results."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, RBF, Bandit, GaussianProcess, InputError

from .runs import text_of

pd = pytest.importorskip("pandas")
GP = GaussianProcess(RBF(0.3), 0.01)
X = np.linspace(0, 1, 8)[:, None]


def bandit(index: Any = None, X: Any = X) -> Bandit:
    return Bandit(pd.DataFrame(X, columns=["x"], index=index), GP, GPUCBPE(2))


def loaded(one: Bandit) -> Bandit:
    return Bandit.load(io.StringIO(text_of(one)))


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
    index = pd.DataFrame(X, index=INDICES[kind]).index
    decision = one.ask()
    assert decision.labels == tuple(str(label) for label in index[decision.indices])
    again = loaded(one)
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
    one = Bandit(pd.Series(X[:, 0], index=list("abcdefgh")), GP, GPUCBPE(2))
    assert one.ask().labels == tuple("abcdefgh"[j] for j in one.ask().indices)


def test_an_index_that_counts_the_rows_is_one_of_row_numbers() -> None:
    one = bandit()
    assert (one.labels, one.ask().labels) == (None, None)
    for some in (one, loaded(one)):
        some.tell(pd.Index([5, 1]), [0.1, 0.2])
        assert some.posterior.conditioned_indices == (5, 1)


def test_an_index_that_says_nothing_of_the_rows_is_refused() -> None:
    """Labels 70, 60, .. would be taken as row numbers, or the wrong row for 7."""
    plain = Bandit(X, GP, GPUCBPE(2))
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
