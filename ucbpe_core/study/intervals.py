"""Student t intervals: the one confidence statement of the studies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from ucbpe_core.errors import InputError
from ucbpe_core.validation import finite, fraction, frozen_copy, numeric

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Floats


@dataclass(frozen=True, eq=False)
class Interval:
    """Means of n samples and their confidence limits, of one shape; limits are NaN for n = 1."""

    mean: Floats
    low: Floats
    high: Floats
    n: int

    def __post_init__(self) -> None:
        for name in ("mean", "low", "high"):
            object.__setattr__(self, name, frozen_copy(getattr(self, name)))


def student_interval(samples: ArrayLike, level: float = 0.95) -> Interval:
    """mean ± t_(n-1)((1 + level) / 2) s / sqrt(n), with s² the unbiased variance.

    Exact when the samples are independent and normal, approximate otherwise.

    Parameters
    ----------
    samples : shape (n, ...); the first axis counts the samples, the others are kept
    level : confidence of each interval by itself, in (0, 1)

    Raises
    ------
    InputError
        For no samples, NaN or infinite ones, or a level outside (0, 1).
    """
    x = finite(np.atleast_1d(numeric(samples, "samples")), "samples")
    upper_tail = (1 + fraction(level, "level")) / 2
    n = len(x)
    if n == 0:
        raise InputError("at least one sample", "none", "leave out what was never measured")
    mean = x.mean(axis=0)
    if n == 1:  # one sample says nothing about the spread
        half = np.full_like(mean, np.nan)
    else:
        half = special.stdtrit(n - 1, upper_tail) * x.std(axis=0, ddof=1) / np.sqrt(n)
    return Interval(mean, mean - half, mean + half, n)
