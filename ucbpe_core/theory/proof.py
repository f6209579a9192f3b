"""Where the bound is lost: the proof of Theorem 1 on a run, one right side after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import finite, numeric, read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.support.validation import Floats
    from ucbpe_core.theory.diagnostics import RunDiagnostics

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

    With S_t the sum of the std_u^k(x_u^k) for u <= t, Q_t that of their squares, s^2 the prior
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

    For a compact X, pi^2 / 6 times s is added from the band on. What a step costs is its value over
    that of the step before; these factors multiply to the bound over the regret. From the band on,
    each is at least 1 for any run in which the inequality of its step holds (`check_lemmas`).

    Parameters
    ----------
    run : of `diagnose`
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
