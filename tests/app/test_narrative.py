"""The words: right place, right numbers, one line lit."""

from __future__ import annotations

import numpy as np

from app.events import Kind
from app.narrative import coordinates, number, percentage, pick_label
from app.replay import Replay
from ucbpe_core import GPUCBPE, problems, simulate


def test_exactly_one_line_is_lit_and_later_ones_are_blank(any_replay: Replay) -> None:
    for i in range(len(any_replay.events)):
        lines = any_replay.frame(i).lines
        lit = [j for j, line in enumerate(lines) if line.active]
        # The two lines that make the region belong to one event.
        assert lit in ([lit[0]], [lit[0], lit[0] + 1])
        assert all(line.value == "" for line in lines[lit[-1] + 1 :])
        assert all(line.value for line in lines[: lit[-1] + 1])


def test_the_status_names_batch_pick_point_and_region(replay: Replay) -> None:
    i = next(i for i, e in enumerate(replay.events) if (e.t, e.kind, e.k) == (2, Kind.PICK, 2))
    decision = replay.trace.iterations[1].decision
    x = coordinates(replay.trace.problem.candidates[decision.indices[2]])
    share = percentage(decision.region_plus)
    std = number(decision.stds[2])
    assert replay.frame(i).status == (
        f"Batch 2 of 4, PE pick 2 of 3: x = {x}, std {std} in R+ ({share} of X)"
    )


def test_the_ucb_sentence_adds_up(replay: Replay) -> None:
    decision = replay.trace.iterations[0].decision
    mean = replay.frame(0).mean[decision.indices[0]]
    sentence = replay.frame(1).sentence
    assert number(mean) in sentence
    assert number(decision.sqrt_beta) in sentence
    assert number(mean + decision.sqrt_beta * decision.stds[0]) in sentence


def test_a_repeated_pick_is_flagged_and_no_other() -> None:
    table = problems.from_table([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5], noise_variance=1.0)
    trace = simulate(table, GPUCBPE(batch_size=3), batches=2, initial=1, seed=0)
    replay = Replay(trace)
    indices = trace.posterior.conditioned_indices
    for i, event in enumerate(replay.events):
        if event.kind is Kind.PICK:
            n = trace.iterations[event.t - 1].decision.n + event.k
            assert ("picked before" in replay.frame(i).sentence) == (indices[n] in indices[:n])


def test_every_event_has_a_status_and_a_sentence(any_replay: Replay) -> None:
    statuses = [any_replay.frame(i).status for i in range(len(any_replay.events))]
    assert len(set(statuses)) == len(statuses)
    assert all(any_replay.frame(i).sentence.endswith(".") for i in range(len(statuses)))


def test_numbers_and_labels() -> None:
    assert (number(-0.12345), number(15.23), number(1234.4)) == ("−0.123", "15.2", "1234")
    assert pick_label(12) == "x¹²"
    assert coordinates(np.array([0.5])) == "0.5"
    assert coordinates(np.array([0.5, -1.0])) == "(0.5, −1)"
    masks = np.arange(1000)
    assert [percentage(masks < n) for n in (380, 25, 0, 1000)] == ["38 %", "2.5 %", "0 %", "100 %"]
