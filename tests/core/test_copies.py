"""Copies of records are as their originals; several threads use one bandit."""

from __future__ import annotations

import copy
import importlib
import inspect
import io
import pickle
import pkgutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import ucbpe_core
from tests.core.runs import rich, small_run
from ucbpe_core import GPUCBPE, RBF, Bandit, BoxBandit, GaussianProcess, Posterior, problems
from ucbpe_core.support.frozen import Frozen

PLANE = np.random.default_rng(0).random((12, 2))
ARRAYS = ("Floats", "Integers", "Booleans", "NDArray", "ndarray")


def bandit() -> Bandit:
    """With a batch told in part and another one open."""
    made = Bandit(PLANE, GaussianProcess(RBF(0.3), 0.01), GPUCBPE(2))
    made.tell([0, 3], [0.1, 0.4])
    made.tell(made.ask().indices[:1], [0.3])
    made.ask()
    _ = made.posterior.std  # computed when it is asked for, and kept
    return made


def box_with_open_batch() -> BoxBandit:
    made = BoxBandit(
        [(0, 5)], GaussianProcess(RBF(1.0)), GPUCBPE(2), samples=16, starts=1, fit="never"
    )
    made.tell(None, [0.1, 0.4], points=[[1.0], [2.0]])
    made.ask()
    return made


# One for each way in which a copy gets its arrays back: `Frozen`, with a lock, rows that grow.
RECORDS: dict[str, Callable[[], Any]] = {
    "Bandit": bandit,
    "BoxBandit": box_with_open_batch,
    "Decision": lambda: bandit().ask(),
    "Experiment": rich,
    "Posterior": lambda: bandit().posterior,
    "Problem": problems.figure1,
    "Trace": small_run,
}
COPIES: dict[str, Callable[[Any], Any]] = {
    **{f"pickle {n}": lambda one, n=n: pickle.loads(pickle.dumps(one, n)) for n in (2, 5)},
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@cache
def made(name: str) -> Any:
    return RECORDS[name]()


def arrays(value: object, path: str = "", seen: set[int] | None = None) -> Iterator[Any]:
    """(path, array) of all arrays in a record and in what it holds, but for rows of posteriors."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, tuple | list):
        for i, item in enumerate(value):
            yield from arrays(item, f"{path}[{i}]", seen)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from arrays(item, f"{path}.{key}", seen)
    elif type(value).__module__.startswith("ucbpe_core"):
        for key, item in vars(value).items():
            if key != "_blocks":
                yield from arrays(item, f"{path}.{key}", seen)


def core_classes() -> Iterator[type]:
    """Every class of the core; modules that need an extra are left out."""
    for module in pkgutil.walk_packages(ucbpe_core.__path__, "ucbpe_core."):
        if module.name.startswith("ucbpe_core.connect."):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(value) and value.__module__ == module.name:
                yield value


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("name", RECORDS)
def test_arrays_of_a_copy_are_equal_and_read_only(name: str, how: str) -> None:
    original = made(name)
    assert type(original).__name__ == name
    copied = dict(arrays(COPIES[how](original)))
    expected = dict(arrays(original))
    assert copied.keys() == expected.keys()
    for path, array in expected.items():
        np.testing.assert_array_equal(copied[path], array, err_msg=path)
        assert not (copied[path].flags.writeable and not array.flags.writeable), path


def test_every_record_with_arrays_is_frozen() -> None:
    """By its annotations: `Frozen` gives the arrays of a copy their flag back."""
    for kind in core_classes():
        frozen = is_dataclass(kind) and kind.__dataclass_params__.frozen
        types = [str(field.type) for field in fields(kind)] if frozen else []
        if any(word in one for one in types for word in ARRAYS):
            assert issubclass(kind, Frozen), kind


def test_a_copied_posterior_goes_on_as_the_original() -> None:
    """Its rows are not read-only: they grow."""
    posterior = Posterior.prior(GaussianProcess(RBF(0.3), 0.01), PLANE).observe([1], [0.5])
    for copied in (pickle.loads(pickle.dumps(posterior)), copy.deepcopy(posterior)):
        longer, expected = copied.observe([2], [0.7]), posterior.observe([2], [0.7])
        assert longer.mean.tobytes() == expected.mean.tobytes()
        assert longer.std.tobytes() == expected.std.tobytes()
        with pytest.raises(ValueError, match="read-only"):
            copied.candidates[0] = 0.0


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
def test_what_several_threads_do_is_all_done(make: Any) -> None:
    """Those that ask get one batch; what is told and withdrawn at the same time is so."""
    bandit = make()
    asked = together(*[bandit.ask] * 4)
    ((first, second),) = {tuple(one.indices) for one in asked}
    others = [j for j in range(1, 9) if j not in (first, second)][:6]  # no result of a pick
    told_by = (lambda j=j: tell(bandit, j) for j in others)
    together(lambda: bandit.tell([first], [0.5]), lambda: bandit.withdraw([second]), *told_by)
    assert told(bandit) == [0.5, *others]
    assert (bandit.pending, bandit.excluded, bandit.t) == ((), (second,), 2)


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


def test_a_callback_may_use_the_bandit() -> None:
    """It runs while the lock is held, in the thread that holds it."""
    bandit, seen = table(), list[int]()
    bandit.tell([0, 1, 2], [0, 1, 2], progress=lambda done, total: seen.append(bandit.t))
    assert seen
    assert set(seen) == {1}
