"""Labels of candidates: the index of a pandas frame, which identifies its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_index(given: object) -> bool:
    """Whether `given` is a pandas Index, without importing pandas."""
    return hasattr(given, "get_indexer") and hasattr(given, "dtype")


def labels_of(candidates: object) -> tuple[str, ...] | None:
    """The index of a frame or a Series, as text; None if it only counts the rows, or for an array.

    Examples
    --------
    >>> import pandas as pd
    >>> from ucbpe_core.labels import labels_of
    >>> labels_of(pd.DataFrame({"x": [1.0, 2.0]}, index=["A1", "B7"]))
    ('A1', 'B7')
    """
    index: Any = getattr(candidates, "index", None)
    if not is_index(index):
        return None
    found = list(index)
    return None if found == list(range(len(found))) else tuple(map(str, found))


def rows_of(index: Any, labels: Sequence[str] | None, *, framed: bool) -> list[int]:
    """The row number of each label in a pandas Index.

    Parameters
    ----------
    labels : of all candidates; None if they have none
    framed : whether the candidates came as a frame, whose rows are then numbered

    Raises
    ------
    InputError
        For candidates without labels that came as an array, and for a label that is missing or
        that several candidates have.
    """
    if labels is None:
        if framed:
            return list(index)
        wanted = "row numbers, as the candidates came without an index"
        raise InputError(wanted, "a pandas Index", "pass ints, or make the Bandit from the frame")
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    found = []
    for label in map(str, index):
        if len(rows.get(label, ())) != 1:
            got = f"{label!r}, which {len(rows.get(label, ()))} of them have"
            raise InputError("a label of one candidate", got, "pass row numbers instead")
        found += rows[label]
    return found
