"""Information gain: of points, of a greedy choice, of a run, and its maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.limits import checkpoint
from ucbpe_core.posterior import Posterior
from ucbpe_core.ties import first_best
from ucbpe_core.validation import count, frozen_copy, points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.trace import Trace
    from ucbpe_core.validation import Floats


def information_gain(gp: GaussianProcess, X: ArrayLike) -> float:
    """I(X) = 1/2 log det(I + K / noise_variance) in nats, for points X (n, d).

    The information that n noisy values give about f. Raises `InputError` for noise variance 0,
    where it is infinite.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF, theory
    >>> gp = GaussianProcess(RBF(), noise_variance=0.1)
    >>> round(theory.information_gain(gp, [0.0, 1.0, 2.0]), 3)
    3.199
    """
    noise = _noise(gp)
    K = gp.kernel.gram(points(X, "X"))
    return float(0.5 * np.linalg.slogdet(np.eye(len(K)) + K / noise)[1])


def greedy_information_gain(gp: GaussianProcess, candidates: ArrayLike, n: int) -> Floats:
    """Information gain of the first 1 .. n greedily chosen candidates, shape (n,).

    Each step adds argmax std, worth 1/2 log(1 + std^2 / noise_variance): greedy maximisation of
    a submodular function, so gamma_n is at most this divided by 1 - 1/e.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF, theory
    >>> gp = GaussianProcess(RBF(), noise_variance=0.1)
    >>> theory.greedy_information_gain(gp, range(10), n=3).round(3)
    array([1.199, 2.398, 3.597])
    """
    noise = _noise(gp)
    posterior, gains = Posterior.prior(gp, candidates), []
    for _ in range(count(n, "n")):
        checkpoint()
        j = first_best(posterior.std, posterior.std_tolerance)
        gains.append(0.5 * np.log1p(posterior.state.raw_variance[j] / noise))
        posterior = posterior.hallucinate([j])
    return frozen_copy(np.cumsum(gains))


def gamma_bound(gp: GaussianProcess, candidates: ArrayLike, n: int) -> Floats:
    """Upper bounds on gamma_1 .. gamma_n, the largest information gains of 1 .. n candidates.

    The greedy gain / (1 - 1/e) (Nemhauser, Wolsey and Fisher 1978), shape (n,).

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF, theory
    >>> gp = GaussianProcess(RBF(), noise_variance=0.1)
    >>> theory.gamma_bound(gp, range(10), n=3).round(3)
    array([1.897, 3.793, 5.69 ])
    """
    return frozen_copy(greedy_information_gain(gp, candidates, n) / (1 - np.exp(-1)))


def gain_of_run(trace: Trace) -> Floats:
    """Information of batches 1 .. t about f, given the initial points, in nats, shape (T,).

    Sum over s <= t and k < K of 1/2 log(1 + std_s^k(x_s^k)^2 / noise_variance): the information
    gain of the picks with the initial points, less that of the initial points alone. It is what
    the proof of Theorem 1 needs, and at most gamma_tK: what is already known adds nothing.

    Raises
    ------
    InputError
        For noise variance 0, where it is infinite, or a run whose prior was fitted again.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, theory
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=3, initial=4)
    >>> theory.gain_of_run(trace).round(1)
    array([ 7.5, 11.7, 13.4])
    """
    noise = _noise(trace.gp)
    trace.require_steppable("add up its information gain")
    stds = np.array([iteration.decision.stds for iteration in trace.iterations])
    gains = 0.5 * np.log1p(stds**2 / noise).sum(axis=1)
    return frozen_copy(np.cumsum(gains))


def _noise(gp: GaussianProcess) -> float:
    if gp.noise_variance == 0:
        remedy = "take a noise variance above 0: without noise the gain is infinite"
        raise InputError("noise_variance above 0", "0", remedy)
    return gp.noise_variance
