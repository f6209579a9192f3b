"""Held data: the frames of decisions on the measurements of another run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.run.cache import RunCache, bounds, load
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import MEASURED, RunSpec
from ucbpe_core import InputError

DATA = RunSpec(batches=4)
SPEC = replace(DATA, lengthscale=0.3, scale=0.5)


@pytest.fixture(scope="module")
def cache() -> RunCache:
    return RunCache()


@pytest.fixture(scope="module")
def held(cache: RunCache) -> Replay:
    return load(SPEC, cache=cache, data=DATA)


def test_the_measurements_are_those_of_the_other_run(held: Replay, cache: RunCache) -> None:
    measured = load(DATA, cache=cache)
    assert held.measured is measured
    assert held.trace.hold_data
    last = held.frame(len(held.events) - 1)
    assert np.array_equal(last.observed, measured.frame(len(measured.events) - 1).observed)
    assert np.array_equal(held.scene.simple, measured.scene.simple)
    assert load(SPEC, cache=cache, data=DATA) is held
    assert load(SPEC, cache=cache) is not held
    assert load(DATA, cache=cache, data=DATA) is measured


def test_every_frame_is_of_a_posterior_made_anew(held: Replay) -> None:
    gp, trace = SPEC.build_gp(), held.trace
    X, other = trace.problem.candidates, 0
    for i, event in enumerate(held.events):
        frame, decision = held.frame(i), trace.decisions[event.t - 1]
        now = gp.condition(X[frame.observed], frame.observed_y).predict(X)
        np.testing.assert_allclose(frame.mean, now.mean, atol=1e-9)
        np.testing.assert_allclose(frame.std, now.std, atol=1e-7)
        if event.kind is Kind.PICK:
            picks = decision.indices[: event.k]
            counted = np.concatenate([frame.observed, picks])
            std = gp.condition(X[counted], np.zeros(len(counted))).predict(X).std
            np.testing.assert_allclose(frame.std_now, std, atol=1e-7)
            assert frame.std_now[decision.indices[event.k]] == pytest.approx(
                decision.stds[event.k], abs=1e-9
            )
            if event.k:
                std = gp.condition(X[counted[:-1]], np.zeros(len(counted) - 1)).predict(X).std
                np.testing.assert_allclose(frame.std_before, std, atol=1e-7)
        other += event.kind is Kind.OBSERVE and set(frame.observed[-frame.fresh :]) != set(
            decision.indices
        )
    assert other  # measured where this run has no pick


def test_where_others_were_measured_the_picks_are_gone(held: Replay) -> None:
    i = next(i for i, event in enumerate(held.events) if event.kind is Kind.OBSERVE)
    frame = held.frame(i)
    assert frame.picks == ()
    assert frame.subject is None
    assert frame.fresh == 4
    assert frame.sentence.startswith("The held data of this batch: 4 results, measured at")


def test_what_measurements_come_from_cannot_differ() -> None:
    assert set(MEASURED) == {
        "problem", "problem_seed", "batch_size", "batches", "initial", "seed",
    }  # fmt: skip
    for name, value in {
        "kernel": "Matérn",
        "mean": 1.0,
        "delta": 0.5,
        "policy": "GreedyUCB",
    }.items():
        assert replace(DATA, **{name: value}).can_hold(DATA)
    for name in MEASURED:
        value = "thin_peak" if name == "problem" else 2
        assert not replace(DATA, **{name: value}).can_hold(DATA)
    assert not replace(DATA, policy="GP-UCB").can_hold(DATA)  # one pick at a time


def test_picks_that_were_not_measured_have_no_bound_on_their_regret(held: Replay) -> None:
    with pytest.raises(InputError, match="bound its regret"):
        bounds(held)
