"""Scales that stay readable while a run closes in."""

from __future__ import annotations

_STEP, _MOST_STEPS = 2**0.5, 30


def stepped(limit: float, needed: float) -> float:
    """`limit`, divided by sqrt(2) as often as `needed` still fits.

    Over a run the std can shrink by a factor of 100. With a scale fixed for the run, there would be
    one colour; a scale fitted to each batch would hide the shrinking. This scale changes rarely,
    and never within a batch.
    """
    for _ in range(_MOST_STEPS):
        if limit / _STEP < needed:
            break
        limit /= _STEP
    return limit
