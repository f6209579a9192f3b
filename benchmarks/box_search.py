"""How often `BoxBandit` misses a maximum: each pick beside 65,536 Sobol points with local polish.

Experiments on random functions in 2, 4, 6 and 8 dimensions are played with `BoxBandit`. Before some
batches the decision is compared, pick by pick, with an independent search: the best of 65,536
scrambled Sobol points, the most promising of them improved by SciPy. A pick is short if that search
finds more than 1 % more of what the pick maximises (the upper bound, or the standard deviation in
R+ given the picks before it); y_dot, if it is lower by more than 1 % of the prior deviation.

The reference can be short too, R+ being smaller than what 65,536 points resolve: it also climbs
mean + 2 sqrt(beta) std from the points where that is greatest, to find components of R+ that hold
no sample. Time is that of the processor, so that a busy machine changes it little.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import pairwise, product
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, minimize
from scipy.stats import qmc

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._table import Table
from ucbpe_core import GPUCBPE, RBF, BoxBandit, ConstantBeta, GaussianProcess, Matern, Posterior
from ucbpe_core.policies.picking import Bound, Exploration
from ucbpe_core.search.box.acquisition import Acquisition
from ucbpe_core.spaces import Space

K = 4
SHORT = 0.01
SAMPLES, POLISHED = 2**16, 15
BATCHES, BETAS = (6, 11, 16), (1.0, 4.0)
CLASSES = (-1.0, 1e-3, 1e-2, 0.1, 1.0)  # of |R+| / |box|


def kernels(d):
    scale = np.sqrt(d / 2)
    return (
        Matern(0.35 * scale, nu=2.5),
        RBF(0.25 * scale),
        Matern(0.5 * scale, nu=1.5),
        Matern(tuple(np.linspace(0.2, 0.8, d) * scale), nu=2.5),
        Matern(0.5 * scale, nu=0.5),
    )


def draw(kernel, d, rng, features=400):
    """A draw of the prior by random Fourier features."""
    if isinstance(kernel, RBF):
        heavy = np.ones(features)
    else:
        heavy = np.sqrt(2 * kernel.nu / rng.chisquare(2 * kernel.nu, features))
    W = rng.standard_normal((features, d)) * heavy[:, None] / np.asarray(kernel.lengthscale)
    phase = rng.uniform(0, 2 * np.pi, features)
    return lambda X: np.sqrt(2 / features) * np.cos(X @ W.T + phase).sum(axis=1)


def improved(start, acquisition, level=None):
    """Improved by SciPy from one start; where that misses the level, the start."""

    def negative(z):
        value, gradient = acquisition.value_and_gradient(z)
        return -value, -gradient

    cube = Bounds(np.zeros(len(start)), np.ones(len(start)))
    if level is None:
        return np.clip(minimize(negative, start, jac=True, bounds=cube).x, 0, 1)
    wide, least = level
    reached = NonlinearConstraint(
        lambda z: np.array([wide.value_and_gradient(z)[0]]),
        least,
        np.inf,
        jac=lambda z: wide.value_and_gradient(z)[1][None],
    )
    found = minimize(
        negative, start, jac=True, method="SLSQP", bounds=cube, constraints=reached, tol=1e-9
    )
    end = np.clip(found.x, 0, 1)
    return end if np.isfinite(end).all() and wide.values(end[None])[0] >= least else start


def spread(Z, values, count, cell=0.05):
    """The best third of `count` points, and others none of which is within `cell` of a better."""
    order = np.argsort(-values)
    chosen = list(order[: count // 3])
    for i in order[:4000]:
        if len(chosen) >= count:
            break
        if np.abs(Z[chosen] - Z[i]).max(axis=1).min() > cell:
            chosen.append(i)
    return Z[chosen]


def reference(acquisition, Z, values, level=None):
    """The greatest value that the reference finds from points Z with these values."""
    if not len(Z):
        return -np.inf
    ends = np.array([improved(start, acquisition, level) for start in spread(Z, values, POLISHED)])
    return float(max(values.max(), acquisition.values(ends).max()))


def components(wide, Z, values, least):
    """Sobol points in R+, and the ends of climbs of `wide` from the best points that reach it."""
    ends = np.array([improved(z, wide) for z in spread(Z, values, POLISHED)])
    return np.concatenate([Z[values >= least], ends[wide.values(ends) >= least]])


def compare(decision, process, seed):
    """(role, shortfall, share of R+) of y_dot and each pick."""
    gp, root = process.gp, np.sqrt(decision.beta)
    Z = qmc.Sobol(process.X.shape[1], rng=np.random.default_rng([seed, 99])).random(SAMPLES)
    there = process.predict(Z)
    mean, std = there.mean, there.std
    box = Space.of([(0, 1)] * process.X.shape[1])
    wide = Acquisition(process, box, Bound(1.0, 2 * np.sqrt(decision.beta_next)))
    level = (wide, decision.y_dot)
    at = wide.score.values(Z, mean, std)
    share = float((at >= decision.y_dot).mean())
    best = reference(Acquisition(process, box, Bound(1.0, -root)), Z, mean - root * std)
    rows = [("y_dot", (best - decision.y_dot) / np.sqrt(gp.kernel.diagonal(Z[:1])[0]), share)]
    best = reference(Acquisition(process, box, Bound(1.0, root)), Z, mean + root * std)
    rows.append(("ucb", (best - decision.scores[0]) / abs(best), share))
    inside = components(wide, Z, at, decision.y_dot)
    if not len(inside):
        return rows + [("pe", 0.0, share)] * (len(decision.points) - 1)
    belief = Posterior.prior(gp, inside).observe_points(process.X, process.y)
    for pick, got in zip(decision.points[:-1], decision.stds[1:], strict=True):
        belief = belief.hallucinate_points(pick[None])
        deviation = Acquisition(belief.conditioned(), box, Exploration())
        best = max(reference(deviation, inside, belief.std, level), got)
        rows.append(("pe", (best - got) / best, share))
    return rows


def play(d, kernel, beta, seed, noise=1e-3):
    """One experiment, with a quick search: the data X, y before some batches."""
    rng = np.random.default_rng([d, seed])
    f = draw(kernel, d, rng)
    bandit = BoxBandit(
        [(0, 1)] * d,
        GaussianProcess(kernel, noise),
        GPUCBPE(K),
        ConstantBeta(beta),
        samples=256,
        starts=2,
        seed=seed,
    )
    points = rng.random((5 * d, d))
    X, y = np.empty((0, d)), np.empty(0)
    for t in range(1, BATCHES[-1] + 1):
        values = f(points) + np.sqrt(noise) * rng.standard_normal(len(points))
        bandit.tell(None, values, points=points)
        X, y = np.concatenate([X, points]), np.append(y, values)
        if t in BATCHES:
            yield X, y
        if t < BATCHES[-1]:
            points = bandit.ask().points


def measure(d, seeds):
    """(role, shortfall, share of R+) of all picks in d dimensions, and the times of the asks."""
    rows, spent = [], []
    for seed, (i, kernel), beta in product(seeds, enumerate(kernels(d)), BETAS):
        for X, y in play(d, kernel, beta, seed=10 * seed + i):
            gp = GaussianProcess(kernel, 1e-3)
            bandit = BoxBandit([(0, 1)] * d, gp, GPUCBPE(K), ConstantBeta(beta), seed=seed)
            bandit.tell(None, y, points=X)
            began = time.process_time()
            decision = bandit.ask()
            spent.append(time.process_time() - began)
            rows += compare(decision, bandit.process, seed)
    return rows, spent


def short(rows, role):
    """How many of a role are short, of how many."""
    found = [shortfall for name, shortfall, _ in rows if name == role]
    return f"{sum(one > SHORT for one in found)} of {len(found)}"


def main() -> None:
    """Print and keep the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dimensions", type=int, nargs="*", default=[2, 4, 6, 8])
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    given = parser.parse_args()
    columns = ["d", "R+ / box up to", "y_dot short", "UCB short", "PE short", "worst PE"]
    title = f"Maxima over a box that are more than {SHORT:.0%} short"
    table = Table("box_search", title, columns)
    everything, times = [], {}
    for d in given.dimensions:
        rows, spent = measure(d, given.seeds)
        everything += rows
        times[f"an ask at d = {d}, CPU s"] = float(np.mean(spent))
        for low, high in pairwise(CLASSES):
            own = [row for row in rows if low < row[2] <= high]
            worst = max((one for role, one, _ in own if role == "pe"), default=0.0)
            counts = [short(own, role) for role in ("y_dot", "ucb", "pe")]
            table.add(d, high, *counts, float(worst))
    counts = {f"{role} short": short(everything, role) for role in ("y_dot", "ucb", "pe")}
    table.keep(**counts, **times)


if __name__ == "__main__":
    main()
