"""The regret bounds of Theorem 1, as printed and as its proof gives them.

All take beta_1 .. beta_T and gamma_K, gamma_2K .. gamma_TK, shape (T,) each, and return a bound for
every horizon T, shape (T,), in units of f. They are for GP-UCB-PE and hold whenever f stays inside
its band. The theorem is for a prior variance k(x, x) of at most 1. For another one, s^2, it is
applied to f / s, whose noise variance is noise_variance / s^2, and the bound is multiplied by s.

Where the two differ: Cauchy-Schwarz and sum std^2 <= 2 gamma_TK / log(1 + 1 / noise_variance)
give 8 (and 72) where 4 (and 36) is printed; Lemma 3 drops a term, which comes back outside the
root; and for compact X the sum of 1/t^2, at most pi^2 / 6, stands outside the root too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.validation import count, finite, non_negative, numeric, positive

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Floats, Integers

_C2 = np.pi / np.sqrt(6)  # as printed
_SUM_OF_INVERSE_SQUARES = np.pi**2 / 6


def theorem1_printed(
    beta: ArrayLike,
    gamma: ArrayLike,
    batch_size: int,
    noise_variance: float,
    prior_variance: float = 1.0,
) -> Floats:
    """Bound on R_T^K as printed: sqrt(C1 (T / K) beta_T gamma_TK + C2), shape (T,).

    C1 = 4 / log(1 + 1 / noise_variance), C2 = pi / sqrt(6) (Contal et al. 2013, Theorem 1).

    Parameters
    ----------
    beta : beta_1 .. beta_T, shape (T,)
    gamma : gamma_K, gamma_2K .. gamma_TK, shape (T,)
    prior_variance : largest k(x, x)

    Examples
    --------
    >>> from ucbpe_core import theory
    >>> theory.theorem1_printed([10.0, 11.0], [2.0, 3.0], batch_size=4, noise_variance=0.1).round(2)
    array([3.1 , 5.37])
    """
    beta, gamma, K, T = _checked(beta, gamma, batch_size)
    s, c1 = _units(noise_variance, prior_variance)
    return s * np.sqrt(4 * c1 * T / K * beta * gamma + _C2)


def theorem1_proved(
    beta: ArrayLike,
    gamma: ArrayLike,
    batch_size: int,
    noise_variance: float,
    prior_variance: float = 1.0,
    *,
    compact: bool = False,
) -> Floats:
    """Bound on R_T^K as its proof gives it, shape (T,).

    sqrt(8 / log(1 + 1 / noise_variance) (T / K) beta_T gamma_TK) + 2 sqrt(beta_T) (K - 1) / K,
    and pi^2 / 6 more if `compact`: Cauchy-Schwarz yields 8 where 4 is printed, and Lemma 3 drops
    a term that the sum of the first standard deviations needs. Other parameters as in
    `theorem1_printed`.

    Parameters
    ----------
    compact : whether beta is that of a compact X, whose lemmas leave 1/t^2 at each t

    Examples
    --------
    >>> from ucbpe_core import theory
    >>> theory.theorem1_proved([10.0, 11.0], [2.0, 3.0], batch_size=4, noise_variance=0.1).round(2)
    array([ 8.83, 12.39])
    """
    beta, gamma, K, T = _checked(beta, gamma, batch_size)
    s, c1 = _units(noise_variance, prior_variance)
    root = np.sqrt(8 * c1 * T / K * beta * gamma)
    return s * (root + 2 * np.sqrt(beta) * (K - 1) / K + compact * _SUM_OF_INVERSE_SQUARES)


def full_regret_printed(
    beta: ArrayLike,
    gamma: ArrayLike,
    batch_size: int,
    noise_variance: float,
    prior_variance: float = 1.0,
) -> Floats:
    """Bound on R_TK as printed: sqrt(C1 T K beta_T gamma_TK + C2), shape (T,).

    C1 = 36 / log(1 + 1 / noise_variance), C2 = pi / sqrt(6). Parameters as in `theorem1_printed`.

    Examples
    --------
    >>> from ucbpe_core import theory
    >>> beta, gamma = [10.0, 11.0], [2.0, 3.0]
    >>> theory.full_regret_printed(beta, gamma, batch_size=4, noise_variance=0.1).round(1)
    array([34.7, 63. ])
    """
    beta, gamma, K, T = _checked(beta, gamma, batch_size)
    s, c1 = _units(noise_variance, prior_variance)
    return s * np.sqrt(36 * c1 * T * K * beta * gamma + _C2)


def full_regret_proved(
    beta: ArrayLike,
    gamma: ArrayLike,
    batch_size: int,
    noise_variance: float,
    prior_variance: float = 1.0,
    *,
    compact: bool = False,
) -> Floats:
    """Bound on R_TK with the constants that the steps of its proof give, shape (T,).

    sqrt(72 / log(1 + 1 / noise_variance) T K beta_T gamma_TK) + 6 sqrt(beta_T) (K - 1), and
    K pi^2 / 6 more if `compact`. With S the sum of all std_t^k(x_t^k), and f in the band:

    - r_t^k <= 2 sqrt(beta_t) std_t^0(x_t^0) + 4 sqrt(beta_t) std_t^0(x_t^k) for x_t^k in R_t+,
      the last part for k > 0 only and as long as 2 sqrt(beta_(t+1)) <= 3 sqrt(beta_t);
    - sum_t K std_t^0(x_t^0) <= S + (K - 1) by Lemma 3 with the term that it drops;
    - sum_t sum_(k>0) std_t^0(x_t^k) <= S + (K - 1), for x_t^k in R_(t-1)+ has a std of at
      most that of each exploring pick of batch t - 1, and batch 1 has one of at most 1;
    - S^2 <= T K 2 gamma_TK / log(1 + 1 / noise_variance).

    Like Lemma 2's x_(t+1)^0 in R_t+, that the picks of batch t lie in R_(t-1)+ is not proved:
    `check_lemmas` checks both. Parameters as in `theorem1_proved`.

    Examples
    --------
    >>> from ucbpe_core import theory
    >>> beta, gamma = [10.0, 11.0], [2.0, 3.0]
    >>> theory.full_regret_proved(beta, gamma, batch_size=4, noise_variance=0.1).round(1)
    array([105.9, 148.7])
    """
    beta, gamma, K, T = _checked(beta, gamma, batch_size)
    s, c1 = _units(noise_variance, prior_variance)
    root = np.sqrt(72 * c1 * T * K * beta * gamma)
    return s * (root + 6 * np.sqrt(beta) * (K - 1) + compact * K * _SUM_OF_INVERSE_SQUARES)


def trivial_bound(batches: int, spread: float, picks: int = 1) -> Floats:
    """The bound that holds for any choice: t picks (max f - min f), t = 1 .. T, shape (T,).

    A bound above it is not informative.

    Parameters
    ----------
    batches : T
    spread : max f - min f over the candidates
    picks : 1 for R_T^K, K for R_TK

    Examples
    --------
    >>> from ucbpe_core import theory
    >>> theory.trivial_bound(batches=3, spread=2.0, picks=4)
    array([ 8., 16., 24.])
    """
    t = np.arange(1.0, count(batches, "batches") + 1)
    return t * count(picks, "picks") * non_negative(spread, "spread")


def _units(noise_variance: float, prior_variance: float) -> tuple[float, float]:
    """The scale s of f, and 1 / log(1 + s^2 / noise_variance), the constant of f / s."""
    squared = positive(prior_variance, "prior_variance")
    ratio = squared / positive(noise_variance, "noise_variance")
    return float(np.sqrt(squared)), float(1 / np.log1p(ratio))


def _checked(
    beta: ArrayLike, gamma: ArrayLike, batch_size: int
) -> tuple[Floats, Floats, int, Integers]:
    betas, gammas = numeric(beta, "beta"), numeric(gamma, "gamma")
    if betas.ndim != 1 or betas.shape != gammas.shape:
        shapes = f"{betas.shape} and {gammas.shape}"
        raise InputError(
            "beta and gamma of one shape (T,)", shapes, "pass one value of each for every t"
        )
    for array, name in ((betas, "beta"), (gammas, "gamma")):
        non_negative(float(finite(array, name).min(initial=0.0)), f"the least {name}")
    return betas, gammas, count(batch_size, "batch_size"), np.arange(1, len(betas) + 1)
