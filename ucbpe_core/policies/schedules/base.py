"""What a schedule of beta_t is, and what it may depend on; and the one that is constant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels.scales import slope_bound
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import count, non_negative, positive, set_checked, values

if TYPE_CHECKING:
    from ucbpe_core.gp.kernels import Kernel
    from ucbpe_core.support.validation import Floats

# Digits to which a logarithm is computed before it is rounded to a float.
_PRECISION = Context(prec=30)


@lru_cache(maxsize=1024)
def rounded_log(x: float) -> float:
    """log x, the nearest float to it.

    beta_t is part of a run's digest, and the last bit of a library's logarithm depends on the
    library: NumPy's differs from this one for one number in ten thousand.
    """
    return float(Decimal(float(x)).ln(_PRECISION))


@dataclass(frozen=True, eq=False)
class RunState(Frozen):
    """What a schedule may know about a run when it computes beta_t; its parts are not checked.

    Attributes
    ----------
    t : iteration, from 1
    size : M, the number of candidates
    dimension : d, of the points
    gain : information gained about f by the points conditioned on when batch t is chosen, in nats
        (`theory.information_gain`). It is the same for beta_(t+1), which belongs to R+ of batch
        t, as the information of that batch is not known before its picks
    kernel : of the prior in use, for `slope`; None where there is none
    sides : of the inputs, shape (d,), in units of which the schedule's r is given; default 1 each

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta
    >>> from ucbpe_core.policies.schedules import RunState
    >>> round(FiniteBeta(delta=0.1).unscaled(RunState(t=1, size=500, dimension=2)), 3)
    18.03
    """

    t: int
    size: int
    dimension: int
    gain: float = 0.0
    kernel: Kernel | None = None
    sides: Floats | None = None

    @cached_property
    def slope(self) -> float:
        """b of the prior in use (`kernels.scales.slope_bound`); 1 where it is unknown."""
        if self.kernel is None:
            return 1.0
        return slope_bound(
            self.kernel, np.ones(self.dimension) if self.sides is None else self.sides
        )


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
        self,
        t: int,
        size: int,
        dimension: int,
        gain: float = 0.0,
        kernel: Kernel | None = None,
        sides: Floats | None = None,
    ) -> float:
        """beta_t = scale * unscaled, for t = 1, 2, ...; arguments as in `RunState`.

        Raises
        ------
        InputError
            For t, size or dimension below 1, a negative gain, sides that are not positive, or a
            value below 0 (a formula outside its range).
        """
        t, size, dimension = count(t, "t"), count(size, "size"), count(dimension, "dimension")
        gain = non_negative(gain, "gain")
        if sides is not None:
            sides = values(sides, "sides", dimension)
            positive(float(sides.min()), "the least of sides")
        return self.at(RunState(t, size, dimension, gain, kernel, sides))

    def at(self, run: RunState) -> float:
        """beta_t for this state of the run; `InputError` for a value below 0."""
        beta = self.scale * self.unscaled(run)
        if not beta >= 0:
            got = f"{beta:g} at t = {run.t}"
            raise InputError("beta_t of at least 0", got, "lower delta, or raise a, b and r")
        return float(beta)


@dataclass(frozen=True)
class ConstantBeta(BetaSchedule):
    """beta_t = beta, at least 0, for all t. It gives no confidence statement.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta
    >>> ConstantBeta(4.0)(t=1, size=500, dimension=2)
    4.0
    """

    beta: float = 4.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        set_checked(self, beta=non_negative, scale=positive)

    def unscaled(self, run: RunState) -> float:
        return self.beta
