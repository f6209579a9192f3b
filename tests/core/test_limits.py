"""Too much is refused before it is taken, and what was there goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    GaussianProcess,
    problems,
    simulate,
)
from ucbpe_core.errors import InputError, TooLargeError
from ucbpe_core.policies import GreedyUCB
from ucbpe_core.support import limits

GP, PROBLEM = GaussianProcess(RBF(0.2), 0.01), problems.himmelblau()


@pytest.mark.parametrize(
    ("use", "what"),
    [
        (lambda: Bandit(range(10**12), GP, GPUCBPE(2)), "for candidates; got .*; pass fewer rows"),
        (lambda: simulate(PROBLEM, GPUCBPE(4), batches=10**11), "simulate fewer batches"),
    ],
)
def test_what_cannot_fit_is_refused_before_it_is_made(use: Callable[[], object], what: str) -> None:
    with pytest.raises(TooLargeError, match=what):
        use()


class Counting(GreedyUCB):
    """A policy that notes how many threads BLAS has while it is asked."""

    name: ClassVar[str] = "Counting"
    seen: ClassVar[list[int]] = []

    def role(self, k: int, batch: Any) -> str:
        self.seen.append(threads())
        return super().role(k, batch)


def threads() -> int:
    return max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")


def test_a_box_is_searched_with_one_thread_and_what_was_set_comes_back() -> None:
    """Also where two searches run at once, and where one ends in an error."""
    with threadpool_limits(2, user_api="blas"):
        box = BoxBandit([(0, 1)], GP, Counting(2), fit="never", samples=64, starts=1)
        box.ask()
        assert set(Counting.seen) == {1}
        assert threads() == 2
        with limits.one_thread(10), pytest.raises(InputError), limits.one_thread(10):
            box.tell([9], [0.0])
        assert threads() == 2
        with limits.one_thread(10), limits.one_thread(limits.LARGE):
            assert threads() == 1
        with limits.one_thread(limits.LARGE):
            assert threads() == 2
        assert threads() == 2
