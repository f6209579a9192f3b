"""Every policy by its definition: the role of each pick and what it maximises, by dense solves.

SM-UCB, whose picks maximise nothing one by one, is in `test_simulation_matching`. Draws of f for
PIMS and Thompson sampling are the library's: `test_draws` has their law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtr

from tests.core.reference import Booleans, Floats, dense, improvement, moments
from ucbpe_core import Policy
from ucbpe_core.gp.region import relevant_region
from ucbpe_core.policies import BatchContext

from .batch import Batch

Rule = tuple[str, Floats]


def among(mask: Booleans, score: Floats) -> Floats:
    return np.where(mask, score, -np.inf)


def upper(batch: Batch, picks: list[int]) -> Rule:
    return "ucb", batch.upper(picks)


def explore(batch: Batch, picks: list[int]) -> Rule:
    return "pe", batch.std(picks)


def upper_then_explore(batch: Batch, picks: list[int]) -> Rule:
    """x0 = argmax upper over X; xk = argmax over R+ of the std after x0 .. x(k-1)."""
    return ("pe", among(batch.inside, batch.std(picks))) if picks else upper(batch, picks)


def improve_then_explore(batch: Batch, picks: list[int]) -> Rule:
    if picks:
        return upper_then_explore(batch, picks)
    return "ei", batch.improvement(batch.known, [])


def plain(batch: Batch, picks: list[int]) -> Rule:
    mean, std = moments(batch.gp, batch.candidates[batch.told], batch.y, batch.candidates)
    return "plain ucb", mean + math.sqrt(batch.beta) * std


def information(batch: Batch) -> float:
    """Of K - 1 values, at most."""
    ratio = batch.std([]).max() ** 2 / batch.gp.noise_variance
    return (batch.policy.batch_size - 1) * math.log(1 + ratio) / 2


def widened(batch: Batch, picks: list[int]) -> Rule:
    """The std everywhere until K - 1 values give at most C, then the upper bound."""
    if batch.policy.initialization and information(batch) > batch.policy.C:
        return "init", batch.std(picks)
    return upper(batch, picks)


def recommended(batch: Batch, picks: list[int]) -> Rule:
    """No candidate that awaits a result; at the last pick one not measured, if none is picked."""
    noisy = batch.gp.noise_variance >= 1e-3 * np.diag(batch.prior).max()
    role = ("upper" if noisy else "believer") if picks else "ei"
    score = batch.mean + 2 * batch.std(picks)
    if role != "upper":
        score = batch.improvement([*batch.known, *picks], picks)
    every = np.arange(len(score))
    free, new = ~np.isin(every, [*batch.pending, *picks]), ~np.isin(every, batch.told)
    last = 0 < len(picks) == batch.policy.batch_size - 1 and not new[picks].any()
    masks = [free & new] * last + [free, np.ones_like(free)]
    return role, among(next(mask for mask in masks if mask.any()), score)


def randomized(batch: Batch, picks: list[int]) -> Rule:
    """The improvement after a joint draw of the measurements at pending and picked points."""
    awaited = [*batch.pending, *picks]
    at = batch.candidates[[*batch.told, *awaited]]
    mean, Sigma = dense(batch.gp, at[: len(batch.told)], batch.y, at[len(batch.told) :])
    z = batch.stream.standard_normal(len(awaited))
    y = mean + factor(Sigma + batch.gp.noise_variance * np.eye(len(awaited))) @ z
    mean, std = moments(batch.gp, at, np.concatenate([batch.y, y]), batch.candidates)
    members = [*batch.known, *picks]
    best = float(mean[members].max()) if members else batch.gp.mean
    return "randomised", improvement(mean, std, best)


def invented(batch: Batch, picks: list[int], lie: Callable[[Floats], float] | None) -> Rule:
    """The improvement after the picks before were "measured" at their means or at the lie."""
    members, y = batch.known, [*batch.y, *batch.mean[batch.pending]]
    for k in range(len(picks) + 1):
        mean, std = moments(batch.gp, batch.candidates[members], np.array(y), batch.candidates)
        if k < len(picks):
            told = batch.y if len(batch.y) else np.array([batch.gp.mean])
            y.append(float(mean[picks[k]] if lie is None else lie(told)))
            members = [*members, picks[k]]
    best = float(mean[members].max()) if members else batch.gp.mean
    return "believer" if lie is None else "liar", improvement(mean, std, best)


def liar(batch: Batch, picks: list[int]) -> Rule:
    return invented(batch, picks, {"min": min, "mean": np.mean, "max": max}[batch.policy.lie])


def penalized(batch: Batch, picks: list[int]) -> Rule:
    """softplus of the bound in prior stds, times the chance to be outside each pick's ball; no
    point twice while there is another, and then no candidate twice."""
    if not picks:
        return upper(batch, picks)
    X, mean, std = batch.candidates, batch.mean, batch.std([])
    L, unit = batch.slope
    score = np.log(np.log1p(np.exp((batch.upper([]) - batch.gp.mean) / unit)))
    apart = np.linalg.norm(X[:, None] - X[picks], axis=2)
    for j, distance in zip(picks, apart.T, strict=True):
        score += log_ndtr((L * distance - mean.max() + mean[j]) / std[j])
    free = (apart > 0).all(axis=1)
    if not free.any():
        free = ~np.isin(np.arange(len(X)), picks)
    return "lp", among(free, np.exp(score))


def exceeding(batch: Batch, picks: list[int]) -> Rule:
    """P(f > the maximum of a draw)."""
    region = relevant_region(batch.start, batch.beta, batch.beta_next)
    context = BatchContext(batch.start, batch.t, batch.beta, batch.beta_next, **vars(region))
    height = batch.policy.heights(context)[len(picks)]
    return "pims", ndtr((batch.mean - height) / np.maximum(batch.std(picks), 1e-9))


def drawn(batch: Batch, picks: list[int]) -> Rule:
    indices, draws = batch.policy.draws(batch.start, batch.t)
    score = np.full(len(batch.candidates), -np.inf)
    score[indices] = draws[len(picks)]
    return "ts", score


def random(batch: Batch, picks: list[int]) -> Rule:
    """The number drawn for each pick."""
    sizes = len(batch.candidates), batch.policy.batch_size
    number = batch.stream.integers(sizes[0], size=sizes[1])[len(picks)]
    return "random", np.where(np.arange(sizes[0]) == number, 0.0, -np.inf)


def factor(C: Floats) -> Floats:
    """L with C = L L', also where a pivot is 0."""
    L, rest = np.zeros_like(C), C.copy()
    for j in range(len(C)):
        if rest[j, j] > 0:
            L[:, j] = rest[:, j] / math.sqrt(rest[j, j])
            rest -= np.outer(L[:, j], L[:, j])
    return np.tril(L)


