"""The course of a run: what the lemmas speak of, at every batch, from one pass over its rows."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core import confidence
from ucbpe_core.validation import frozen_copy, read_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.trace import Trace
    from ucbpe_core.validation import Floats, Integers


@dataclass(frozen=True)
class Belief:
    """Mean and deviation over the candidates, shape (M,) each."""

    mean: Floats = field(repr=False)
    std: Floats = field(repr=False)


@dataclass(frozen=True, eq=False)
class Course:
    """Row t - 1 is batch t, whose belief is that of its start: std_t is the paper's std_t^0.

    Attributes
    ----------
    beta, beta_next, y_dot : beta_t, beta_(t+1) and y_dot, shape (T,)
    stds : std_t^k(x_t^k), the deviation at each pick just before it was made, shape (T, K)
    start_stds : std_t(x_t^k), shape (T, K)
    regrets : f* - f(x_t^k), shape (T, K)
    error, half_width : |f - mean_t| and sqrt(beta_t) std_t at the candidate where f is least
        inside the band or furthest outside, shape (T,)
    outside : how many candidates have f outside the band, shape (T,)
    best_mean, best_std : mean_t and std_t at the m maximisers of f, shape (T, m)
    ahead_mean, ahead_std : mean_t and std_t at the picks of batch t + 1, shape (T, K); of batch
        T + 1 the first alone is known, as the maximiser of the upper bound, if the last batch began
        with one; else NaN
    next_std : std_(t+1)(x_(t+1)^0), shape (T,), the last as above
    prior_variance, noise_variance : the largest k(x, x), and that of the belief
    """

    beta: Floats
    beta_next: Floats
    y_dot: Floats
    stds: Floats = field(repr=False)
    start_stds: Floats = field(repr=False)
    regrets: Floats = field(repr=False)
    error: Floats = field(repr=False)
    half_width: Floats = field(repr=False)
    outside: Integers = field(repr=False)
    best_mean: Floats = field(repr=False)
    best_std: Floats = field(repr=False)
    ahead_mean: Floats = field(repr=False)
    ahead_std: Floats = field(repr=False)
    next_std: Floats = field(repr=False)
    prior_variance: float
    noise_variance: float

    def __post_init__(self) -> None:
        for name in (one.name for one in fields(self)):
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, frozen_copy(value, value.dtype))

    @property
    def batch_size(self) -> int:
        return int(self.stds.shape[1])


def beliefs(trace: Trace) -> Iterator[Belief]:
    """The belief at the start of batches 1 .. T and after the last, T + 1 in all.

    Equal to `trace.posterior.at(n)` at their n, in one pass over the rows for all of them.

    Raises
    ------
    InputError
        When first asked for one, for a run whose prior was fitted again.
    """
    trace.require_steppable("follow its beliefs")
    posterior = trace.posterior
    start = posterior.at(0)
    mean, variance, n = start.mean.copy(), start.variance.copy(), 0
    weights = posterior.whitened_residuals
    ends = [*(iteration.decision.n for iteration in trace.iterations), posterior.n]
    for end in ends:
        for i in range(n, end):
            row = posterior.row(i)
            mean += weights[i] * row
            variance -= row**2
        n = end
        std = np.sqrt(posterior.at(n).resolved(variance))
        yield Belief(frozen_copy(mean), read_only(std))


def pick_deviations(trace: Trace) -> Floats:
    """std_t^k(x_t^k), the deviation at each pick given all measurements and picks before, (T, K).

    From the rows of the final belief: k(x_n, x_n) - sum over i < n of V[i, n]^2 for its n-th point.

    Raises
    ------
    InputError
        For a run whose prior was fitted again.
    """
    trace.require_steppable("follow its deviations")
    posterior = trace.posterior
    members = np.array(posterior.conditioned_indices, dtype=np.intp)
    V = np.triu(posterior.columns(members), 1)
    prior = trace.gp.kernel.diagonal(trace.problem.candidates[members])
    shape = (len(trace.iterations), trace.policy.batch_size)
    batches = (prior - np.einsum("in,in->n", V, V))[trace.initial :].reshape(shape)
    stds = [
        np.sqrt(posterior.at(one.decision.n).resolved(difference, one.decision.indices))
        for one, difference in zip(trace.iterations, batches, strict=True)
    ]
    return np.array(stds)


def follow(trace: Trace) -> Course:
    """What the lemmas speak of, for every batch of a run."""
    decisions = [iteration.decision for iteration in trace.iterations]
    rows = list[dict[str, Any]]()
    held = beliefs(trace)
    belief = next(held)
    for decision, after in zip(decisions, held, strict=True):
        ahead = _ahead(trace, decision.t, after)
        rows.append(
            {
                **_worst(trace.problem.values, belief, decision.sqrt_beta),
                **_best(trace, belief),
                "start_stds": belief.std[decision.indices],
                "ahead_mean": _at(belief.mean, ahead, trace.policy.batch_size),
                "ahead_std": _at(belief.std, ahead, trace.policy.batch_size),
                "next_std": after.std[ahead[0]] if len(ahead) else np.nan,
            }
        )
        belief = after
    return Course(
        beta=np.array([decision.beta for decision in decisions]),
        beta_next=np.array([decision.beta_next for decision in decisions]),
        y_dot=np.array([decision.y_dot for decision in decisions]),
        stds=pick_deviations(trace),
        regrets=trace.problem.regret(trace.values),
        prior_variance=float(trace.gp.kernel.diagonal(trace.problem.candidates).max()),
        noise_variance=trace.gp.noise_variance,
        **{name: np.array([row[name] for row in rows]) for name in rows[0]},
    )


def _worst(values: Floats, belief: Belief, sqrt_beta: float) -> dict[str, Any]:
    error, half_width = np.abs(values - belief.mean), sqrt_beta * belief.std
    j = int(np.argmin(half_width - error))
    outside = int(np.count_nonzero(error > half_width))
    return {"error": error[j], "half_width": half_width[j], "outside": outside}


def _best(trace: Trace, belief: Belief) -> dict[str, Any]:
    maximisers = np.flatnonzero(trace.problem.values == trace.problem.optimum)
    return {"best_mean": belief.mean[maximisers], "best_std": belief.std[maximisers]}


def _ahead(trace: Trace, t: int, after: Belief) -> Integers:
    """The picks of batch t + 1; of batch T + 1 the first, where it is known."""
    if t < len(trace.iterations):
        return trace.iterations[t].decision.indices
    last = trace.iterations[-1].decision
    if last.roles[0] != "ucb":
        return np.empty(0, np.intp)
    return np.array([np.argmax(confidence.upper(after, last.beta_next))])


def _at(array: Floats, members: Integers, size: int) -> Floats:
    """The entries at these candidates, and NaN up to `size` of them."""
    missing = np.full(size - len(members), np.nan)
    return np.concatenate([array[members], missing])
