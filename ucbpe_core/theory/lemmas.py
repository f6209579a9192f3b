"""The lemmas behind Theorem 1, checked on a run: which hold at every t, and where they fail.

Each is an inequality left <= right at every t. Its docstring says why it should hold: *band*
follows from f being inside its band at t; *algebra* is true of any run; *unproved* is what the
paper's proof uses but does not show in full. Lemmas are numbered as in section 4 of Contal et al.
2013, restated here with t from 1; s_t^k is std_t^k(x_t^k), and all inequalities are for GP-UCB-PE.
Runs of other policies can be checked too; for them only *algebra* is claimed.

Where the bound is lost: the proof of Theorem 1 on a run, one right side after the other
(`proof_steps`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import finite, numeric, read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.support.validation import Booleans, Floats
    from ucbpe_core.theory.diagnostics import RunDiagnostics


# Both sides come from sums over the rows of a posterior. This share of the scale of f is far above
# their rounding, and far below any relevant difference.
_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Check(Frozen):
    """One statement, left <= right, at t = 1 .. T; NaN at t where it does not apply.

    Attributes
    ----------
    name : one of `CHECKS`
    left, right : the two sides, shape (T,)
    tolerance : how far rounding may put left above right

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, theory
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=4)
    >>> band = theory.check_lemmas(theory.diagnose(trace))[0]
    >>> band.name, band.holds, band.margin.shape
    ('band', array([ True,  True]), (2,))
    """

    name: str
    left: Floats = field(repr=False)
    right: Floats = field(repr=False)
    tolerance: float

    @property
    def margin(self) -> Floats:
        """right - left, shape (T,): how far from failing."""
        return read_only(self.right - self.left)

    @property
    def applies(self) -> Booleans:
        """Where the statement applies, shape (T,)."""
        return read_only(~np.isnan(self.margin))

    @property
    def holds(self) -> Booleans:
        """Where it applies and holds, shape (T,)."""
        return read_only(self.margin >= -self.tolerance)

    @property
    def fails(self) -> Booleans:
        """Where it applies and fails, shape (T,)."""
        return read_only(self.applies & ~self.holds)


def check_lemmas(run: RunDiagnostics) -> tuple[Check, ...]:
    """Every statement of `CHECKS` on the diagnostics of a run, in that order.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, theory
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=4)
    >>> checks = theory.check_lemmas(theory.diagnose(trace))
    >>> [check.name for check in checks if check.fails.any()]
    ['lemma3_printed']
    """
    scale = np.sqrt(run.prior_variance)
    checks = []
    for name, statement in CHECKS.items():
        left, right = np.broadcast_arrays(*statement(run))
        tolerance = _TOLERANCE * (scale**2 if name == "lemma4" else scale)
        checks.append(Check(name, read_only(left), read_only(right), float(tolerance)))
    return tuple(checks)


def band(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """|f(x) - mean_t(x)| <= sqrt(beta_t) std_t(x) for every candidate x: the event.

    With beta_t of `FiniteBeta` at scale 1 it has probability at least 1 - delta for all t at once,
    if f is a draw of the prior in use (Srinivas et al. 2010, Lemma 5.1).
    """
    return run.error, run.half_width


def lemma1(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """f* - f(x_t^0) <= 2 sqrt(beta_t) s_t^0: *band*, for x_t^0 = argmax of the upper bound.

    f* <= upper(x*) <= upper(x_t^0) = lower(x_t^0) + 2 sqrt(beta_t) s_t^0.
    """
    return run.regrets[:, 0], 2 * np.sqrt(run.beta) * run.start_stds[:, 0]


def optimum_in_region(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """x* in R_t: y_dot <= mean_t(x*) + sqrt(beta_t) std_t(x*), *band*.

    Of several maximisers, the one nearest to failing.
    """
    upper = run.best_mean + np.sqrt(run.beta)[:, None] * run.best_std
    return run.y_dot, upper.min(axis=1)


def optimum_in_region_plus(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """x* in R_t+: y_dot <= mean_t(x*) + 2 sqrt(beta_(t+1)) std_t(x*), *band*, as R lies in R+."""
    return run.y_dot, _wide(run, run.best_mean, run.best_std).min(axis=1)


def first_in_region_plus(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """x_(t+1)^0 in R_t+: y_dot <= mean_t(x) + 2 sqrt(beta_(t+1)) std_t(x) there, *unproved*.

    Lemma 2 needs it. Its proof compares the upper bound of t + 1 with y_dot of t, for which the
    mean must not have risen by more than sqrt(beta_(t+1)) std_t at x_(t+1)^0.
    """
    return run.y_dot, _wide(run, run.ahead_mean, run.ahead_std)[:, 0]


def picks_in_region_plus(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """x_(t+1)^k in R_t+ for k = 1 .. K-1, *unproved*: the bound on R_TK needs it.

    The right side belongs to the pick nearest to failing. For t = T the picks are unknown.
    """
    return run.y_dot, _least(_wide(run, run.ahead_mean, run.ahead_std)[:, 1:])


def lemma2(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """s_(t+1)^0 <= s_t^k for k = 1 .. K-1, if x_(t+1)^0 is in R_t+.

    Standard deviations only shrink, and x_t^k is where it was largest in R_t+. The right side is
    the least.
    """
    return run.next_std, _least(run.stds[:, 1:])


def lemma2_summed(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """(K - 1) s_(t+1)^0 <= sum over k = 1 .. K-1 of s_t^k: Lemma 2, as Lemma 3 uses it.

    K - 1 is where the paper's proof has k - 1.
    """
    K = run.batch_size
    if K == 1:
        return _nothing(run)
    return (K - 1) * run.next_std, run.stds[:, 1:].sum(axis=1)


def lemma3_printed(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """K sum_(u<=t) s_u^0 <= sum_(u<=t) sum_k s_u^k, as printed: false for most first batches."""
    return run.batch_size * np.cumsum(run.stds[:, 0]), np.cumsum(run.stds.sum(axis=1))


def lemma3(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """The same, with (K - 1)(s_1^0 - s_(t+1)^0) more on the right: Lemma 2 added up."""
    left, right = lemma3_printed(run)
    return left, right + (run.batch_size - 1) * (run.stds[0, 0] - run.next_std)


def lemma4(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """sum_(u<=t) sum_k (s_u^k)^2 <= 2 v / log(1 + v / noise_variance) I_t: *algebra*.

    v is the largest prior variance and I_t, at most gamma_tK, the information gain of the batches:
    s^2 <= v / log(1 + v / noise_variance) log(1 + s^2 / noise_variance) for s^2 in [0, v]. Without
    noise I_t is infinite, and the lemma does not apply.
    """
    v, noise = run.prior_variance, run.noise_variance
    if noise == 0:
        return _nothing(run)
    squares = run.stds**2
    gain = 0.5 * np.cumsum(np.log1p(squares / noise).sum(axis=1))
    return np.cumsum(squares.sum(axis=1)), 2 * v / np.log1p(v / noise) * gain


def exploring_regret(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """f* - f(x_t^k) <= 2 sqrt(beta_t) s_t^0 + (2 sqrt(beta_(t+1)) + sqrt(beta_t)) std_t(x_t^k)
    for k = 1 .. K-1: *band*, for x_t^k in R_t+.

    f* <= y_dot + 2 sqrt(beta_t) s_t^0, and y_dot <= mean_t + 2 sqrt(beta_(t+1)) std_t in R_t+. The
    two sides belong to the pick nearest to failing.
    """
    if run.batch_size == 1:
        return _nothing(run)
    now, ahead = np.sqrt(run.beta)[:, None], np.sqrt(run.beta_next)[:, None]
    left = run.regrets[:, 1:]
    right = 2 * now * run.start_stds[:, :1] + (2 * ahead + now) * run.start_stds[:, 1:]
    rows, worst = np.arange(len(left)), np.argmin(right - left, axis=1)
    return left[rows, worst], right[rows, worst]


CHECKS = {
    statement.__name__: statement
    for statement in (
        band,
        lemma1,
        optimum_in_region,
        optimum_in_region_plus,
        first_in_region_plus,
        picks_in_region_plus,
        lemma2,
        lemma2_summed,
        lemma3_printed,
        lemma3,
        lemma4,
        exploring_regret,
    )
}


def _wide(run: RunDiagnostics, mean: Floats, std: Floats) -> Floats:
    """mean + 2 sqrt(beta_(t+1)) std, row by row: at least y_dot inside R+."""
    return mean + 2 * np.sqrt(run.beta_next)[:, None] * std


def _least(array: Floats) -> Floats:
    """The least of each row, NaN where there is none."""
    return array.min(axis=1) if array.shape[1] else np.full(len(array), np.nan)


def _nothing(run: RunDiagnostics) -> tuple[Floats, Floats]:
    """Sides of a statement that does not apply to this run."""
    return (np.full(len(run.beta), np.nan),) * 2


_COMPACT = np.pi**2 / 6  # the sum of 1/t^2


@dataclass(frozen=True, eq=False)
class ProofStep(Frozen):
    """What the proof has bounded R_t^K by after a step, for t = 1 .. T.

    Attributes
    ----------
    name : of the step, as in `proof_steps`
    value : in units of f, shape (T,)

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import theory
    >>> theory.ProofStep("band", np.array([1.0, 2.0]))
    ProofStep(name='band')
    """

    name: str
    value: Floats = field(repr=False)


def proof_steps(
    run: RunDiagnostics, gamma: ArrayLike, *, compact: bool = False
) -> tuple[ProofStep, ...]:
    """The right sides of the proof of Theorem 1 for R_t^K, from the regret to the proved bound.

    With S_t the sum of the std_u^k(x_u^k) for u <= t, Q_t the sum of their squares, s^2 the prior
    variance, L = log(1 + s^2 / noise_variance) and I_t the information gain of the run, they are

    ================ ==============================================================================
    regret           sum_u min_k r_u^k, the regret of the run
    first            sum_u r_u^0
    band             sum_u 2 sqrt(beta_u) std_u^0(x_u^0), by Lemma 1
    beta             2 sqrt(beta_t) sum_u std_u^0(x_u^0), as beta_u does not decrease
    lemma3           2 sqrt(beta_t) (S_t + (K - 1) s) / K, by Lemma 3 with the term that it drops
    cauchy_schwarz   the same with sqrt(t K Q_t) for S_t
    lemma4           with 2 s^2 I_t / L for Q_t
    gamma            with the bound on gamma_tK for I_t: `RegretBounds.theorem1_proved`
    ================ ==============================================================================

    For a compact X, pi^2 / 6 times s is added from the band on. The cost of a step is its value
    over the value of the step before; the product of these factors is the bound over the regret.
    From the band on, each is at least 1 for any run in which the inequality of its step holds
    (`check_lemmas`).

    Parameters
    ----------
    run : from `diagnose`
    gamma : a bound on gamma_K, gamma_2K .. gamma_TK, shape (T,)
    compact : whether beta is that of a compact X

    Raises
    ------
    InputError
        For noise variance 0, where the information is infinite, or gamma of another shape.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, theory
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=3, initial=4)
    >>> gamma = theory.gamma_bound(trace.gp, trace.problem.candidates, 9)[2::3]
    >>> steps = theory.proof_steps(theory.diagnose(trace), gamma)
    >>> [(step.name, round(float(step.value[-1]), 1)) for step in steps[-3:]]
    [('cauchy_schwarz', 31.7), ('lemma4', 41.4), ('gamma', 59.2)]
    """
    T, K = run.stds.shape
    if run.noise_variance == 0:
        raise InputError("noise_variance above 0", "0", "without noise the gain is infinite")
    most = finite(numeric(gamma, "gamma"), "gamma")
    if most.shape != (T,):
        raise InputError(f"gamma of shape {(T,)}", str(most.shape), "one value for every batch")
    t, s = np.arange(1, T + 1), float(np.sqrt(run.prior_variance))
    root, firsts, squares = 2 * np.sqrt(run.beta), run.stds[:, 0], run.stds**2
    gain = 0.5 * np.cumsum(np.log1p(squares / run.noise_variance).sum(axis=1))
    lemma4 = 2 * s**2 / float(np.log1p(s**2 / run.noise_variance))
    added = s * _COMPACT * compact
    beyond = root * s * (K - 1) / K + added

    def spread(total: Floats) -> Floats:
        """The bound with this for the sum of all squares."""
        return np.asarray(root * np.sqrt(t * total / K) + beyond)

    values = {
        "regret": np.cumsum(run.regrets.min(axis=1)),
        "first": np.cumsum(run.regrets[:, 0]),
        "band": np.cumsum(root * firsts) + added,
        "beta": root * np.cumsum(firsts) + added,
        "lemma3": root * np.cumsum(run.stds.sum(axis=1)) / K + beyond,
        "cauchy_schwarz": spread(np.cumsum(squares.sum(axis=1))),
        "lemma4": spread(lemma4 * gain),
        "gamma": spread(lemma4 * most),
    }
    return tuple(ProofStep(name, read_only(value)) for name, value in values.items())
