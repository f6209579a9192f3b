"""Theory: information gain, the bounds of Theorem 1, its lemmas checked on a run, and coverage.

Natural logarithms throughout. At practical horizons the bounds are far above any regret.
"""

from ucbpe_core.theory.bounds import (
    GainRate,
    RegretBounds,
    gain_of_run,
    gain_rate,
    gamma_bound,
    greedy_information_gain,
    information_gain,
    trivial_bound,
)
from ucbpe_core.theory.coverage import (
    Coverage,
    certificates,
    first_exit,
    prior_draws,
    redrawn,
    rerun,
    union_bound,
)
from ucbpe_core.theory.diagnostics import RunDiagnostics, batch_moments, diagnose
from ucbpe_core.theory.lemmas import Check, ProofStep, check_lemmas, proof_steps

__all__ = [
    "Check",
    "Coverage",
    "GainRate",
    "ProofStep",
    "RegretBounds",
    "RunDiagnostics",
    "batch_moments",
    "certificates",
    "check_lemmas",
    "diagnose",
    "first_exit",
    "gain_of_run",
    "gain_rate",
    "gamma_bound",
    "greedy_information_gain",
    "information_gain",
    "prior_draws",
    "proof_steps",
    "redrawn",
    "rerun",
    "trivial_bound",
    "union_bound",
]
