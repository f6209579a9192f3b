"""Too much is refused before it is taken, and what was there goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    GaussianProcess,
    Posterior,
    problems,
    simulate,
)
from ucbpe_core.errors import InputError, TooLargeError
from ucbpe_core.policies import GreedyUCB
from ucbpe_core.support import limits

GP, PROBLEM = GaussianProcess(RBF(0.2), 0.01), problems.himmelblau()


def test_what_is_free_is_what_linux_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert limits.free() > 1e6
    monkeypatch.setattr(limits, "_SYSTEM", tmp_path / "meminfo")
    assert limits.free() == np.inf
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:      4000 kB\n")
    assert limits.free() == 4000 * 1024


def test_rows_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The belief before stays, and goes on once there is room."""
    X = np.random.default_rng(0).random((200_000, 2))
    bandit = Bandit(X, GP, GPUCBPE(3))
    monkeypatch.setattr(limits, "free", lambda: 100e6)
    with pytest.raises(TooLargeError, match=r"0\.11 GB .* for 2 rows over 200 000 candidates"):
        bandit.tell([1, 2], [0.5, 1.0])
    assert bandit.posterior.n == 0
    monkeypatch.setattr(limits, "free", lambda: 1e9)
    bandit.tell([1, 2], [0.5, 1.0])
    np.testing.assert_array_equal(
        bandit.posterior.std, Posterior.prior(GP, X).observe([1, 2], [0.5, 1.0]).std
    )


def test_small_beliefs_do_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "free", lambda: 0.0)
    assert Posterior.prior(GP, np.arange(100.0)).observe([1, 2], [0.5, 1.0]).n == 2


def test_long_work_tells_how_far_it_is_and_can_be_ended() -> None:
    X = np.random.default_rng(0).random((5000, 2))
    members, y = np.arange(100), np.zeros(100)
    seen: list[tuple[int, int]] = []
    belief = Posterior.prior(GP, X).observe(
        members, y, progress=lambda done, total: seen.append((done, total))
    )
    done, total = np.array(seen).T
    assert (np.diff(done) > 0).all()
    assert done[-1] == total[0] == 100 * 5000

    def end(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    bandit = Bandit(X, GP, GPUCBPE(3))
    with pytest.raises(KeyboardInterrupt):
        bandit.tell(members, y, progress=end)
    assert bandit.posterior.n == 0
    bandit.tell(members[:70], y[:70])
    bandit.tell(members[70:], y[70:])
    np.testing.assert_array_equal(bandit.posterior.std, belief.std)


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
