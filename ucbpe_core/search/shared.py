"""Batches that share a setting: which names can be shared, and which candidates go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.support.validation import Floats, Integers

# Values of one input that are closer than this share of its range are the same but for rounding.
_SAME = 1e-9


def check_shared(shared: Sequence[str], names: Sequence[str]) -> None:
    """Raise InputError unless `shared` are some of the names of inputs, and not all of them."""
    for name in shared:
        if name not in names:
            wanted = f"names in shared among {', '.join(names)}"
            raise InputError(wanted, repr(name), "name inputs as they are named there")
    if shared and len(shared) == len(names):
        got = f"all of them: {', '.join(names)}"
        remedy = "leave one out, as all picks of a batch would be the same"
        raise InputError("an input that a batch does not share", got, remedy)


def groups_of(X: Floats) -> Integers:
    """A number for each row of X (M, c), the same for rows that are equal but for rounding, (M,).

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core.search.shared import groups_of
    >>> groups_of(np.array([[60.0], [20.0], [20.0 + 1e-14], [60.0]]))
    array([1, 0, 0, 1])
    """
    ranks = np.zeros(X.shape, dtype=np.intp)
    for x, rank in zip(X.T, ranks.T, strict=True):
        order = np.argsort(x, kind="stable")
        rank[order[1:]] = np.cumsum(np.diff(x[order]) > _SAME * np.ptp(x))
    return np.unique(ranks, axis=0, return_inverse=True)[1].ravel()
