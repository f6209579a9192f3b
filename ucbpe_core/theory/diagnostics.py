"""Diagnostics of a run: the quantities in the lemmas, at every batch, in one pass over its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.policies import pick_upper
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import read_only, sign_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.history.trace import Trace
    from ucbpe_core.support.validation import Floats, Integers


class Moments(NamedTuple):
    """Moments of a posterior over the candidates, shape (M,) each.

    Attributes
    ----------
    mean, std : as `Posterior` has them
    variance : before it is clipped at 0, for further differences of rows
    """

    mean: Floats
    std: Floats
    variance: Floats


@dataclass(frozen=True, eq=False)
class RunDiagnostics(Frozen):
    """Row t - 1 is batch t; mean_t and std_t are taken at its start: the paper's std_t^0.

    The lemmas are about a maximum: for a run that minimises, f, mean_t and y_dot refer to -f.

    Attributes
    ----------
    beta, beta_next, y_dot : beta_t, beta_(t+1) and y_dot, shape (T,)
    stds : std_t^k(x_t^k), the std at each pick just before it was made, shape (T, K)
    start_stds : std_t(x_t^k), shape (T, K)
    regrets : f* - f(x_t^k), shape (T, K)
    error, half_width : |f - mean_t| and sqrt(beta_t) std_t at the candidate where f is least
        inside the band or furthest outside, shape (T,)
    outside : how many candidates have f outside the band, shape (T,)
    best_mean, best_std : mean_t and std_t at the m maximisers of f, shape (T, m)
    ahead_mean, ahead_std : mean_t and std_t at the picks of batch t + 1, shape (T, K); of batch T +
        1 only the first is known, as the maximiser of the upper bound, if the last batch began with
        one; else NaN
    next_std : std_(t+1)(x_(t+1)^0), shape (T,), the last as above
    prior_variance, noise_variance : the largest k(x, x), and the noise variance of the process

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, theory
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=4)
    >>> run = theory.diagnose(trace)
    >>> run.outside, bool((run.stds <= run.start_stds).all())
    (array([0, 0]), True)
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

    @property
    def batch_size(self) -> int:
        return int(self.stds.shape[1])


def batch_moments(trace: Trace) -> Iterator[Moments]:
    """The posterior that each decision was made from, and the one after the last, T + 1 in all.

    In batches equal to `trace.posterior.at(n)` at their n, in one pass over the rows for all.

    Raises
    ------
    InputError
        On the first iteration, for a run whose prior was fitted again.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, theory
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=4)
    >>> [moments.std.shape for moments in theory.batch_moments(trace)]
    [(481,), (481,), (481,)]
    """
    for posterior in trace.starts():
        yield Moments(posterior.mean, posterior.std, posterior.raw_variance)


def diagnose(trace: Trace) -> RunDiagnostics:
    """The quantities in the lemmas, for every batch of a run.

    Raises
    ------
    InputError
        For a run whose prior was fitted again, or which holds the data of another.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, theory
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=4)
    >>> run = theory.diagnose(trace)
    >>> bool((run.error <= run.half_width).all())  # f is inside its band
    True
    """
    trace.require_measured("check the lemmas")
    trace.require_batches("check the lemmas")
    decisions = trace.decisions
    sign = sign_of(trace.problem.direction)
    f, maximisers = sign * trace.problem.values, trace.problem.values == trace.problem.optimum
    rows = list[dict[str, Any]]()
    moments = (start._replace(mean=sign * start.mean) for start in batch_moments(trace))
    for decision, (now, after) in zip(decisions, pairwise(moments), strict=True):
        error, half_width = np.abs(f - now.mean), decision.sqrt_beta * now.std
        worst = int(np.argmin(half_width - error))
        ahead = _ahead(trace, decision.t, sign)
        unknown = np.full(trace.policy.batch_size - len(ahead), np.nan)
        rows.append(
            {
                "start_stds": now.std[decision.indices],
                "error": error[worst],
                "half_width": half_width[worst],
                "outside": np.count_nonzero(error > half_width),
                "best_mean": now.mean[maximisers],
                "best_std": now.std[maximisers],
                "ahead_mean": np.append(now.mean[ahead], unknown),
                "ahead_std": np.append(now.std[ahead], unknown),
                "next_std": after.std[ahead[0]] if len(ahead) else np.nan,
            }
        )
    columns = {name: read_only(np.array([row[name] for row in rows])) for name in rows[0]}
    columns["y_dot"] = read_only(np.array([sign * decision.y_dot for decision in decisions]))
    for name in ("beta", "beta_next", "stds"):
        columns[name] = read_only(np.array([getattr(decision, name) for decision in decisions]))
    return RunDiagnostics(
        **columns,
        regrets=read_only(trace.problem.regret(trace.values)),
        prior_variance=float(trace.gp.kernel.diagonal(trace.problem.candidates).max()),
        noise_variance=trace.gp.noise_variance,
    )


def _ahead(trace: Trace, t: int, sign: float) -> Integers:
    """The picks of batch t + 1; of batch T + 1 the first, where it is known."""
    if t < len(trace.decisions):
        return trace.decisions[t].indices
    last = trace.decisions[-1]
    if last.roles[0] != "ucb":
        return np.empty(0, np.intp)
    return np.array([pick_upper(trace.posterior.signed(sign), last.beta_next).index])
