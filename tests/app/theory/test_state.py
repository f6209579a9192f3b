"""What the page shows of a run: the library's numbers, and words that agree with them."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.app.theory.conftest import run_of, spec_of
from tests.app.waiting import run
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import number
from ucbpe_app.theory import sentences as words
from ucbpe_app.theory import state as module
from ucbpe_app.theory.state import RunTheory, TheoryState, gather
from ucbpe_core import GPUCBPE, problems, simulate, theory


@pytest.fixture(scope="module")
def run_theory(start: Replay) -> RunTheory:
    return gather(start)


def test_the_band(start: Replay, run_theory: RunTheory) -> None:
    """sqrt(beta_t) and 2 sqrt(beta_(t+1)), from the formula of the schedule: 481 candidates."""
    t = np.arange(1, 9)
    beta = [2 * np.log(481 * u**2 * np.pi**2 / 0.6) for u in (t, t + 1)]
    np.testing.assert_allclose(run_theory.sqrt_beta, np.sqrt(beta[0]))
    np.testing.assert_allclose(run_theory.wide, 2 * np.sqrt(beta[1]))
    np.testing.assert_allclose(run_theory.allowed, np.cumsum(481 * np.exp(-beta[0] / 2)))
    assert words.promised_delta(start.trace) == 0.1
    assert run_theory.batches == 8


def test_gain_and_bounds_are_the_librarys(start: Replay, run_theory: RunTheory) -> None:
    trace, gain = start.trace, run_theory.gain
    assert gain is not None
    greedy = theory.greedy_information_gain(trace.gp, trace.problem.candidates, 32)[3::4]
    np.testing.assert_array_equal(gain.greedy, greedy)
    np.testing.assert_allclose(gain.bound, greedy / (1 - 1 / np.e))
    np.testing.assert_array_equal(gain.run, theory.gain_of_run(trace))
    assert (gain.run <= gain.bound).all()
    beta = run_theory.sqrt_beta**2
    expected = theory.RegretBounds(beta, gain.bound, 4, 0.01, 2.3)
    spread = np.ptp(trace.problem.values)
    for bound, own, printed, proved, most in (
        (
            run_theory.batch,
            trace.batch_cumulative_regret,
            expected.theorem1_printed,
            expected.theorem1_proved,
            np.arange(1, 9) * spread,
        ),
        (
            run_theory.full,
            trace.full_cumulative_regret,
            expected.full_regret_printed,
            expected.full_regret_proved,
            np.arange(1, 9) * 4 * spread,
        ),
    ):
        np.testing.assert_array_equal(bound.own, own)
        np.testing.assert_allclose(bound.printed, printed)
        np.testing.assert_allclose(bound.proved, proved)
        np.testing.assert_allclose(bound.trivial, most)


def test_what_fails_is_what_the_checks_say(run_theory: RunTheory) -> None:
    """Lemma 3 as printed, on this run; its batches and the sides at the first of them."""
    checks = theory.check_lemmas(run_theory.course)
    found = {one.name: one for one in run_theory.verdicts.failures}
    assert run_theory.verdicts.checked == len(checks) == 12
    assert list(found) == [one.name for one in checks if one.fails.any()] != []
    for check in checks:
        if check.name in found:
            failure, first = found[check.name], int(np.argmax(check.fails))
            assert failure.batches == tuple(np.flatnonzero(check.fails) + 1)
            left, right = (number(float(side[first])) for side in (check.left, check.right))
            assert failure.numbers.startswith(f"{left} > {right}, margin −")


def test_a_band_that_fails_says_at_how_many_candidates() -> None:
    """Far too narrow a band, and one pick a batch: what is about the others says nothing."""
    run = gather(run_of(scale=0.01, batches=3, batch_size=1))
    band, outside = run.verdicts.failures[0], run.course.outside[0]
    assert (band.title, band.batches) == ("f stays in its band", (1, 2, 3))
    assert band.numbers.endswith(f"f is outside at {outside} candidates")
    assert run.verdicts.checked < 12
    failing = len(run.verdicts.failures)
    assert words.summary(run).endswith(
        f"{run.verdicts.checked - failing} of {run.verdicts.checked} hold."
    )


def test_batches_in_a_row_are_a_range() -> None:
    assert words.spans([1, 2, 3, 5, 8, 9]) == "1–3, 5, 8–9"
    assert words.spans([]) == ""


@pytest.mark.parametrize(
    "changes",
    [{}, {"schedule": "Compact cube"}, {"schedule": "Constant"}, {"batch_size": 1}],
)
def test_the_steps_of_the_proof_end_at_the_bound(changes: dict[str, object]) -> None:
    """From the regret to the core's own bound, without those that cost nothing."""
    found = gather(run_of(batches=5, variance=1.7, **changes))
    values = {one.name: one.value for one in found.steps}
    assert found.batch.proved is not None
    assert values["regret of this run"] == pytest.approx(found.batch.own[-1])
    assert found.steps[-1].value == pytest.approx(found.batch.proved[-1], rel=1e-12)
    assert ("β of the last batch" in values) == (changes.get("schedule") != "Constant")
    assert ("Lemma 3, corrected" in values) == (changes.get("batch_size") != 1)


