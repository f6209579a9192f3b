"""Information gain, and the regret bounds of Theorem 1, as printed and as its proof gives them.

The known rates of the gain come without constants. A rate says nothing of gamma_n itself, but how
much it grows from one n to another can be compared with a run, up to lower orders: whatever
constant it has, it cancels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels import RBF, Linear, Matern, Polynomial
from ucbpe_core.gp.posterior import Posterior
from ucbpe_core.policies import explore
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import (
    count,
    finite,
    frozen_copy,
    non_negative,
    numeric,
    points,
    positive,
    set_checked,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.gp.kernels import Kernel
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.history.trace import Trace
    from ucbpe_core.support.validation import Floats


@dataclass(frozen=True)
class GainRate:
    """gamma_n = O(n^power (log n)^logarithm), for a fixed domain and fixed hyperparameters.

    Examples
    --------
    >>> from ucbpe_core import theory
    >>> round(theory.GainRate(power=0.0, logarithm=2.0, source="").growth(50, 100), 2)
    1.39
    """

    power: float
    logarithm: float
    source: str

    def growth(self, earlier: int, later: int) -> float:
        """The rate at one n over that at an earlier one; `InputError` for n below 2."""
        n = count(earlier, "earlier", minimum=2)
        more = count(later, "later", minimum=n)
        return float((more / n) ** self.power * (log(more) / log(n)) ** self.logarithm)


def gain_rate(kernel: Kernel, dimension: int) -> GainRate | None:
    """The best rate known here for a kernel in d dimensions; None for other kernels.

    - RBF: (log n)^(d + 1) (Srinivas, Krause, Kakade and Seeger 2010, Theorem 5).
    - Matérn: n^(d / (2 nu + d)) (log n)^(2 nu / (2 nu + d)) (Vakili, Khezeli and Picheny 2021). Its
      statement is taken from papers that use it, as the paper itself could not be read: arXiv
      2410.10384 has this power of the logarithm, arXiv 2506.01393 names d / (2 nu + d).
    - linear and polynomial: log n, as they have a finite rank (Srinivas et al. 2010, Theorem 5, for
      the linear one).

    Examples
    --------
    >>> from ucbpe_core import Matern, theory
    >>> theory.gain_rate(Matern(nu=1.5), dimension=1).power
    0.25
    """
    d = count(dimension, "dimension")
    if isinstance(kernel, RBF):
        return GainRate(0.0, d + 1.0, "Srinivas et al. 2010")
    if isinstance(kernel, Matern):
        whole = 2 * kernel.nu + d
        return GainRate(d / whole, 2 * kernel.nu / whole, "Vakili et al. 2021")
    if isinstance(kernel, Linear | Polynomial):
        return GainRate(0.0, 1.0, "Srinivas et al. 2010")
    return None


_C2 = np.pi / np.sqrt(6)  # as printed
_SUM_OF_INVERSE_SQUARES = np.pi**2 / 6


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
    noise, prior = _noise(gp), Posterior.prior(gp, candidates)
    everywhere = np.ones(len(prior.candidates), dtype=bool)
    stds = np.array([pick.std for pick in explore(prior, everywhere, count(n, "n"))])
    return frozen_copy(np.cumsum(0.5 * np.log1p(stds**2 / noise)))


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
    gain of the picks with the initial points, less the gain of the initial points alone. The proof
    of Theorem 1 needs it, and it is at most gamma_tK: what is already known adds nothing.

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
    trace.require_batches("add up its information gain")
    gains = [0.5 * np.log1p(made.stds**2 / noise).sum() for made in trace.decisions]
    return frozen_copy(np.cumsum(gains))


@dataclass(frozen=True, eq=False)
class RegretBounds(Frozen):
    """The bounds of Theorem 1 for every horizon T, shape (T,) each, in units of f.

    They are for GP-UCB-PE and hold whenever f stays inside its band. The theorem is for a prior
    variance k(x, x) of at most 1. For another one, s^2, it is applied to f / s, whose noise
    variance is noise_variance / s^2, and the bound is multiplied by s.

    Where the printed and the proved bounds differ: Cauchy-Schwarz and sum std^2 <= 2 gamma_TK /
    log(1 + 1 / noise_variance) give 8 (and 72) where 4 (and 36) is printed; Lemma 3 drops a term,
    which comes back outside the root; and for compact X the sum of 1/t^2, at most pi^2 / 6, stands
    outside the root too.

    Attributes
    ----------
    beta : beta_1 .. beta_T, shape (T,)
    gamma : gamma_K, gamma_2K .. gamma_TK, shape (T,)
    prior_variance : largest k(x, x)
    compact : whether beta is for a compact X, whose lemmas add 1/t^2 at each t

    Raises
    ------
    InputError
        For shapes that do not agree, NaN, negative numbers, or a variance of 0.

    Examples
    --------
    >>> from ucbpe_core import theory
    >>> bounds = theory.RegretBounds([10.0, 11.0], [2.0, 3.0], batch_size=4, noise_variance=0.1)
    >>> bounds.theorem1_printed.round(2), bounds.theorem1_proved.round(2)
    (array([3.1 , 5.37]), array([ 8.83, 12.39]))
    >>> bounds.full_regret_printed.round(1), bounds.full_regret_proved.round(1)
    (array([34.7, 63. ]), array([105.9, 148.7]))
    """

    beta: Floats
    gamma: Floats
    batch_size: int
    noise_variance: float
    prior_variance: float = 1.0
    compact: bool = False

    def __post_init__(self) -> None:
        for name in ("beta", "gamma"):
            array = finite(frozen_copy(numeric(getattr(self, name), name)), name)
            non_negative(float(array.min(initial=0.0)), f"the least {name}")
            object.__setattr__(self, name, array)
        if self.beta.ndim != 1 or self.beta.shape != self.gamma.shape:
            shapes = f"{self.beta.shape} and {self.gamma.shape}"
            remedy = "pass one value of each for every t"
            raise InputError("beta and gamma of one shape (T,)", shapes, remedy)
        set_checked(self, batch_size=count, noise_variance=positive, prior_variance=positive)

    @property
    def theorem1_printed(self) -> Floats:
        """Bound on R_T^K as printed: sqrt(C1 (T / K) beta_T gamma_TK + C2).

        C1 = 4 / log(1 + 1 / noise_variance), C2 = pi / sqrt(6) (Contal et al. 2013, Theorem 1).
        """
        return self._s * np.sqrt(4 * self._squared / self.batch_size + _C2)

    @property
    def theorem1_proved(self) -> Floats:
        """Bound on R_T^K as its proof gives it.

        sqrt(8 / log(1 + 1 / noise_variance) (T / K) beta_T gamma_TK) + 2 sqrt(beta_T) (K - 1) / K,
        and pi^2 / 6 more if `compact`: Cauchy-Schwarz yields 8 where 4 is printed, and Lemma 3
        drops a term that the sum of the first standard deviations needs.
        """
        K = self.batch_size
        dropped = 2 * np.sqrt(self.beta) * (K - 1) / K
        compact = self.compact * _SUM_OF_INVERSE_SQUARES
        return self._s * (np.sqrt(8 * self._squared / K) + dropped + compact)

    @property
    def full_regret_printed(self) -> Floats:
        """Bound on R_TK as printed: sqrt(C1 T K beta_T gamma_TK + C2).

        C1 = 36 / log(1 + 1 / noise_variance), C2 = pi / sqrt(6).
        """
        return self._s * np.sqrt(36 * self._squared * self.batch_size + _C2)

    @property
    def full_regret_proved(self) -> Floats:
        """Bound on R_TK with the constants that the steps of its proof give.

        sqrt(72 / log(1 + 1 / noise_variance) T K beta_T gamma_TK) + 6 sqrt(beta_T) (K - 1), and
        K pi^2 / 6 more if `compact`. With S the sum of all std_t^k(x_t^k), and f in the band:

        - r_t^k <= 2 sqrt(beta_t) std_t^0(x_t^0) + 4 sqrt(beta_t) std_t^0(x_t^k) for x_t^k in R_t+,
          the last part for k > 0 only and as long as 2 sqrt(beta_(t+1)) <= 3 sqrt(beta_t);
        - sum_t K std_t^0(x_t^0) <= S + (K - 1) by Lemma 3 with the term that it drops;
        - sum_t sum_(k>0) std_t^0(x_t^k) <= S + (K - 1), for x_t^k in R_(t-1)+ has a std of at
          most that of each exploring pick of batch t - 1, and batch 1 has one of at most 1;
        - S^2 <= T K 2 gamma_TK / log(1 + 1 / noise_variance).

        Like Lemma 2's x_(t+1)^0 in R_t+, that the picks of batch t lie in R_(t-1)+ is not proved:
        `check_lemmas` checks both.
        """
        K = self.batch_size
        dropped = 6 * np.sqrt(self.beta) * (K - 1)
        compact = self.compact * K * _SUM_OF_INVERSE_SQUARES
        return self._s * (np.sqrt(72 * self._squared * K) + dropped + compact)

    @property
    def _s(self) -> float:
        return float(np.sqrt(self.prior_variance))

    @property
    def _squared(self) -> Floats:
        """T beta_T gamma_TK / log(1 + s^2 / noise_variance), what the roots have in common."""
        t = np.arange(1, len(self.beta) + 1)
        ratio = np.log1p(self.prior_variance / self.noise_variance)
        squared: Floats = t * self.beta * self.gamma / ratio
        return squared


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


def _noise(gp: GaussianProcess) -> float:
    if gp.noise_variance == 0:
        remedy = "take a noise variance above 0: without noise the gain is infinite"
        raise InputError("noise_variance above 0", "0", remedy)
    return gp.noise_variance
