"""Small runs that the app's tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bokeh.models import Model

from ucbpe_app.run import settings
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, problems, simulate
from ucbpe_core.policies import GPUCB, GreedyUCB, Policy, PureExploration, RandomSearch
from ucbpe_core.problems.abalone import DATA_DIR

POLICIES = (
    GPUCBPE(batch_size=4),
    GPUCBPE(batch_size=1),
    GPUCB(),
    GreedyUCB(batch_size=3),
    PureExploration(batch_size=3),
    RandomSearch(batch_size=3),
)


@pytest.fixture
def count_models(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Call it to get a list to which every Bokeh model built from then on adds its type."""

    def count() -> list[str]:
        built: list[str] = []
        original = Model.__init__

        def counting(self: Model, *args: object, **kwargs: object) -> None:
            built.append(type(self).__name__)
            original(self, *args, **kwargs)

        monkeypatch.setattr(Model, "__init__", counting)
        return built

    return count


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
    settings.kept_problem.cache_clear()
    yield
    settings.kept_problem.cache_clear()


@pytest.fixture
def without_abalone(new_problems: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder, empty, where Abalone is looked for."""
    monkeypatch.setenv(DATA_DIR, str(tmp_path))
    return tmp_path
