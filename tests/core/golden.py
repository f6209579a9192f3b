"""Batches of every policy, in numbers: `python -m tests.core.golden` writes the file anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.core.runs import policy_of
from ucbpe_core import FiniteBeta, GaussianProcess, Matern, Posterior
from ucbpe_core.policies import POLICIES, Decision, Eligible

FILE = Path(__file__).parents[1] / "data" / "policies.json"
# Repeats, noise variance, candidates withdrawn, scale of beta.
SETTINGS: dict[str, tuple[Any, float, tuple[int, ...], float]] = {
    "noisy": ("allow", 0.01, (), 0.1),
    "noise-free": ("allow", 0.0, (), 0.1),
    "two withdrawn": ("allow", 0.01, (3, 11), 0.1),
    "new candidates only": ("avoid", 0.0, (5,), 0.1),
    "few are left": ("avoid", 0.0, tuple(range(23)), 0.1),
    "R+ is used up": ("avoid", 0.0, (), 1e-4),
}


def batches(name: str, setting: str) -> list[dict[str, Any]]:
    """Two batches of a policy over 30 points of the square; one can have fewer than 4 picks."""
    repeats, noise, withdrawn, scale = SETTINGS[setting]
    X = np.random.default_rng(4).random((30, 2))
    X[20:22] = X[:2]
    f = np.cos(6 * X).sum(axis=1)
    options: dict[str, Any] = {}
    if name == "GP-BUCB":
        options = {"initialization": noise > 0, "C": 1.0}
    policy, schedule = policy_of(name, 4, **options), FiniteBeta(scale=scale)
    gp = GaussianProcess(Matern((0.3, 0.4), 1.5, nu=2.5), noise, mean=0.2)
    posterior = Posterior.prior(gp, X).observe([24, 7, 25], f[[24, 7, 25]])
    made = []
    for t in (1, 2):
        eligible = Eligible.without(withdrawn, 30, repeats)
        decision = policy.decide(posterior, t, schedule, eligible=eligible)
        made.append(numbers(decision))
        posterior = posterior.observe(decision.indices, f[decision.indices])
    return made


def numbers(decision: Decision) -> dict[str, Any]:
    """What a decision says, without its arrays of all candidates."""
    scores = [None if np.isnan(score) else score for score in decision.scores.tolist()]
    return {
        "indices": decision.indices.tolist(),
        "roles": list(decision.roles),
        "stds": decision.stds.tolist(),
        "scores": scores,
        "bands": [decision.beta, decision.beta_next, decision.y_dot],
        "regions": [int(decision.region.sum()), int(decision.region_plus.sum())],
        "known": [*decision.known.tolist(), decision.exhausted],
    }


if __name__ == "__main__":
    lines = [
        f"{json.dumps(f'{name}, {setting}')}: {json.dumps(batches(name, setting))}"
        for name in POLICIES
        for setting in SETTINGS
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
