"""How fast the information gain can grow: the known rates, which come without constants.

A rate says nothing of gamma_n itself, but how much it grows from one n to another can be compared
with a run, up to lower orders: whatever constant it has, it cancels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from ucbpe_core.gp.kernels import RBF, Linear, Matern, Polynomial
from ucbpe_core.support.validation import count

if TYPE_CHECKING:
    from ucbpe_core.gp.kernels import Kernel


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
