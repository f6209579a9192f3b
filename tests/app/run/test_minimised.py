"""A run that minimises f is stepped through as the run that maximises -f, in the units of f."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.pictures.asked import gap
from ucbpe_app.pictures.curve import CURVE
from ucbpe_app.run.cache import bounds
from ucbpe_app.run.criterion import criterion, read, rows
from ucbpe_app.run.events import Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences.texts import at_least
from ucbpe_core import GPUCBPE, RBF, GaussianProcess, simulate
from ucbpe_core.policies import (
    EIPE,
    GPBUCB,
    GPUCB,
    POLICIES,
    LocalPenalization,
    Policy,
    SimulationMatching,
    ThompsonSampling,
)
from ucbpe_core.problems import Problem, from_table

GP = GaussianProcess(RBF(0.3, 1.2), 0.01, mean=0.2)
CASES: dict[str, Policy] = {
    **{name: kind() if kind is GPUCB else kind(batch_size=3) for name, kind in POLICIES.items()},  # type: ignore[call-arg]
    "SM-UCB, few points visited": SimulationMatching(6, trajectories=1),
    "GP-BUCB, no initialisation": GPBUCB(3, initialization=False),
}


def cost() -> Problem:
    """Free of noise: measurements then differ from those of the negative by their sign alone."""
    X = np.linspace(0, 2, 40)[:, None]
    f = np.sin(5 * X[:, 0]) + 0.4 * X[:, 0]
    return replace(from_table(X, f), direction="minimize")


def replays(policy: Policy) -> tuple[Replay, Replay]:
    """The run that minimises, and the one that maximises the negative."""
    low = cost()
    high = replace(low, values=-low.values, direction="maximize")
    run = {"batches": 2, "initial": 3, "seed": 1}
    return (
        Replay(simulate(low, policy, GP, **run)),  # type: ignore[arg-type]
        Replay(simulate(high, policy, replace(GP, mean=-GP.mean), **run)),  # type: ignore[arg-type]
    )


def words(frame: Frame) -> str:
    return " ".join([frame.status, frame.sentence, *(line.text for line in frame.lines)])


@pytest.mark.parametrize("policy", CASES.values(), ids=CASES)
def test_each_frame_is_that_of_the_negative_upside_down(policy: Policy) -> None:
    low, high = replays(policy)
    assert len(low.events) == len(high.events)
    for i in range(len(low.events)):
        mine, theirs = low.frame(i), high.frame(i)
        for name, opposite in (("mean", "mean"), ("lower", "upper"), ("upper", "lower")):
            np.testing.assert_array_equal(getattr(mine, name), -getattr(theirs, opposite))
        for name in ("std", "std_now", "region", "region_plus", "observed", "beta"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
        np.testing.assert_array_equal(mine.observed_y, -theirs.observed_y)
        assert [(p.index, p.role, p.std) for p in mine.picks] == [
            (p.index, p.role, p.std) for p in theirs.picks
        ]
        assert (mine.subject and mine.subject.index) == (theirs.subject and theirs.subject.index)
        if mine.y_dot is not None and theirs.y_dot is not None:
            assert mine.y_dot == -theirs.y_dot
        one, two = criterion(low, mine), criterion(high, theirs)
        if one is not None and two is not None and one.values is not None:
            np.testing.assert_array_equal(one.values, two.values)


@pytest.mark.parametrize("policy", CASES.values(), ids=CASES)
def test_the_words_are_those_of_a_minimum(policy: Policy) -> None:
    """Nothing is told of -f: no greatest upper bound, and no maximum of f."""
    low, high = replays(policy)
    for i in range(len(low.events)):
        told = words(low.frame(i)).replace("least upper bound", "")
        for word in ("upper bound", "maximum of f", "the maximum", "max f", "highest upper", "≥"):
            assert word not in told
        assert "argmax over X of μ" not in told
        assert "argmax over X of fᵏ" not in told
        rule = criterion(low, low.frame(i))
        assert rule is None or "upper" not in rule.name
    # The same events in as many words.
    assert [len(low.frame(i).lines) for i in range(len(low.events))] == [
        len(high.frame(i).lines) for i in range(len(high.events))
    ]


def sentence(policy: Policy, kind: Kind, k: int = 0) -> tuple[str, Replay]:
    replay, _ = replays(policy)
    i = next(i for i, e in enumerate(replay.events) if (e.kind, e.k) == (kind, k))
    return replay.frame(i).sentence, replay


def test_the_numbers_are_in_the_units_of_f() -> None:
    """By hand: the least lower bound is mean - sqrt(beta) std, and y_dot the least upper bound."""
    told, replay = sentence(GPUCBPE(3), Kind.PICK)
    decision, frame = replay.trace.decisions[0], replay.frame(0)
    bound = frame.mean - decision.sqrt_beta * frame.std
    assert decision.indices[0] == np.argmin(bound)
    assert "has the lowest lower bound" in told
    assert f"= {bound.min():.3g}. Nowhere does the band reach lower.".replace("-", "−") in told
    told, _ = sentence(GPUCBPE(3), Kind.REGION)
    least = at_least((frame.mean + decision.sqrt_beta * frame.std).min(), -1.0)
    assert f"min f is at most y• = {least}, the least upper bound" in told
    told, _ = sentence(GPUCBPE(3), Kind.OBSERVE)
    regret = replay.trace.problem.values[decision.indices].min() - replay.trace.problem.values.min()
    assert f"{regret:.3g} above the minimum of f" in told
    told, replay = sentence(ThompsonSampling(3), Kind.PICK)
    score = f"{-replay.trace.decisions[0].scores[0]:.3g}".replace("-", "−")
    assert f"which reaches {score}. " in told
    assert "the lowest point of draw 1 of 3" in told
    assert "falls below μ⁺" in sentence(EIPE(3), Kind.PICK)[0]
    told, _ = sentence(LocalPenalization(3), Kind.PICK, 1)
    assert "lower bound, negated and made positive, is" in told


def test_the_stage_and_the_readout() -> None:
    replay, high = replays(GPUCBPE(3))
    scene = replay.scene
    assert (scene.sign, scene.optimum) == (-1.0, cost().values.min())
    assert scene.optimum_index == high.scene.optimum_index
    for name in ("simple", "running", "batch_cumulative", "full_cumulative"):
        np.testing.assert_array_equal(getattr(scene, name), getattr(high.scene, name))
    assert (scene.simple >= 0).all()
    frame = replay.frame(1)
    reading = read(replay, frame, frame.picks[0].index)
    assert reading.rank == (1, 40)
    told = {row.name: row.value for row in rows(scene, reading, truth=True)}
    assert told["rank for x⁰"] == "1 of 40 by lower bound"
    for name in ("printed", "proved"):
        np.testing.assert_allclose(getattr(bounds(replay), name), getattr(bounds(high), name))


def test_an_answer_is_held_against_values_in_the_units_of_f() -> None:
    """By hand: the pick has the least lower bound, and that is all of the way."""
    replay, _ = replays(GPUCBPE(3))
    i = next(i for i, e in enumerate(replay.events) if e.kind is Kind.PICK)
    frame, decision = replay.frame(i - 1), replay.trace.decisions[0]
    bound = frame.mean - decision.sqrt_beta * frame.std
    found = gap(replay, i, CURVE)
    np.testing.assert_allclose(found["sign"] * found["values"], bound, rtol=1e-12)
    assert found["sign"] * found["largest"] == pytest.approx(bound.min())
    assert found["pick"] == int(decision.indices[0]) == int(np.argmin(bound))
    assert (found["name"], found["plot"]) == ("lower bound", "function")
