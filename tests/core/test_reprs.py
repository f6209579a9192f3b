"""The repr of what a session prints names its subject, in a line or two."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    BoxBandit,
    ConstantBeta,
    Experiment,
    FiniteBeta,
    GaussianProcess,
    problems,
    simulate,
)
from ucbpe_core.search.experiment import Plan, Table

GP = GaussianProcess(RBF(0.3), 0.01)
BANDIT = Bandit(np.linspace(0, 1, 9), GP, GPUCBPE(3))
BANDIT.tell([4], [0.7])
NAMED: dict[str, tuple[object, list[str]]] = {
    "kernel": (RBF(0.3), ["RBF", "0.3"]),
    "prior": (GP, ["RBF", "noise_variance=0.01"]),
    "policy": (GPUCBPE(3), ["GPUCBPE", "3"]),
    "schedule": (FiniteBeta(0.2), ["FiniteBeta", "0.2"]),
    "bandit": (BANDIT, ["9 candidates", "1 measured", "best 0.7 at candidate 4", "t = 1"]),
    "box": (BoxBandit([(0, 1), (2, 3)], GP, GPUCBPE(3)), ["2 inputs", "0 measured"]),
    "experiment": (
        Experiment(Table(("T",), range(9)), Plan(GP, GPUCBPE(3), ConstantBeta(4.0))),
        ["9 candidates", "0 measured"],
    ),
    "posterior": (BANDIT.posterior, ["9 candidates", "1 points", "RBF(lengthscale=0.3"]),
    "trace": (
        simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=4),
        ["GP-UCB-PE", "2 batches of 3", "Multimodal curve", "least regret 0."],
    ),
}


@pytest.mark.parametrize("what", NAMED)
def test_a_repr_names_its_subject(what: str) -> None:
    subject, words = NAMED[what]
    shown = repr(subject)
    assert shown.startswith(f"{type(subject).__name__}(")
    assert [word for word in words if word not in shown] == []
    assert len(shown) < 200
    assert "\n" not in shown
