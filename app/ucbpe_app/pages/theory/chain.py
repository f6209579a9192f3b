"""From the regret of a run to the bound of Theorem 1: what each step of the proof costs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.schedules import CompactBeta

if TYPE_CHECKING:
    from ucbpe_app.pages.theory.state import Gain
    from ucbpe_core import Trace
    from ucbpe_core.theory import RunDiagnostics

_OWN_STEP = 1.05  # from here on the regret of x0 is a step beside that of the batch
_COMPACT = np.pi**2 / 6  # the sum of 1/t^2, which a compact X adds at the band


@dataclass(frozen=True)
class Step:
    """A step of the proof at T: its name, why it costs something, and the bound after it."""

    name: str
    reason: str
    value: float


def chain(trace: Trace, course: RunDiagnostics, gain: Gain) -> tuple[Step, ...]:
    """The right sides of the proof of Theorem 1 for R_T^K, one after the other.

    With S the sum of the std_t^k(x_t^k), Q that of their squares, s^2 the prior variance,
    L = log(1 + s^2 / noise_variance) and I the information gain, they are

    - sum_t min_k r_t^k, the regret of the run, and sum_t r_t^0, if that is 5 % more;
    - sum_t 2 sqrt(beta_t) std_t^0(x_t^0), by Lemma 1;
    - 2 sqrt(beta_T) sum_t std_t^0(x_t^0), as beta_t does not decrease;
    - 2 sqrt(beta_T) (S + (K - 1) s) / K, by Lemma 3 with the term that it drops;
    - the same with sqrt(T K Q) for S, by Cauchy and Schwarz;
    - with 2 s^2 I / L for Q, by Lemma 4;
    - with the bound on gamma_TK for I: `RegretBounds.theorem1_proved`.

    For a compact X, pi^2 / 6 times s is added from Lemma 1 on. A step that costs nothing, as that
    of beta where it is constant, is left out.
    """
    T, K = course.stds.shape
    s = float(np.sqrt(course.prior_variance))
    root = 2 * float(np.sqrt(course.beta[-1]))
    first, squares = float(course.stds[:, 0].sum()), float((course.stds**2).sum())
    compact = s * _COMPACT * isinstance(trace.beta, CompactBeta)
    beyond = root * s * (K - 1) / K + compact
    alone = float(course.regrets[:, 0].sum())
    lemma4 = 2 * s**2 / float(np.log1p(s**2 / course.noise_variance))
    banded = float(2 * np.sqrt(course.beta) @ course.stds[:, 0])

    def spread(squares: float) -> float:
        """The mean over the batch of the std, from the sum of all squares."""
        return float(np.sqrt(T * squares / K))

    steps = [
        Step("regret of this run", "", float(trace.batch_cumulative_regret[-1])),
        Step("regret of x⁰", "the best of a batch may be another pick", alone),
        Step("the band", "x⁰ could be as low as its band allows", banded + compact),
        Step("β of the last batch", "the last band is the widest", root * first + compact),
        Step("Lemma 3, corrected", "std at x⁰ against the mean of the batch",
             root * float(course.stds.sum()) / K + beyond),
        Step("Cauchy–Schwarz", "sum of std against root of sum of squares",
             root * spread(squares) + beyond),
        Step("Lemma 4", "squares of std against information",
             root * spread(lemma4 * float(gain.run[-1])) + beyond),
        Step("γ for the gain", "the most that any choice could learn",
             root * spread(lemma4 * float(gain.bound[-1])) + beyond),
    ]  # fmt: skip
    if steps[1].value <= _OWN_STEP * steps[0].value:
        del steps[1]
    kept = steps[:1]
    kept += [
        after for before, after in pairwise(steps) if not np.isclose(before.value, after.value)
    ]
    return tuple(kept)
