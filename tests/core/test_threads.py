"""Several threads use one bandit: no result is lost, and each call sees the state whole."""

from __future__ import annotations

import copy
import io
import pickle
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, RBF, Bandit, BoxBandit, GaussianProcess, Posterior

X = np.linspace(0, 1, 24)[:, None]
GP = GaussianProcess(RBF(0.1), 0.01)
SECONDS = 60
PAUSE = 0.01  # within which the other thread gets on, where nothing keeps it from that


def table() -> Bandit:
    return Bandit(X, GP, GPUCBPE(2))


def box() -> BoxBandit:
    return BoxBandit([(0, 1)], GP, GPUCBPE(2), samples=16, starts=1, fit="never")


def tell(bandit: Any, j: int) -> None:
    """A value that says which candidate it is of."""
    if isinstance(bandit, Bandit):
        bandit.tell([j], [j])
    else:
        bandit.tell(None, [j], points=X[[j]])


def told(bandit: Any) -> list[float]:
    return sorted(bandit.process.y.tolist())


def pickled(bandit: Any) -> Any:
    return pickle.loads(pickle.dumps(bandit))


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditioning takes long enough for another thread to begin meanwhile."""
    for name in ("observe", "observe_points", "hallucinate", "hallucinate_points"):
        original = getattr(Posterior, name)

        def pausing(self: Any, *args: Any, original: Any = original) -> Posterior:
            time.sleep(PAUSE)
            return original(self, *args)

        monkeypatch.setattr(Posterior, name, pausing)


def together(*calls: Callable[[], Any]) -> list[Any]:
    """What the calls return, begun at once in a thread each."""
    with ThreadPoolExecutor(len(calls)) as pool:
        begun = [pool.submit(call) for call in calls]
        return [one.result(SECONDS) for one in begun]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("make", [table, box])
def test_results_of_several_threads_are_all_there(make: Any) -> None:
    bandit = make()
    together(*(lambda j=j: tell(bandit, j) for j in range(8)))
    assert told(bandit) == list(range(8))


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("make", [table, box])
def test_threads_that_ask_get_one_batch(make: Any) -> None:
    bandit = make()
    tell(bandit, 3)
    asked = together(*[bandit.ask] * 4)
    assert {tuple(one.indices) for one in asked} == {tuple(bandit.pending)}
    assert len(bandit.pending) == 2
    assert bandit.t == 1


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("make", [table, box])
def test_picks_withdrawn_meanwhile_are_gone(make: Any) -> None:
    """And the results told at the same time are there."""
    bandit = make()
    first, second = bandit.ask().indices.tolist()
    together(lambda: bandit.tell([first], [0.5]), lambda: bandit.withdraw([second]))
    assert told(bandit) == [0.5]
    assert bandit.pending == ()


@pytest.mark.parametrize("make", [table, box])
def test_a_result_told_during_a_refit_is_in_the_posterior(make: Any) -> None:
    bandit, fitting = make(), threading.Event()
    tell(bandit, 1), tell(bandit, 5)

    def fit(gp: GaussianProcess, X: Any, y: Any) -> GaussianProcess:
        fitting.set()
        time.sleep(10 * PAUSE)
        return gp

    def tell_meanwhile() -> None:
        assert fitting.wait(SECONDS)
        tell(bandit, 9)

    together(lambda: bandit.refit(fit), tell_meanwhile)
    assert told(bandit) == [1, 5, 9]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("make", [table, box])
def test_what_is_saved_meanwhile_is_one_state(make: Any) -> None:
    """Each file has a batch asked and none of it told, or told as a whole."""
    bandit, texts = make(), list[str]()

    def measure() -> None:
        for _ in range(4):
            decision = bandit.ask()
            bandit.tell(decision.indices, np.arange(2.0))

    def save() -> None:
        for _ in range(12):
            bandit.save(file := io.StringIO())
            texts.append(file.getvalue())

    together(measure, save)
    for text in texts:
        read = type(bandit).load(io.StringIO(text))
        assert Counter(read.process.y.tolist()) == Counter({0.0: read.t - 1, 1.0: read.t - 1})


@pytest.mark.parametrize("make", [table, box])
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled])
def test_a_copy_is_independent(make: Any, duplicate: Any) -> None:
    """It has a lock of its own, which another thread can hold while the original is used."""
    bandit = make()
    tell(bandit, 2), bandit.ask()
    copied = duplicate(bandit)
    assert copied.ask().points.tolist() == bandit.ask().points.tolist()
    with bandit._lock:
        assert together(lambda: tell(copied, 4)) == [None]
    assert (told(bandit), told(copied)) == ([2], [2, 4])


def test_a_callback_may_use_the_bandit() -> None:
    """It runs while the lock is held, in the thread that holds it."""
    bandit, seen = table(), list[int]()
    bandit.tell([0, 1, 2], [0, 1, 2], progress=lambda done, total: seen.append(bandit.t))
    assert seen
    assert set(seen) == {1}
