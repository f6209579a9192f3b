"""Frames against the core: nothing on screen differs from the belief it stands for."""

from __future__ import annotations

import dataclasses
import weakref
from typing import Any

import numpy as np
import pytest

from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, GaussianProcess, Kernel, Posterior, problems, simulate
from ucbpe_core.gp import region
from ucbpe_core.gp.kernels import Linear, Polynomial


def _same(one: Any, other: Any) -> bool:
    return all(
        _equal(getattr(one, field.name), getattr(other, field.name))
        for field in dataclasses.fields(one)
    )


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if callable(one):
        return all(one(plain) == other(plain) for plain in (False, True))
    if dataclasses.is_dataclass(one):
        return type(one) is type(other) and _same(one, other)
    return bool(one == other)


def test_forward_and_back_end_in_the_identical_frame(any_replay: Replay) -> None:
    total = len(any_replay.events)
    first = [any_replay.frame(i) for i in range(total)]
    for i in reversed(range(total)):
        assert _same(first[i], any_replay._frame(i))


@pytest.mark.parametrize(("kernel", "degree"), [(Linear(), 1), (Polynomial(degree=3), 3)])
def test_what_the_results_say_against_a_linear_or_polynomial_kernel(
    kernel: Kernel, degree: int
) -> None:
    """Of a sine over two periods they do, and not of a draw of the prior itself."""
    x = np.linspace(-1.0, 1.0, 60)[:, None]
    gp = GaussianProcess(kernel, 1e-4)
    draw = gp.sample(x, rng=1).ravel()
    for values, found in ((np.sin(2 * np.pi * x.ravel()), True), (draw, False)):
        problem = problems.from_table(x, values, noise_variance=1e-4)
        words = Replay(simulate(problem, GPUCBPE(4), gp, batches=4, initial=8)).contradicted
        assert words.endswith(f"of degree {degree} at most.") if found else words == ""


def test_all_who_are_at_an_event_share_its_frame(replay: Replay) -> None:
    one = replay.frame(3)
    assert replay.frame(3) is one
    kept = weakref.ref(one)
    del one
    assert kept() is None


def test_frames_tell_different_events_apart(replay: Replay) -> None:
    assert not _same(replay.frame(1), replay.frame(2))


def test_the_belief_on_screen_is_the_posterior_bit_for_bit(any_replay: Replay) -> None:
    posterior = any_replay.trace.posterior
    for i, event in enumerate(any_replay.events):
        frame, decision = any_replay.frame(i), any_replay.trace.decisions[event.t - 1]
        n = decision.n + (len(decision.indices) if event.kind is Kind.OBSERVE else 0)
        belief = posterior.at(n)
        assert np.array_equal(frame.mean, belief.mean)
        assert np.array_equal(frame.std, belief.std)
        assert np.array_equal(frame.lower, region.lower(belief, decision.beta))
        assert np.array_equal(frame.upper, region.upper(belief, decision.beta))
        assert len(frame.observed) == n


def test_the_std_at_a_pick_is_the_one_it_maximised(any_replay: Replay) -> None:
    for i, event in enumerate(any_replay.events):
        if event.kind is not Kind.PICK:
            continue
        frame, decision = any_replay.frame(i), any_replay.trace.decisions[event.t - 1]
        assert frame.std_now[decision.indices[event.k]] == decision.stds[event.k]
        hallucinated = any_replay.trace.posterior.at(decision.n).hallucinate(
            decision.indices[: event.k]
        )
        assert np.array_equal(frame.std_now, hallucinated.std)


def test_one_pick_ago_is_the_std_of_the_frame_before(replay: Replay) -> None:
    for i, event in enumerate(replay.events):
        if event.kind is Kind.PICK and event.k > 1:
            before = replay.frame(i).std_before
            assert before is not None
            assert np.array_equal(before, replay.frame(i - 1).std_now)


def test_before_the_results_is_the_std_at_the_last_pick(any_replay: Replay) -> None:
    for i, event in enumerate(any_replay.events):
        if event.kind is Kind.OBSERVE:
            before = any_replay.frame(i).std_before
            assert before is not None
            np.testing.assert_array_equal(before, any_replay.frame(i - 1).std_now)


