"""Functions with a formula, and functions drawn at random: a Gaussian process, and a mixture.

On a regular grid a stationary process is drawn by circulant embedding.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy

from ucbpe_core.errors import IllConditionedError, InputError
from ucbpe_core.gp.kernels import RBF, Matern
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.problems.base import Problem, regular_grid
from ucbpe_core.support import streams
from ucbpe_core.support.validation import count, positive

if TYPE_CHECKING:
    from ucbpe_core.gp.kernels.stationary import Stationary
    from ucbpe_core.support.validation import Floats

# Negative eigenvalues of this share of the largest are rounding; more would distort the covariance.
_TOLERANCE = 1e-12
# A longer period lets the covariance decay before it wraps around. It ends at this many numbers:
# they are 128 MB, and a few arrays of that size are needed.
_LARGEST_EMBEDDING = 4096**2
# Centre, width (standard deviation) and height of each bump. The centres are the paper's; it
# leaves widths and heights open beyond "thinnest and highest" for the one at (0.6, 0.1).
_BUMPS = (
    ((0.2, 0.5), 0.16, 0.70),
    ((0.9, 0.9), 0.12, 0.75),
    ((0.6, 0.1), 0.06, 1.00),
)
_PEAK, _PEAK_WIDTH, _ = _BUMPS[-1]
# Largest absolute perturbation. Below 1 - 0.75, so no other bump can be lifted above the peak.
_ROUGHNESS = 0.08
# Figure 1, from the paper's vector data (arXiv 1304.5350): the observations, points x and values y,
# and the printed curves.
_OBSERVED_X = (-0.9432, -0.153621012262113, 0.360257825320531, 1.24252251138805)
_OBSERVED_Y = (-1.2543, -0.4043, -0.0198877954270356, -1.70980966938825)
_PRINTED = Path(__file__).with_name("figure1.csv")


def himmelblau(*, noise_variance: float = 1.0, resolution: int = 101) -> Problem:
    """f(x, y) = -[(x^2 + y - 11)^2 + (x + y^2 - 7)^2 + 0.1 ((x - 3)^2 + (y - 2)^2)].

    On [-5, 5]^2; the only maximum is 0 at (3, 2), which is a candidate. The suggested prior is
    rougher than the one of maximum marginal likelihood (RBF, lengthscale 5.7 on 300 candidates),
    which nearly determines a polynomial of degree 4 after twenty points.

    Parameters
    ----------
    resolution : grid points per axis, 1 more than a multiple of 10

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.himmelblau()
    >>> problem.grid, problem.candidates[problem.optimum_index].round(3)
    ((101, 101), array([3., 2.]))
    """
    candidates, grid = regular_grid([(-5, 5), (-5, 5)], _with_tenths(resolution))
    x, y = candidates.T
    tilt = 0.1 * ((x - 3) ** 2 + (y - 2) ** 2)
    return Problem(
        name="Himmelblau, tilted",
        candidates=candidates,
        values=0.0 - ((x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2 + tilt),
        noise_variance=noise_variance,
        gp=GaussianProcess(RBF(lengthscale=2.0, variance=4e4), noise_variance, mean=-150.0),
        citation="Himmelblau, Applied Nonlinear Programming, 1972; tilt: Contal et al. 2013",
        axes=("x", "y", "f"),
        grid=grid,
    )


def multimodal(*, noise_variance: float = 0.01) -> Problem:
    """f(x) = -sin(x) - sin(10 x / 3) on [2.7, 7.5]; 481 points, maximum near 1.8996 at 5.15.

    The suggested prior has maximum marginal likelihood on 300 noisy candidates, rounded.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.multimodal()
    >>> round(problem.optimum, 2), problem.candidates[problem.optimum_index].round(2)
    (1.9, array([5.15]))
    """
    candidates, grid = regular_grid([(2.7, 7.5)], 481)
    x = candidates[:, 0]
    return Problem(
        name="Multimodal curve",
        candidates=candidates,
        values=-np.sin(x) - np.sin(10 * x / 3),
        noise_variance=noise_variance,
        gp=GaussianProcess(RBF(lengthscale=0.65, variance=2.3), noise_variance),
        citation="Torn and Zilinskas, Global Optimization, 1989 (its negative is minimised there)",
        axes=("x", "f"),
        grid=grid,
    )


def thin_peak(*, width: float = 0.015, noise_variance: float = 0.0025) -> Problem:
    """f(x) = 0.8 exp(-((x - 0.35) / 0.18)^2 / 2) + exp(-((x - 0.82) / width)^2 / 2) on [0, 1].

    A broad hill of height 0.8 at 0.35 and a thin peak of height 1 at 0.82; 401 points. The
    suggested prior suits the hill and is too smooth for the peak, as a prior fitted before the
    peak was seen would be.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.thin_peak(width=0.01)
    >>> round(problem.optimum, 3), problem.candidates[problem.optimum_index].round(2)
    (1.026, array([0.82]))
    """
    candidates, grid = regular_grid([(0, 1)], 401)
    x = candidates[:, 0]
    hill = 0.8 * np.exp(-(((x - 0.35) / 0.18) ** 2) / 2)
    peak = np.exp(-(((x - 0.82) / positive(width, "width")) ** 2) / 2)
    return Problem(
        name="Thin peak",
        candidates=candidates,
        values=hill + peak,
        noise_variance=noise_variance,
        gp=GaussianProcess(Matern(nu=2.5, lengthscale=0.12, variance=0.25), noise_variance),
        citation="a teaching example of this project",
        axes=("x", "f"),
        grid=grid,
    )


def generated_gp(
    seed: int = 0,
    *,
    nu: float = 3.0,
    lengthscale: float = 0.25,
    noise_variance: float = 1.0,
    dimension: int = 2,
    resolution: int = 100,
) -> Problem:
    """A draw of a Matérn GP on [0, 1]^d, as in the paper's first synthetic experiment.

    The paper says nu = 3, lengthscale 1/4, noise variance 1 (sigma = 1) on [0, 1]^2. In common
    GP toolboxes "Matérn 3" means nu = 3/2: pass nu=1.5 for that reading. The suggested prior is
    the one the function was drawn from.

    Parameters
    ----------
    seed : of the draw
    resolution : grid points per axis, at least 2

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.generated_gp(seed=1, nu=1.5, resolution=20)
    >>> problem.grid, problem.noise_variance
    ((20, 20), 1.0)
    """
    count(resolution, "resolution", minimum=2)
    kernel = Matern(nu=nu, lengthscale=lengthscale, variance=1.0)
    bounds = np.tile([0.0, 1.0], (count(dimension, "dimension", maximum=32), 1))
    candidates, grid = regular_grid(bounds, resolution)
    return Problem(
        name=f"Generated GP, {dimension}-D",
        candidates=candidates,
        values=stationary_draw(kernel, bounds, resolution, streams.function(seed)),
        noise_variance=noise_variance,
        gp=GaussianProcess(kernel, noise_variance),
        citation="Contal et al., ECML 2013, section 5.2 (Generated GP)",
        grid=grid,
    )


def generated_gp_1d(seed: int = 0, *, noise_variance: float = 0.01) -> Problem:
    """The same in one dimension, for teaching: lengthscale 0.1, little noise, 401 points.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problems.generated_gp_1d(seed=1).candidates.shape
    (401, 1)
    """
    return generated_gp(
        seed, lengthscale=0.1, noise_variance=noise_variance, dimension=1, resolution=401
    )


def figure1(seed: int = 0) -> Problem:
    """The four observations of Figure 1, with a true f that is consistent with them.

    The paper prints no true curve, so f is one draw, of the given seed, of the posterior that
    Figure 1 shows: Matérn nu = 3/2, lengthscale 1, variance 1, noise variance 0.01, mean 0.
    The observations are extracted from the figure's vector data. The candidates are the points of
    the printed curve (-1.2 to 1.3 in steps of 0.025) and the four observed points.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.figure1()
    >>> problem.candidates[problem.observed].ravel().round(3), problem.observed_y.round(3)
    (array([-0.943, -0.154,  0.36 ,  1.243]), array([-1.254, -0.404, -0.02 , -1.71 ]))
    """
    gp = GaussianProcess(Matern(nu=1.5, lengthscale=1.0, variance=1.0), noise_variance=0.01)
    x = np.sort(np.concatenate([np.linspace(-1.2, 1.3, 101), _OBSERVED_X]))[:, None]
    truth = gp.condition(np.array(_OBSERVED_X), _OBSERVED_Y).sample(x, seed)
    return Problem(
        name="Paper, Figure 1",
        candidates=x,
        values=truth,
        noise_variance=gp.noise_variance,
        gp=gp,
        citation="Contal et al., ECML 2013, Figures 1 and 2",
        axes=("x", "f"),
        observed=np.searchsorted(x[:, 0], _OBSERVED_X),
        observed_y=np.array(_OBSERVED_Y),
    )


def printed_figure1() -> Floats:
    """The curves of Figure 1 as the paper prints them, shape (51, 3).

    Each row has x, the posterior mean mu and the upper edge of the band of a measurement,
    mu + 2 sqrt(sigma^2 + noise variance).

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> x, mean, upper = problems.printed_figure1().T
    >>> len(x), float(mean[0].round(3)), float(upper[0].round(3))
    (51, -1.187, -0.421)
    """
    return np.loadtxt(_PRINTED, delimiter=",", skiprows=1)


def gaussian_mixture(
    seed: int = 0, *, noise_variance: float = 0.01, resolution: int = 101
) -> Problem:
    """Three Gaussian bumps on [0, 1]^2 plus a small Matérn draw; maximum at (0.6, 0.1).

    The draw (nu = 3/2, lengthscale 0.1) is scaled to a largest absolute value of 0.08 and fades
    out towards the highest bump like 1 - exp(-d^2 / 2 w^2), with w that bump's own width: close
    to the peak the sum then falls at least as 1 - (1 - 0.08)(1 - exp(-d^2 / 2 w^2)), so the
    maximum stays at the peak for every seed.

    (0.6, 0.1) is a candidate. The suggested prior has maximum marginal likelihood on 300
    candidates of seed 0, rounded.

    Parameters
    ----------
    resolution : grid points per axis, 1 more than a multiple of 10; another one draws another f

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> problem = problems.gaussian_mixture(seed=3)
    >>> problem.candidates[problem.optimum_index].round(3)
    array([0.6, 0.1])
    """
    bounds = np.array([[0.0, 1.0], [0.0, 1.0]])
    candidates, grid = regular_grid(bounds, _with_tenths(resolution))
    matern = Matern(nu=1.5, lengthscale=0.1)
    ground = stationary_draw(matern, bounds, resolution, streams.function(seed))
    bumps = [height * _bump(candidates, centre, width) for centre, width, height in _BUMPS]
    fade = 1 - _bump(candidates, _PEAK, _PEAK_WIDTH)
    values = np.sum(bumps, axis=0) + _ROUGHNESS * fade * ground / np.abs(ground).max()
    return Problem(
        name="Gaussian mixture",
        candidates=candidates,
        values=values,
        noise_variance=noise_variance,
        gp=GaussianProcess(Matern(nu=2.5, lengthscale=0.14, variance=0.04), noise_variance, 0.12),
        citation="Contal et al., ECML 2013, section 5.2 (Gaussian mixture)",
        grid=grid,
    )


def _with_tenths(resolution: int) -> int:
    """A number of points per axis that divides it at every tenth, where the maximum is."""
    count(resolution, "resolution", minimum=11)
    if resolution % 10 != 1:
        raise InputError("a resolution of 11, 21, 31, ..", f"{resolution}", "take the nearest")
    return resolution


def _bump(X: np.ndarray, centre: tuple[float, float], width: float) -> np.ndarray:
    return np.exp(-((X - centre) ** 2).sum(axis=1) / (2 * width**2))


def stationary_draw(
    kernel: Stationary, bounds: Floats, resolution: int, rng: np.random.Generator
) -> Floats:
    """One draw of GP(0, kernel) on the grid of `regular_grid(bounds, resolution)`, shape (M,).

    The grid covariance is embedded in a periodic one, which the Fourier transform diagonalises:
    exact in distribution up to rounding, in O(P log P) instead of O(M^3). The period doubles
    until the embedding is positive semi-definite.

    Raises
    ------
    IllConditionedError
        If no period tried gives one (a lengthscale far beyond the domain).

    References
    ----------
    Wood and Chan, Journal of Computational and Graphical Statistics 3, 1994.
    """
    bounds = np.asarray(bounds, dtype=float)
    steps = (bounds[:, 1] - bounds[:, 0]) / (resolution - 1)
    period = scipy.fft.next_fast_len(4 * resolution)
    while period ** len(steps) <= _LARGEST_EMBEDDING:
        eigenvalues = _embedding_eigenvalues(kernel, steps, period)
        if eigenvalues.min() >= -_TOLERANCE * eigenvalues.max():
            noise = rng.standard_normal((2, *eigenvalues.shape))
            spectrum = np.sqrt(np.maximum(eigenvalues, 0) / eigenvalues.size)
            draw = np.asarray(scipy.fft.fftn(spectrum * (noise[0] + 1j * noise[1]))).real
            return np.ascontiguousarray(draw[(slice(resolution),) * len(steps)]).ravel()
        period = scipy.fft.next_fast_len(2 * period)
    raise IllConditionedError(
        "a covariance that decays within the period",
        f"lengthscale {kernel.lengthscale} on a domain of extent {np.ptp(bounds, axis=1)}",
        "shorten the lengthscale, or use GaussianProcess.sample",
    )


def _embedding_eigenvalues(kernel: Stationary, steps: Floats, period: int) -> Floats:
    """Eigenvalues of the periodic covariance, shape (period,) * d."""
    wrapped = np.minimum(np.arange(period), period - np.arange(period))
    lags, shape = regular_grid([(0, period - 1)] * len(steps), period)
    offsets = wrapped[lags.astype(np.intp)] * steps
    row = kernel.evaluate(offsets, np.zeros((1, len(steps))))[:, 0]
    return np.asarray(scipy.fft.fftn(row.reshape(shape))).real
