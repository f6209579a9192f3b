"""How often f leaves its band: counted over replicates, and what the theory allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.gp.kernels import RBF, Polynomial
from ucbpe_core.gp.kernels.stationary import Stationary
from ucbpe_core.gp.posterior import Posterior
from ucbpe_core.gp.region import certificate
from ucbpe_core.policies.thompson_sampling import joint_draws
from ucbpe_core.problems.synthetic import stationary_draw
from ucbpe_core.search.simulation import simulate
from ucbpe_core.support import streams
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import count, finite, frozen_copy, non_negative, numeric, values
from ucbpe_core.theory.diagnostics import batch_moments, diagnose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.gp.region import Certificate
    from ucbpe_core.history.trace import Trace
    from ucbpe_core.problems.base import Problem
    from ucbpe_core.support.validation import Floats, Integers

# Lengthscales, as shares of the extent, up to which embedding was found to need at most 16 times
# the grid along each axis (RBF and Matérn 1/2 to 3, grids of 401 and 100 x 100).
_LONGEST = 0.5
# A full factor of this many candidates is 200 MB, and takes some seconds.
_LARGEST_FACTOR = 5000
# Share of a prior standard deviation, far above rounding.
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Coverage(Frozen):
    """Replicates of T batches, and where f left its band.

    Attributes
    ----------
    exits : `first_exit` of each replicate, shape (R,)
    batches : T

    Examples
    --------
    >>> from ucbpe_core.theory import Coverage
    >>> coverage = Coverage([0, 2, 0, 1], batches=3)  # f left its band in 2 of 4 replicates
    >>> coverage.left
    array([1, 2, 2])
    """

    exits: Integers
    batches: int

    def __post_init__(self) -> None:
        exits = frozen_copy(numeric(self.exits, "exits"), np.intp)
        if exits.size and not 0 <= exits.min() <= exits.max() <= count(self.batches, "batches"):
            got = f"{exits.min()} to {exits.max()}"
            raise InputError(f"exits from 0 to {self.batches}", got, "0 means never")
        object.__setattr__(self, "exits", exits)

    @property
    def replicates(self) -> int:
        return len(self.exits)

    @property
    def left(self) -> Integers:
        """In how many replicates f has left the band at some s <= t, shape (T,)."""
        first = self.exits[self.exits > 0]
        return frozen_copy(np.cumsum(np.bincount(first, minlength=self.batches + 1)[1:]), np.intp)


def first_exit(trace: Trace) -> int:
    """The first t at which f is outside mean_t ± sqrt(beta_t) std_t at a candidate; 0 if never.

    Mean and std are taken at the start of batch t.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, GPUCBPE, problems, simulate, theory
    >>> trace = simulate(problems.thin_peak(), GPUCBPE(3), beta=ConstantBeta(4.0), batches=2)
    >>> theory.first_exit(trace)  # the prior is too smooth for the peak
    1
    """
    run = diagnose(trace)
    slack = _SLACK * np.sqrt(run.prior_variance)
    outside = np.flatnonzero(run.error > run.half_width + slack)
    return int(outside[0]) + 1 if len(outside) else 0


def certificates(trace: Trace) -> tuple[tuple[Certificate, float], ...]:
    """At the start of each batch, the least bound on a regret, and the true regret there.

    A true regret above its bound (`region.certificate`) shows that f was outside its band.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, theory
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=3, initial=4)
    >>> [(round(found.regret, 1), round(true, 1)) for found, true in theory.certificates(trace)]
    [(5.8, 0.8), (1.9, 0.3), (1.4, 0.0)]
    """
    problem, starts = trace.problem, zip(trace.decisions, batch_moments(trace), strict=False)
    found = [certificate(start, made.beta, problem.direction) for made, start in starts]
    true = problem.regret(problem.values[[one.index for one in found]])
    return tuple(zip(found, true.tolist(), strict=True))


def union_bound(beta: ArrayLike, size: int) -> Floats:
    """What the proof allows: sum over s <= t of |X| exp(-beta_s / 2), at most 1, shape (T,).

    P(f leaves its band somewhere at some s <= t) is at most this, for a draw of the prior: a normal
    variable exceeds sqrt(beta) standard deviations with probability at most exp(-beta / 2), and
    there are |X| of them at each s (Srinivas et al. 2010, Lemma 5.1). With `FiniteBeta` at scale 1
    it stays below delta for every t.

    Parameters
    ----------
    beta : beta_1 .. beta_T, shape (T,)
    size : |X|

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, theory
    >>> beta = [FiniteBeta(delta=0.1)(t, size=500, dimension=1) for t in (1, 2, 3)]
    >>> theory.union_bound(beta, size=500).round(4)
    array([0.0608, 0.076 , 0.0827])
    """
    betas = finite(np.atleast_1d(numeric(beta, "beta")).ravel(), "beta")
    non_negative(float(betas.min(initial=0.0)), "the least beta")
    terms = count(size, "size") * np.exp(-betas / 2)
    return frozen_copy(np.minimum(np.cumsum(terms), 1.0))


def prior_draws(problem: Problem, gp: GaussianProcess, draws: int, seed: int) -> Iterator[Floats]:
    """Yield independent draws of f from `gp` at the candidates of a problem, shape (M,) each.

    On a regular grid by circulant embedding, which costs O(M log M) each, when asked for;
    elsewhere, or where the lengthscale is too long for that, all together from a factor of the
    prior covariance, accurate to 1e-8.

    Raises
    ------
    InputError
        For fewer than one draw, a negative seed, or a factor that would be too large.

    Examples
    --------
    >>> from ucbpe_core import problems, theory
    >>> problem = problems.multimodal()
    >>> [f.shape for f in theory.prior_draws(problem, problem.gp, draws=2, seed=0)]
    [(481,), (481,)]
    """
    draws, rng = count(draws, "draws"), streams.coverage_functions(seed)
    kernel, X = gp.kernel, problem.candidates
    if isinstance(kernel, Stationary) and _embeds(problem, kernel):
        resolution = problem.grid[0]
        fields = (stationary_draw(kernel, problem.bounds, resolution, rng) for _ in range(draws))
        return (frozen_copy(gp.mean + field) for field in fields)
    # A polynomial, or a long smooth kernel over a grid, has a factor of few rows.
    slim = isinstance(kernel, Polynomial) or (isinstance(kernel, RBF) and bool(problem.grid))
    if len(X) > _LARGEST_FACTOR and not slim:
        wanted = f"at most {grouped(_LARGEST_FACTOR)} candidates to draw f at"
        remedy = "shorten the lengthscale to half the extent of a grid, or take another problem"
        raise InputError(wanted, grouped(len(X)), remedy)
    return iter(frozen_copy(joint_draws(Posterior.prior(gp, X), np.arange(len(X)), draws, rng)))


def _embeds(problem: Problem, kernel: Stationary) -> bool:
    """Whether the candidates are a grid, and the covariance decays soon enough beyond it."""
    square = len(set(problem.grid)) == 1 and problem.grid[0] > 1
    extent = np.ptp(problem.bounds, axis=1)
    return square and bool(np.all(np.asarray(kernel.lengthscale) <= _LONGEST * extent))


def redrawn(problem: Problem, gp: GaussianProcess, f: ArrayLike, seed: int) -> Problem:
    """The problem with other true values f (M,), measured with the noise of `gp`.

    If the problem has observations of its own, they are measured again on this f, with noise of
    `seed`.

    Examples
    --------
    >>> from ucbpe_core import problems, theory
    >>> problem = problems.multimodal()
    >>> (f,) = theory.prior_draws(problem, problem.gp, draws=1, seed=0)
    >>> bool(theory.redrawn(problem, problem.gp, f, seed=0).optimum == f.max())
    True
    """
    drawn = values(f, "f", len(problem.candidates))
    noise = streams.coverage_observations(seed).standard_normal(len(problem.observed))
    return replace(
        problem,
        values=drawn,
        noise_variance=gp.noise_variance,
        gp=gp,
        unique=False,
        observed_y=drawn[problem.observed] + np.sqrt(gp.noise_variance) * noise,
    )


def rerun(
    trace: Trace, problem: Problem, seed: int, progress: Callable[[int, int], None] | None = None
) -> Trace:
    """The same run on another problem, with initial points and noise of `seed`.

    Prior, policy, schedule and counts come from the run; `progress` as in `simulate`.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, theory
    >>> problem = problems.multimodal()
    >>> trace = simulate(problem, GPUCBPE(3), batches=2, initial=4)
    >>> (f,) = theory.prior_draws(problem, problem.gp, draws=1, seed=0)
    >>> theory.rerun(trace, theory.redrawn(problem, problem.gp, f, seed=0), seed=0).values.shape
    (2, 3)
    """
    return simulate(
        problem,
        trace.policy,
        trace.gp,
        trace.beta,
        batches=len(trace.decisions),
        initial=trace.initial - len(trace.problem.observed),
        seed=seed,
        inducing=trace.history.plan.inducing,
        progress=progress,
    )
