"""Hyperparameters by their names: what is fixed, and within which bounds the others are fitted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.kernels.scales import short_name

if TYPE_CHECKING:
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.validation import Booleans, Floats

T = TypeVar("T")


def each_named(gp: GaussianProcess, given: Mapping[str, T], what: str) -> tuple[T | None, ...]:
    """What is given for each log parameter and for the log noise variance, (p + 1,).

    Names are those of `kernel.parameter_names` and "noise_variance"; "lengthscale" stands for all
    lengthscales, and so on. A full name comes before a short one.

    Raises
    ------
    InputError
        For a name that is none of these, or what is no mapping.
    """
    full = (*gp.kernel.parameter_names, "noise_variance")
    if not isinstance(given, Mapping):
        raise InputError(f"{what} by name", repr(given), 'write {"lengthscale": ..}')
    _check(tuple(given), full, what)
    return tuple(given.get(name, given.get(short_name(name))) for name in full)


def fixed_ones(gp: GaussianProcess, fixed: Collection[str]) -> tuple[Booleans, bool]:
    """Which log parameters and log noise variance are fixed (p + 1,), and whether the mean is.

    Raises
    ------
    InputError
        For a name that is unknown.
    """
    if not isinstance(fixed, Collection):
        raise InputError("fixed of names", repr(fixed), 'write ["noise_variance"]')
    names = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    full = (*gp.kernel.parameter_names, "noise_variance")
    _check(names, (*full, "mean"), "fixed")
    kept = np.array([name in names or short_name(name) in names for name in full], dtype=bool)
    return kept, "mean" in names


def log_bounds(gp: GaussianProcess, bounds: Mapping[str, tuple[float, float]]) -> Floats:
    """Logs of the least and greatest value, (2, p + 1); -inf and inf where none is given.

    Raises
    ------
    InputError
        For a name that is unknown, or bounds without 0 <= low <= high, high > 0.
    """
    logs = np.empty((2, len(gp.kernel.parameter_names) + 1))
    for i, pair in enumerate(each_named(gp, bounds, "bounds")):
        low, high = (0.0, np.inf) if pair is None else _pair(pair)
        logs[:, i] = (np.log(low) if low > 0 else -np.inf), np.log(high)
    return logs


def _pair(pair: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = (float(one) for one in pair)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not (0 <= low <= high and high > 0 and low < np.inf):
        remedy = 'write bounds={"lengthscale": (0.1, 2.0)}'
        raise InputError("bounds with 0 <= low <= high, high above 0", repr(pair), remedy)
    return low, high


def _check(names: tuple[str, ...], full: tuple[str, ...], what: str) -> None:
    known = dict.fromkeys((*full, *map(short_name, full)))
    for name in names:
        if name not in known:
            got = repr(name)
            raise InputError(f"{what} of {', '.join(known)}", got, "name one of these")
