"""Every registered policy is stepped through, forward and back, in one and two dimensions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from ucbpe_app.run.events import Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import role_name
from ucbpe_app.run.sentences.reasons import _ROLES
from ucbpe_core import Policy, problems, simulate
from ucbpe_core.policies import EIPE, GPBUCB, GPUCB, POLICIES, SimulationMatching
from ucbpe_core.problems.base import Problem, regular_grid


def hills() -> Problem:
    """A small two-dimensional problem."""
    X, grid = regular_grid([[0, 1], [0, 1]], 12)
    f = np.sin(5 * X[:, 0]) * np.cos(4 * X[:, 1]) + 0.3 * X[:, 0]
    table = problems.from_table(X, f, noise_variance=0.01)
    assert grid == (12, 12)
    return table


PROBLEMS = {1: problems.multimodal, 2: hills}
# Each as registered, and those whose batches can be of one role only or of both.
CASES: dict[str, Policy] = {
    **{
        name: kind() if kind is GPUCB else kind(batch_size=4)  # type: ignore[call-arg]
        for name, kind in POLICIES.items()
    },
    "GP-BUCB, no initialisation": GPBUCB(4, initialization=False),
    "GP-BUCB, initialisation ends": GPBUCB(3, C=4.4),
    "SM-UCB, few points visited": SimulationMatching(6, trajectories=1),
    "EI-PE, K = 1": EIPE(1),
}


@dataclass(frozen=True)
class Run:
    replay: Replay
    dimension: int

    @property
    def frames(self) -> list[Frame]:
        return [self.replay.frame(i) for i in range(len(self.replay.events))]


@pytest.fixture(scope="module", params=[1, 2], ids=["1-D", "2-D"])
def dimension(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture(scope="module", params=CASES, ids=str)
def run(request: pytest.FixtureRequest, dimension: int) -> Run:
    problem = PROBLEMS[dimension]()
    trace = simulate(problem, CASES[request.param], batches=2, initial=3, seed=1)
    return Run(Replay(trace), dimension)


def texts(frame: Frame) -> Iterator[str]:
    yield frame.status
    yield frame.sentence
    for line in frame.lines:
        yield line.text
        if line.value:
            yield line.value


def test_words(run: Run) -> None:
    """Somewhere to look, a full sentence why, one step lit; never a number that is none."""
    for frame in run.frames:
        assert all(text.strip() for text in texts(frame))
        assert not any(re.search(r"\b(nan|inf|None)\b", text) for text in texts(frame))
        assert frame.sentence.endswith(".")
        assert not re.search(r"\.\.|\s\s", frame.sentence)
        lit = [line.text for line in frame.lines if line.active]
        assert len(lit) == (2 if frame.event.kind is Kind.REGION else 1)
    statuses = [frame.status for frame in run.frames]
    assert len(set(statuses)) == len(statuses)


def test_roles(run: Run) -> None:
    """Each pick is told as what it is: its role's name, its rule and its own label."""
    rules = run.replay.trace.policy.rules
    for frame in run.frames:
        if frame.event.kind is not Kind.PICK:
            continue
        (pick,) = (pick for pick in frame.picks if pick.current)
        assert pick.role in rules
        assert pick.role in _ROLES
        assert role_name(pick.role) in frame.status
        assert any(line.active and rules[pick.role] in line.text for line in frame.lines)
        if not run.replay.trace.policy.uses_region:
            assert not any("R⁺" in text or "R+" in text for text in texts(frame))


def test_the_cases_hold_every_role() -> None:
    """Otherwise the tests above would say nothing of the one that is missing."""
    seen = set()
    for policy in CASES.values():
        trace = simulate(problems.multimodal(), policy, batches=2, initial=3, seed=1)
        seen |= {role for one in trace.decisions for role in one.roles}
    assert seen == set(_ROLES) == {role for kind in POLICIES.values() for role in kind.rules}
