"""What is outstanding: which pick a result answers, and when t moves on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Posterior,
    PureExploration,
)
from ucbpe_core.ledger import Ledger, Outstanding

from .reference import examples

X = [[0.1 * i] for i in range(12)]


def test_a_result_answers_the_open_batch_first_and_then_the_oldest() -> None:
    ledger = Ledger().opened([4, 7]).opened([4, 4])
    assert ledger.outstanding == (
        Outstanding(4, 1, 0),
        Outstanding(7, 1, 1),
        Outstanding(4, 2, 0),
        Outstanding(4, 2, 1),
    )
    ledger, answers = ledger.told([4, 9, 4, 4])
    assert answers == (Outstanding(4, 2, 0), None, Outstanding(4, 2, 1), Outstanding(4, 1, 0))
    assert (ledger.t, ledger.size, ledger.pending) == (3, 0, (7,))


def test_a_pick_given_up_leaves_the_others_and_an_empty_batch_is_closed() -> None:
    ledger = Ledger().opened([4, 7, 9])
    assert ledger.untouched
    some = ledger.withdrawn([7])
    assert (some.pending, some.untouched, some.t, some.next_t) == ((4, 9), False, 1, 2)
    # Nothing of it was ever told: it never happened.
    assert some.withdrawn(some.pending) == Ledger(excluded=(4, 7, 9))
    told, _ = some.told([4])
    assert told.withdrawn([9]) == Ledger(t=2, excluded=(7, 9))


def test_what_is_withdrawn_stays_so_until_it_is_allowed() -> None:
    ledger = Ledger().opened([4, 7, 4]).withdrawn([4, 4])
    assert ledger.excluded == (4,)
    later, _ = ledger.opened([1, 2]).told([1, 2, 4])  # a result there changes nothing
    assert later.excluded == (4,)
    assert later.withdrawn([9]) == later  # nothing of it is outstanding
    assert later.allowed([4, 4]) == replace(later, excluded=())
    with pytest.raises(InputError, match=r"a withdrawn pick; got 5; name some of \[4\]"):
        later.allowed([4, 5])


def test_giving_up_takes_the_oldest_pick_of_a_candidate() -> None:
    ledger = Ledger().opened([4]).opened([4]).withdrawn([4])
    assert ledger.outstanding == (Outstanding(4, 2, 0),)


MOVES = st.lists(
    st.one_of(
        st.just(("ask", [])),
        st.tuples(st.just("tell"), st.lists(st.integers(0, 11), max_size=3)),
        st.tuples(st.just("withdraw"), st.integers(0, 3)),
    ),
    max_size=12,
)


@examples(150)
@given(MOVES)
def test_restored_in_the_middle_a_bandit_goes_on_as_it_would_have(moves: list[tuple]) -> None:
    """After every move: the same pending picks, the same t, the same next decision, bit for bit."""
    gp = GaussianProcess(RBF(0.3), noise_variance=0.05)
    bandit = Bandit(X, gp, GPUCBPE(3), FiniteBeta())
    decision = None
    for kind, what in moves:
        if kind == "ask":
            decision = bandit.ask()
        elif kind == "tell":
            bandit.tell(what, [0.1 * j for j in what])
        else:
            bandit.withdraw(list(bandit.pending[:what]))
        open_one = decision if bandit.ledger.untouched else None
        other = Bandit.restore(
            bandit.posterior, bandit.policy, bandit.schedule, bandit.ledger, open_one
        )
        assert (other.pending, other.t) == (bandit.pending, bandit.t)
        # Each asks on a copy: asking changes what is outstanding.
        copy = Bandit.restore(
            bandit.posterior, bandit.policy, bandit.schedule, bandit.ledger, open_one
        )
        mine, theirs = copy.ask(), other.ask()
        assert mine.t == theirs.t
        assert mine.indices.tolist() == theirs.indices.tolist()
        assert mine.stds.tolist() == theirs.stds.tolist()
        if open_one is not None:
            assert theirs is open_one


def test_a_bandit_is_not_restored_from_what_does_not_fit() -> None:
    gp, policy = GaussianProcess(RBF()), PureExploration(2)
    belief, beta = Posterior.prior(gp, X), FiniteBeta()
    opened = Ledger().opened([3, 5])
    with pytest.raises(InputError, match=r"decision of the open batch, \[3, 5\]; got None"):
        Bandit.restore(belief, policy, beta, opened)
    other = Bandit(X, gp, policy).ask()
    with pytest.raises(InputError, match="decision of the open batch, None"):
        Bandit.restore(belief, policy, beta, Ledger(), other)
    with pytest.raises(InputError, match="outstanding picks between 0 and 11; got 99"):
        Bandit.restore(belief, policy, beta, Ledger().opened([99]).opened([1]))


def test_withdrawing_some_picks_of_a_bandit() -> None:
    bandit = Bandit(X, GaussianProcess(RBF(0.2)), GPUCBPE(4))
    first = bandit.ask().indices.tolist()
    assert bandit.withdraw([first[2]]) == (first[2],)
    assert bandit.pending == (first[0], first[1], first[3])
    with pytest.raises(InputError, match=r"an outstanding pick; got"):
        bandit.withdraw([next(j for j in range(12) if j not in first)])
    assert bandit.pending == (first[0], first[1], first[3])
    # The next batch is asked around what is left.
    assert bandit.ask().t == 2
