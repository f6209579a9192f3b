"""Small runs that the app's tests share."""

from __future__ import annotations

import pytest

from app.replay import Replay
from ucbpe_core import GPUCB, GPUCBPE, GreedyUCB, PureExploration, RandomSearch, problems, simulate
from ucbpe_core.policies import Policy

POLICIES = (
    GPUCBPE(batch_size=4),
    GPUCBPE(batch_size=1),
    GPUCB(),
    GreedyUCB(batch_size=3),
    PureExploration(batch_size=3),
    RandomSearch(batch_size=3),
)


@pytest.fixture(params=POLICIES, ids=lambda policy: f"{policy.name} K={policy.batch_size}")
def any_replay(request: pytest.FixtureRequest) -> Replay:
    """A short 1-D run of each policy."""
    policy: Policy = request.param
    return Replay(simulate(problems.multimodal(), policy, batches=3, initial=3, seed=1))


@pytest.fixture(scope="session")
def replay() -> Replay:
    """GP-UCB-PE on the multimodal curve: 4 batches of 4."""
    trace = simulate(problems.multimodal(), GPUCBPE(batch_size=4), batches=4, initial=3, seed=1)
    return Replay(trace)
