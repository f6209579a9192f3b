"""Matching the settings of results to outstanding picks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.validation import Floats

# Relative slack: a setting rounded by exactly the tolerance is within it.
_ROUNDING = 1e-9


def nearest_picks(U: Floats, indices: Sequence[int], picks: Floats, tolerance: float) -> list[int]:
    """Which of the `indices` (p,) of picks (p, d) each of the settings U (k, d) matches, on the
    unit cube; -1 for none.

    Nearest pairs come first, by the largest difference of a coordinate; each setting matches at
    most one pick, at most `tolerance` away. Ties go to the earlier setting, then to the earlier
    pick.
    """
    apart = np.abs(U[:, None] - picks).max(axis=2)
    found = [-1] * len(U)
    for pair in np.argsort(apart, axis=None, kind="stable"):
        i, j = divmod(int(pair), len(indices))
        if apart[i, j] > tolerance * (1 + _ROUNDING):
            break
        if found[i] < 0 and indices[j] not in found:
            found[i] = indices[j]
    return found
