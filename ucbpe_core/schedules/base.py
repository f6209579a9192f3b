"""The interface of schedules of beta_t, and what they may depend on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import lru_cache

from ucbpe_core.errors import InputError
from ucbpe_core.validation import count, non_negative, positive, set_checked

# Digits to which a logarithm is computed before it is rounded to a float.
_PRECISION = Context(prec=30)


@lru_cache(maxsize=1024)
def rounded_log(x: float) -> float:
    """log x, the nearest float to it.

    beta_t is part of a run's digest, and the last bit of a library's logarithm depends on the
    library: NumPy's differs from this one for one number in ten thousand.
    """
    return float(Decimal(float(x)).ln(_PRECISION))


@dataclass(frozen=True)
class RunState:
    """What a schedule may know about a run when it computes beta_t.

    Attributes
    ----------
    t : iteration, from 1
    size : M, the number of candidates
    dimension : d, of the points
    gain : information gained about f by the points conditioned on when batch t is chosen, in nats
        (`rows.Key.gain`). It is the same for beta_(t+1), which belongs to R+ of batch
        t, as the information of that batch is not known before its picks
    slope : b of the prior in use, in the units of the schedule's r
        (`kernels.gradient.slope_bound`); 1 where it is unknown

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, RunState
    >>> round(FiniteBeta(delta=0.1).unscaled(RunState(t=1, size=500, dimension=2)), 3)
    18.03
    """

    t: int
    size: int
    dimension: int
    gain: float = 0.0
    slope: float = 1.0

    def __post_init__(self) -> None:
        checks = {"t": count, "size": count, "dimension": count}
        set_checked(self, **checks, gain=non_negative, slope=positive)


class BetaSchedule(ABC):
    """beta_t as a function of the run so far: a frozen dataclass with a field `scale`.

    `scale` multiplies the theoretical value: the literature often divides it by 5 (scale 0.2).
    A custom schedule defines `unscaled`.

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta
    >>> beta = FiniteBeta(delta=0.1, scale=0.2)
    >>> [round(beta(t, size=500, dimension=2), 3) for t in (1, 2, 3)]
    [3.606, 4.16, 4.485]
    """

    scale: float

    @abstractmethod
    def unscaled(self, run: RunState) -> float:
        """The theoretical value of beta_t for this state of the run."""

    def __call__(
        self, t: int, size: int, dimension: int, gain: float = 0.0, slope: float = 1.0
    ) -> float:
        """beta_t = scale * unscaled, for t = 1, 2, ...; arguments as in `RunState`.

        Raises
        ------
        InputError
            For t, size or dimension below 1, a negative gain, or a value below 0 (a formula
            outside its range).
        """
        beta = self.scale * self.unscaled(RunState(t, size, dimension, gain, slope))
        if not beta >= 0:
            raise InputError(
                "beta_t of at least 0", f"{beta:g} at t = {t}", "lower delta, or raise a, b and r"
            )
        return float(beta)
