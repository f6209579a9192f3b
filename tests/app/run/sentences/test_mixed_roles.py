"""The algorithm as written on screen, of policies whose roles alternate within a batch."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import pytest

from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_core import Policy, problems, simulate
from ucbpe_core.policies import BatchContext, Pick

RULES = {"greedy": "argmax over X of μ", "uniform": "uniform on X", "pe": "argmax over R⁺ of σ"}


@dataclass(frozen=True)
class Mixed(Policy):
    """Picks of the roles given, in that order; where they are does not matter here."""

    name: ClassVar[str] = "Mixed"
    rules = MappingProxyType(RULES)
    roles: tuple[str, ...] = ()
    inside: bool = False

    @property
    def batch_size(self) -> int:  # type: ignore[override]
        return len(self.roles)

    @property
    def uses_region(self) -> bool:  # type: ignore[override]
        return self.inside

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        rng = np.random.default_rng(context.t)
        drawn = rng.choice(len(context.posterior.candidates), len(self.roles), replace=False)
        picks = zip(drawn.tolist(), self.roles, strict=True)
        return tuple(Pick(j, role, std=0.1, score=0.2) for j, role in picks)


def replay_of(*roles: str, inside: bool = False) -> Replay:
    policy = Mixed(roles, inside)
    return Replay(simulate(problems.multimodal(), policy, batches=2, initial=2, seed=0))


def rules_of(replay: Replay) -> list[str]:
    """What the algorithm says between the fit and the measurement."""
    return [line.text for line in replay.frame(0).lines[1:-1]]


def test_roles_that_alternate_are_written_in_the_order_of_the_picks() -> None:
    assert rules_of(replay_of("uniform", "greedy", "uniform", "uniform")) == [
        "x⁰ ← uniform on X",
        "x¹ ← argmax over X of μ",
        "for k = 2 … 3: xᵏ ← uniform on X",
    ]


@pytest.mark.parametrize("first", ["greedy", "pe"])
def test_the_region_comes_between_x0_and_x1_whatever_the_roles(first: str) -> None:
    """Even where x⁰ and x¹ have one role: `events_of` has the region after the first pick."""
    replay = replay_of(first, "pe", "uniform", "pe", inside=True)
    assert rules_of(replay) == [
        f"x⁰ ← {RULES[first]}",
        "y• ← max over X of μ − √βₜ σ",
        "R⁺ ← {x : μ + 2 √βₜ₊₁ σ ≥ y•}",
        "x¹ ← argmax over R⁺ of σ",
        "x² ← uniform on X",
        "x³ ← argmax over R⁺ of σ",
    ]


@pytest.mark.parametrize("inside", [False, True])
def test_each_pick_lights_the_line_of_its_rule_and_no_line_before_it_is_blank(
    inside: bool,
) -> None:
    replay = replay_of("uniform", "greedy", "uniform", "greedy", inside=inside)
    for i, event in enumerate(replay.events):
        frame = replay.frame(i)
        lit = [j for j, line in enumerate(frame.lines) if line.active]
        assert len(lit) == (2 if event.kind is Kind.REGION else 1)
        assert all(line.value for line in frame.lines[: lit[-1] + 1])
        assert not any(line.value for line in frame.lines[lit[-1] + 1 :])
        if event.kind is Kind.PICK:
            pick = frame.picks[-1]
            assert frame.lines[lit[0]].text.endswith(f"← {RULES[pick.role]}")
            assert frame.lines[lit[0]].value.startswith(f"x{'⁰¹²³'[event.k]} = ")
