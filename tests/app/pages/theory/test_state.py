"""What the page shows of a run: the library's numbers, and words that agree with them."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.app.pages.theory.conftest import run_of, spec_of
from tests.app.waiting import run
from ucbpe_app.pages.theory import sentences as words
from ucbpe_app.pages.theory import state as module
from ucbpe_app.pages.theory.proof import Status
from ucbpe_app.pages.theory.state import RunTheory, TheoryState, gather
from ucbpe_app.run.events import Kind
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences import number
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


def test_statements_are_the_checks(start: Replay, run_theory: RunTheory) -> None:
    checks = theory.check_lemmas(theory.diagnose(start.trace))
    assert [one.name for one in run_theory.statements] == [check.name for check in checks]
    for statement, check in zip(run_theory.statements, checks, strict=True):
        states = [cell.state for cell in statement.cells]
        expected = [
            Status.HOLDS if h else Status.FAILS if f else Status.SILENT
            for h, f in zip(check.holds, check.fails, strict=True)
        ]
        assert states == expected
        assert statement.fails == check.fails.any()
        assert all(cell.event in start.events for cell in statement.cells)
        assert [cell.event.t for cell in statement.cells] == list(range(1, 9))
    kinds = {one.name: one.cells[2].event.kind for one in run_theory.statements}
    assert kinds["band"] is Kind.POSTERIOR
    assert kinds["lemma1"] is Kind.PICK
    assert kinds["first_in_region_plus"] is Kind.REGION
    assert kinds["lemma3"] is Kind.OBSERVE


def test_cells_tell_both_sides() -> None:
    """Far too narrow a band: f leaves it at many candidates, and the cell says at how many."""
    replay = run_of(scale=0.01, batches=3)
    band, *_, silent = gather(replay).statements[0].cells, gather(replay).statements[5].cells[-1]
    course = theory.diagnose(replay.trace)
    for cell, outside in zip(band, course.outside, strict=True):
        assert cell.state is Status.FAILS
        assert cell.numbers.endswith(f"f is outside at {outside} candidates")
        left, _, right = cell.numbers.partition(" > ")
        assert float(left) > float(right.split(",")[0])
        assert "margin −" in cell.numbers
    assert silent.state is Status.SILENT
    assert silent.numbers == "nothing to compare"
    assert not {"∞", "nan"} & set(" ".join(cell.numbers for cell in band).split())


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
        "GP-UCB-PE, 8 batches of 4, exact posterior", "True, but not tight",
    )  # fmt: skip
    bare = gather(run_of(batches=3, noise_variance=0.0))
    assert (bare.steps, words.title(bare)) == ((), "No bound without noise")
    assert "Theorem 1 says nothing" in words.verdict(bare)


@pytest.mark.parametrize(
    ("changes", "delta", "said"),
    [
        ({}, 0.1, "probability at least 0.9"),
        ({"scale": 0.2}, None, "β is 0.2 times the theory's"),
        ({"scale": 2.0}, 0.1, "probability at least 0.9"),
        ({"schedule": "Compact cube"}, None, "up to 1/t²"),
        ({"schedule": "Compact cube", "scale": 0.5}, None, "β is 0.5 times the theory's"),
    ],
)
def test_what_is_promised(changes: dict[str, object], delta: float | None, said: str) -> None:
    trace = run_of(batches=2, **changes).trace
    assert words.promised_delta(trace) == delta
    assert said in words.promise(trace)


def test_of_a_cost_it_is_the_theory_of_the_negative(start: Replay) -> None:
    cost = replace(problems.multimodal(), direction="minimize")
    trace = simulate(cost, GPUCBPE(3), batches=1, initial=2)
    assert any("applied to −f" in said for said in words.about(trace))
    assert not any("−f" in said for said in words.about(start.trace))


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
