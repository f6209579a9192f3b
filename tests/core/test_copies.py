"""Pickled and copied records are as their originals: equal arrays, and none can be written to."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import ucbpe_core
from tests.core.runs import rich, small_run
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    GaussianProcess,
    Posterior,
    problems,
)
from ucbpe_core.support.frozen import Frozen

X = np.random.default_rng(0).random((12, 2))
ARRAYS = ("Floats", "Integers", "Booleans", "NDArray", "ndarray")


def bandit() -> Bandit:
    """With a batch told in part and another one open."""
    made = Bandit(X, GaussianProcess(RBF(0.3), 0.01), GPUCBPE(2))
    made.tell([0, 3], [0.1, 0.4])
    made.tell(made.ask().indices[:1], [0.3])
    made.ask()
    _ = made.posterior.std  # computed when it is asked for, and kept
    return made


def box() -> BoxBandit:
    made = BoxBandit(
        [(0, 5)], GaussianProcess(RBF(1.0)), GPUCBPE(2), samples=16, starts=1, fit="never"
    )
    made.tell(None, [0.1, 0.4], points=[[1.0], [2.0]])
    made.ask()
    return made


# One for each way in which a copy gets its arrays back: `Frozen`, with a lock, rows that grow.
RECORDS: dict[str, Callable[[], Any]] = {
    "Bandit": bandit,
    "BoxBandit": box,
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
    posterior = Posterior.prior(GaussianProcess(RBF(0.3), 0.01), X).observe([1], [0.5])
    for copied in (pickle.loads(pickle.dumps(posterior)), copy.deepcopy(posterior)):
        longer, expected = copied.observe([2], [0.7]), posterior.observe([2], [0.7])
        assert longer.mean.tobytes() == expected.mean.tobytes()
        assert longer.std.tobytes() == expected.std.tobytes()
        with pytest.raises(ValueError, match="read-only"):
            copied.candidates[0] = 0.0
