"""What the next batch is worth: its expected improvement, and the price at which it pays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from ucbpe_core.gp.linalg import factor, solve_lower
from ucbpe_core.policies.picking import log_expected_improvement
from ucbpe_core.support import streams

if TYPE_CHECKING:
    from ucbpe_core.gp.process import ConditionedProcess
    from ucbpe_core.support.validation import Floats

_SCRAMBLES, _POINTS = 16, 1024  # 2^10: a Sobol sequence is balanced at powers of two


class Worth(NamedTuple):
    """The expected improvement of a batch, in units of y.

    Attributes
    ----------
    improvement : E[max(0, max over the picks of m_k - m_0)], see `worth_of`
    error : its standard error; 0 where it is exact, for one pick alone
    picks : how many the batch has
    """

    improvement: float
    error: float
    picks: int

    @property
    def price(self) -> float:
        """What one measurement may cost at most for the batch to pay: improvement / picks."""
        return self.improvement / self.picks


def worth_of(
    process: ConditionedProcess, best: Floats, running: Floats, picks: Floats, sign: float = 1.0
) -> Worth:
    """What is gained on average by whoever waits for the results of a batch.

    Whoever stops takes x_0, where the mean is best. Whoever measures the picks takes the best of
    x_0 and the picks by the mean m that the results give. Seen from now, m is normal: with C the
    covariance of f, N the noise variance of the measurements, P the picks,

        E[m] = the mean now,    cov[m] = C_.P (C_PP + N)^-1 C_P.

    and the improvement is E[max(0, max_k m_k - m_0)]. Where f at x_0 is known and there is no
    noise, m_k = f(x_k), and this is the expected improvement of the batch, E[max(0, max_k f(x_k) -
    f(x_0))] (Mockus et al. 1978 for one pick, Ginsbourger et al. 2010 for several); with noise it
    is less, because a result tells less. To take the best of all points, and not of these, gains
    as much or more.

    For one pick it is the closed form std phi(z) + mean Phi(z) of m_1 - m_0. For more it is the
    mean of 16 scrambled Sobol sequences of 1,024 points, with a fixed seed, whose spread gives the
    standard error. While points are running it is what the batch adds to their improvement.

    A batch pays if its measurements together cost less than this. For one pick, the maximiser of
    expected improvement, this is the rule of Xie et al.: stop once the greatest expected
    improvement is at most the cost. For a batch of another rule it is our extension, for which
    nothing is proved. Neither looks further ahead than this batch.

    Parameters
    ----------
    process : given all results so far
    best, running, picks : coordinates x_0 (1, d), of earlier picks without a result (r, d), and of
        the batch (K, d)
    sign : -1 where f is minimised

    References
    ----------
    Xie, Cai, Terenin, Frazier and Scully, Cost-aware stopping for Bayesian optimization,
    arXiv 2507.12453, 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, Matern
    >>> from ucbpe_core.search.worth import worth_of
    >>> process = GaussianProcess(Matern()).condition([0.0, 1.0], [0.2, 0.7])
    >>> worth = worth_of(process, np.array([[1.0]]), np.empty((0, 1)), np.array([[2.0], [3.0]]))
    >>> round(worth.improvement, 2), worth.error < 0.001, round(worth.price, 2)
    (0.3, True, 0.15)
    """
    P, r = np.concatenate([running, picks]), len(running)
    gains, moves = _normal(process, np.concatenate([best, P]), sign)
    if len(P) == 1:
        exact = np.exp(log_expected_improvement(gains, np.abs(moves[0]), 0.0))
        return Worth(float(exact[0]), 0.0, 1)
    found, rng = np.empty(_SCRAMBLES), streams.worth()
    for i in range(_SCRAMBLES):
        U = scipy.stats.qmc.Sobol(len(P), rng=rng).random(_POINTS)
        z = scipy.special.ndtri(np.maximum(U, np.finfo(float).tiny))
        after = (gains + z @ moves).max(axis=1, initial=0.0)
        # The first r of z are the results at the running points alone.
        before = (gains[:r] + z[:, :r] @ moves[:r, :r]).max(axis=1, initial=0.0)
        found[i] = (after - before).mean()
    error = float(found.std(ddof=1) / _SCRAMBLES**0.5)
    return Worth(max(float(found.mean()), 0.0), error, len(picks))


def _normal(process: ConditionedProcess, points: Floats, sign: float) -> tuple[Floats, Floats]:
    """What m_k - m_0 is after measurements at all but the first point: gains (p,) + z moves (p, p).

    z (p,) is standard normal; its first r numbers stand for the results at the first r points.
    """
    C, mean, gp = process.covariance(points), sign * process.predict(points).mean, process.gp
    noise = gp.effective_noise(gp.kernel.diagonal(points[1:]))
    W = solve_lower(factor(C[1:, 1:] + np.diag(noise)), C[1:])
    return mean[1:] - mean[0], W[:, 1:] - W[:, :1]
