"""Regret, as pure functions of the true values f(x_t^k) at the picks.

`values` has shape (T, K): row t - 1 holds batch t, and initial points are not counted. `optimum`
is f*, the maximum of f over the candidates. All regrets are in units of f, on the true f.

All raise `InputError` for values of another shape, NaN or infinities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.support.validation import points, real

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats


def simple(values: Floats, optimum: float) -> Floats:
    """r_t^K = min over the batch of f* - f(x_t^k), shape (T,).

    Examples
    --------
    >>> from ucbpe_core import regret
    >>> regret.simple([[0.2, 0.5], [0.4, 0.1], [0.9, 0.3]], optimum=1.0).round(1)
    array([0.5, 0.6, 0.1])
    """
    return _regrets(values, optimum).min(axis=1)


def running_minimum(values: Floats, optimum: float) -> Floats:
    """min over s <= t of r_s^K, shape (T,): the best batch so far.

    Examples
    --------
    >>> from ucbpe_core import regret
    >>> regret.running_minimum([[0.2, 0.5], [0.4, 0.1], [0.9, 0.3]], optimum=1.0).round(1)
    array([0.5, 0.5, 0.1])
    """
    return np.minimum.accumulate(simple(values, optimum))


def batch_cumulative(values: Floats, optimum: float) -> Floats:
    """R_T^K = sum over t <= T of r_t^K, shape (T,).

    Examples
    --------
    >>> from ucbpe_core import regret
    >>> regret.batch_cumulative([[0.2, 0.5], [0.4, 0.1], [0.9, 0.3]], optimum=1.0).round(1)
    array([0.5, 1.1, 1.2])
    """
    return np.cumsum(simple(values, optimum))


def full_cumulative(values: Floats, optimum: float) -> Floats:
    """R_TK = sum over t <= T and k < K of f* - f(x_t^k), shape (T,).

    Examples
    --------
    >>> from ucbpe_core import regret
    >>> regret.full_cumulative([[0.2, 0.5], [0.4, 0.1], [0.9, 0.3]], optimum=1.0).round(1)
    array([1.3, 2.8, 3.6])
    """
    return np.cumsum(_regrets(values, optimum).sum(axis=1))


def _regrets(values: Floats, optimum: float) -> Floats:
    regrets: Floats = real(optimum, "optimum") - points(values, "values")
    return regrets
