"""An approximate posterior for tens of thousands of observations, with bounds on its errors.

Rows of length M for n observations need n M numbers; here it is m M, for m inducing points Z. They
are chosen greedily, each where the std given f at the ones before is largest: a pivoted Cholesky
factor U of the prior covariance, m rows of length M. With q(x, z) = u(x)'u(z), u(x) a column of U,
k = q + r, where the remainder r is a covariance too: that of f given f at Z. So f = f_q + f_r, two
independent parts, and the approximation treats the values as y = f_q + e: with A = I + U_n S^-1
U_n' over the n points, S the diagonal of their noise variances, and y less the prior mean::

    mean = u(x)'A^-1 U_n S^-1 y          variance = v + r(x, x), v = u(x)'A^-1 u(x)

It costs O(n m^2 + M m^2) for any number of values at once, and O(M m) for each hallucination.

What is proved of it, in exact arithmetic and with nothing assumed of y. Let C = K_n + S be the
exact covariance of y, a = (Q_n + S)^-1 q(X_n, x) the weights of the approximate mean a'y, and
sigma^2 the exact variance.

1. v <= sigma^2: if f_r were known at all points, the variance of f(x) would be v, and knowing more
   never raises it.
2. The mean square of f(x) - a'y under the prior is v + g^2, where g^2 is the variance of f_r(x) -
   a'f_r(X_n), for the parts f_q + e and f_r are independent and a is optimal for the first. No
   weights have less than sigma^2 = v + g^2 - (a - b)'C(a - b), where b = C^-1 k(X_n, x). So sigma^2
   <= v + g^2, and sigma^2 <= k(x, x).
3. g <= delta = sqrt(r(x, x)) + sqrt(lambda v (q - v) / q), with q = q(x, x) and lambda the largest
   eigenvalue of S^-1/2 R_n S^-1/2: a'R_n a <= lambda a'S a, and a'S a = u'A^-1 (A - I) A^-1 u. In
   the eigenbasis of A that is q times a mean of s (1 - s), s an eigenvalue of A^-1, a concave
   function; the mean of s is v / q.
4. |mean - exact mean| = |(a - b)'y| <= g sqrt(y'C^-1 y), by 1, 2 and the Cauchy-Schwarz inequality.
   y'C^-1 y <= y'(Q_n + S)^-1 y = |w|^2, for C is Q_n + S and more.
5. It is also at most g E, E^2 = c'R_n c with c = (Q_n + S)^-1 y. C (b - a) = h, h = r(X_n, x) - R_n
   a, and C^-1 y = c - C^-1 R_n c, so that the error is h'(c - C^-1 R_n c). As h is the covariance
   of f_r(X_n) with a variable of variance g^2, h = R_n^1/2 z with |z| <= g, and I - R_n^1/2 C^-1
   R_n^1/2 lies between 0 and I.

lambda and E are bounded by parts, in groups of the points, for both are at most the sums over
groups. Where S^-1/2 R_n S^-1/2 is small beside 1, both errors are of second order in sqrt(r).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_core.gp.inducing.fit import Basis, Fit, Inducing, Told
from ucbpe_core.gp.inducing.posterior import InducingPosterior
from ucbpe_core.gp.posterior import Posterior, searched

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.gp.process import GaussianProcess

__all__ = ["Inducing", "InducingPosterior", "prior"]


def prior(
    gp: GaussianProcess, candidates: ArrayLike, inducing: Inducing | None = None
) -> Posterior:
    """The posterior before any data over candidates (M, d): exact if `inducing` is None.

    Raises
    ------
    TooLargeError
        If a row for each inducing point does not fit in memory; other errors as `Posterior.prior`.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.gp.inducing import Inducing, prior
    >>> found = prior(GaussianProcess(RBF()), np.linspace(0, 9, 1000), Inducing(most=15))
    >>> found = found.observe([300], [0.5])
    >>> found.mean[[300, 400]].round(3), found.name, bool(found.mean_error.max() < 1e-4)
    (array([0.495, 0.33 ]), '15 inducing points', True)
    """
    if inducing is None:
        return Posterior.prior(gp, candidates)
    X, _ = searched(gp, candidates)
    gp.warn_if_raised(X)
    return InducingPosterior(Fit(gp, Basis.of(gp, X, inducing), Told()), Told())
