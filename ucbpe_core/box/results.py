"""Which outstanding picks the settings of results answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats


# Of the tolerance: a setting that was rounded by just that much is within it.
_ROUNDING = 1e-9


def nearest_picks(
    X: Floats, picks: dict[int, Floats], box: Floats, tolerance: float
) -> tuple[int, ...]:
    """Numbers of the `picks` that the settings X (k, d) answer: the nearest pair first.

    The distance of a setting and a pick is the largest difference of a coordinate as a share of
    its side of the box; pairs further apart than `tolerance` do not count, and each setting
    answers one pick at most. Ties go to the earlier setting, then to the earlier of `picks`.
    """
    if not picks or not len(X):
        return ()
    sides = box[:, 1] - box[:, 0]
    numbers, points = list(picks), np.array(list(picks.values()))
    apart = (np.abs(X[:, None] - points) / sides).max(axis=2)
    answered: dict[int, int] = {}  # number of the pick: setting
    for pair in np.argsort(apart, axis=None, kind="stable"):
        i, j = divmod(int(pair), len(numbers))
        if apart[i, j] > tolerance * (1 + _ROUNDING):
            break
        if numbers[j] not in answered and i not in answered.values():
            answered[numbers[j]] = i
    return tuple(answered)
