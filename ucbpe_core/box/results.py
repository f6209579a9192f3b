"""Matching the settings of results to outstanding picks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.validation import Floats

# Relative slack: a setting rounded by exactly the tolerance is within it.
_ROUNDING = 1e-9


def nearest_picks(
    U: Floats, indices: Sequence[int], picks: Floats, tolerance: float
) -> tuple[int, ...]:
    """Those of the `indices` (p,) of picks (p, d) that the settings U (k, d) match, on the unit
    cube.

    Nearest pairs come first, by the largest difference of a coordinate; each setting matches at
    most one pick, at most `tolerance` away. Ties go to the earlier setting, then to the earlier
    pick.
    """
    apart = np.abs(U[:, None] - picks).max(axis=2)
    answered: dict[int, int] = {}  # index of the pick: setting
    for pair in np.argsort(apart, axis=None, kind="stable"):
        i, j = divmod(int(pair), len(indices))
        if apart[i, j] > tolerance * (1 + _ROUNDING):
            break
        if indices[j] not in answered and i not in answered.values():
            answered[indices[j]] = i
    return tuple(answered)
