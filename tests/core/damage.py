"""Damage to a parsed file, anywhere in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 60),
    # A longer one is rounded as it is read, as any decimal number is.
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.lists(st.one_of(st.integers(-1, 60), st.floats(-2, 2), st.text(max_size=2)), max_size=4),
    st.dictionaries(
        st.sampled_from(["kind", "since", "axes", "x", "time", "y"]), st.integers(), max_size=2
    ),
)


def damage(data: st.DataObject, document: Any) -> None:
    """Replace, scale or remove one entry of a table or list of the document."""
    inner = data.draw(st.sampled_from(list(_holders(document))))
    key = data.draw(st.sampled_from([*inner] if isinstance(inner, dict) else range(len(inner))))
    what = data.draw(st.sampled_from(["replace", "replace", "scale", "remove"]))
    if what == "remove":
        del inner[key]
    elif what == "scale" and type(inner[key]) is float:
        inner[key] *= data.draw(st.sampled_from([-1.0, 0.0, 0.5, 2.0, 1e30, 1e300, 1e-300]))
    else:
        inner[key] = data.draw(JUNK)


def _holders(value: Any) -> Iterator[Any]:
    """Every table and list that has something in it."""
    if isinstance(value, (dict, list)) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)