def of_sets(batch: Batch, picks: list[int], *, improves: bool) -> Rule:
    """The value of the picks before with each candidate, from fixed samples of f."""
    z = batch.stream.standard_normal((batch.policy.samples, batch.policy.batch_size))
    z = (z - z.mean(axis=0))[:, : len(picks) + 1]
    X, known = batch.candidates, batch.known
    Sigma = dense(batch.gp, X[known], np.zeros(len(known)), X)[1]
    score = []
    for j in range(len(X)):
        at = [*picks, j]
        mean, moved = batch.mean[at], z @ factor(Sigma[np.ix_(at, at)]).T
        best = batch.mean[known].max() if known else batch.gp.mean
        values = mean + math.sqrt(batch.beta * math.pi / 2) * np.abs(moved)
        if improves:
            values = np.maximum(mean + moved - best, 0)
        score.append(values.max(axis=1).mean())
    return "qei" if improves else "qucb", np.array(score)


def vizier(batch: Batch, picks: list[int]) -> Rule:
    """Which pick is which by the numbers drawn, with all numbers of the source."""
    k, policy = len(picks), batch.policy
    number = batch.stream.random(policy.batch_size)[k]
    bound = number >= policy.pe_probability if k == 0 else number < policy.ucb_probability
    if bound and batch.told:
        return "ucb", batch.mean + 1.8 * batch.std(picks)
    level, reach = threshold(batch, picks)
    return "penalised", batch.std(picks) + 10 * np.minimum(reach - level, 0)


def threshold(batch: Batch, picks: list[int]) -> tuple[float, Floats]:
    """The mean where mean + 1.8 s is greatest of points measured, pending and picked; mean + s/2,
    s given the measured points alone."""
    mean, s = moments(batch.gp, batch.candidates[batch.told], batch.y, batch.candidates)
    known = [*batch.known, *picks]
    level = max(((mean[j] + 1.8 * s[j], mean[j]) for j in known), default=(0, -np.inf))[1]
    return level, mean + 0.5 * s