def test_the_verdict_has_the_numbers(run_theory: RunTheory) -> None:
    batch = run_theory.batch
    assert batch.proved is not None
    regret, bound, most = (
        number(float(one[-1])) for one in (batch.own, batch.proved, batch.trivial)
    )
    times = number(float(batch.proved[-1] / batch.own[-1]))
    said = words.verdict(run_theory)
    assert f"the regret is {regret}, and the theorem allows {bound}, which is {times} times" in said
    assert f"stays below {most}, so after 8 batches the bound says nothing yet" in said
    costs = {b.name: b.value / a.value for a, b in pairwise(run_theory.steps)}
    name = max(costs, key=costs.__getitem__)
    shown = "the step from the batch to x⁰ alone" if name == "regret of x⁰" else name
    assert said.endswith(f"Most is lost at {shown}: × {number(float(f'{costs[name]:.2g}'))}.")
    assert (words.place(run_theory.trace), words.title(run_theory)) == (
        "GP-UCB-PE, 8 batches of 4, exact posterior",
        "f in its band: 8 of 8 batches. The bound holds, but says nothing yet",
    )  # fmt: skip
    bare = gather(run_of(batches=3, noise_variance=0.0))
    assert (bare.steps, words.title(bare)) == ((), "No bound without noise")
    assert "Theorem 1 says nothing" in words.verdict(bare)


@pytest.mark.parametrize(
    "changes",
    [
        {"schedule": "Constant", "beta": 0.01},
        {"kernel": "Linear"},
        {"scale": 0.006},
        {"policy": "GP-BUCB"},
        {"policy": "Thompson sampling"},
        {"problem": "himmelblau", "shared": "x2", "lengthscale": 2.0, "variance": 6000.0},
    ],
    ids=str,
)
def test_nothing_is_claimed_where_the_condition_of_the_theorem_fails(
    changes: dict[str, object],
) -> None:
    run = gather(run_of(**changes))
    starts = [run.trace.before(t) for t in range(1, 9)]
    f, widths = run.trace.problem.values, run.sqrt_beta
    inside = sum(
        bool((abs(f - start.mean) <= width * start.std + 1e-9).all())
        for start, width in zip(starts, widths, strict=True)
    )
    title, said = words.title(run), words.verdict(run)
    if "policy" in changes or "shared" in changes:
        other = "batches that share y" if "shared" in changes else run.trace.policy.name
        assert title == f"Theorem 1 is about GP-UCB-PE, not {other}"
    else:
        assert inside < 8
        assert title == f"f in its band: {inside} of 8 batches. Theorem 1 does not apply"
    assert f"f is in its band in {inside} of 8 batches: nothing is guaranteed." in said
    assert not [word for word in ("holds", "allows", "informative", "lost") if word in said]


@pytest.mark.parametrize(
    ("changes", "delta"),
    [
        ({}, 0.1),
        ({"scale": 0.2}, None),
        ({"scale": 2.0}, 0.1),
        ({"schedule": "Compact cube"}, None),
    ],
)
def test_what_is_promised(changes: dict[str, object], delta: float | None) -> None:
    assert words.promised_delta(run_of(batches=2, **changes).trace) == delta


def test_of_a_cost_or_another_policy_it_says_so(start: Replay) -> None:
    cost = replace(problems.multimodal(), direction="minimize")
    trace = simulate(cost, GPUCBPE(3), batches=1, initial=2)
    assert "applied to −f" in words.about(trace)
    assert "nothing is guaranteed" in words.about(run_of(batches=1, policy="EI-PE").trace)
    assert words.about(run_of(batches=1, policy="GP-UCB").trace) == words.about(start.trace) == ""


def test_another_run_has_other_evidence_and_its_count_to_begin(start: Replay) -> None:
    state, other = TheoryState(), run_of(batches=2)
    gathering = list[bool]()
    state.param.watch(lambda event: gathering.append(event.new), "gathering")

    async def both() -> None:
        await state.follow(start)
        assert state.run_theory.batches == 8
        await state.count.start(start.trace, spec_of(), 1)
        assert state.count.tally.done
        await state.follow(start)  # nothing new
        assert state.count.tally is not None
        await state.follow(other)

    run(both())
    assert state.run_theory.batches == 2
    assert state.count.tally is None
    assert gathering == [True, False, True, False]


@pytest.mark.slow
def test_the_run_followed_last_is_shown(start: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though its theory comes first; and who waits for one is told when it is there."""
    state, other = TheoryState(), run_of(batches=2)
    release = threading.Event()
    gather = module.gather

    def slow(replay: Replay) -> Any:
        if replay is start:
            release.wait(10)
        return gather(replay)

    monkeypatch.setattr(module, "gather", slow)

    async def overtaken() -> None:
        first = asyncio.create_task(state.follow(start))
        await asyncio.sleep(0)
        await asyncio.gather(state.follow(other), state.follow(other))
        assert state.run_theory.batches == 2
        release.set()
        await first
        assert state.run_theory.batches == 2
        assert not state.gathering

    run(overtaken())
