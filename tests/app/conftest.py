"""Small runs that the app's tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import settings
from app.replay import Replay
from ucbpe_core import GPUCB, GPUCBPE, GreedyUCB, PureExploration, RandomSearch, problems, simulate
from ucbpe_core.policies import Policy
from ucbpe_core.problems.abalone import DATA_DIR

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


@pytest.fixture
def new_problems() -> Iterator[None]:
    """Problems are made anew, as in a process that has made none, and forgotten afterwards."""
    settings._problem.cache_clear()
    yield
    settings._problem.cache_clear()


@pytest.fixture
def without_abalone(new_problems: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder, empty, where Abalone is looked for."""
    monkeypatch.setenv(DATA_DIR, str(tmp_path))
    return tmp_path
