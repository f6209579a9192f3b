"""Small races that these tests share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ucbpe_app.links import usual
from ucbpe_app.race.race import Race, run_race
from ucbpe_app.race.setup import Setup, Unit, race_of
from ucbpe_app.run.settings import RunSpec


@pytest.fixture(scope="session")
def spec() -> RunSpec:
    """GP-UCB-PE on the multimodal curve: 6 batches of 4."""
    return replace(usual("multimodal"), batch_size=4, batches=6, initial=3, seed=1)


@pytest.fixture(scope="session")
def setup(spec: RunSpec) -> Setup:
    """GP-UCB-PE, GreedyUCB and GP-BUCB of K = 4, and GP-UCB, at equal iterations."""
    return race_of(spec)


@pytest.fixture(scope="session")
def by_iterations(setup: Setup) -> Race:
    return run_race(setup)


@pytest.fixture(scope="session")
def by_evaluations(setup: Setup) -> Race:
    return run_race(replace(setup, unit=Unit.EVALUATIONS))
