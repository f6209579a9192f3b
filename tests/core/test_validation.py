"""The checks behind every public entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Posterior,
    fit_hyperparameters,
)
from ucbpe_core.support.validation import (
    count,
    fraction,
    indices,
    non_negative,
    points,
    positive,
    real,
    values,
)


@pytest.mark.parametrize(
    ("array", "dimension"),
    [
        (3.0, None),
        ([1.0, 2.0], 2),
        (np.zeros((2, 0)), None),
        (np.zeros((1, 2, 3)), None),
        ([10**400], None),
        ({}, None),
    ],
)
def test_bad_points(array: object, dimension: int | None) -> None:
    """Wrong shapes and anything but finite real numbers."""
    with pytest.raises(InputError, match=r"^expected X .*; got .*; "):
        points(array, "X", dimension)


def test_the_bad_entry_is_named() -> None:
    """The message says which entry is not finite."""
    with pytest.raises(InputError, match="got nan at position 2"):
        values([0.0, 1.0, np.nan], "y", 3)
    with pytest.raises(InputError, match=r"got -inf at position \(1, 0\)"):
        points([[0.0], [-np.inf]], "X")


@pytest.mark.parametrize(
    "array", [[5], [-1], [0.0], [True], ["0"], [None], None, [[0]], [[0], [1, 2]], [0, 2**40]]
)
def test_bad_indices(array: object) -> None:
    """Outside 0 .. size - 1 (negative ones too), or no whole numbers."""
    with pytest.raises(InputError, match=r"^expected indices .*; got .*; "):
        indices(array, 5)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (real, [0, -1.5, np.float32(2)], [np.nan, np.inf, "1", None, 10**400, 1j, [1, 2]]),
        (positive, [1e-300, 5], [0, -1, np.nan, "1"]),
        (non_negative, [0, 3.5], [-1e-300, np.inf]),
        (fraction, [0.5, 1e-9], [0, 1, -0.1, 2, np.nan]),
        (count, [1, 7, np.int64(3)], [0, -1, 1.0, "2", None]),
    ],
)
def test_numbers(check: Callable[[object, str], float], good: list, bad: list) -> None:
    """Good numbers come back as they were, bad ones raise with the name they go by."""
    for value in good:
        assert check(value, "size") == value
    for value in bad:
        with pytest.raises(InputError, match=r"^expected size .*; got .*; "):
            check(value, "size")


X = [[0.0, 1.0], [0.5, 1.5], [0.25, 1.0], [0.75, 3.0]]
KINDS = {
    "tuples": lambda array: tuple(map(tuple, array)) if np.ndim(array) == 2 else tuple(array),
    "float32": lambda array: np.array(array, dtype=np.float32),
    "Fortran order": lambda array: np.array(array, order="F"),
    "frame or series": lambda array: (
        pd.DataFrame(array, columns=["heat", "time"]) if np.ndim(array) == 2 else pd.Series(array)
    ),
    "nullable": lambda array: (
        pd.DataFrame(array).convert_dtypes() if np.ndim(array) == 2 else pd.Series(array)
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_input_is_the_same_to_a_bandit(kind: str) -> None:
    """To the last bit, as these numbers are exact in all of them."""
    of, y = KINDS[kind], [0.5, 1.0]
    gp = GaussianProcess(RBF(0.5), 0.125)
    plain, other = Bandit(X, gp, GPUCBPE(2)), Bandit(of(X), gp, GPUCBPE(2))  # type: ignore[no-untyped-call]
    plain.tell([0, 3], y)
    other.tell(pd.Series([0, 3]) if kind == "frame or series" else [0, 3], of(y))  # type: ignore[no-untyped-call]
    assert plain.ask().indices.tolist() == other.ask().indices.tolist()
    np.testing.assert_array_equal(plain.posterior.std, other.posterior.std)
    np.testing.assert_array_equal(
        gp.condition(of(X), of([1, 2, 3, 4])).predict(of(X)).mean,  # type: ignore[no-untyped-call]
        gp.condition(X, [1, 2, 3, 4]).predict(X).mean,
    )
    assert other.names == (("heat", "time") if kind == "frame or series" else other.names)


@pytest.mark.parametrize(
    ("frame", "what"),
    [
        (
            pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
            "a DataFrame with entries that are not numbers in 'b'",
        ),
        # pandas makes whole numbers of these two by itself.
        (pd.DataFrame({"a": pd.to_datetime(["2024-05-31"], utc=True)}), "not numbers in 'a'"),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), "numeric|finite"),
        (pd.DataFrame(), "of shape"),
    ],
)
def test_frames_that_are_refused(frame: pd.DataFrame, what: str) -> None:
    """By every entry, with what is wrong and what to do."""
    gp = GaussianProcess(RBF())
    for use in (
        lambda: Posterior.prior(gp, frame),
        lambda: gp.condition(frame, [0.0, 1.0]),
        lambda: fit_hyperparameters(gp, frame, [0.0, 1.0]),
    ):
        with pytest.raises(InputError, match=what) as caught:
            use()
        assert caught.value.remedy


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"policy": GPUCBPE}, r"a Policy; got the class GPUCBPE; call it: GPUCBPE\(\.\.\)"),
        ({"beta": FiniteBeta}, r"a BetaSchedule; got the class FiniteBeta; call it"),
        ({"policy": FiniteBeta}, "a Policy; got the class FiniteBeta; pass"),
        ({"policy": "GP-UCB-PE"}, "a Policy; got str; pass"),
    ],
)
def test_a_class_in_place_of_an_instance(given: dict[str, object], message: str) -> None:
    parts: dict[str, Any] = {"gp": GaussianProcess(RBF()), "policy": GPUCBPE(2)}
    with pytest.raises(InputError, match=message):
        Bandit(range(5), **{**parts, **given})
