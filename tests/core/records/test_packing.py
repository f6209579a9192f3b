"""Arrays as the numbers of a file, and records filled by name."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from ucbpe_core.records.packing import plain, record_of, score


@dataclass(frozen=True)
class Row:
    size: int
    values: tuple[float | None, ...]
    name: str = "row"


def test_an_array_becomes_numbers_of_python() -> None:
    """Without NumPy's types, which JSON does not have, and with None for NaN."""
    assert plain(np.array([0.1, np.nan, -0.0])) == (0.1, None, 0.0)
    assert plain(np.arange(6.0).reshape(2, 3)) == ((0.0, 1.0, 2.0), (3.0, 4.0, 5.0))
    assert plain(np.empty((0, 2))) == plain(np.empty(0)) == ()
    kinds = {type(one) for dtype in (float, np.intp, bool) for one in plain(np.ones(2, dtype))}
    assert kinds == {float, int, bool}


def test_a_score_comes_back() -> None:
    assert [score(one) for one in plain(np.array([2.5, -1.0]))] == [2.5, -1.0]
    assert np.isnan(score(*plain(np.array([np.nan]))))


def test_a_record_takes_what_is_not_given_from_the_source() -> None:
    """By name; a field of the source that the record lacks stays out."""
    source = SimpleNamespace(size=2, values=np.array([1.0, np.nan]), name="source", other=3)
    assert record_of(Row, source) == Row(2, (1.0, None), "source")
    assert record_of(Row, source, name="given", values=()) == Row(2, (), "given")
    del source.size
    with pytest.raises(AttributeError, match="size"):
        record_of(Row, source)