def test_the_region_shows_from_its_event_until_the_results_come(replay: Replay) -> None:
    for i, event in enumerate(replay.events):
        frame, decision = replay.frame(i), replay.trace.decisions[event.t - 1]
        if event.kind is Kind.REGION or (event.kind is Kind.PICK and event.k > 0):
            assert frame.region is decision.region
            assert frame.region_plus is decision.region_plus
            assert frame.y_dot == decision.y_dot
        else:
            assert frame.region is frame.region_plus is frame.y_dot is None


def test_arrays_are_shared_within_a_batch_and_read_only(replay: Replay) -> None:
    first, last = replay.frame(0), replay.frame(4)
    assert first.event.t == last.event.t
    for name in ("mean", "std", "lower", "upper"):
        assert getattr(first, name) is getattr(last, name)
        with pytest.raises(ValueError, match="read-only"):
            getattr(first, name)[0] = 0.0


def test_stepping_makes_no_posterior(replay: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a step computed a posterior")

    for name in ("__init__", "observe", "hallucinate", "at"):
        monkeypatch.setattr(Posterior, name, refuse)
    for i in range(len(replay.events)):
        replay.frame(i)


def test_picks_accumulate_and_only_the_newest_is_current(replay: Replay) -> None:
    for i, event in enumerate(replay.events):
        picks = replay.frame(i).picks
        expected = {Kind.POSTERIOR: 0, Kind.REGION: 1, Kind.OBSERVE: 4}.get(event.kind, event.k + 1)
        assert [pick.number for pick in picks] == list(range(expected))
        current = [pick.number for pick in picks if pick.current]
        assert current == ([event.k] if event.kind is Kind.PICK else [])


def test_the_limits_of_a_batch_hold_everything_drawn_in_it_and_stay_still() -> None:
    trace = simulate(problems.thin_peak(), GPUCBPE(batch_size=3), batches=5, initial=3, seed=2)
    replay = Replay(trace)
    for i, event in enumerate(replay.events):
        frame, first = replay.frame(i), replay.frame(replay.batch_start(event.t))
        assert (frame.values, frame.largest_std) == (first.values, first.largest_std)
        low, high = frame.values
        for drawn in (frame.lower, frame.upper, frame.observed_y, trace.problem.values):
            assert low <= drawn.min()
            assert drawn.max() <= high
        inside = trace.decisions[event.t - 1].region_plus  # elsewhere the std leaves its axis
        assert frame.std_now[inside].max() <= frame.largest_std
        assert replay.scene.means[0] <= frame.mean.min()
        assert frame.mean.max() <= replay.scene.means[1]
    assert np.array_equal(replay.scene.simple, trace.simple_regret)


def test_batch_start_is_the_fit_event_of_that_batch(any_replay: Replay) -> None:
    for t in range(1, 4):
        event = any_replay.events[any_replay.batch_start(t)]
        assert (event.t, event.kind) == (t, Kind.POSTERIOR)
        assert any_replay.batch(t) == tuple(e for e in any_replay.events if e.t == t)
    assert any_replay.batch_start(99) == any_replay.batch_start(3)


def test_values_are_called_what_the_problem_calls_them() -> None:
    for problem, name in ((problems.multimodal(), "f(x)"), (problems.himmelblau(), "f")):
        run = simulate(problem, GPUCBPE(2), batches=1, initial=2, seed=0)
        assert problem.axes[-1] == "f"
        assert Replay(run).scene.output == name


def test_each_event_is_about_its_pick(any_replay: Replay) -> None:
    for i, event in enumerate(any_replay.events):
        frame = any_replay.frame(i)
        if event.kind is Kind.POSTERIOR:
            assert frame.subject is None
            continue
        assert frame.subject in frame.picks
        if event.kind is Kind.OBSERVE:  # f may be secret: by what was measured
            best = np.argmax(any_replay.scene.sign * frame.observed_y[-frame.fresh :])
            assert frame.subject.index == frame.observed[-frame.fresh :][best]
        else:
            assert frame.subject is frame.picks[-1]
            assert frame.subject.current == (event.kind is Kind.PICK)
