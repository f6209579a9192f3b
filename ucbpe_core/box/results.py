"""Which outstanding picks the settings of results answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.validation import Floats

# Of the tolerance: a setting that was rounded by just that much is within it.
_ROUNDING = 1e-9


def nearest_picks(
    U: Floats, indices: Sequence[int], picks: Floats, tolerance: float
) -> tuple[int, ...]:
    """Which of the `indices` (p,) of picks (p, d) the settings U (k, d) answer, on the unit cube.

    The nearest pair of a setting and a pick first, by the largest difference of a coordinate; each
    setting answers one pick at most, and no pick farther away than `tolerance`. Ties go to the
    earlier setting, then to the earlier pick.
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
