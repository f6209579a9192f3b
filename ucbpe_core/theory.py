"""What is proved: information gain, its maximum, and the regret bounds of Theorem 1.

Natural logarithms throughout. At the horizons people run the bounds are far above any regret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.posterior import Posterior
from ucbpe_core.validation import count, frozen_copy, points, positive

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.validation import Floats, Integers


def information_gain(gp: GaussianProcess, X: ArrayLike) -> float:
    """I(X) = 1/2 log det(I + K / noise_variance) in nats, for points X (n, d).

    What n noisy values say about f. Raises `InputError` for noise variance 0, where it is infinite.
    """
    noise = _noise(gp)
    K = gp.kernel.gram(points(X, "X"))
    return float(0.5 * np.linalg.slogdet(np.eye(len(K)) + K / noise)[1])


def greedy_information_gain(gp: GaussianProcess, candidates: ArrayLike, n: int) -> Floats:
    """Information gain of the first 1 .. n greedily chosen candidates, shape (n,).

    Each step adds argmax std, worth 1/2 log(1 + std^2 / noise_variance): greedy maximisation of
    a submodular function, so gamma_n is at most this divided by 1 - 1/e.
    """
    noise = _noise(gp)
    belief, gains = Posterior.prior(gp, candidates), []
    for _ in range(count(n, "n")):
        j = int(np.argmax(belief.std))
        gains.append(0.5 * np.log1p(belief.variance[j] / noise))
        belief = belief.hallucinate([j])
    return frozen_copy(np.cumsum(gains))


def gamma_bound(gp: GaussianProcess, candidates: ArrayLike, n: int) -> Floats:
    """Upper bounds on gamma_1 .. gamma_n, the largest information gains of 1 .. n candidates.

    The greedy gain / (1 - 1/e) (Nemhauser, Wolsey and Fisher 1978), shape (n,).
    """
    return frozen_copy(greedy_information_gain(gp, candidates, n) / (1 - np.exp(-1)))


def theorem1_printed(
    beta: Floats,
    gamma: Floats,
    batch_size: int,
    noise_variance: float,
    prior_variance: float = 1.0,
) -> Floats:
    """Bound on R_T^K as printed: sqrt(C1 (T / K) beta_T gamma_TK + C2), shape (T,).

    C1 = 4 / log(1 + 1 / noise_variance), C2 = pi / sqrt(6) (Contal et al. 2013, Theorem 1). The
    theorem is for a prior variance k(x, x) of at most 1. For another one, s^2, it is applied to
    f / s, whose noise variance is noise_variance / s^2, and the bound is multiplied by s.

    Parameters
    ----------
    beta : beta_1 .. beta_T, shape (T,)
    gamma : gamma_K, gamma_2K .. gamma_TK, shape (T,)
    prior_variance : largest k(x, x)
    """
    K, T = _shape(beta, gamma, batch_size)
    s, c1 = _units(noise_variance, prior_variance)
    return s * np.sqrt(4 * c1 * T / K * beta * gamma + np.pi / np.sqrt(6))


def theorem1_proved(
    beta: Floats,
    gamma: Floats,
    batch_size: int,
    noise_variance: float,
    prior_variance: float = 1.0,
) -> Floats:
    """Bound on R_T^K as its proof gives it for finite X, shape (T,).

    sqrt(8 / log(1 + 1 / noise_variance) (T / K) beta_T gamma_TK) + 2 sqrt(beta_T) (K - 1) / K:
    Cauchy-Schwarz yields 8 where 4 is printed, and Lemma 3 drops a term that the sum of the
    first deviations needs. Parameters and units as in `theorem1_printed`.
    """
    K, T = _shape(beta, gamma, batch_size)
    s, c1 = _units(noise_variance, prior_variance)
    return s * (np.sqrt(8 * c1 * T / K * beta * gamma) + 2 * np.sqrt(beta) * (K - 1) / K)


def _units(noise_variance: float, prior_variance: float) -> tuple[float, float]:
    """The scale s of f, and 1 / log(1 + s^2 / noise_variance), the constant of f / s."""
    squared = positive(prior_variance, "prior_variance")
    ratio = squared / positive(noise_variance, "noise_variance")
    return float(np.sqrt(squared)), float(1 / np.log1p(ratio))


def _shape(beta: Floats, gamma: Floats, batch_size: int) -> tuple[int, Integers]:
    if np.shape(beta) != np.shape(gamma):
        raise InputError(
            "beta and gamma of one shape (T,)", f"{np.shape(beta)} and {np.shape(gamma)}", "match"
        )
    return count(batch_size, "batch_size"), np.arange(1, len(beta) + 1)


def _noise(gp: GaussianProcess) -> float:
    if gp.noise_variance == 0:
        raise InputError(
            "noise_variance above 0", "0", "information gain is infinite without noise"
        )
    return gp.noise_variance
