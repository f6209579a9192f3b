"""Short runs over one, two and many inputs, on a grid and off it, and one of a newer rule."""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, RBF, FiniteBeta, GaussianProcess, problems, simulate
from ucbpe_core.policies import EIPE, VizierUCBPE


@pytest.fixture(scope="session")
def curve() -> Replay:
    """3 batches of 3 over one input."""
    trace = simulate(problems.multimodal(), GPUCBPE(batch_size=3), batches=3, initial=3, seed=1)
    return Replay(trace)


@pytest.fixture(scope="session")
def field() -> Replay:
    """3 batches of 3 on a grid of 101 x 101."""
    trace = simulate(problems.himmelblau(), GPUCBPE(batch_size=3), batches=3, initial=8, seed=0)
    return Replay(trace)


@pytest.fixture(scope="session")
def scattered() -> Replay:
    """2 batches of 3 over two inputs that are no grid."""
    x = np.random.default_rng(0).uniform(-1, 1, (150, 2))
    gp = GaussianProcess(RBF(0.5, 1.0), 0.01)
    values = np.sin(3 * x[:, 0]) * np.cos(2 * x[:, 1])
    problem = problems.Problem(
        "Points", x, values, 0.01, gp, "a test", axes=("width (mm)", "height", "gain $")
    )
    return Replay(simulate(problem, EIPE(batch_size=3), batches=2, initial=4, seed=0))


@pytest.fixture(scope="session")
def many() -> Replay:
    """3 batches of 3 over six inputs."""
    trace = simulate(
        problems.mackey_glass(), GPUCBPE(batch_size=3), beta=FiniteBeta(scale=0.1),
        batches=3, initial=10, seed=0,
    )  # fmt: skip
    return Replay(trace)


@pytest.fixture(scope="session")
def own_region() -> Replay:
    """2 batches of 3 of a policy that has a region of its own, which no first event shows."""
    policy = VizierUCBPE(batch_size=3)
    return Replay(simulate(problems.multimodal(), policy, batches=2, initial=3, seed=1))


@pytest.fixture(params=["curve", "field", "scattered", "many", "own_region"])
def any_run(request: pytest.FixtureRequest) -> Replay:
    """Each of them."""
    return request.getfixturevalue(request.param)
