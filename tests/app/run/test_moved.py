"""Measurements moved by hand: the posterior is that of the values given, by dense solves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.links import Moment, decode, encode, restore
from ucbpe_app.run.cache import RunCache, load
from ucbpe_app.run.changes import Moved, move, moved_of, moved_text
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import RunSpec, Settings
from ucbpe_core.errors import InputError

SPEC = Settings().spec()
# An initial value, one of batch 1, and two left out, one of each.
MOVED: Moved = ((1, 3.0), (2, None), (4, -1.25), (6, None))


@pytest.fixture(scope="module")
def cache() -> RunCache:
    return RunCache()


@pytest.fixture(scope="module")
def measured(cache: RunCache) -> Replay:
    return load(SPEC, cache=cache)


def moved_run(cache: RunCache, moved: Moved, spec: RunSpec = SPEC) -> Replay:
    return load(spec, cache=cache, data=SPEC, moved=moved)


def dense(replay: Replay, indices: list[int], y: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and std over the candidates by a dense solve."""
    gp, X = replay.trace.gp, replay.scene.candidates
    K = gp.kernel.evaluate(X[indices], X[indices]) + gp.noise_variance * np.eye(len(indices))
    cross = gp.kernel.evaluate(X[indices], X)
    mean = gp.mean + cross.T @ np.linalg.solve(K, np.array(y) - gp.mean)
    variance = gp.kernel.diagonal(X) - np.sum(cross * np.linalg.solve(K, cross), axis=0)
    return mean, np.sqrt(variance)


def test_every_batch_starts_from_the_values_given(cache: RunCache, measured: Replay) -> None:
    replay, given = moved_run(cache, MOVED), dict(MOVED)
    made = measured.trace.history.measured
    K, initial = SPEC.batch_size, SPEC.initial
    for event in replay.events:
        if event.kind is Kind.PICK and event.k:
            continue
        frame = replay.frame(replay.events.index(event))
        n = initial + K * (event.t if event.kind is Kind.OBSERVE else event.t - 1)
        values = [(one.index, given.get(i, one.y)) for i, one in enumerate(made[:n])]
        kept = [(index, y) for index, y in values if y is not None]
        indices, y = [index for index, _ in kept], [float(y) for _, y in kept]
        assert frame.observed.tolist() == indices
        assert frame.observed_y.tolist() == y
        mean, std = dense(replay, indices, y)
        np.testing.assert_allclose(frame.mean, mean, atol=1e-7)
        np.testing.assert_allclose(frame.std, std, atol=1e-6)
        changed = [one for i, one in enumerate(made[:n]) if i in given]
        assert frame.changed == tuple(one.index for one in changed)
        assert frame.changed_y == tuple(one.y for one in changed)
        low, high = frame.values
        assert low <= min(y)
        assert max(y) <= high


def test_moved_the_std_is_the_same_to_the_bit_and_picks_follow(
    cache: RunCache, measured: Replay
) -> None:
    replay = moved_run(cache, ((0, 4.0), (5, -3.0)))
    others = 0
    for i, event in enumerate(replay.events):
        frame, before = replay.frame(i), measured.frame(i)
        assert np.array_equal(frame.std, before.std)
        if event.t > 1:
            assert not np.array_equal(frame.mean, before.mean)
        others += [one.index for one in frame.picks] != [one.index for one in before.picks]
    assert others
    assert replay.measured is measured


def test_left_out_the_std_grows_and_put_back_all_is_as_it_was(
    cache: RunCache, measured: Replay
) -> None:
    replay = moved_run(cache, ((1, None),))
    assert np.all(replay.frame(0).std >= measured.frame(0).std)
    assert replay.frame(0).std.max() > measured.frame(0).std.max()
    back = move(((1, None),), measured.trace, 1, measured.trace.history.measured[1].y)
    assert back == ()
    assert moved_run(cache, back) is measured
    assert move((), measured.trace, 1, None) == ((1, None),)
    assert move(((4, 2.0),), measured.trace, 1, 0.5) == ((1, 0.5), (4, 2.0))


def test_the_heading_says_so_and_the_reason_is_no_longer_than_before(
    cache: RunCache, measured: Replay
) -> None:
    first, second = (
        measured.events.index(Event(1, Kind.POSTERIOR)),
        measured.events.index(Event(2, Kind.POSTERIOR)),
    )
    replay = moved_run(cache, MOVED)
    said = replay.frame(first).tell(False)
    assert said.heading == (
        "The posterior · a value moved by hand: std stays · a measurement left out"
    )
    assert "by hand" not in said.sentence
    assert "a value moved by hand: the width stays" in replay.frame(first).tell(True).heading
    assert "2 values moved by hand" in replay.frame(second).tell(False).heading
    assert "2 measurements left out" in replay.frame(second).tell(False).heading
    assert "by hand" not in measured.frame(first).tell(False).heading


@pytest.mark.parametrize("spec", [SPEC, replace(SPEC, lengthscale=0.3)])
def test_a_link_restores_it(spec: RunSpec, cache: RunCache, measured: Replay) -> None:
    replay = moved_run(cache, MOVED, spec)
    moment = Moment(
        spec, Event(2, Kind.PICK, 1), digest=replay.trace.digest, moved=MOVED,
        data=None if spec == SPEC else SPEC,
    )  # fmt: skip
    assert "moved=1_3.0,2_out,4_-1.25,6_out" in encode(moment)
    again, errors = decode(encode(moment))
    assert (again.moved, again.data, errors) == (MOVED, moment.data, ())
    _, restored, errors = restore(again, cache=cache)
    assert (restored, errors) == (replay, ())


def test_what_a_link_cannot_have_is_as_it_was_measured(cache: RunCache, measured: Replay) -> None:
    for text in ("1", "1_x", "2_1,1_1", "1_inf", "1_1,1_2", "-1_2", "1_"):
        with pytest.raises(InputError, match="every measurement has its own value"):
            moved_of(text)
    assert moved_of(moved_text(MOVED)) == MOVED
    moment = Moment(SPEC, moved=((43, 1.0), (44, 1.0)))
    shown, replay, errors = restore(moment, cache=cache)
    assert (shown.moved, replay) == ((), measured)
    assert "a measurement from 0 to 42" in str(errors[0])