def phase(batch: Batch, picks: list[int]) -> Rule:
    """The std given the phase's own points alone, among the candidates left."""
    assert batch.decision is not None
    (left,) = set(batch.decision.explored)
    assert left is not None
    own = [*batch.told[starts_of_phases(batch)[-1] :], *picks]
    std = moments(batch.gp, batch.candidates[own], np.zeros(len(own)), batch.candidates)[1]
    return "phase pe", among(left.mask, std)


def phases(policy: Any, t: int) -> list[int]:
    """The first batch of each phase up to t: N = ceil(sqrt(T N)) points, of T in all."""
    length, used, firsts = 1, 0, [1]
    while used < policy.horizon:
        length = min(math.ceil(math.sqrt(policy.horizon * length)), policy.horizon - used)
        used += length
        firsts.append(firsts[-1] + math.ceil(length / policy.batch_size))
    return [first for first in firsts[:-1] if first <= t]


def starts_of_phases(batch: Batch) -> list[int]:
    """Where the points of each phase begin; those before batch 1 are of the first."""
    n, K = len(batch.told), batch.policy.batch_size
    return [0, *(max(n - K * (batch.t - first), 0) for first in phases(batch.policy, batch.t)[1:])]


def lack(batch: Batch) -> list[tuple[Floats, Booleans]]:
    """For each elimination upper - the greatest lower bound of those left, and who was left."""
    starts, left, found = starts_of_phases(batch), np.ones(len(batch.candidates), dtype=bool), []
    for a, b in pairwise(starts):
        X = batch.candidates[batch.told[a:b]]
        mean, std = moments(batch.gp, X, batch.y[a:b], batch.candidates)
        width = math.sqrt(batch.beta) * std
        found.append((mean + width - (mean - width)[left].max(), left))
        left = left & (found[-1][0] >= 0)
    return [*found, (np.zeros(len(left)), left)]


DEFINITIONS: dict[str, Callable[[Batch, list[int]], Rule]] = {
    "GP-UCB-PE": upper_then_explore,
    "GP-UCB": upper,
    "GreedyUCB": upper,
    "IRGP-UCB": upper,
    "GP-BUCB": widened,
    "Plain UCB": plain,
    "Pure exploration": explore,
    "Random search": random,
    "EI-PE": improve_then_explore,
    "Recommended": recommended,
    "Kriging believer": partial(invented, lie=None),
    "Randomized kriging believer": randomized,
    "Constant liar": liar,
    "Local penalization": penalized,
    "PIMS": exceeding,
    "Thompson sampling": drawn,
    "qUCB": partial(of_sets, improves=False),
    "qEI": partial(of_sets, improves=True),
    "Vizier UCB-PE": vizier,
    "Batched pure exploration": phase,
}


def finite_beta(t: int, size: int, delta: float, scale: float) -> float:
    """scale * 2 log(|X| t^2 pi^2 / (6 delta)), as a sum of logarithms."""
    logs = math.log(size) + 2 * math.log(t) + 2 * math.log(math.pi)
    return scale * 2 * (logs - math.log(6) - math.log(delta))


def betas_of(policy: Policy, t: int, size: int, delta: float, scale: float) -> list[float]:
    """beta_t and beta_(t+1) where the schedule is the finite one."""
    finite = partial(finite_beta, size=size, delta=delta, scale=scale)
    given: Any = policy
    match policy.name:
        case "GP-BUCB":
            return [math.exp(2 * given.C) * finite(u) for u in (t, t + 1)]
        case "Vizier UCB-PE":
            return [1.8**2] * 2
        case "Batched pure exploration":
            return [finite(len(phases(policy, u))) for u in (t, t + 1)]
        case "IRGP-UCB":
            keys = [np.random.SeedSequence(given.seed, spawn_key=(8, u)) for u in (t, t + 1)]
            logs = [math.log(1 - np.random.default_rng(key).random()) for key in keys]
            return [scale * max(2 * math.log(size / 2) - 2 * log, 0.0) for log in logs]
    return [finite(u) for u in (t, t + 1)]
